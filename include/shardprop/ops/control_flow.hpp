// Control flow of StableHLO: while, case, if, return and optimization_barrier. None has a sharding
// rule; values flow along the edges of the row instead (`if` has none, as in the reference).
#pragma once

#include "shardprop/ops/control_flow_infer.hpp"
#include "shardprop/ops/data_flow.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/region_edges.hpp"

namespace shardprop {

namespace detail {

inline constexpr DataFlow kLoopFlow = {.edges = loop_edges};
inline constexpr DataFlow kBranchFlow = {.edges = branch_edges};
inline constexpr DataFlow kPassFlow = {.edges = pass_edges};

}  // namespace detail

inline constexpr OpDef kControlFlowOps[] = {
    {.name = "stablehlo.while",
     .signature = {.min_results = 0, .max_results = kVariadic, .min_blocks = 2, .max_blocks = 2},
     .infer = infer_operand_types,
     .verify = verify_while,
     .data_flow = &detail::kLoopFlow,
     .silent_without_rule = true,
     .result_constraint = "c3"},
    {.name = "stablehlo.case",
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .min_results = 0,
                   .max_results = kVariadic,
                   .min_blocks = 0,
                   .max_blocks = kVariadic,
                   .operand_classes = {kSignedInt}},
     .infer = infer_case,
     .data_flow = &detail::kBranchFlow,
     .silent_without_rule = true,
     .result_constraint = "c4"},
    {.name = "stablehlo.if",
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .min_results = 0,
                   .max_results = kVariadic,
                   .min_blocks = 2,
                   .max_blocks = 2,
                   .operand_classes = {kBool}},
     .infer = infer_if,
     .result_constraint = "c3"},
    {.name = "stablehlo.optimization_barrier",
     .traits = kPure,
     .signature = {.min_results = 0, .max_results = kVariadic},
     .infer = infer_operand_types,
     .verify = verify_same_pairs,
     .data_flow = &detail::kPassFlow,
     .silent_without_rule = true,
     .result_constraint = "c1"},
    {.name = "stablehlo.return",
     .traits = kTerminator | kPure,
     .signature = {.min_results = 0, .max_results = 0},
     .silent_without_rule = true},
};

}  // namespace shardprop
