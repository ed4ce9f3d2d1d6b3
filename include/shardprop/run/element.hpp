// The element types that tensors of the evaluator have, and the arithmetic that each is computed
// in.
//
// A type is stored in whole bytes, one element after the other: i1 and i4 take a byte, a complex
// number two floats. Kernels do not compute on what is stored. They load a chunk of elements as
// numbers of the type's domain (double for all floats), compute there, and store the results, which
// rounds them to the type. A sum, difference, product, quotient or square root of two f32 that is
// computed as double and then rounded is the correctly rounded one, so nothing is lost.
//
// kExact stands in for every float and complex type in the exact mode: a wrapping 64-bit integer.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "shardprop/ops/common/float_format.hpp"
#include "shardprop/run/float_coding.hpp"

namespace shardprop {

enum class Element : std::uint8_t {
  kNone,  // not a tensor: a token, a tuple
  kI1,
  kI2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kUi2,
  kUi4,
  kUi8,
  kUi16,
  kUi32,
  kUi64,
  kF4E2M1FN,
  kF6E2M3FN,
  kF6E3M2FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3B11FNUZ,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBf16,
  kF16,
  kTf32,
  kF32,
  kF64,
  kComplexF32,
  kComplexF64,
  kExact
};

// What the elements of a type are computed as.
enum class Domain : std::uint8_t {
  kNone = 0,
  kBoolean = 1,   // bool
  kSigned = 2,    // std::int64_t
  kUnsigned = 4,  // std::uint64_t
  kReal = 8,      // double
  kPair = 16,     // std::complex<double>
  kExact = 32     // std::uint64_t, sums and products modulo 2^64
};
using Domains = std::uint8_t;
constexpr Domains operator|(Domain a, Domain b) {
  return static_cast<Domains>(static_cast<Domains>(a) | static_cast<Domains>(b));
}
constexpr Domains operator|(Domains a, Domain b) {
  return static_cast<Domains>(a | static_cast<Domains>(b));
}
constexpr bool has_domain(Domains domains, Domain domain) {
  return (domains & static_cast<Domains>(domain)) != 0;
}

struct ElementRow {
  std::string_view name;
  Domain domain;
  std::uint8_t bytes;
  std::uint8_t bits;  // of a complex number those of both parts
};

namespace detail {

inline constexpr std::array<ElementRow, 33> kElementRows = {{
    {"", Domain::kNone, 0, 0},
    {"i1", Domain::kBoolean, 1, 1},
    {"i2", Domain::kSigned, 1, 2},
    {"i4", Domain::kSigned, 1, 4},
    {"i8", Domain::kSigned, 1, 8},
    {"i16", Domain::kSigned, 2, 16},
    {"i32", Domain::kSigned, 4, 32},
    {"i64", Domain::kSigned, 8, 64},
    {"ui2", Domain::kUnsigned, 1, 2},
    {"ui4", Domain::kUnsigned, 1, 4},
    {"ui8", Domain::kUnsigned, 1, 8},
    {"ui16", Domain::kUnsigned, 2, 16},
    {"ui32", Domain::kUnsigned, 4, 32},
    {"ui64", Domain::kUnsigned, 8, 64},
    {"f4E2M1FN", Domain::kReal, 1, 4},
    {"f6E2M3FN", Domain::kReal, 1, 6},
    {"f6E3M2FN", Domain::kReal, 1, 6},
    {"f8E3M4", Domain::kReal, 1, 8},
    {"f8E4M3", Domain::kReal, 1, 8},
    {"f8E4M3B11FNUZ", Domain::kReal, 1, 8},
    {"f8E4M3FN", Domain::kReal, 1, 8},
    {"f8E4M3FNUZ", Domain::kReal, 1, 8},
    {"f8E5M2", Domain::kReal, 1, 8},
    {"f8E5M2FNUZ", Domain::kReal, 1, 8},
    {"f8E8M0FNU", Domain::kReal, 1, 8},
    {"bf16", Domain::kReal, 2, 16},
    {"f16", Domain::kReal, 2, 16},
    {"tf32", Domain::kReal, 4, 32},
    {"f32", Domain::kReal, 4, 32},
    {"f64", Domain::kReal, 8, 64},
    {"complex<f32>", Domain::kPair, 8, 64},
    {"complex<f64>", Domain::kPair, 16, 128},
    {"exact", Domain::kExact, 8, 64},
}};

inline constexpr std::array<FloatFormat, 33> kElementFormats = [] {
  std::array<FloatFormat, 33> formats{};
  for (std::size_t i = 0; i < formats.size(); ++i) {
    for (const FloatFormat& format : kFloatFormats) {
      if (format.name == kElementRows[i].name) formats[i] = format;
    }
  }
  return formats;
}();

}  // namespace detail

constexpr const ElementRow& row_of(Element element) {
  return detail::kElementRows[static_cast<std::size_t>(element)];
}
constexpr Domain domain_of(Element element) { return row_of(element).domain; }
constexpr std::size_t bytes_of(Element element) { return row_of(element).bytes; }
constexpr bool is_integer(Element element) {
  return domain_of(element) == Domain::kSigned || domain_of(element) == Domain::kUnsigned;
}
// The type of the parts of a complex number; any other type itself.
constexpr Element part_of(Element element) {
  return element == Element::kComplexF32   ? Element::kF32
         : element == Element::kComplexF64 ? Element::kF64
                                           : element;
}
constexpr Element complex_of(Element part) {
  return part == Element::kF32   ? Element::kComplexF32
         : part == Element::kF64 ? Element::kComplexF64
                                 : part;
}

// The element type called `name`; kNone of no known one. An index is 64 bits wide.
constexpr Element find_element(std::string_view name) {
  if (name == "index") return Element::kI64;
  for (std::size_t i = 1; i < detail::kElementRows.size(); ++i) {
    if (detail::kElementRows[i].name == name) return static_cast<Element>(i);
  }
  return Element::kNone;
}

namespace detail {

inline const FloatFormat& format_of(Element element) {
  return kElementFormats[static_cast<std::size_t>(element)];
}

template <class Stored, class T, class Convert>
void load_as(const std::byte* from, std::size_t count, T* to, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, from + i * sizeof(Stored), sizeof(Stored));
    to[i] = convert(stored);
  }
}
template <class Stored, class T, class Convert>
void store_as(const T* from, std::size_t count, std::byte* to, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    const Stored stored = convert(from[i]);
    std::memcpy(to + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

}  // namespace detail

// `count` elements at `from` as numbers of their domain; the type of `to` must be that of the
// domain.
inline void load_elements(Element element, const std::byte* from, std::size_t count, double* to) {
  using detail::load_as;
  const detail::FloatFormat& format = detail::format_of(element);
  switch (element) {
    case Element::kF32:
    case Element::kTf32:
      return load_as<float>(from, count, to, [](float x) { return static_cast<double>(x); });
    case Element::kF64:
      if (count != 0) std::memcpy(to, from, count * sizeof(double));
      return;
    case Element::kBf16:
      return load_as<std::uint16_t>(from, count, to, [](std::uint16_t x) {
        return static_cast<double>(std::bit_cast<float>(std::uint32_t{x} << 16));
      });
    case Element::kF16:
      return load_as<std::uint16_t>(
          from, count, to, [&](std::uint16_t x) { return detail::decode_float(x, format); });
    case Element::kF8E8M0FNU:
      return load_as<std::uint8_t>(from, count, to,
                                   [](std::uint8_t x) { return detail::decode_power(x); });
    default:
      return load_as<std::uint8_t>(from, count, to,
                                   [&](std::uint8_t x) { return detail::decode_float(x, format); });
  }
}

inline void load_elements(Element element, const std::byte* from, std::size_t count,
                          std::complex<double>* to) {
  if (element == Element::kComplexF64) {
    load_elements(Element::kF64, from, 2 * count, reinterpret_cast<double*>(to));
  } else {
    load_elements(Element::kF32, from, 2 * count, reinterpret_cast<double*>(to));
  }
}

inline void load_elements(Element element, const std::byte* from, std::size_t count,
                          std::int64_t* to) {
  using detail::load_as;
  const auto widen = [](auto x) { return static_cast<std::int64_t>(x); };
  switch (bytes_of(element)) {
    case 1:
      return load_as<std::int8_t>(from, count, to, widen);
    case 2:
      return load_as<std::int16_t>(from, count, to, widen);
    case 4:
      return load_as<std::int32_t>(from, count, to, widen);
    default:
      return load_as<std::int64_t>(from, count, to, widen);
  }
}

inline void load_elements(Element element, const std::byte* from, std::size_t count,
                          std::uint64_t* to) {
  using detail::load_as;
  const auto widen = [](auto x) { return static_cast<std::uint64_t>(x); };
  switch (bytes_of(element)) {
    case 1:
      return load_as<std::uint8_t>(from, count, to, widen);
    case 2:
      return load_as<std::uint16_t>(from, count, to, widen);
    case 4:
      return load_as<std::uint32_t>(from, count, to, widen);
    default:
      return load_as<std::uint64_t>(from, count, to, widen);
  }
}

inline void load_elements(Element, const std::byte* from, std::size_t count, bool* to) {
  detail::load_as<std::uint8_t>(from, count, to, [](std::uint8_t x) { return x != 0; });
}

// The way back: numbers of the domain are rounded to the element type; integers are cut off.
inline void store_elements(Element element, const double* from, std::size_t count, std::byte* to) {
  using detail::store_as;
  const detail::FloatFormat& format = detail::format_of(element);
  switch (element) {
    case Element::kF32:
      return store_as<float>(from, count, to, [](double x) { return static_cast<float>(x); });
    case Element::kF64:
      if (count != 0) std::memcpy(to, from, count * sizeof(double));
      return;
    case Element::kTf32:
      return store_as<float>(from, count, to, [&](double x) {
        return static_cast<float>(detail::decode_float(detail::encode_float(x, format), format));
      });
    case Element::kBf16:
    case Element::kF16:
      return store_as<std::uint16_t>(from, count, to, [&](double x) {
        return static_cast<std::uint16_t>(detail::encode_float(x, format));
      });
    case Element::kF8E8M0FNU:
      return store_as<std::uint8_t>(from, count, to, [](double x) {
        return static_cast<std::uint8_t>(detail::encode_power(x));
      });
    default:
      return store_as<std::uint8_t>(from, count, to, [&](double x) {
        return static_cast<std::uint8_t>(detail::encode_float(x, format));
      });
  }
}

inline void store_elements(Element element, const std::complex<double>* from, std::size_t count,
                           std::byte* to) {
  store_elements(part_of(element), reinterpret_cast<const double*>(from), 2 * count, to);
}

inline void store_elements(Element element, const std::uint64_t* from, std::size_t count,
                           std::byte* to) {
  using detail::store_as;
  const std::size_t bits = row_of(element).bits;
  switch (bytes_of(element)) {
    case 1:
      return store_as<std::uint8_t>(from, count, to, [&](std::uint64_t x) {
        if (bits == 8) return static_cast<std::uint8_t>(x);
        const std::uint64_t low = x & ((std::uint64_t{1} << bits) - 1);
        const bool negative = domain_of(element) == Domain::kSigned && (low >> (bits - 1)) != 0;
        return static_cast<std::uint8_t>(negative ? low | ~std::uint64_t{0} << bits : low);
      });
    case 2:
      return store_as<std::uint16_t>(from, count, to,
                                     [](std::uint64_t x) { return static_cast<std::uint16_t>(x); });
    case 4:
      return store_as<std::uint32_t>(from, count, to,
                                     [](std::uint64_t x) { return static_cast<std::uint32_t>(x); });
    default:
      return store_as<std::uint64_t>(from, count, to, [](std::uint64_t x) { return x; });
  }
}
inline void store_elements(Element element, const std::int64_t* from, std::size_t count,
                           std::byte* to) {
  store_elements(element, reinterpret_cast<const std::uint64_t*>(from), count, to);
}

inline void store_elements(Element, const bool* from, std::size_t count, std::byte* to) {
  detail::store_as<std::uint8_t>(from, count, to,
                                 [](bool x) { return static_cast<std::uint8_t>(x ? 1 : 0); });
}

}  // namespace shardprop
