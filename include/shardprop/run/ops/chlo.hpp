// Element-wise operations of the chlo dialect, which frameworks use for functions that StableHLO
// does not have; and its forms of StableHLO operations whose operands are broadcast first.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "shardprop/run/kernel_call.hpp"
#include "shardprop/run/ops/movement.hpp"
#include "shardprop/run/ops/special_functions.hpp"
#include "shardprop/run/ops/transcendental.hpp"

namespace shardprop {

namespace detail {

SHARDPROP_FUNCTION(ArcCosine, std::acos)
SHARDPROP_FUNCTION(ArcCosineHyperbolic, std::acosh)
SHARDPROP_FUNCTION(ArcSine, std::asin)
SHARDPROP_FUNCTION(ArcSineHyperbolic, std::asinh)
SHARDPROP_FUNCTION(ArcTangent, std::atan)
SHARDPROP_FUNCTION(ArcTangentHyperbolic, std::atanh)
SHARDPROP_FUNCTION(BesselI1e, bessel_i1e)
SHARDPROP_FUNCTION(Digamma, digamma)
SHARDPROP_FUNCTION(ErrorFunction, std::erf)
SHARDPROP_FUNCTION(ErrorFunctionInverse, erf_inv)
SHARDPROP_FUNCTION(ErrorFunctionRest, std::erfc)
SHARDPROP_FUNCTION(LogGamma, std::lgamma)

// The hyperbolic functions of real numbers are defined by StableHLO operations, each of which
// rounds; frameworks expect the numbers that these give. Narrow floats are computed as f32.
struct Hyperbolic {
  Element element;
  explicit Hyperbolic(const Kernel& kernel) : element(kernel.in) {}
  double rounded(double a) const {
    return element == Element::kF64 ? a : static_cast<double>(static_cast<float>(a));
  }
  // exp(a) / 2, which does not overflow where the half is finite.
  double half_exponential(double a) const {
    return rounded(std::exp(rounded(a + rounded(-std::numbers::ln2))));
  }
};
struct CosineHyperbolic : Hyperbolic {
  using Hyperbolic::Hyperbolic;
  double operator()(double a) const { return half_exponential(a) + half_exponential(-a); }
  std::complex<double> operator()(std::complex<double> a) const { return std::cosh(a); }
};
struct SineHyperbolic : Hyperbolic {
  using Hyperbolic::Hyperbolic;
  double operator()(double a) const {
    if (!(std::fabs(a) < 1)) return half_exponential(a) - half_exponential(-a);
    const double less_one = rounded(std::expm1(a));
    return rounded(less_one + rounded(less_one / rounded(less_one + 1))) / 2;
  }
  std::complex<double> operator()(std::complex<double> a) const { return std::sinh(a); }
};

struct Square {
  template <class T>
  T operator()(T a) const {
    return Multiply()(a, a);
  }
};
struct Polygamma {
  double operator()(double n, double x) const { return polygamma(n, x); }
};
struct Zeta {
  double operator()(double s, double q) const { return zeta(s, q); }
};
struct IsInfinite {
  bool operator()(double a) const { return std::isinf(a); }
};
struct IsPositiveInfinite {
  bool operator()(double a) const { return a == kInfinity; }
};
struct IsNegativeInfinite {
  bool operator()(double a) const { return a == -kInfinity; }
};

// The next number of the element type from `a` on towards `b`: patterns of one sign are in order.
struct NextAfter {
  Element element;
  explicit NextAfter(const Kernel& kernel) : element(kernel.in) {}
  double operator()(double a, double b) const {
    if (element == Element::kF64) return std::nextafter(a, b);
    if (std::isnan(a) || std::isnan(b)) return kNan;
    if (a == b) return b;
    const FloatFormat& format = format_of(element);
    if (a == 0) return decode_float(1 | (b < 0 ? format.sign_bit() : 0), format);
    const std::uint64_t bits = encode_float(a, format);
    return decode_float((a < b) == (a > 0) ? bits + 1 : bits - 1, format);
  }
};

// The high half of the product of two numbers, which has twice their bits.
struct MultiplyHigh {
  std::uint64_t bits;
  explicit MultiplyHigh(const Kernel& kernel) : bits(row_of(kernel.in).bits) {}
  template <class T>
  T operator()(T a, T b) const {
    if (bits < 64) return static_cast<T>(a * b) >> bits;
    const auto low = [](std::uint64_t x) { return x & 0xFFFFFFFFu; };
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    const std::uint64_t middle = (x >> 32) * low(y) + (low(x) * low(y) >> 32);
    std::uint64_t high =
        (x >> 32) * (y >> 32) + (middle >> 32) + ((low(middle) + low(x) * (y >> 32)) >> 32);
    // A negative number is 2^64 less than its bits say.
    if (std::is_signed_v<T> && a < T{0}) high -= y;
    if (std::is_signed_v<T> && b < T{0}) high -= x;
    return static_cast<T>(high);
  }
};

// `chlo.broadcast_add` is `stablehlo.add`, or an operation of chlo, of operands of one shape.
// Dimensions are matched from the last one on, or as `broadcast_dimensions` says of the smaller
// one.
inline Result<Tensors> evaluate_broadcast_kernel(EvalInput& in) {
  const std::string name(op_name(in.m, in.op).substr(std::string_view("chlo.broadcast_").size()));
  const EvalRow* row = in.table.find("stablehlo." + name);
  if (!row) row = in.table.find("chlo." + name);
  if (!row || !row->kernel) {
    return eval_error(in, "unsupported", fmt::format("{} cannot be run", op_name(in.m, in.op)));
  }
  Shape shape;
  for (const Tensor& operand : in.operands) {
    const Shape& sizes = operand.shape();
    if (sizes.size() > shape.size()) shape.insert(shape.begin(), sizes.size() - shape.size(), 1);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      std::int64_t& size = shape[shape.size() - sizes.size() + d];
      size = size == 1 ? sizes[d] : size;
    }
  }
  const auto dims = AttributeReader(in.m, in.op, nullptr).ints_or_empty("broadcast_dimensions");
  for (Tensor& operand : in.operands) {
    const Shape strides = strides_of(operand.shape());
    const bool is_placed = operand.rank() < shape.size() && dims.size() == operand.rank();
    StridedView view = {0, Shape(shape.size(), 0)};
    for (std::size_t d = 0; d < operand.rank(); ++d) {
      const std::size_t to =
          is_placed ? static_cast<std::size_t>(dims[d]) : shape.size() - operand.rank() + d;
      if (operand.shape()[d] != 1) view.strides[to] = strides[d];
      if (is_placed && shape[to] == 1) shape[to] = operand.shape()[d];
    }
    operand = gathered(operand, view, shape);
  }
  return evaluate_kernel(in, row->kernel);
}

}  // namespace detail

inline constexpr EvalDef kChloEvaluators[] = {
    {"chlo.acos", detail::elementwise<detail::ArcCosine, detail::kFloats>},
    {"chlo.acosh", detail::elementwise<detail::ArcCosineHyperbolic, detail::kFloats>},
    {"chlo.asin", detail::elementwise<detail::ArcSine, detail::kFloats>},
    {"chlo.asinh", detail::elementwise<detail::ArcSineHyperbolic, detail::kFloats>},
    {"chlo.atan", detail::elementwise<detail::ArcTangent, detail::kFloats>},
    {"chlo.atanh", detail::elementwise<detail::ArcTangentHyperbolic, detail::kFloats>},
    {"chlo.bessel_i1e", detail::elementwise<detail::BesselI1e, detail::kReals>},
    {"chlo.cosh", detail::elementwise<detail::CosineHyperbolic, detail::kFloats>},
    {"chlo.digamma", detail::elementwise<detail::Digamma, detail::kReals>},
    {"chlo.erf", detail::elementwise<detail::ErrorFunction, detail::kReals>},
    {"chlo.erf_inv", detail::elementwise<detail::ErrorFunctionInverse, detail::kReals>},
    {"chlo.erfc", detail::elementwise<detail::ErrorFunctionRest, detail::kReals>},
    {"chlo.is_inf", detail::elementwise<detail::IsInfinite, detail::kReals>},
    {"chlo.is_neg_inf", detail::elementwise<detail::IsNegativeInfinite, detail::kReals>},
    {"chlo.is_pos_inf", detail::elementwise<detail::IsPositiveInfinite, detail::kReals>},
    {"chlo.lgamma", detail::elementwise<detail::LogGamma, detail::kReals>},
    {"chlo.mulhi", detail::elementwise<detail::MultiplyHigh, detail::kIntegers>},
    {"chlo.next_after", detail::elementwise<detail::NextAfter, detail::kReals>},
    {"chlo.polygamma", detail::elementwise<detail::Polygamma, detail::kReals>},
    {"chlo.sinh", detail::elementwise<detail::SineHyperbolic, detail::kFloats>},
    {"chlo.square", detail::elementwise<detail::Square, detail::kFloats>},
    {"chlo.tan", detail::elementwise<detail::Tangent, detail::kFloats>},
    {"chlo.zeta", detail::elementwise<detail::Zeta, detail::kReals>},
    {"chlo.constant", nullptr, detail::evaluate_constant},
    {"chlo.constant_like", nullptr, detail::evaluate_constant},
    {"chlo.broadcast_add", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_and", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_atan2", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_compare", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_complex", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_divide", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_maximum", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_minimum", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_multiply", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_next_after", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_or", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_polygamma", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_power", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_remainder", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_select", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_shift_left", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_shift_right_arithmetic", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_shift_right_logical", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_subtract", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_xor", nullptr, detail::evaluate_broadcast_kernel},
    {"chlo.broadcast_zeta", nullptr, detail::evaluate_broadcast_kernel},
};

}  // namespace shardprop
