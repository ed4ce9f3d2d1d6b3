// Collectives of StableHLO: operations that exchange data between processes. Constraints on the
// number of processes are not checked, since a module does not say how many there are.
#pragma once

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/collectives_infer.hpp"
#include "shardprop/ops/stablehlo/collectives_rules.hpp"

namespace shardprop {

namespace detail {

// Any number of tensors, and as many results.
constexpr Signature kVariadicSignature = {.min_results = 0,
                                          .max_results = kVariadic,
                                          .operand_classes = {kAnyTensorElement},
                                          .result_classes = {kAnyTensorElement}};
// The same with a region that reduces two elements to one.
constexpr Signature with_reducer(Signature signature) {
  signature.min_blocks = signature.max_blocks = 1;
  return signature;
}

}  // namespace detail

inline constexpr OpDef kCollectiveOps[] = {
    {.name = "stablehlo.all_gather",
     .signature = detail::kVariadicSignature,
     .rule = exchanged<"all_gather_dim">,
     .verify = verify_all_gather,
     .inputs = "operands, all_gather_dim, replica_groups, channel_handle, "
               "use_global_device_ids"},
    {.name = "stablehlo.all_reduce",
     .signature = detail::with_reducer(detail::kVariadicSignature),
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_all_reduce,
     .verify = verify_all_reduce,
     .result_constraint = "c6",
     .inputs = "operands, replica_groups, channel_handle, use_global_device_ids, computation"},
    {.name = "stablehlo.reduce_scatter",
     .signature = detail::with_reducer(kUnarySignature),
     .rule = exchanged<"scatter_dimension">,
     .verify = verify_reduce_scatter,
     .inputs = "operand, scatter_dimension, replica_groups, channel_handle, "
               "use_global_device_ids, computation"},
    {.name = "stablehlo.all_to_all",
     .signature = detail::kVariadicSignature,
     .rule = exchanged<"split_dimension", "concat_dimension">,
     .infer = infer_all_to_all,
     .verify = verify_all_to_all,
     .result_constraint = "c9",
     .inputs = "operands, split_dimension, concat_dimension, split_count, replica_groups, "
               "channel_handle"},
    {.name = "stablehlo.collective_broadcast",
     .signature = detail::kVariadicSignature,
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_collective_broadcast,
     .verify = verify_collective_broadcast,
     .result_constraint = "c3",
     .inputs = "operands, replica_groups, channel_handle, has_dynamic_root"},
    {.name = "stablehlo.collective_reduce",
     .signature = detail::with_reducer(detail::kVariadicSignature),
     .infer = infer_collective_reduce,
     .verify = verify_collective_reduce,
     .result_constraint = "c6",
     .inputs = "operands, replica_groups, channel_handle, has_dynamic_root, computation"},
    {.name = "stablehlo.collective_permute",
     .signature = kUnarySignature,
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_collective_permute,
     .verify = verify_source_target_pairs,
     .result_constraint = "c5",
     .inputs = "operand, source_target_pairs, channel_handle"},
    {.name = "stablehlo.cross-replica-sum",
     .traits = kPure,
     .signature = kUnarySignature,
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_collective_permute,
     .verify = verify_group_lists},
    {.name = "stablehlo.partition_id",
     .traits = kPure,
     .signature = kNoOperandsSignature,
     .infer = infer_process_id,
     .silent_without_rule = true},
    {.name = "stablehlo.replica_id",
     .traits = kPure,
     .signature = kNoOperandsSignature,
     .infer = infer_process_id},
};

}  // namespace shardprop
