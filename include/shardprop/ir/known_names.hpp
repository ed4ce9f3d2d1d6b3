// Names of operations and keys of attributes that the engine and the passes know. They come first
// in the string table of each module, so that their ids are constants:
// `m.ops[op].name == known::kSdyReshard`, `attribute(m, op, key::kCallee)`.
//
// A name is for a meaning that only one operation has. Properties that several operations may have
// (traits, data flow, the attribute that carries a sharding) are in the rows of the operation
// table.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "shardprop/support/id.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::string_view kKnownNames[] = {
    "func.call",
    "func.return",
    "sdy.all_gather",
    "sdy.all_reduce",
    "sdy.all_slice",
    "sdy.all_to_all",
    "sdy.collective_permute",
    "sdy.constant",
    "sdy.data_flow_edge",
    "sdy.func_data_flow_edge",
    "sdy.manual_computation",
    "sdy.named_computation",
    "sdy.propagation_barrier",
    "sdy.reduce_scatter",
    "sdy.replicated_to_unreduced",
    "sdy.reshard",
    "sdy.return",
    "sdy.sharded_to_unreduced",
    "sdy.sharding_constraint",
    "sdy.sharding_group",
    "arith.constant",
    "stablehlo.add",
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.async_start",
    "stablehlo.broadcast_in_dim",
    "stablehlo.case",
    "stablehlo.clamp",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.compare",
    "stablehlo.concatenate",
    "stablehlo.constant",
    "stablehlo.convert",
    "stablehlo.create_token",
    "stablehlo.custom_call",
    "stablehlo.dot",
    "stablehlo.dot_general",
    "stablehlo.gather",
    "stablehlo.if",
    "stablehlo.iota",
    "stablehlo.maximum",
    "stablehlo.minimum",
    "stablehlo.partition_id",
    "stablehlo.reduce",
    "stablehlo.reduce_scatter",
    "stablehlo.replica_id",
    "stablehlo.reshape",
    "stablehlo.return",
    "stablehlo.scatter",
    "stablehlo.select",
    "stablehlo.slice",
    "stablehlo.transpose",
    "stablehlo.while",
    "mhlo.ragged_dot",
    // Attributes.
    "axes",
    "callee",
    "device_ids",
    "elided",
    "execution_thread",
    "gathering_axes",
    "group_id",
    "manual_axes",
    "mesh",
    "mhlo.frontend_attributes",
    "name",
    "opaque",
    "params",
    "reduce_scatter_axes",
    "reduction_axes",
    "reduction_op",
    "replica_groups",
    "sdy.func_manual_axes",
    "sdy.original_func_name",
    "slicing_axes",
    "source_dimension",
    "target_dimension",
    "value",
};

// Does not compile for a name that is not in the list.
consteval StringId known_name(std::string_view name) {
  std::size_t row = 0;
  while (kKnownNames[row] != name) ++row;
  return StringId(row);
}

}  // namespace detail

namespace known {

inline constexpr StringId kFuncCall = detail::known_name("func.call");
inline constexpr StringId kFuncReturn = detail::known_name("func.return");
inline constexpr StringId kSdyAllGather = detail::known_name("sdy.all_gather");
inline constexpr StringId kSdyAllReduce = detail::known_name("sdy.all_reduce");
inline constexpr StringId kSdyAllSlice = detail::known_name("sdy.all_slice");
inline constexpr StringId kSdyAllToAll = detail::known_name("sdy.all_to_all");
inline constexpr StringId kSdyCollectivePermute = detail::known_name("sdy.collective_permute");
inline constexpr StringId kSdyConstant = detail::known_name("sdy.constant");
inline constexpr StringId kSdyDataFlowEdge = detail::known_name("sdy.data_flow_edge");
inline constexpr StringId kSdyFuncDataFlowEdge = detail::known_name("sdy.func_data_flow_edge");
inline constexpr StringId kSdyManualComputation = detail::known_name("sdy.manual_computation");
inline constexpr StringId kSdyNamedComputation = detail::known_name("sdy.named_computation");
inline constexpr StringId kSdyPropagationBarrier = detail::known_name("sdy.propagation_barrier");
inline constexpr StringId kSdyReduceScatter = detail::known_name("sdy.reduce_scatter");
inline constexpr StringId kSdyReplicatedToUnreduced =
    detail::known_name("sdy.replicated_to_unreduced");
inline constexpr StringId kSdyReshard = detail::known_name("sdy.reshard");
inline constexpr StringId kSdyReturn = detail::known_name("sdy.return");
inline constexpr StringId kSdyShardedToUnreduced = detail::known_name("sdy.sharded_to_unreduced");
inline constexpr StringId kSdyShardingConstraint = detail::known_name("sdy.sharding_constraint");
inline constexpr StringId kSdyShardingGroup = detail::known_name("sdy.sharding_group");
inline constexpr StringId kArithConstant = detail::known_name("arith.constant");
inline constexpr StringId kAdd = detail::known_name("stablehlo.add");
inline constexpr StringId kAllGather = detail::known_name("stablehlo.all_gather");
inline constexpr StringId kAllReduce = detail::known_name("stablehlo.all_reduce");
inline constexpr StringId kAllToAll = detail::known_name("stablehlo.all_to_all");
inline constexpr StringId kAsyncStart = detail::known_name("stablehlo.async_start");
inline constexpr StringId kBroadcastInDim = detail::known_name("stablehlo.broadcast_in_dim");
inline constexpr StringId kCase = detail::known_name("stablehlo.case");
inline constexpr StringId kClamp = detail::known_name("stablehlo.clamp");
inline constexpr StringId kCollectiveBroadcast =
    detail::known_name("stablehlo.collective_broadcast");
inline constexpr StringId kCollectivePermute = detail::known_name("stablehlo.collective_permute");
inline constexpr StringId kCompare = detail::known_name("stablehlo.compare");
inline constexpr StringId kConcatenate = detail::known_name("stablehlo.concatenate");
inline constexpr StringId kConstant = detail::known_name("stablehlo.constant");
inline constexpr StringId kConvert = detail::known_name("stablehlo.convert");
inline constexpr StringId kCreateToken = detail::known_name("stablehlo.create_token");
inline constexpr StringId kCustomCall = detail::known_name("stablehlo.custom_call");
inline constexpr StringId kDot = detail::known_name("stablehlo.dot");
inline constexpr StringId kDotGeneral = detail::known_name("stablehlo.dot_general");
inline constexpr StringId kGather = detail::known_name("stablehlo.gather");
inline constexpr StringId kIf = detail::known_name("stablehlo.if");
inline constexpr StringId kIota = detail::known_name("stablehlo.iota");
inline constexpr StringId kMaximum = detail::known_name("stablehlo.maximum");
inline constexpr StringId kMinimum = detail::known_name("stablehlo.minimum");
inline constexpr StringId kPartitionId = detail::known_name("stablehlo.partition_id");
inline constexpr StringId kReduce = detail::known_name("stablehlo.reduce");
inline constexpr StringId kReduceScatter = detail::known_name("stablehlo.reduce_scatter");
inline constexpr StringId kReplicaId = detail::known_name("stablehlo.replica_id");
inline constexpr StringId kReshape = detail::known_name("stablehlo.reshape");
inline constexpr StringId kReturn = detail::known_name("stablehlo.return");
inline constexpr StringId kScatter = detail::known_name("stablehlo.scatter");
inline constexpr StringId kSelect = detail::known_name("stablehlo.select");
inline constexpr StringId kSlice = detail::known_name("stablehlo.slice");
inline constexpr StringId kTranspose = detail::known_name("stablehlo.transpose");
inline constexpr StringId kWhile = detail::known_name("stablehlo.while");
inline constexpr StringId kMhloRaggedDot = detail::known_name("mhlo.ragged_dot");

}  // namespace known

// Keys of attributes that several passes read or write.
namespace key {

inline constexpr StringId kAxes = detail::known_name("axes");
inline constexpr StringId kCallee = detail::known_name("callee");
inline constexpr StringId kDeviceIds = detail::known_name("device_ids");
inline constexpr StringId kElided = detail::known_name("elided");
inline constexpr StringId kExecutionThread = detail::known_name("execution_thread");
inline constexpr StringId kGatheringAxes = detail::known_name("gathering_axes");
inline constexpr StringId kGroupId = detail::known_name("group_id");
inline constexpr StringId kManualAxes = detail::known_name("manual_axes");
inline constexpr StringId kMesh = detail::known_name("mesh");
inline constexpr StringId kFrontendAttributes = detail::known_name("mhlo.frontend_attributes");
inline constexpr StringId kName = detail::known_name("name");
inline constexpr StringId kOpaque = detail::known_name("opaque");
inline constexpr StringId kParams = detail::known_name("params");
inline constexpr StringId kReduceScatterAxes = detail::known_name("reduce_scatter_axes");
inline constexpr StringId kReductionAxes = detail::known_name("reduction_axes");
inline constexpr StringId kReductionOp = detail::known_name("reduction_op");
inline constexpr StringId kReplicaGroups = detail::known_name("replica_groups");
inline constexpr StringId kFuncManualAxes = detail::known_name("sdy.func_manual_axes");
inline constexpr StringId kOriginalFuncName = detail::known_name("sdy.original_func_name");
inline constexpr StringId kSlicingAxes = detail::known_name("slicing_axes");
inline constexpr StringId kSourceDimension = detail::known_name("source_dimension");
inline constexpr StringId kTargetDimension = detail::known_name("target_dimension");
inline constexpr StringId kValue = detail::known_name("value");

}  // namespace key

// Whether `name` is among `names`.
constexpr bool is_one_of(StringId name, std::initializer_list<StringId> names) {
  for (StringId one : names) {
    if (one == name) return true;
  }
  return false;
}

// A string table that begins with the known names.
inline StringTable strings_with_known_names() {
  StringTable strings;
  for (std::string_view name : detail::kKnownNames) strings.intern(name);
  return strings;
}

}  // namespace shardprop
