// Operations that slide a window over their operand: reduce_window, select_and_scatter (StableHLO
// specification).
#pragma once

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/reducer.hpp"
#include "shardprop/ops/windows_infer.hpp"
#include "shardprop/ops/windows_rules.hpp"

namespace shardprop {

inline constexpr OpDef kWindowOps[] = {
    {.name = "stablehlo.reduce_window",
     .traits = kPure,
     .signature = detail::kReducerSignature,
     .rule = reduce_window_rule,
     .infer = infer_reduce_window,
     .result_constraint = "c15",
     .element_constraint = "c16",
     .count_constraint = "c1",
     .inputs = "inputs, init_values, window_dimensions, window_strides, base_dilations, "
               "window_dilations, padding, body"},
    {.name = "stablehlo.select_and_scatter",
     .traits = kPure,
     .signature = {.min_operands = 3,
                   .max_operands = 3,
                   .min_blocks = 2,
                   .max_blocks = 2,
                   .operand_classes = {kAnyTensorElement},
                   .result_classes = {kAnyTensorElement}},
     .rule = select_and_scatter_rule,
     .infer = infer_select_and_scatter,
     .result_constraint = "c11",
     .element_constraint = "c12",
     .inputs = "operand, source, init_value, window_dimensions, window_strides, padding, "
               "select, scatter"},
};

}  // namespace shardprop
