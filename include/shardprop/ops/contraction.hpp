// Matrix products: dot and dot_general (StableHLO specification, dot_general; dot is its older
// form).
#pragma once

#include "shardprop/ops/contraction_infer.hpp"
#include "shardprop/ops/contraction_rules.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

inline constexpr OpDef kContractionOps[] = {
    {.name = "stablehlo.dot",
     .traits = kPure,
     .signature = kBinarySignature,
     .rule = dot_rule,
     .infer = infer_dot,
     .element_constraint = kFreeElementType},
    {.name = "stablehlo.dot_general",
     .traits = kPure,
     .signature = kBinarySignature,
     .rule = dot_general_rule,
     .infer = infer_dot_general,
     .verify = verify_dot_general,
     .result_constraint = "c12",
     .element_constraint = kFreeElementType,
     .inputs = "lhs, rhs, dot_dimension_numbers.lhs_batching_dimensions, "
               "dot_dimension_numbers.rhs_batching_dimensions, "
               "dot_dimension_numbers.lhs_contracting_dimensions, "
               "dot_dimension_numbers.rhs_contracting_dimensions, precision_config, "
               "algorithm.lhs_precision_type, algorithm.rhs_precision_type, "
               "algorithm.accumulation_type, algorithm.lhs_component_count, "
               "algorithm.rhs_component_count, algorithm.num_primitive_operations, "
               "algorithm.allow_imprecise_accumulation"},
};

}  // namespace shardprop
