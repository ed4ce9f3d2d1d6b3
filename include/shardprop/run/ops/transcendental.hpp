// Element-wise functions of StableHLO that are not exact: they are computed in double and rounded.
#pragma once

#include <cmath>
#include <complex>

#include "shardprop/run/ops/arithmetic.hpp"
#include "shardprop/run/ops/kernels.hpp"

namespace shardprop {

namespace detail {

// A functor `Name` that calls `function` on a number, real or complex.
#define SHARDPROP_FUNCTION(Name, function) \
  struct Name {                            \
    template <class T>                     \
    T operator()(T a) const {              \
      return function(a);                  \
    }                                      \
  };

// Without losing what is small beside 1: exp(x)cos(y) - 1 = expm1(x)cos(y) - 2 sin(y/2)^2.
inline double exp_minus_one(double a) { return std::expm1(a); }
inline std::complex<double> exp_minus_one(std::complex<double> a) {
  const double half = std::sin(a.imag() / 2);
  return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half * half,
          std::exp(a.real()) * std::sin(a.imag())};
}

inline double log_plus_one(double a) { return std::log1p(a); }
// |1 + a| is computed from |1 + a|^2 - 1 where that is small.
inline std::complex<double> log_plus_one(std::complex<double> a) {
  const double x = a.real();
  const double y = a.imag();
  const double square = x * (2 + x) + y * y;
  const double real =
      std::abs(square) < 0.5 ? std::log1p(square) / 2 : std::log(std::hypot(1 + x, y));
  return {real, std::atan2(y, 1 + x)};
}

template <class T>
T logistic(T a) {
  return T(1) / (T(1) + std::exp(-a));
}

inline double reciprocal_root(double a) { return 1 / std::sqrt(a); }
inline std::complex<double> reciprocal_root(std::complex<double> a) {
  if (std::isinf(a.real()) || std::isinf(a.imag())) return 0.0;
  return 1.0 / std::sqrt(a);
}

inline double cube_root(double a) { return std::cbrt(a); }
inline std::complex<double> cube_root(std::complex<double> a) {
  return a == 0.0 ? a : std::pow(a, 1.0 / 3.0);
}

inline double arc_tangent_of(double y, double x) { return std::atan2(y, x); }
// -i log((x + iy) / sqrt(x^2 + y^2))
inline std::complex<double> arc_tangent_of(std::complex<double> y, std::complex<double> x) {
  const std::complex<double> i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

SHARDPROP_FUNCTION(CubeRoot, cube_root)
SHARDPROP_FUNCTION(Ceil, std::ceil)
SHARDPROP_FUNCTION(Cosine, std::cos)
SHARDPROP_FUNCTION(Exponential, std::exp)
SHARDPROP_FUNCTION(ExponentialMinusOne, exp_minus_one)
SHARDPROP_FUNCTION(Floor, std::floor)
SHARDPROP_FUNCTION(Log, std::log)
SHARDPROP_FUNCTION(LogPlusOne, log_plus_one)
SHARDPROP_FUNCTION(Logistic, logistic)
SHARDPROP_FUNCTION(RoundAwayFromZero, std::round)
SHARDPROP_FUNCTION(RoundToEven, std::nearbyint)
SHARDPROP_FUNCTION(ReciprocalRoot, reciprocal_root)
SHARDPROP_FUNCTION(Sine, std::sin)
SHARDPROP_FUNCTION(SquareRoot, std::sqrt)
SHARDPROP_FUNCTION(Tangent, std::tan)
SHARDPROP_FUNCTION(HyperbolicTangent, std::tanh)

struct ArcTangentOf {
  template <class T>
  T operator()(T y, T x) const {
    return arc_tangent_of(y, x);
  }
};

}  // namespace detail

inline constexpr EvalDef kTranscendentalEvaluators[] = {
    {"stablehlo.atan2", detail::elementwise<detail::ArcTangentOf, detail::kFloats>},
    {"stablehlo.cbrt", detail::elementwise<detail::CubeRoot, detail::kFloats>},
    {"stablehlo.ceil", detail::elementwise<detail::Ceil, detail::kReals>},
    {"stablehlo.cosine", detail::elementwise<detail::Cosine, detail::kFloats>},
    {"stablehlo.exponential", detail::elementwise<detail::Exponential, detail::kFloats>},
    {"stablehlo.exponential_minus_one",
     detail::elementwise<detail::ExponentialMinusOne, detail::kFloats>},
    {"stablehlo.floor", detail::elementwise<detail::Floor, detail::kReals>},
    {"stablehlo.log", detail::elementwise<detail::Log, detail::kFloats>},
    {"stablehlo.log_plus_one", detail::elementwise<detail::LogPlusOne, detail::kFloats>},
    {"stablehlo.logistic", detail::elementwise<detail::Logistic, detail::kFloats>},
    {"stablehlo.round_nearest_afz", detail::elementwise<detail::RoundAwayFromZero, detail::kReals>},
    {"stablehlo.round_nearest_even", detail::elementwise<detail::RoundToEven, detail::kReals>},
    {"stablehlo.rsqrt", detail::elementwise<detail::ReciprocalRoot, detail::kFloats>},
    {"stablehlo.sine", detail::elementwise<detail::Sine, detail::kFloats>},
    {"stablehlo.sqrt", detail::elementwise<detail::SquareRoot, detail::kFloats>},
    {"stablehlo.tan", detail::elementwise<detail::Tangent, detail::kFloats>},
    {"stablehlo.tanh", detail::elementwise<detail::HyperbolicTangent, detail::kFloats>},
};

}  // namespace shardprop
