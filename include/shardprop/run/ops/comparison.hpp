// Element-wise operations between element types: compare, select, convert, and those that make or
// take apart complex numbers.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/ops/arithmetic.hpp"
#include "shardprop/run/ops/kernels.hpp"

namespace shardprop {

namespace detail {

// Which of four outcomes make a comparison true.
constexpr std::int64_t kLess = 1;
constexpr std::int64_t kEqual = 2;
constexpr std::int64_t kGreater = 4;
constexpr std::int64_t kUnordered = 8;

struct Compare {
  std::int64_t wanted;
  explicit Compare(const Kernel& kernel) : wanted(kernel.parameters[0]) {}
  template <class T>
  bool operator()(T a, T b) const {
    const std::int64_t found = is_less(a, b)   ? kLess
                               : a == b        ? kEqual
                               : is_less(b, a) ? kGreater
                                               : kUnordered;
    return (found & wanted) != 0;
  }
};

// -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
struct CompareTotally : Compare {
  using Compare::Compare;
  bool operator()(double a, double b) const { return Compare::operator()(place(a), place(b)); }
  static std::int64_t place(double number) {
    const auto bits = std::bit_cast<std::int64_t>(number);
    return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
  }
};

constexpr std::int64_t outcomes_of(std::string_view direction) {
  if (direction == "EQ") return kEqual;
  if (direction == "NE") return kLess | kGreater | kUnordered;
  if (direction == "LT") return kLess;
  if (direction == "LE") return kLess | kEqual;
  if (direction == "GT") return kGreater;
  return kGreater | kEqual;
}

inline Kernel compare_kernel(const KernelInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  const bool total = reader.text_or("compare_type", "") == "TOTALORDER";
  Kernel kernel = elementwise<Compare, kNumbers | Domain::kBoolean | Domain::kExact>(in);
  if (total && domain_of(kernel.in) == Domain::kReal)
    kernel.run = kernel_in<CompareTotally, kReals>(Domain::kReal);
  kernel.parameters[0] = outcomes_of(reader.text_or("comparison_direction", "EQ"));
  return kernel;
}

// Takes whole elements, whatever they are.
inline void select_elements(const Kernel& kernel, const std::byte* const* in, std::byte* out,
                            std::size_t count) {
  const std::size_t width = bytes_of(kernel.in);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* from = in[0][i] != std::byte{0} ? in[1] : in[2];
    std::memcpy(out + i * width, from + i * width, width);
  }
}
inline Kernel select_kernel(const KernelInput& in) {
  Kernel kernel;
  kernel.run = select_elements;
  kernel.in = kernel.out = in.operands[1];
  return kernel;
}

// Numbers beyond the range of an integer type become its smallest or largest, NaN becomes 0.
inline std::uint64_t to_integer(double number, Element element) {
  const bool is_signed = domain_of(element) == Domain::kSigned;
  const int bits = row_of(element).bits - (is_signed ? 1 : 0);
  const double limit = std::ldexp(1.0, bits);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
  if (std::isnan(number)) return 0;
  if (number >= limit) return largest;
  if (is_signed && number < -limit) return ~largest;
  if (!is_signed && number < 0) return 0;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                   : static_cast<std::uint64_t>(number);
}

// A large integer as a double from which any narrower float is rounded right: where bits are lost,
// the lowest of those that are left says so.
template <class T>
double from_integer(T number, Element element) {
  constexpr T kLow = 0x7FF;
  constexpr T kExactBelow = T{1} << 53;
  const bool is_large =
      number >= kExactBelow || (std::is_signed_v<T> && number <= T{0} - kExactBelow);
  if (element == Element::kF64 || element == Element::kComplexF64 || !is_large ||
      (number & kLow) == 0) {
    return static_cast<double>(number);
  }
  return static_cast<double>((number & ~kLow) | T{0x400});
}

struct Convert {
  Element in;
  Element out;
};

// `T` to the numbers of another domain.
template <class From, class To>
struct ConvertTo : Convert {
  explicit ConvertTo(const Kernel& kernel) : Convert{kernel.in, kernel.out} {}
  template <class T, class = std::enable_if_t<std::is_same_v<T, From>>>
  To operator()(T number) const {
    if constexpr (std::is_same_v<From, To>) {
      return number;
    } else if constexpr (kIsComplex<From>) {
      return ConvertTo<double, To>(*this)(number.real());
    } else if constexpr (std::is_same_v<To, bool>) {
      return number != T(0);
    } else if constexpr (kIsComplex<To>) {
      return {ConvertTo<From, double>(*this)(number), 0.0};
    } else if constexpr (std::is_same_v<From, double>) {
      return static_cast<To>(to_integer(number, out));
    } else if constexpr (std::is_same_v<To, double> && !std::is_same_v<From, bool>) {
      return from_integer(number, out);
    } else {
      return static_cast<To>(number);
    }
  }
  explicit ConvertTo(const Convert& types) : Convert(types) {}
};

template <class From>
Kernel::Run conversion_from(Domain to) {
  switch (to) {
    case Domain::kBoolean:
      return unary_kernel<ConvertTo<From, bool>, From>;
    case Domain::kSigned:
    case Domain::kUnsigned:
      return unary_kernel<ConvertTo<From, std::uint64_t>, From>;
    case Domain::kReal:
      return unary_kernel<ConvertTo<From, double>, From>;
    case Domain::kPair:
      return unary_kernel<ConvertTo<From, std::complex<double>>, From>;
    default:
      return nullptr;
  }
}

inline Kernel::Run conversion(Domain from, Domain to) {
  if (from == Domain::kExact || to == Domain::kExact) return nullptr;
  switch (from) {
    case Domain::kBoolean:
      return conversion_from<bool>(to);
    case Domain::kSigned:
      return conversion_from<std::int64_t>(to);
    case Domain::kUnsigned:
      return conversion_from<std::uint64_t>(to);
    case Domain::kReal:
      return conversion_from<double>(to);
    case Domain::kPair:
      return conversion_from<std::complex<double>>(to);
    default:
      return nullptr;
  }
}

// In the exact mode an integer is itself, and a float that becomes one keeps its low bits.
inline Kernel convert_kernel(const KernelInput& in) {
  Kernel kernel;
  kernel.in = in.operands[0];
  kernel.out = in.result;
  const auto exact = [](Element e) { return e == Element::kExact ? Element::kI64 : e; };
  if (kernel.in == Element::kExact || kernel.out == Element::kExact) {
    kernel.in = exact(kernel.in);
    kernel.out = exact(kernel.out);
  }
  kernel.run = conversion(domain_of(kernel.in), domain_of(kernel.out));
  return kernel;
}

}  // namespace detail

// The tensor with elements of another type, each converted.
inline Tensor converted(const Tensor& tensor, Element element) {
  if (tensor.element() == element) return tensor;
  Kernel kernel;
  kernel.in = tensor.element();
  kernel.out = element;
  kernel.run = detail::conversion(domain_of(kernel.in), domain_of(kernel.out));
  Tensor out(element, tensor.shape());
  const std::byte* const data = tensor.read();
  if (kernel.run) kernel.run(kernel, &data, out.write(), out.count());
  return out;
}

namespace detail {

struct RealPart {
  template <class T>
  double operator()(T a) const {
    return std::real(a);
  }
};
struct ImaginaryPart {
  template <class T>
  double operator()(T a) const {
    return std::imag(a);
  }
};
struct MakeComplex {
  std::complex<double> operator()(double a, double b) const { return {a, b}; }
};
struct Conjugate {
  template <class T>
  T operator()(T a) const {
    if constexpr (kIsComplex<T>) {
      return std::conj(a);
    } else {
      return a;
    }
  }
};

struct IsFinite {
  template <class T>
  bool operator()(T a) const {
    return std::isfinite(a);
  }
};
// Exact numbers are all finite.
inline Kernel is_finite_kernel(const KernelInput& in) {
  if (in.operands[0] != Element::kExact) return elementwise<IsFinite, kReals>(in);
  Kernel kernel;
  kernel.run = [](const Kernel&, const std::byte* const*, std::byte* out, std::size_t count) {
    if (count != 0) std::memset(out, 1, count);
  };
  kernel.in = Element::kExact;
  kernel.out = Element::kI1;
  return kernel;
}

// Rounds to a format with so many bits.
struct ReducePrecision {
  FloatFormat format;
  explicit ReducePrecision(const Kernel& kernel)
      : format{"", static_cast<int>(kernel.parameters[0]), static_cast<int>(kernel.parameters[1]),
               (1 << (kernel.parameters[0] - 1)) - 1, FloatSpecials::kIeee} {}
  template <class T>
  T operator()(T a) const {
    if (!std::isfinite(a)) return a;
    return decode_float(encode_float(a, format), format);
  }
};
inline Kernel reduce_precision_kernel(const KernelInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  Kernel kernel = elementwise<ReducePrecision, kReals>(in);
  if (kernel.in == Element::kExact) return kernel;
  kernel.parameters = {std::min<std::int64_t>(reader.integer_or("exponent_bits", 11), 11),
                       std::min<std::int64_t>(reader.integer_or("mantissa_bits", 52), 52)};
  return kernel;
}

}  // namespace detail

inline constexpr EvalDef kComparisonEvaluators[] = {
    {"stablehlo.compare", detail::compare_kernel},
    {"stablehlo.select", detail::select_kernel},
    {"stablehlo.convert", detail::convert_kernel},
    {"stablehlo.real", detail::elementwise<detail::RealPart, detail::kFloats>},
    {"stablehlo.imag", detail::elementwise<detail::ImaginaryPart, detail::kFloats>},
    {"stablehlo.complex", detail::elementwise<detail::MakeComplex, detail::kReals>},
    {"chlo.conj", detail::elementwise<detail::Conjugate, detail::kFloats>},
    {"stablehlo.is_finite", detail::is_finite_kernel},
    {"stablehlo.reduce_precision", detail::reduce_precision_kernel},
};

}  // namespace shardprop
