// Types and constraints of element-wise operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/support/format_text.hpp"

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
  Module& m = in.m;
  const TypeId first = detail::operand_type(m, in.op, 0);
  Shape shape = detail::shape_copy(m, first);
  for (UseId use : operand_uses(m, in.op)) {
    const TypeId type = type_of(m, m.uses[use].value);
    if (!compatible_types(m, first, type)) {
      return detail::refuse(in, "c1",
                            format_text("operands must have one type, found {} and {}",
                                        to_string(m, first), to_string(m, type)));
    }
    shape = detail::most_specific(shape, m.types.shape(type));
  }
  return detail::inferred(detail::with_shape(m, first, shape));
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
                          format_text("operands must have one type, found {} and {}",
                                      to_string(in.m, lhs), to_string(in.m, rhs)));
  }
  const std::string_view part = detail::dtype_of(in.m, lhs);
  if (part != "f32" && part != "f64") {
    return detail::refuse(in, "i1", format_text("operands must be of f32 or f64, found {}", part));
  }
  return detail::infer_with_dtype(in, format_text("complex<{}>", part));
}

inline InferredTypes infer_compare(const InferInput& in) {
  const TypeId lhs = detail::operand_type(in.m, in.op, 0);
  const TypeId rhs = detail::operand_type(in.m, in.op, 1);
  if (!compatible_element_types(detail::dtype_of(in.m, lhs), detail::dtype_of(in.m, rhs))) {
    return detail::refuse(in, "c1",
                          format_text("operands must have one element type, found {} and {}",
                                      detail::dtype_of(in.m, lhs), detail::dtype_of(in.m, rhs)));
  }
  if (!compatible_shapes(in.m.types.shape(lhs), in.m.types.shape(rhs))) {
    return detail::refuse(
        in, "c2",
        format_text("operands must have one shape, found {} and {}",
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
        format_text("comparison_direction must be EQ, NE, GE, GT, LE or LT, found {}", direction));
  }
  if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
    report(
        in, "i4",
        format_text("compare_type must be FLOAT, TOTALORDER, SIGNED or UNSIGNED, found {}", type));
  }
}

// Bounds are scalars or of the operand's shape.
inline InferredTypes infer_clamp(const InferInput& in) {
  Module& m = in.m;
  const TypeId type = detail::operand_type(m, in.op, 1);
  for (std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    const TypeId limit = detail::operand_type(m, in.op, bound);
    if (m.types.rank(limit) != 0 && !compatible_shapes(m.types.shape(limit), m.types.shape(type))) {
      return detail::refuse(
          in, bound == 0 ? "c1" : "c2",
          format_text("{} must be a scalar or of the operand's shape {}, found {}",
                      bound == 0 ? "min" : "max", to_string(m.types.shape(type)),
                      to_string(m.types.shape(limit))));
    }
    if (!compatible_element_types(detail::dtype_of(m, limit), detail::dtype_of(m, type))) {
      return detail::refuse(
          in, "c3",
          format_text("min, operand and max must have one element type, found {} and {}",
                      detail::dtype_of(m, limit), detail::dtype_of(m, type)));
    }
  }
  return detail::inferred(type);
}

inline InferredTypes infer_select(const InferInput& in) {
  Module& m = in.m;
  const TypeId pred = detail::operand_type(m, in.op, 0);
  const TypeId on_true = detail::operand_type(m, in.op, 1);
  const TypeId on_false = detail::operand_type(m, in.op, 2);
  if (!compatible_types(m, on_true, on_false)) {
    return detail::refuse(in, "c2",
                          format_text("on_true and on_false must have one type, found {} and {}",
                                      to_string(m, on_true), to_string(m, on_false)));
  }
  if (m.types.rank(pred) != 0 && !compatible_shapes(m.types.shape(pred), m.types.shape(on_true))) {
    return detail::refuse(
        in, "c1",
        format_text("pred must be a scalar or of on_true's shape {}, found {}",
                    to_string(m.types.shape(on_true)), to_string(m.types.shape(pred))));
  }
  const Shape shape = detail::most_specific(m.types.shape(on_true), m.types.shape(on_false));
  return detail::inferred(detail::with_shape(m, on_true, shape));
}

inline void verify_reduce_precision(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::int64_t exponent = attributes.integer("exponent_bits");
  const std::int64_t mantissa = attributes.integer("mantissa_bits");
  if (!attributes.ok()) return;
  if (exponent < 1)
    report(in, "c2", format_text("exponent_bits must be at least 1, found {}", exponent));
  if (mantissa < 0)
    report(in, "c3", format_text("mantissa_bits must be at least 0, found {}", mantissa));
}

// `result_accuracy`, where given, has no negative tolerance, and tolerances only in mode TOLERANCE.
inline void verify_result_accuracy(const VerifyInput& in) {
  const AttrId id = attribute(in.m, in.op, "result_accuracy");
  if (!id.valid() || in.m.attrs.kind(id) != AttrKind::kDict) return;
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
    report(in, "result_accuracy", format_text("tolerances must be 0 in mode {}", mode),
           "use mode TOLERANCE, or leave atol, rtol and ulps out");
  }
}

}  // namespace shardprop
