// Which attributes of sdy operations are shardings: the one that shards the operation's result,
// which the module keeps as the sharding of that value, and lists of shardings. All other
// attributes are plain JSON.
#pragma once

#include <string_view>

#include "shardprop/ops/sdy/sdy_ops.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

namespace shardprop::detail {

// The attribute that says how the result of `op` is sharded, or empty.
inline std::string_view result_sharding_attribute(std::string_view op) {
  if (!op.starts_with("sdy.")) return {};
  for (const OpDef& row : kSdyOps) {
    if (row.name == op) return row.sharding_attribute;
  }
  return {};
}

// Whether attribute `key` of `op` is a list of shardings.
inline bool is_sharding_list(std::string_view op, std::string_view key) {
  return (key == "in_shardings" || key == "out_shardings") &&
         (op == "sdy.manual_computation" || op == "sdy.named_computation");
}

}  // namespace shardprop::detail
