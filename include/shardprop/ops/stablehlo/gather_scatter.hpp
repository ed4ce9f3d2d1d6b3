// Operations that read or write at places which an index tensor names.
#pragma once

#include "shardprop/ops/common/reducing_body.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/gather_scatter_infer.hpp"
#include "shardprop/ops/stablehlo/gather_scatter_rules.hpp"

namespace shardprop {

inline constexpr OpDef kGatherScatterOps[] = {
    {.name = "stablehlo.gather",
     .traits = kPure,
     .signature = {.min_operands = 2,
                   .max_operands = 2,
                   .operand_classes = {kAnyTensorElement, kInt},
                   .result_classes = {kAnyTensorElement}},
     .rule = gather_rule,
     .infer = infer_gather,
     .result_constraint = "c22",
     .element_constraint = "c23",
     .inputs = "operand, start_indices, dimension_numbers.offset_dims, "
               "dimension_numbers.collapsed_slice_dims, "
               "dimension_numbers.operand_batching_dims, "
               "dimension_numbers.start_indices_batching_dims, "
               "dimension_numbers.start_index_map, dimension_numbers.index_vector_dim, "
               "slice_sizes, indices_are_sorted"},
    {.name = "stablehlo.dynamic_gather",
     .traits = kPure,
     .signature = {.min_operands = 3,
                   .max_operands = 3,
                   .operand_classes = {kAnyTensorElement, kInt},
                   .result_classes = {kAnyTensorElement}},
     .infer = infer_dynamic_gather,
     .result_constraint = "c22",
     .element_constraint = "c23",
     .inputs = "operand, start_indices, slice_sizes, dimension_numbers.offset_dims, "
               "dimension_numbers.collapsed_slice_dims, dimension_numbers.start_index_map, "
               "dimension_numbers.index_vector_dim, indices_are_sorted"},
    {.name = "stablehlo.scatter",
     .traits = kPure,
     .signature = {.max_results = kVariadic,
                   .min_blocks = 1,
                   .max_blocks = 1,
                   .operand_classes = {kAnyTensorElement | kOther},
                   .result_classes = {kAnyTensorElement}},
     .rule = scatter_rule,
     .infer = infer_scatter,
     .context = combines_by_reduction,
     .result_constraint = "c24",
     .element_constraint = "c25",
     .inputs = "inputs, scatter_indices, updates, "
               "scatter_dimension_numbers.update_window_dims, "
               "scatter_dimension_numbers.inserted_window_dims, "
               "scatter_dimension_numbers.input_batching_dims, "
               "scatter_dimension_numbers.scatter_indices_batching_dims, "
               "scatter_dimension_numbers.scatter_dims_to_operand_dims, "
               "scatter_dimension_numbers.index_vector_dim, indices_are_sorted, "
               "unique_indices, update_computation"},
    // Not in the specification any more; the types are taken as they are.
    {.name = "stablehlo.torch_index_select",
     .traits = kPure,
     .signature = kBinarySignature,
     .verify = verify_torch_index_select},
};

}  // namespace shardprop
