// Types and constraints of add, the one element-wise operation whose quantised operands may differ
// in their scales and be quantised per axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/quantized.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/support/format_text.hpp"

namespace shardprop {

namespace detail {

// The constraint of add, C2 to C4, that keeps element types `a` and `b` apart, or none.
inline std::string_view mismatch_of_quantized(std::string_view a, std::string_view b) {
  if (!is_quantized(a) || !is_quantized(b)) return "c2";
  if (parse_quantized(a).storage != parse_quantized(b).storage) return "c3";
  return parse_quantized(a).expressed != parse_quantized(b).expressed ? "c4" : "";
}

inline std::string_view mismatch_of_added(std::string_view a, std::string_view b) {
  if (is_quantized(a) || is_quantized(b)) return mismatch_of_quantized(a, b);
  return a == b ? "" : "c1";
}

}  // namespace detail

// C1 to C4 of add as far as the operands go. A type that is quantised per axis prevails.
inline InferredTypes infer_add(const InferInput& in) {
  const TypeId lhs = detail::operand_type(in.m, in.op, 0);
  const TypeId rhs = detail::operand_type(in.m, in.op, 1);
  const std::string_view a = detail::dtype_of(in.m, lhs);
  const std::string_view b = detail::dtype_of(in.m, rhs);
  std::string_view mismatch = detail::mismatch_of_added(a, b);
  if (!compatible_shapes(in.m.types.shape(lhs), in.m.types.shape(rhs))) mismatch = "c1";
  if (!mismatch.empty()) {
    return detail::refuse(in, mismatch,
                          format_text("operands must have one type, found {} and {}",
                                      to_string(in.m, lhs), to_string(in.m, rhs)));
  }
  const bool by_rhs =
      quantization_dimension(a) == kPerTensor && quantization_dimension(b) != kPerTensor;
  const Shape shape = detail::most_specific(in.m.types.shape(lhs), in.m.types.shape(rhs));
  return detail::inferred(detail::with_shape(in.m, by_rhs ? rhs : lhs, shape));
}

// The element type of the result.
inline void verify_add(const VerifyInput& in) {
  const std::string_view to = detail::dtype_of(in.m, type_of(in.m, result(in.m, in.op, 0)));
  const std::int64_t target = quantization_dimension(to);
  bool per_axis = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view from = detail::dtype_of(in.m, detail::operand_type(in.m, in.op, i));
    const std::string_view mismatch = detail::mismatch_of_added(from, to);
    if (!mismatch.empty()) {
      report(
          in, mismatch,
          format_text("operands and result must have one element type, found {} and {}", from, to));
      return;
    }
    const std::int64_t dim = quantization_dimension(from);
    per_axis |= dim != kPerTensor;
    if (dim == kPerTensor || target == kPerTensor || target == dim) continue;
    report(in, i == 0 ? "c6" : "c7",
           format_text(
               "operand {} and the result must have one quantization dimension, found {} and {}", i,
               dim, target));
  }
  if (per_axis == (target != kPerTensor)) return;
  report(in, "c5", "the result must be quantized per axis exactly where an operand is");
}

}  // namespace shardprop
