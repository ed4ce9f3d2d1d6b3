// Decimal digits of a binary number, as MLIR prints them: with long division, cut off after some
// digits and then rounded half up. (The nearest decimal number may be another one: 1e-5 as f32, to
// six digits, is 9.99999e-06.) JSON has the numbers that are printed, so the digits must be those.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace shardprop::detail {

// A natural number of any size, 32 bits a limb, least significant first, without leading zeros.
class BigNatural {
 public:
  explicit BigNatural(std::uint64_t value) {
    for (; value != 0; value >>= 32) limbs_.push_back(static_cast<std::uint32_t>(value));
  }

  bool is_zero() const { return limbs_.empty(); }
  int bit_count() const {
    if (limbs_.empty()) return 0;
    int bits = static_cast<int>(limbs_.size() - 1) * 32;
    for (std::uint32_t top = limbs_.back(); top != 0; top >>= 1) ++bits;
    return bits;
  }

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& limb : limbs_) {
      carry += std::uint64_t{limb} * factor;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
  }

  // Divides, rounding down, and gives the rest.
  std::uint32_t divide(std::uint32_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t i = limbs_.size(); i-- > 0;) {
      rest = (rest << 32) | limbs_[i];
      limbs_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
    return static_cast<std::uint32_t>(rest);
  }

 private:
  std::vector<std::uint32_t> limbs_;
};

// Calls `step(base)` so often that the bases multiply to `base` to the power of `count`.
template <class Step>
void for_power(std::uint32_t base, int per_step, int count, Step step) {
  std::uint32_t all = 1;
  for (int i = 0; i < per_step; ++i) all *= base;
  for (; count >= per_step; count -= per_step) step(all);
  for (; count > 0; --count) step(base);
}

// `digits` (most significant first, no zeros at its end) times ten to the power of `exponent`.
struct DecimalDigits {
  std::string digits;
  int exponent = 0;
};

// The digits of `number`, least significant first; zeros before the first other digit only count
// for `exponent`.
inline std::string digits_reversed(BigNatural number, int& exponent) {
  std::string out;
  while (!number.is_zero()) {
    const std::uint32_t digit = number.divide(10);
    if (digit == 0 && out.empty()) {
      ++exponent;
    } else {
      out += static_cast<char>('0' + digit);
    }
  }
  return out;
}

// Rounds half up to at most `precision` digits; `digits` is least significant first.
inline void round_digits(std::string& digits, int& exponent, std::size_t precision) {
  const std::size_t count = digits.size();
  if (count <= precision) return;
  std::size_t first = count - precision;
  if (digits[first - 1] < '5') {
    while (first < count && digits[first] == '0') ++first;
  } else {
    while (first < count && digits[first] == '9') ++first;
    if (first == count) {
      exponent += static_cast<int>(count);
      digits = "1";
      return;
    }
    ++digits[first];
  }
  exponent += static_cast<int>(first);
  digits.erase(0, first);
}

// `significand` times two to the power of `exponent`, to `precision` digits. O(exponent squared).
inline DecimalDigits decimal_digits(std::uint64_t significand, int exponent, int precision) {
  while (significand != 0 && significand % 2 == 0) {
    significand /= 2;
    ++exponent;
  }
  BigNatural number(significand);
  DecimalDigits out;
  // n / 2^k is n * 5^k / 10^k.
  for_power(exponent > 0 ? 2 : 5, 12, std::abs(exponent),
            [&](std::uint32_t factor) { number.multiply(factor); });
  if (exponent < 0) out.exponent = exponent;
  // 196 / 59 is a little more than the bits of a decimal digit.
  const int surplus = number.bit_count() - (precision * 196 + 58) / 59;
  const int tens = surplus > 0 ? surplus * 59 / 196 : 0;
  for_power(10, 9, tens, [&](std::uint32_t divisor) { number.divide(divisor); });
  out.exponent += tens;
  out.digits = digits_reversed(std::move(number), out.exponent);
  round_digits(out.digits, out.exponent, static_cast<std::size_t>(precision));
  std::reverse(out.digits.begin(), out.digits.end());
  return out;
}

}  // namespace shardprop::detail
