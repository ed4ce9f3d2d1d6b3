// The float types of the StableHLO specification: how the numbers of each are stored as bits, and
// how decimal and hexadecimal text becomes such bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shardprop::detail {

// What the patterns of bits stand for that are not plain numbers.
enum class FloatSpecials : std::uint8_t {
  kIeee,     // largest exponent: infinities and NaN
  kNanOnly,  // all ones: NaN
  kNanAsNegativeZero,
  kNone
};

struct FloatFormat {
  std::string_view name;
  int exponent_bits;
  int mantissa_bits;  // without the leading one
  int bias;
  FloatSpecials specials;

  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits); }
  // The pattern of the largest number.
  std::uint64_t largest() const {
    if (specials == FloatSpecials::kIeee)
      return (((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits) - 1;
    return sign_bit() - (specials == FloatSpecials::kNanOnly ? 2 : 1);
  }
};

inline constexpr std::array<FloatFormat, 15> kFloatFormats = {{
    {"f32", 8, 23, 127, FloatSpecials::kIeee},
    {"bf16", 8, 7, 127, FloatSpecials::kIeee},
    {"f16", 5, 10, 15, FloatSpecials::kIeee},
    {"f64", 11, 52, 1023, FloatSpecials::kIeee},
    {"tf32", 8, 10, 127, FloatSpecials::kIeee},
    {"f8E5M2", 5, 2, 15, FloatSpecials::kIeee},
    {"f8E4M3", 4, 3, 7, FloatSpecials::kIeee},
    {"f8E3M4", 3, 4, 3, FloatSpecials::kIeee},
    {"f8E4M3FN", 4, 3, 7, FloatSpecials::kNanOnly},
    {"f8E5M2FNUZ", 5, 2, 16, FloatSpecials::kNanAsNegativeZero},
    {"f8E4M3FNUZ", 4, 3, 8, FloatSpecials::kNanAsNegativeZero},
    {"f8E4M3B11FNUZ", 4, 3, 11, FloatSpecials::kNanAsNegativeZero},
    {"f6E3M2FN", 3, 2, 3, FloatSpecials::kNone},
    {"f6E2M3FN", 2, 3, 1, FloatSpecials::kNone},
    {"f4E2M1FN", 2, 1, 1, FloatSpecials::kNone},
}};

// The format of an element type, or nothing where it is not a known float type.
inline const FloatFormat* find_float_format(std::string_view dtype) {
  for (const FloatFormat& format : kFloatFormats) {
    if (format.name == dtype) return &format;
  }
  return nullptr;
}

// The element type of the parts of a complex number; of any other type the type itself.
inline std::string_view complex_part(std::string_view dtype) {
  const bool is_complex = dtype.starts_with("complex<") && dtype.back() == '>';
  return is_complex ? dtype.substr(8, dtype.size() - 9) : dtype;
}

// The pattern of the number of `format` nearest to `value`, ties to even. What is too large becomes
// the infinity, or the largest number where there is none.
inline std::uint64_t round_to_format(double value, const FloatFormat& format) {
  if (format.mantissa_bits == 52) return std::bit_cast<std::uint64_t>(value);
  const bool negative = std::signbit(value);
  const double size = std::fabs(value);
  const std::uint64_t largest = format.largest();
  const bool ieee = format.specials == FloatSpecials::kIeee;
  std::uint64_t bits = 0;
  if (!std::isfinite(size)) {
    bits = ieee ? largest +
                      (std::isnan(size) ? 1 + (std::uint64_t{1} << (format.mantissa_bits - 1)) : 1)
                : largest;
  } else if (size > 0) {
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent = std::max(exponent - 1, 1 - format.bias);
    const double count = std::nearbyint(std::ldexp(size, format.mantissa_bits - exponent));
    const std::uint64_t field = static_cast<std::uint64_t>(exponent + format.bias - 1);
    // A number without the leading one has field 0 as well; the leading one itself adds one.
    bits = (field << format.mantissa_bits) + static_cast<std::uint64_t>(count);
    if (bits > largest) bits = ieee ? largest + 1 : largest;
  }
  const bool has_negative_zero = format.specials != FloatSpecials::kNanAsNegativeZero;
  return negative && (bits != 0 || has_negative_zero) ? bits | format.sign_bit() : bits;
}

// The number of a pattern; none for infinities and NaN.
inline std::optional<double> number_of_pattern(std::uint64_t bits, const FloatFormat& format) {
  const std::uint64_t sign = bits & format.sign_bit();
  const std::uint64_t size = bits & (format.sign_bit() - 1);
  if (size > format.largest()) return std::nullopt;
  if (format.specials == FloatSpecials::kNanAsNegativeZero && sign != 0 && size == 0)
    return std::nullopt;
  const std::uint64_t field = size >> format.mantissa_bits;
  std::uint64_t count = size & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  if (field != 0) count |= std::uint64_t{1} << format.mantissa_bits;
  const int exponent =
      static_cast<int>(field == 0 ? 1 : field) - format.bias - format.mantissa_bits;
  const double number = std::ldexp(static_cast<double>(count), exponent);
  return sign != 0 ? -number : number;
}

// Reads all of `text` as a decimal number; none if it is none. What is out of range becomes 0 or
// infinite.
inline std::optional<double> parse_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc()) {
    // Out of range: too small if it has a negative exponent.
    const std::size_t e = text.find_first_of("eE");
    const bool small = e != std::string_view::npos && text.substr(e + 1).starts_with('-');
    number = small ? 0.0 : HUGE_VAL;
    if (negative) number = -number;
  }
  return number;
}

// A decimal number of `format`, rounded once.
inline std::optional<std::uint64_t> parse_pattern(std::string_view text,
                                                  const FloatFormat& format) {
  if (format.mantissa_bits == 23) {
    float number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (stop == end && error == std::errc()) return std::bit_cast<std::uint32_t>(number);
  }
  const std::optional<double> number = parse_number(text);
  if (!number) return std::nullopt;
  return round_to_format(*number, format);
}

// Reads the whole of `digits` (after `0x`) as a pattern of bits.
inline bool parse_hexadecimal(std::string_view digits, std::uint64_t& bits) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, bits, 16);
  return error == std::errc() && stop == end && !digits.empty();
}

}  // namespace shardprop::detail
