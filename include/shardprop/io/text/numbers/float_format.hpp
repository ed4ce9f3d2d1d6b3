// Numbers of the float types, as MLIR prints them. A number in a text is first rounded to its type;
// then it is printed with six digits if they say it exactly, else with as many as the type needs,
// and in hexadecimal where that would look like an integer. JSON has the number that would be
// printed, or the hexadecimal digits as a string; so has the reader.
//
// Worked example: 0.1 as bf16 is 0.10009765625. Six digits, 1.00098e-01, round to the same bf16, so
// the number is 0.100098. As f64 the integer 167690250 needs nine digits, without a point, so it is
// "0x41A3FD8014000000".
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardprop/io/text/numbers/decimal.hpp"
#include "shardprop/ops/common/float_format.hpp"

namespace shardprop::detail {

// The type of the elements that a constant of a quantized type stores: i8 of
// `!quant.uniform<u8<1:255>:f32, 0.5>`, whose signs are the quantized type's. Empty of any other.
inline std::string quantized_storage(std::string_view dtype) {
  const std::size_t open = dtype.find('<');
  if (!dtype.starts_with("!quant.") || open == std::string_view::npos) return {};
  std::string out(dtype.substr(open + 1, dtype.find_first_of("<>:,", open + 1) - open - 1));
  if (out.starts_with('u')) out[0] = 'i';
  return out;
}

// The digits of a number that is not zero.
inline DecimalDigits digits_of(double number, int precision) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(number), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return decimal_digits(significand, exponent - 53, precision);
}

inline double number_of_digits(const DecimalDigits& digits, bool negative) {
  const std::string text =
      (negative ? "-" : "") + digits.digits + "e" + std::to_string(digits.exponent);
  return parse_number(text).value_or(0);
}

// Whether a number is printed without a point when it may be padded with three zeros: then it would
// be taken for an integer.
inline bool looks_like_integer(const DecimalDigits& number, int precision) {
  return number.exponent >= 0 && number.exponent <= 3 &&
         static_cast<int>(number.digits.size()) + number.exponent <= precision;
}

inline std::string hexadecimal(std::uint64_t bits) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (; bits != 0 || out.empty(); bits >>= 4) out.insert(out.begin(), kDigits[bits & 15]);
  return "0x" + out;
}

// A number as it is printed; none where it is printed in hexadecimal.
inline std::optional<double> printed_number(std::uint64_t bits, const FloatFormat& format) {
  std::optional<double> number = number_of_pattern(bits, format);
  if (!number) return std::nullopt;
  if (*number == 0) return number;
  const bool negative = std::signbit(*number);
  const double six = number_of_digits(digits_of(*number, 6), negative);
  if (round_to_format(six, format) == bits) return six;
  const int precision = 2 + (format.mantissa_bits + 1) * 59 / 196;
  const DecimalDigits digits = digits_of(*number, precision);
  if (looks_like_integer(digits, precision)) return std::nullopt;
  return number_of_digits(digits, negative);
}

}  // namespace shardprop::detail
