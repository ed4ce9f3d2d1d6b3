// Matrix products: dot and dot_general (StableHLO specification, dot_general; dot is its older
// form).
#pragma once

#include "shardprop/ops/contraction_infer.hpp"
#include "shardprop/ops/contraction_rules.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

constexpr Signature kDotSignature = {.min_operands = 2,
                                     .max_operands = 2,
                                     .operand_classes = {kAnyTensorElement},
                                     .result_classes = {kAnyTensorElement}};

}  // namespace detail

inline constexpr OpDef kContractionOps[] = {
    {.name = "stablehlo.dot",
     .traits = kPure,
     .signature = detail::kDotSignature,
     .rule = dot_rule,
     .infer = infer_dot,
     .element_constraint = kFreeElementType},
    {.name = "stablehlo.dot_general",
     .traits = kPure,
     .signature = detail::kDotSignature,
     .rule = dot_general_rule,
     .infer = infer_dot_general,
     .verify = verify_dot_general,
     .result_constraint = "c12",
     .element_constraint = kFreeElementType},
};

}  // namespace shardprop
