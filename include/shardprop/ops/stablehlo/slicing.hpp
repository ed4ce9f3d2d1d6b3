// Operations that cut tensors, put them together, pad or turn them.
#pragma once

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/slicing_infer.hpp"
#include "shardprop/ops/stablehlo/slicing_rules.hpp"

namespace shardprop {

// Where it is known how far data moves, it can be shifted between neighbours. Else nothing is
// carried along a dimension of another size.
inline constexpr RuleFn kShiftedRule = resized<FactorKind::kPermutation, Blocked::kIfConservative>;
inline constexpr RuleFn kUnknownShiftRule = resized<FactorKind::kNeedReplication, Blocked::kAlways>;

inline constexpr OpDef kSlicingOps[] = {
    {.name = "stablehlo.slice",
     .traits = kPure | kConstantFoldable,
     .signature = kUnarySignature,
     .rule = kShiftedRule,
     .infer = infer_slice,
     .result_constraint = "c5",
     .element_constraint = "c1",
     .inputs = "operand, start_indices, limit_indices, strides"},
    {.name = "stablehlo.real_dynamic_slice",
     .traits = kPure,
     .signature = {.min_operands = 4,
                   .max_operands = 4,
                   .operand_classes = {kAnyTensorElement, kInt | kOther},
                   .result_classes = {kAnyTensorElement}},
     .verify = verify_real_dynamic_slice},
    {.name = "stablehlo.dynamic_slice",
     .traits = kPure | kSlicesDynamically,
     .signature = {.min_operands = 1,
                   .operand_classes = {kAnyTensorElement, kInt},
                   .result_classes = {kAnyTensorElement}},
     .rule = kUnknownShiftRule,
     .infer = infer_dynamic_slice,
     .result_constraint = "c5",
     .element_constraint = "c1",
     .inputs = "operand, start_indices, slice_sizes"},
    {.name = "stablehlo.dynamic_update_slice",
     .traits = kPure | kSlicesDynamically,
     .signature = {.min_operands = 2,
                   .operand_classes = {kAnyTensorElement, kAnyTensorElement, kInt},
                   .result_classes = {kAnyTensorElement}},
     .rule = dynamic_update_slice_rule,
     .infer = infer_dynamic_update_slice,
     .context = has_constant_starts,
     .result_constraint = "c1"},
    {.name = "stablehlo.concatenate",
     .traits = kPure,
     .signature = {.operand_classes = {kAnyTensorElement}, .result_classes = {kAnyTensorElement}},
     .rule = concatenate_rule,
     .infer = infer_concatenate,
     .context = concatenates_slices,
     .result_constraint = "c6",
     .element_constraint = "c5",
     .inputs = "inputs, dimension"},
    {.name = "stablehlo.pad",
     .traits = kPure,
     .signature = kBinarySignature,
     .rule = kShiftedRule,
     .infer = infer_pad,
     .result_constraint = "c4",
     .element_constraint = "c1",
     .inputs = "operand, padding_value, edge_padding_low, edge_padding_high, "
               "interior_padding"},
    {.name = "stablehlo.dynamic_pad",
     .traits = kPure,
     .signature = {.min_operands = 5,
                   .max_operands = 5,
                   .operand_classes = {kAnyTensorElement, kAnyTensorElement, kInt | kOther},
                   .result_classes = {kAnyTensorElement}},
     .verify = verify_dynamic_pad},
    {.name = "stablehlo.reverse",
     .traits = kPure,
     .signature = kUnarySignature,
     .rule = reverse_rule,
     .infer = infer_reverse,
     .result_constraint = "c1",
     .inputs = "operand, dimensions"},
};

}  // namespace shardprop
