// Matrix products: dot and dot_general (StableHLO specification, dot_general; dot is its older
// form).
#pragma once

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/contraction_infer.hpp"
#include "shardprop/ops/stablehlo/contraction_rules.hpp"

namespace shardprop {

inline constexpr OpDef kContractionOps[] = {
    {.name = "stablehlo.dot",
     .traits = kPure,
     .signature = kBinarySignature,
     .rule = rule<"([k], [k]) -> ([]) reduction={k}",      //
                  "([i, k], [k]) -> ([i]) reduction={k}",  //
                  "([k], [k, j]) -> ([j]) reduction={k}",  //
                  "([i, k], [k, j]) -> ([i, j]) reduction={k}">,
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

// Einsum as an operation. It is not in the specification any more and has no rule: the types are
// taken as they are.

// Only the attribute `einsum_config` is asked for.
inline void verify_einsum(const VerifyInput& in) { AttributeReader(in).text("einsum_config"); }

inline constexpr OpDef kEinsumOps[] = {
    {.name = "stablehlo.einsum",
     .traits = kPure,
     .signature = kBinarySignature,
     .verify = verify_einsum},
    {.name = "stablehlo.unary_einsum",
     .traits = kPure,
     .signature = kUnarySignature,
     .verify = verify_einsum},
};

}  // namespace shardprop
