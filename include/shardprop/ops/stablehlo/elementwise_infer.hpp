// Types and constraints of element-wise operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/quantized.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// `f32` of `complex<f32>`; any other type as it is.
inline std::string_view real_element(std::string_view dtype) {
  return dtype.starts_with("complex<") ? dtype.substr(8, dtype.size() - 9) : dtype;
}

}  // namespace detail

// C1: operands of one type, which is the result's as well; sizes that one operand knows hold for
// the others.
inline InferredTypes infer_like_operands(const InferInput& in) {
  const Module& m = in.m;
  const TypeId first = detail::operand_type(m, in.op, 0);
  Shape shape = detail::shape_copy(m, first);
  for (UseId use : operand_uses(m, in.op)) {
    const TypeId type = type_of(m, m.uses[use].value);
    if (!compatible_types(m, first, type)) {
      return detail::refuse(in, "c1",
                            fmt::format("operands must have one type, found {} and {}",
                                        to_string(m, first), to_string(m, type)));
    }
    shape = detail::most_specific(shape, m.types.shape(type));
  }
  return detail::inferred(detail::with_shape(in.types, first, shape));
}

// The type of the real numbers that complex ones are made of, as for abs, real and imag.
inline InferredTypes infer_complex_part(const InferInput& in) {
  return detail::infer_with_dtype(
      in, detail::real_element(detail::dtype_of(in.m, detail::operand_type(in.m, in.op, 0))));
}

inline InferredTypes infer_is_finite(const InferInput& in) {
  return detail::infer_with_dtype(in, "i1");
}

inline InferredTypes infer_complex(const InferInput& in) {
  const TypeId lhs = detail::operand_type(in.m, in.op, 0);
  const TypeId rhs = detail::operand_type(in.m, in.op, 1);
  if (!compatible_types(in.m, lhs, rhs)) {
    return detail::refuse(in, "c1",
                          fmt::format("operands must have one type, found {} and {}",
                                      to_string(in.m, lhs), to_string(in.m, rhs)));
  }
  const std::string_view part = detail::dtype_of(in.m, lhs);
  if (part != "f32" && part != "f64") {
    return detail::refuse(in, "i1", fmt::format("operands must be of f32 or f64, found {}", part));
  }
  return detail::infer_with_dtype(in, fmt::format("complex<{}>", part));
}

inline InferredTypes infer_compare(const InferInput& in) {
  const TypeId lhs = detail::operand_type(in.m, in.op, 0);
  const TypeId rhs = detail::operand_type(in.m, in.op, 1);
  if (!compatible_element_types(detail::dtype_of(in.m, lhs), detail::dtype_of(in.m, rhs))) {
    return detail::refuse(in, "c1",
                          fmt::format("operands must have one element type, found {} and {}",
                                      detail::dtype_of(in.m, lhs), detail::dtype_of(in.m, rhs)));
  }
  if (!compatible_shapes(in.m.types.shape(lhs), in.m.types.shape(rhs))) {
    return detail::refuse(
        in, "c2",
        fmt::format("operands must have one shape, found {} and {}",
                    to_string(in.m.types.shape(lhs)), to_string(in.m.types.shape(rhs))));
  }
  return detail::infer_with_dtype(in, "i1");
}

// C3 is not checked, as the reference does not: programs with TOTALORDER on integers exist.
inline void verify_compare(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::string_view direction = attributes.text("comparison_direction");
  const std::string_view type = attributes.text_or("compare_type", "");
  if (!attributes.ok()) return;
  constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  constexpr std::string_view kTypes[] = {"", "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  if (std::find(std::begin(kDirections), std::end(kDirections), direction) ==
      std::end(kDirections)) {
    report(
        in, "i3",
        fmt::format("comparison_direction must be EQ, NE, GE, GT, LE or LT, found {}", direction));
  }
  if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
    report(
        in, "i4",
        fmt::format("compare_type must be FLOAT, TOTALORDER, SIGNED or UNSIGNED, found {}", type));
  }
}

// Bounds are scalars or of the operand's shape.
inline InferredTypes infer_clamp(const InferInput& in) {
  const Module& m = in.m;
  const TypeId type = detail::operand_type(m, in.op, 1);
  for (std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    const TypeId limit = detail::operand_type(m, in.op, bound);
    if (m.types.rank(limit) != 0 && !compatible_shapes(m.types.shape(limit), m.types.shape(type))) {
      return detail::refuse(
          in, bound == 0 ? "c1" : "c2",
          fmt::format("{} must be a scalar or of the operand's shape {}, found {}",
                      bound == 0 ? "min" : "max", to_string(m.types.shape(type)),
                      to_string(m.types.shape(limit))));
    }
    if (!compatible_element_types(detail::dtype_of(m, limit), detail::dtype_of(m, type))) {
      return detail::refuse(
          in, "c3",
          fmt::format("min, operand and max must have one element type, found {} and {}",
                      detail::dtype_of(m, limit), detail::dtype_of(m, type)));
    }
  }
  return detail::inferred(type);
}

inline InferredTypes infer_select(const InferInput& in) {
  const Module& m = in.m;
  const TypeId pred = detail::operand_type(m, in.op, 0);
  const TypeId on_true = detail::operand_type(m, in.op, 1);
  const TypeId on_false = detail::operand_type(m, in.op, 2);
  if (!compatible_types(m, on_true, on_false)) {
    return detail::refuse(in, "c2",
                          fmt::format("on_true and on_false must have one type, found {} and {}",
                                      to_string(m, on_true), to_string(m, on_false)));
  }
  if (m.types.rank(pred) != 0 && !compatible_shapes(m.types.shape(pred), m.types.shape(on_true))) {
    return detail::refuse(
        in, "c1",
        fmt::format("pred must be a scalar or of on_true's shape {}, found {}",
                    to_string(m.types.shape(on_true)), to_string(m.types.shape(pred))));
  }
  const Shape shape = detail::most_specific(m.types.shape(on_true), m.types.shape(on_false));
  return detail::inferred(detail::with_shape(in.types, on_true, shape));
}

inline void verify_reduce_precision(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::int64_t exponent = attributes.integer("exponent_bits");
  const std::int64_t mantissa = attributes.integer("mantissa_bits");
  if (!attributes.ok()) return;
  if (exponent < 1)
    report(in, "c2", fmt::format("exponent_bits must be at least 1, found {}", exponent));
  if (mantissa < 0)
    report(in, "c3", fmt::format("mantissa_bits must be at least 0, found {}", mantissa));
}

// `result_accuracy`, where given, has no negative tolerance, and tolerances only in mode TOLERANCE.
inline void verify_result_accuracy(const VerifyInput& in) {
  const AttrId id = attribute(in.m, in.op, "result_accuracy");
  if (in.m.attrs.kind(id) != AttrKind::kDict) return;
  std::string_view mode;
  bool zero = true;
  bool negative = false;
  for (const AttrEntry& entry : in.m.attrs.entries(id)) {
    const AttrKind kind = in.m.attrs.kind(entry.value);
    double number = 0;
    if (kind == AttrKind::kString) mode = in.m.strings[in.m.attrs.as_string(entry.value)];
    if (kind == AttrKind::kInt) number = static_cast<double>(in.m.attrs.as_int(entry.value));
    if (kind == AttrKind::kFloat) number = in.m.attrs.as_float(entry.value);
    zero &= number == 0;
    negative |= number < 0;
  }
  if (negative) report(in, "result_accuracy", "tolerances must not be negative");
  if (!zero && (mode == "DEFAULT" || mode == "HIGHEST")) {
    report(in, "result_accuracy", fmt::format("tolerances must be 0 in mode {}", mode),
           "use mode TOLERANCE, or leave atol, rtol and ulps out");
  }
}

// Types and constraints of add, the one element-wise operation whose quantised operands may differ
// in their scales and be quantised per axis.

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
                          fmt::format("operands must have one type, found {} and {}",
                                      to_string(in.m, lhs), to_string(in.m, rhs)));
  }
  const bool by_rhs =
      quantization_dimension(a) == kPerTensor && quantization_dimension(b) != kPerTensor;
  const Shape shape = detail::most_specific(in.m.types.shape(lhs), in.m.types.shape(rhs));
  return detail::inferred(detail::with_shape(in.types, by_rhs ? rhs : lhs, shape));
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
          fmt::format("operands and result must have one element type, found {} and {}", from, to));
      return;
    }
    const std::int64_t dim = quantization_dimension(from);
    per_axis |= dim != kPerTensor;
    if (dim == kPerTensor || target == kPerTensor || target == dim) continue;
    report(in, i == 0 ? "c6" : "c7",
           fmt::format(
               "operand {} and the result must have one quantization dimension, found {} and {}", i,
               dim, target));
  }
  if (per_axis == (target != kPerTensor)) return;
  report(in, "c5", "the result must be quantized per axis exactly where an operand is");
}

}  // namespace shardprop
