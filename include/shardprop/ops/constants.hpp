// Operations that make a tensor from nothing but attributes or a shape.
#pragma once

#include "shardprop/ops/constants_infer.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// A constant has no operand to propagate from or to: all shardings suit it.
inline constexpr OpDef kConstantOps[] = {
    {.name = "stablehlo.constant",
     .traits = kConstantLike | kPure,
     .signature = {.max_operands = 0, .result_classes = {kAnyTensorElement}},
     .verify = verify_constant,
     .silent_without_rule = true,
     .inputs = "value"},
    {.name = "stablehlo.iota",
     .traits = kConstantFoldable | kPure,
     .signature = {.max_operands = 0, .result_classes = {kInt | kFloat | kComplex | kQuantized}},
     .verify = verify_iota,
     .silent_without_rule = true,
     .inputs = "iota_dimension"},
    {.name = "stablehlo.dynamic_iota",
     .traits = kPure,
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .operand_classes = {kInt | kOther},
                   .result_classes = {kAnyTensorElement}},
     .verify = verify_dynamic_iota,
     .inputs = "output_shape, iota_dimension"},
    // MLIR's own constant, which PyTorch/XLA programs hold as operands of dynamic operations. It is
    // not split a use as those above are, as in the reference.
    {.name = "arith.constant",
     .traits = kPure,
     .signature = {.max_operands = 0},
     .silent_without_rule = true},
};

}  // namespace shardprop
