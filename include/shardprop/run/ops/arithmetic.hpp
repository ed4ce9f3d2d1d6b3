// Sums, products, bits: element-wise operations that are exact but for rounding.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "shardprop/run/ops/products.hpp"

namespace shardprop {

namespace detail {

template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<double>>;

struct Add {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else {
      return a + b;
    }
  }
};

struct Subtract {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};

struct Multiply {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (kIsComplex<T>) {
      return product_of(a, b);
    } else {
      return a * b;
    }
  }
};

// What the specification leaves open, division by 0 and the one quotient that does not fit, is as
// on common hardware: all bits set, and the dividend.
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return static_cast<T>(0 - static_cast<std::uint64_t>(a));
    }
    return a / b;
  }
};

struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return a;
      return std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : a % b;
    } else {
      return std::fmod(a, b);
    }
  }
};

// Complex numbers are ordered by their real parts, then by their imaginary parts.
template <class T>
bool is_less(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  } else {
    return a < b;
  }
}

// NaN wins, and 0 is larger than -0.
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, double>) {
      if (a == b) return std::signbit(a) ? b : a;
      return a > b || std::isnan(a) ? a : b;
    } else {
      return is_less(a, b) ? b : a;
    }
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, double>) {
      if (a == b) return std::signbit(a) ? a : b;
      return a < b || std::isnan(a) ? a : b;
    } else {
      return is_less(b, a) ? b : a;
    }
  }
};

struct Clamp {
  template <class T>
  T operator()(T low, T operand, T high) const {
    return Minimum()(Maximum()(low, operand), high);
  }
};

inline std::complex<double> complex_power(std::complex<double> a, std::complex<double> b) {
  if (b == 0.0) return 1;
  if (a == 0.0) return b.imag() == 0 && b.real() > 0 ? std::complex<double>() : std::pow(a, b);
  return std::pow(a, b);
}

// A power with a negative exponent is 0 in integers, but for 1 and -1.
struct Power {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (std::is_signed_v<T> && b < T{0}) {
        const bool odd = (static_cast<std::uint64_t>(b) & 1) != 0;
        return a == T{1} ? T{1} : a == static_cast<T>(-1) ? (odd ? a : T{1}) : T{0};
      }
      std::uint64_t out = 1;
      std::uint64_t factor = static_cast<std::uint64_t>(a);
      for (auto left = static_cast<std::uint64_t>(b); left != 0; left >>= 1) {
        if ((left & 1) != 0) out *= factor;
        factor *= factor;
      }
      return static_cast<T>(out);
    } else if constexpr (kIsComplex<T>) {
      return complex_power(a, b);
    } else {
      return std::pow(a, b);
    }
  }
};

struct And {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return ~a;
    }
  }
};

// Functors that look at single bits of a number know how many there are.
struct OfBits {
  static constexpr bool kWraps = true;
  std::uint64_t bits;
  std::uint64_t mask;
  explicit OfBits(const Kernel& kernel)
      : bits(row_of(kernel.in).bits), mask(~std::uint64_t{0} >> (64 - bits)) {}
};
struct PopulationCount : OfBits {
  using OfBits::OfBits;
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::popcount(a & mask));
  }
};
struct LeadingZeros : OfBits {
  using OfBits::OfBits;
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::countl_zero(a & mask)) - (64 - bits);
  }
};
// Shifting by more bits than there are leaves nothing.
struct ShiftLeft : OfBits {
  using OfBits::OfBits;
  template <class T>
  T operator()(T a, T by) const {
    return (by & mask) < bits ? a << (by & mask) : 0;
  }
};
struct ShiftRightLogical : OfBits {
  using OfBits::OfBits;
  template <class T>
  T operator()(T a, T by) const {
    return (by & mask) < bits ? (a & mask) >> (by & mask) : 0;
  }
};
// The sign bit is that of the type, also of an unsigned one.
struct ShiftRightArithmetic : OfBits {
  using OfBits::OfBits;
  template <class T>
  T operator()(T a, T by) const {
    const std::uint64_t up = 64 - bits;
    const auto number = static_cast<std::int64_t>(a << up) >> up;
    const std::uint64_t count = (by & mask) < bits ? by & mask : bits - 1;
    return static_cast<T>(number >> count);
  }
};

struct Negate {
  static constexpr bool kWraps = true;
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_integral_v<T>) {
      return T{0} - a;
    } else {
      return -a;
    }
  }
};
struct Abs {
  template <class T>
  auto operator()(T a) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      const auto number = static_cast<std::uint64_t>(a);
      return static_cast<T>(a < 0 ? 0 - number : number);
    } else {
      return std::abs(a);
    }
  }
};
struct Sign {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return a < 0 ? -1 : a > 0 ? 1 : 0;
    } else if constexpr (kIsComplex<T>) {
      if (std::isnan(a.real()) || std::isnan(a.imag())) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        return {nan, nan};
      }
      return a == 0.0 ? a : a / std::abs(a);
    } else {
      return a < 0 ? -1.0 : a > 0 ? 1.0 : a;
    }
  }
};

}  // namespace detail

inline constexpr EvalDef kArithmeticEvaluators[] = {
    {"stablehlo.add",
     detail::elementwise<detail::Add, detail::kNumbers | Domain::kBoolean | Domain::kExact>},
    {"stablehlo.subtract",
     detail::elementwise<detail::Subtract, detail::kNumbers | Domain::kExact>},
    {"stablehlo.multiply",
     detail::elementwise<detail::Multiply, detail::kNumbers | Domain::kBoolean | Domain::kExact>},
    {"stablehlo.divide", detail::elementwise<detail::Divide, detail::kNumbers>},
    {"stablehlo.remainder",
     detail::elementwise<detail::Remainder, detail::kIntegers | Domain::kReal>},
    {"stablehlo.maximum",
     detail::elementwise<detail::Maximum, detail::kNumbers | Domain::kBoolean | Domain::kExact>},
    {"stablehlo.minimum",
     detail::elementwise<detail::Minimum, detail::kNumbers | Domain::kBoolean | Domain::kExact>},
    {"stablehlo.power", detail::elementwise<detail::Power, detail::kNumbers>},
    {"stablehlo.and", detail::elementwise<detail::And, detail::kBitwise>},
    {"stablehlo.or", detail::elementwise<detail::Or, detail::kBitwise>},
    {"stablehlo.xor", detail::elementwise<detail::Xor, detail::kBitwise>},
    {"stablehlo.not", detail::elementwise<detail::Not, detail::kBitwise>},
    {"stablehlo.popcnt", detail::elementwise<detail::PopulationCount, detail::kIntegers>},
    {"stablehlo.count_leading_zeros", detail::elementwise<detail::LeadingZeros, detail::kIntegers>},
    {"stablehlo.shift_left", detail::elementwise<detail::ShiftLeft, detail::kIntegers>},
    {"stablehlo.shift_right_logical",
     detail::elementwise<detail::ShiftRightLogical, detail::kIntegers>},
    {"stablehlo.shift_right_arithmetic",
     detail::elementwise<detail::ShiftRightArithmetic, detail::kIntegers>},
    {"stablehlo.negate", detail::elementwise<detail::Negate, detail::kNumbers | Domain::kExact>},
    {"stablehlo.abs",
     detail::elementwise<detail::Abs, Domain::kSigned | Domain::kReal | Domain::kPair>},
    {"stablehlo.sign",
     detail::elementwise<detail::Sign, Domain::kSigned | Domain::kReal | Domain::kPair>},
    {"stablehlo.clamp",
     detail::elementwise<detail::Clamp, detail::kNumbers | Domain::kBoolean | Domain::kExact>},
};

}  // namespace shardprop
