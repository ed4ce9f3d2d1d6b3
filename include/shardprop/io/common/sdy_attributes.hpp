// Which attributes of sdy operations are shardings: the one that shards the operation's result,
// which the module keeps as the sharding of that value, and lists of shardings. All other
// attributes are plain JSON.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

namespace shardprop::detail {

// The attribute that says how the result of `op` is sharded, or empty.
inline std::string_view result_sharding_attribute(std::string_view op) {
  constexpr std::array<std::string_view, 3> kSharding = {"sdy.sharding_constraint", "sdy.reshard",
                                                         "sdy.data_flow_edge"};
  constexpr std::array<std::string_view, 8> kOutSharding = {
      "sdy.all_gather",           "sdy.all_slice",
      "sdy.all_reduce",           "sdy.all_to_all",
      "sdy.collective_permute",   "sdy.reduce_scatter",
      "sdy.sharded_to_unreduced", "sdy.replicated_to_unreduced"};
  if (!op.starts_with("sdy.")) return {};
  if (std::find(kSharding.begin(), kSharding.end(), op) != kSharding.end()) return "sharding";
  if (std::find(kOutSharding.begin(), kOutSharding.end(), op) != kOutSharding.end())
    return "out_sharding";
  return {};
}

// Whether attribute `key` of `op` is a list of shardings.
inline bool is_sharding_list(std::string_view op, std::string_view key) {
  return (key == "in_shardings" || key == "out_shardings") &&
         (op == "sdy.manual_computation" || op == "sdy.named_computation");
}

}  // namespace shardprop::detail
