// Operations that rearrange or repeat elements: reshape, transpose, broadcasts, sizes of
// dimensions.
#pragma once

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/shape_infer.hpp"
#include "shardprop/ops/stablehlo/shape_rules.hpp"

namespace shardprop {

namespace detail {

// A tensor and the shape that it is to have.
constexpr Signature kToShapeSignature = {.min_operands = 2,
                                         .max_operands = 2,
                                         .operand_classes = {kAnyTensorElement, kInt | kOther},
                                         .result_classes = {kAnyTensorElement}};

}  // namespace detail

inline constexpr OpDef kShapeOps[] = {
    // The result's shape is the user's choice in the operations of this first part.
    {.name = "stablehlo.reshape",
     .traits = kPure | kConstantFoldable | kRearranges,
     .signature = kUnarySignature,
     .rule = reshape_rule,
     .verify = verify_reshape},
    {.name = "stablehlo.dynamic_reshape",
     .traits = kPure,
     .signature = detail::kToShapeSignature,
     .verify = verify_dynamic_reshape},
    {.name = "stablehlo.broadcast_in_dim",
     .traits = kPure | kConstantFoldable | kBroadcasts,
     .signature = kUnarySignature,
     .rule = broadcast_in_dim_rule,
     .verify = verify_broadcast_in_dim,
     .inputs = "operand, broadcast_dimensions"},
    {.name = "stablehlo.dynamic_broadcast_in_dim",
     .traits = kPure,
     .signature = detail::kToShapeSignature,
     .verify = verify_dynamic_broadcast_in_dim,
     .inputs = "operand, output_dimensions, broadcast_dimensions, known_expanding_dimensions, "
               "known_nonexpanding_dimensions"},

    {.name = "stablehlo.transpose",
     .traits = kPure | kRearranges,
     .signature = kUnarySignature,
     .rule = transpose_rule,
     .infer = infer_transpose,
     .verify = verify_transpose,
     .result_constraint = "c3",
     .element_constraint = "c1",
     .inputs = "operand, permutation"},
    {.name = "stablehlo.broadcast",
     .traits = kPure,
     .signature = kUnarySignature,
     .infer = infer_broadcast},
    {.name = "stablehlo.get_dimension_size",
     .traits = kPure,
     .signature = tensors_to_tensor(1, kAnyTensorElement, kSignedInt),
     .infer = infer_get_dimension_size,
     .inputs = "operand, dimension"},
    {.name = "stablehlo.set_dimension_size",
     .traits = kPure,
     .signature = {.min_operands = 2,
                   .max_operands = 2,
                   .operand_classes = {kAnyTensorElement, kSignedInt},
                   .result_classes = {kAnyTensorElement}},
     .infer = infer_set_dimension_size},
};

}  // namespace shardprop
