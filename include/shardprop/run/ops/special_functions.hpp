// Special functions of real numbers that the standard library does not have, to about the precision
// of double. The formulas are those of the NIST Digital Library of Mathematical Functions.
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>

namespace shardprop::detail {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// B(2k) / (2k)!, for k from 1: the coefficients of Euler and Maclaurin.
inline constexpr double kBernoulli[] = {8.3333333333333333e-2,  -1.3888888888888889e-3,
                                        3.3068783068783069e-5,  -8.2671957671957672e-7,
                                        2.0876756987868099e-8,  -5.2841901386874932e-10,
                                        1.3382536530684679e-11, -3.3896802963225829e-13,
                                        8.5860620562778446e-15, -2.1748686985580619e-16};

// The derivative of the logarithm of the gamma function (DLMF 5.5.2, 5.5.4, 5.11.2).
inline double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNan;
    // The fraction is taken first, so that the tangent of a large number is right.
    const double fraction = x - std::floor(x);
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * fraction);
  }
  if (std::isinf(x)) return x;
  int steps = 0;  // to where the series is exact
  while (x + steps < 10) ++steps;
  const double y = x + steps;
  const double square = 1 / (y * y);
  // B(2k) / 2k
  constexpr double kTerms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
  double series = 0;
  for (std::size_t k = std::size(kTerms); k-- > 0;) series = (series + kTerms[k]) * square;
  double out = std::log(y) - 0.5 / y - series;
  while (steps > 0) out -= 1 / (x + --steps);  // the largest last
  return out;
}

// The zeta function of Hurwitz, the sum of (q + k)^-s, by Euler and Maclaurin (DLMF 25.11.28).
inline double zeta(double s, double q) {
  if (s == 1) return kInfinity;
  if (s < 1) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNan;
  }
  double sum = 0;
  int k = 0;
  for (; k < 9 || q < 9; ++k, q += 1) {
    const double term = std::pow(q, -s);
    sum += term;
    if (q > 0 && term < sum * 1e-17) return sum;
  }
  const double power = std::pow(q, -s);
  sum += power * q / (s - 1) + power / 2;
  double factor = s * power / q;
  for (std::size_t j = 0; j < std::size(kBernoulli); ++j) {
    const double term = kBernoulli[j] * factor;
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * 1e-17) break;
    const double n = 2 * static_cast<double>(j) + 1;
    factor *= (s + n) * (s + n + 1) / (q * q);
  }
  return sum;
}

// The n-th derivative of digamma (DLMF 5.15.1).
inline double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (n < 0 || n != std::floor(n)) return kNan;
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(std::lgamma(n + 1)) * zeta(n + 1, x);
}

// The inverse of erf: a rough start, then Halley's steps. Near 1 the rest to 1 is what is solved
// for.
inline double erf_inv(double y) {
  if (std::isnan(y) || y < -1 || y > 1) return kNan;
  if (y == 0) return y;
  if (y < 0) return -erf_inv(-y);
  if (y == 1) return kInfinity;
  const double log = std::log1p(-y * y);
  const double half = 2 / (std::numbers::pi * 0.147) + log / 2;
  double x = std::sqrt(std::sqrt(half * half - log / 0.147) - half);
  for (int step = 0; step < 4; ++step) {
    const double error = y < 0.5 ? std::erf(x) - y : (1 - y) - std::erfc(x);
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    const double newton = error / slope;
    x -= newton / (1 + x * newton);
  }
  return x;
}

// exp(-|x|) times the modified Bessel function of order 1: the power series (DLMF 10.25.2), and for
// large x the asymptotic one (10.40.1).
inline double bessel_i1e(double x) {
  const double size = std::fabs(x);
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return std::copysign(0.0, x);
  double sum = 1;
  double term = 1;
  if (size <= 30) {
    const double quarter = size * size / 4;
    for (double k = 1; term > sum * 1e-18; ++k) {
      term *= quarter / (k * (k + 1));
      sum += term;
    }
    return x / 2 * sum * std::exp(-size);
  }
  for (double k = 1; k < 40 && std::fabs(term) > 1e-18; ++k) {
    const double odd = 2 * k - 1;
    term *= -(4 - odd * odd) / (k * 8 * size);
    sum += term;
  }
  return std::copysign(sum / std::sqrt(2 * std::numbers::pi * size), x);
}

}  // namespace shardprop::detail
