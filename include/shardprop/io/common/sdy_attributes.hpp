// Which attributes of sdy operations are shardings: the one that shards the operation's result,
// which the module keeps as the sharding of that value, and lists of shardings. All other
// attributes are plain JSON.
#pragma once

#include <string_view>

#include "shardprop/ir/known_names.hpp"

namespace shardprop::detail {

// On an operation without results the field `sharding` is a list, kept under this attribute.
inline constexpr std::string_view kOpShardings = "sdy.sharding";

// The attribute that says how the result of `op` is sharded, or empty.
inline std::string_view result_sharding_attribute(StringId op) {
  switch (op.index) {
    case known::kSdyShardingConstraint.index:
    case known::kSdyReshard.index:
    case known::kSdyDataFlowEdge.index:
      return "sharding";
    case known::kSdyAllGather.index:
    case known::kSdyAllSlice.index:
    case known::kSdyAllReduce.index:
    case known::kSdyAllToAll.index:
    case known::kSdyCollectivePermute.index:
    case known::kSdyReduceScatter.index:
    case known::kSdyShardedToUnreduced.index:
    case known::kSdyReplicatedToUnreduced.index:
      return "out_sharding";
    default:
      return {};
  }
}

// Whether attribute `key` of `op` is a list of shardings.
inline bool is_sharding_list(StringId op, std::string_view key) {
  return (op == known::kSdyManualComputation || op == known::kSdyNamedComputation) &&
         (key == "in_shardings" || key == "out_shardings");
}

}  // namespace shardprop::detail
