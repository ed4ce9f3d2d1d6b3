// Element-wise operations: each result element comes from the operand elements of the same index.
// Sharding one dimension of one of the tensors shards it everywhere, at no cost.
#pragma once

#include <string_view>

#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/conversion_infer.hpp"
#include "shardprop/ops/stablehlo/elementwise_infer.hpp"
#include "shardprop/ops/stablehlo/map_infer.hpp"
#include "shardprop/ops/stablehlo/shape_rules.hpp"

namespace shardprop {

namespace detail {

constexpr ElementClasses kFloatLike = kFloat | kQuantized;
constexpr ElementClasses kFloatOrComplexLike = kFloat | kComplex | kQuantized;
constexpr ElementClasses kNumber = kInt | kFloat | kComplex | kQuantized;

// One operand of a type that the result has too (C1).
constexpr OpDef unary_op(std::string_view name, ElementClasses classes) {
  return {.name = name,
          .traits = kElementwise | kPure,
          .signature = tensors_to_tensor(1, classes, classes),
          .rule = pointwise<>,
          .infer = infer_like_operands,
          .result_constraint = "c1"};
}

// The same with attribute `result_accuracy`.
constexpr OpDef accurate_op(std::string_view name) {
  OpDef def = unary_op(name, kFloatOrComplexLike);
  def.verify = verify_result_accuracy;
  return def;
}

// Two operands of one type, which the result has too (C1).
constexpr OpDef binary_op(std::string_view name, ElementClasses classes, Traits traits = 0) {
  OpDef def = unary_op(name, classes);
  def.traits |= traits;
  def.signature.min_operands = def.signature.max_operands = 2;
  return def;
}

// The real numbers of a type that may be complex (C1, C2).
constexpr OpDef complex_part_op(std::string_view name, ElementClasses from, ElementClasses to) {
  OpDef def = unary_op(name, from);
  def.signature.result_classes = {to};
  def.infer = infer_complex_part;
  def.element_constraint = "c2";
  return def;
}

constexpr OpDef reduce_precision_op() {
  OpDef def = unary_op("stablehlo.reduce_precision", kFloatLike);
  def.verify = verify_reduce_precision;
  def.inputs = "operand, exponent_bits, mantissa_bits";
  return def;
}

constexpr OpDef add_op() {
  OpDef def = binary_op("stablehlo.add", kAnyTensorElement, kCommutative);
  def.infer = infer_add;
  def.verify = verify_add;
  def.element_constraint = kFreeElementType;  // C1 to C7, which verify_add tells apart
  return def;
}

// bitcast_convert is element-wise where the element types are equally wide.
inline Traits bitcast_convert_traits(const Module& m, OpId op) {
  if (m.ops[op].operand_count != 1 || m.ops[op].result_count != 1) return 0;
  return same_shape(shape_of(m, operand(m, op, 0)), shape_of(m, result(m, op, 0))) ? kElementwise
                                                                                   : 0;
}

}  // namespace detail

inline constexpr OpDef kElementwiseOps[] = {
    detail::complex_part_op("stablehlo.abs", kSignedInt | kFloat | kComplex | kQuantized,
                            kSignedInt | kFloat | kQuantized),
    detail::accurate_op("stablehlo.cbrt"),
    detail::unary_op("stablehlo.ceil", detail::kFloatLike),
    detail::accurate_op("stablehlo.cosine"),
    detail::unary_op("stablehlo.count_leading_zeros", kInt),
    detail::accurate_op("stablehlo.exponential"),
    detail::accurate_op("stablehlo.exponential_minus_one"),
    detail::unary_op("stablehlo.floor", detail::kFloatLike),
    detail::complex_part_op("stablehlo.imag", kFloat | kComplex, kFloat),
    {.name = "stablehlo.is_finite",
     .traits = kElementwise | kPure,
     .signature = tensors_to_tensor(1, detail::kFloatLike, kBool),
     .rule = pointwise<>,
     .infer = infer_is_finite,
     .result_constraint = "c1"},
    detail::accurate_op("stablehlo.log"),
    detail::accurate_op("stablehlo.log_plus_one"),
    detail::accurate_op("stablehlo.logistic"),
    detail::unary_op("stablehlo.negate", detail::kNumber),
    detail::unary_op("stablehlo.not", kBool | kInt),
    detail::unary_op("stablehlo.popcnt", kInt),
    detail::complex_part_op("stablehlo.real", kFloat | kComplex, kFloat),
    detail::reduce_precision_op(),
    detail::unary_op("stablehlo.round_nearest_afz", detail::kFloatLike),
    detail::unary_op("stablehlo.round_nearest_even", detail::kFloatLike),
    detail::accurate_op("stablehlo.rsqrt"),
    detail::unary_op("stablehlo.sign", kSignedInt | kFloat | kComplex | kQuantized),
    detail::accurate_op("stablehlo.sine"),
    detail::accurate_op("stablehlo.sqrt"),
    detail::accurate_op("stablehlo.tan"),
    detail::accurate_op("stablehlo.tanh"),

    detail::add_op(),
    detail::binary_op("stablehlo.and", kBool | kInt, kCommutative),
    detail::binary_op("stablehlo.atan2", detail::kFloatOrComplexLike),
    detail::binary_op("stablehlo.divide", detail::kNumber),
    detail::binary_op("stablehlo.maximum", kAnyTensorElement, kCommutative),
    detail::binary_op("stablehlo.minimum", kAnyTensorElement, kCommutative),
    detail::binary_op("stablehlo.multiply", kAnyTensorElement, kCommutative),
    detail::binary_op("stablehlo.or", kBool | kInt, kCommutative),
    detail::binary_op("stablehlo.power", detail::kNumber),
    detail::binary_op("stablehlo.remainder", detail::kNumber),
    detail::binary_op("stablehlo.shift_left", kInt),
    detail::binary_op("stablehlo.shift_right_arithmetic", kInt),
    detail::binary_op("stablehlo.shift_right_logical", kInt),
    detail::binary_op("stablehlo.subtract", detail::kNumber),
    detail::binary_op("stablehlo.xor", kBool | kInt, kCommutative),

    {.name = "stablehlo.compare",
     .traits = kElementwise | kPure,
     .signature = tensors_to_tensor(2, kAnyTensorElement, kBool),
     .rule = pointwise<>,
     .infer = infer_compare,
     .verify = verify_compare,
     .result_constraint = "c2",
     .inputs = "lhs, rhs, comparison_direction, compare_type"},
    {.name = "stablehlo.complex",
     .traits = kElementwise | kPure,
     .signature = tensors_to_tensor(2, kFloat, kComplex),
     .rule = pointwise<>,
     .infer = infer_complex,
     .result_constraint = "c2",
     .element_constraint = "c3"},
    {.name = "stablehlo.clamp",
     .traits = kElementwise | kPure,
     .signature = tensors_to_tensor(3, kAnyTensorElement, kAnyTensorElement),
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_clamp,
     .result_constraint = "c4"},
    {.name = "stablehlo.select",
     .traits = kElementwise | kPure,
     .signature = {.min_operands = 3,
                   .max_operands = 3,
                   .operand_classes = {kBool, kAnyTensorElement},
                   .result_classes = {kAnyTensorElement}},
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_select,
     .result_constraint = "c2"},

    // The result's element type is the user's choice.
    {.name = "stablehlo.convert",
     .traits = kElementwise | kPure,
     .signature =
         tensors_to_tensor(1, kBool | kInt | kFloat | kComplex, kBool | kInt | kFloat | kComplex),
     .rule = pointwise<>,
     .verify = verify_convert},
    {.name = "stablehlo.bitcast_convert",
     .traits = kPure,
     .signature = kUnarySignature,
     .rule = bitcast_convert_rule,
     .verify = verify_bitcast_convert,
     .extra_traits = detail::bitcast_convert_traits},

    // The registry of rules has none for the operations below.
    {.name = "stablehlo.uniform_dequantize",
     .traits = kElementwise | kPure,
     .signature = tensors_to_tensor(1, kQuantized, kFloat),
     .infer = infer_uniform_dequantize,
     .result_constraint = "c1",
     .element_constraint = "c2"},
    {.name = "stablehlo.uniform_quantize",
     .traits = kElementwise | kPure,
     .signature = tensors_to_tensor(1, detail::kFloatLike, kQuantized),
     .verify = verify_uniform_quantize},
    {.name = "stablehlo.map",
     .traits = kPure,
     .signature = {.min_blocks = 1,
                   .max_blocks = 1,
                   .operand_classes = {kAnyTensorElement},
                   .result_classes = {kAnyTensorElement}},
     .infer = infer_map,
     .verify = verify_map,
     .result_constraint = "c1",
     .element_constraint = "c4",
     .inputs = "inputs, dimensions, computation"},
};

}  // namespace shardprop
