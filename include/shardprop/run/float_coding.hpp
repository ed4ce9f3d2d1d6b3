// Floats of few bits to double and back, by the bits. What has no exact pattern is rounded to the
// nearest, ties to even. Unlike `round_to_format`, which is for the numbers in a text, these know
// NaN and overflow.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "shardprop/ops/common/float_format.hpp"

namespace shardprop::detail {

// f8E8M0FNU has powers of two only: the exponent and nothing else, 255 is NaN.
inline double decode_power(std::uint64_t bits) {
  return bits == 255 ? std::numeric_limits<double>::quiet_NaN()
                     : std::ldexp(1.0, static_cast<int>(bits) - 127);
}
inline std::uint64_t encode_power(double value) {
  if (!(value > 0) || std::isinf(value)) return value == 0 ? 0 : 255;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  const int power = exponent - 1 + (fraction >= 0.75 ? 1 : 0) + 127;
  return power < 0 ? 0 : power > 254 ? 255 : static_cast<std::uint64_t>(power);
}

// The pattern of the NaN of a format; of a format without one, of the largest number.
inline std::uint64_t nan_pattern(const FloatFormat& format) {
  switch (format.specials) {
    case FloatSpecials::kIeee:
      return format.largest() + 1 + (std::uint64_t{1} << (format.mantissa_bits - 1));
    case FloatSpecials::kNanOnly:
      return format.largest() + 1;
    case FloatSpecials::kNanAsNegativeZero:
      return format.sign_bit();
    default:
      return format.largest();
  }
}

// What a number beyond the largest becomes: infinite where there are infinities, else NaN, and
// where there is no NaN either the largest.
inline std::uint64_t overflow_pattern(const FloatFormat& format) {
  return format.specials == FloatSpecials::kIeee ? format.largest() + 1 : nan_pattern(format);
}

inline std::uint64_t encode_float(double value, const FloatFormat& format) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 != 0 ? format.sign_bit() : 0;
  const bool one_zero = format.specials == FloatSpecials::kNanAsNegativeZero;
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  if (field == 0x7FF) {
    const bool is_nan = (bits & ((std::uint64_t{1} << 52) - 1)) != 0;
    const std::uint64_t pattern = is_nan ? nan_pattern(format) : overflow_pattern(format);
    return one_zero ? pattern : pattern | sign;
  }
  std::uint64_t rounded = 0;
  if (field != 0) {  // what is subnormal as a double is 0 in any narrower format
    const std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1}
                                                                                    << 52;
    const int exponent = field - 1023;
    const int scale = exponent < 1 - format.bias ? 1 - format.bias : exponent;
    const int shift = 52 - format.mantissa_bits + (scale - exponent);
    if (shift == 0) {
      rounded = significand;
    } else if (shift <= 53) {
      const std::uint64_t half = std::uint64_t{1} << (shift - 1);
      const std::uint64_t odd = significand >> shift & 1;
      rounded = (significand + half - 1 + odd) >> shift;
    }
    rounded += static_cast<std::uint64_t>(scale + format.bias - 1) << format.mantissa_bits;
    if (rounded > format.largest()) rounded = overflow_pattern(format);
  }
  return one_zero && (rounded == 0 || rounded == format.sign_bit()) ? rounded : rounded | sign;
}

inline double decode_float(std::uint64_t bits, const FloatFormat& format) {
  const std::uint64_t sign = bits & format.sign_bit();
  const std::uint64_t size = bits & (format.sign_bit() - 1);
  const double factor = sign != 0 ? -1.0 : 1.0;
  const bool is_nan_zero =
      format.specials == FloatSpecials::kNanAsNegativeZero && sign != 0 && size == 0;
  if (size > format.largest() || is_nan_zero) {
    const bool infinite = format.specials == FloatSpecials::kIeee && size == format.largest() + 1;
    return infinite ? factor * std::numeric_limits<double>::infinity()
                    : std::copysign(std::numeric_limits<double>::quiet_NaN(), factor);
  }
  const std::uint64_t field = size >> format.mantissa_bits;
  const std::uint64_t mantissa = size & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  if (field == 0) {
    return factor *
           std::ldexp(static_cast<double>(mantissa), 1 - format.bias - format.mantissa_bits);
  }
  const std::uint64_t exponent = field + static_cast<std::uint64_t>(1023 - format.bias);
  return factor * std::bit_cast<double>(exponent << 52 | mantissa << (52 - format.mantissa_bits));
}

}  // namespace shardprop::detail
