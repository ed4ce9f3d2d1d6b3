// Operations of the sdy dialect. Only sharding_constraint has a sharding rule; reshard, edges,
// groups and barriers are handled by the propagation engine itself.
#pragma once

#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/sdy/all_to_all_verify.hpp"
#include "shardprop/ops/sdy/collectives_verify.hpp"
#include "shardprop/ops/sdy/computation_edges.hpp"
#include "shardprop/ops/sdy/manual_computation_verify.hpp"
#include "shardprop/ops/sdy/sdy_ops_verify.hpp"
#include "shardprop/ops/stablehlo/constants.hpp"
#include "shardprop/ops/stablehlo/control_flow.hpp"

namespace shardprop {

namespace detail {

// One value of any type in, the same out.
inline constexpr Signature kSameValue = {.min_operands = 1, .max_operands = 1};
// A region that takes and returns values.
inline constexpr Signature kOneBody = {
    .min_results = 0, .max_results = kVariadic, .min_blocks = 1, .max_blocks = 1};

constexpr OpDef sdy_collective(std::string_view name, VerifyFn verify) {
  return {.name = name,
          .signature = kUnarySignature,
          .infer = infer_operand_types,
          .verify = verify,
          .sharding_attribute = "out_sharding"};
}

}  // namespace detail

inline constexpr OpDef kSdyOps[] = {
    {.name = "sdy.sharding_constraint",
     .traits = kElementwise,
     .signature = detail::kSameValue,
     .rule = pointwise<Pointwise::kOrScalars>,
     .infer = infer_operand_types,
     .verify = verify_resharded,
     .sharding_attribute = "sharding"},
    {.name = "sdy.reshard",
     .traits = kElementwise | kPure,
     .signature = detail::kSameValue,
     .infer = infer_operand_types,
     .verify = verify_resharded,
     .silent_without_rule = true,
     .sharding_attribute = "sharding"},
    {.name = "sdy.sharding_group",
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .min_results = 0,
                   .max_results = 0,
                   .operand_classes = {kAnyTensorElement}},
     .verify = verify_sharding_group,
     .silent_without_rule = true},
    {.name = "sdy.propagation_barrier",
     .traits = kElementwise | kPure,
     .signature = kUnarySignature,
     .infer = infer_operand_types,
     .verify = verify_propagation_barrier,
     .silent_without_rule = true},
    {.name = "sdy.manual_computation",
     .traits = kIsolated,
     .signature = detail::kOneBody,
     .verify = verify_manual_computation,
     .data_flow = &detail::kManualFlow,
     .silent_without_rule = true},
    {.name = "sdy.named_computation",
     .traits = kIsolated,
     .signature = detail::kOneBody,
     .infer = infer_named_computation,
     .verify = verify_named_computation,
     .data_flow = &detail::kNamedFlow,
     .silent_without_rule = true},
    {.name = "sdy.data_flow_edge",
     .traits = kRearranges,
     .signature = kUnarySignature,
     .infer = infer_operand_types,
     .verify = verify_data_flow_edge,
     .silent_without_rule = true,
     .sharding_attribute = "sharding"},
    {.name = "sdy.func_data_flow_edge",
     .traits = kRearranges,
     .signature = kUnarySignature,
     .infer = infer_operand_types,
     .verify = verify_func_data_flow_edge,
     .silent_without_rule = true},
    {.name = "sdy.constant",
     .traits = kConstantLike | kPure,
     .signature = {.max_operands = 0, .result_classes = {kAnyTensorElement}},
     .verify = verify_constant,
     .silent_without_rule = true},
    {.name = "sdy.return",
     .traits = kTerminator | kPure,
     .signature = kTerminatorSignature,
     .silent_without_rule = true},
    detail::sdy_collective("sdy.all_gather", verify_sdy_all_gather),
    detail::sdy_collective("sdy.all_slice", verify_sdy_all_slice),
    detail::sdy_collective("sdy.all_to_all", verify_sdy_all_to_all),
    detail::sdy_collective("sdy.collective_permute", verify_sdy_collective_permute),
    detail::sdy_collective("sdy.all_reduce", verify_sdy_all_reduce),
    detail::sdy_collective("sdy.reduce_scatter", verify_sdy_reduce_scatter),
    detail::sdy_collective("sdy.sharded_to_unreduced", verify_sdy_sharded_to_unreduced),
    detail::sdy_collective("sdy.replicated_to_unreduced", verify_sdy_replicated_to_unreduced),
};

}  // namespace shardprop
