// Which attributes of sdy operations are shardings: the one that shards the operation's result,
// which the module keeps as the sharding of that value, and lists of shardings. All other
// attributes are plain JSON.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/sdy/sdy_ops.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

namespace shardprop::detail {

// The column `sharding_attribute` of the rows of sdy, by known name.
inline constexpr auto kResultShardingAttributes = [] {
  std::array<std::string_view, std::size(kKnownNames)> all;
  for (std::size_t name = 0; name < all.size(); ++name) {
    for (const OpDef& row : kSdyOps) {
      if (row.name == kKnownNames[name]) all[name] = row.sharding_attribute;
    }
  }
  return all;
}();

// The attribute that says how the result of `op` is sharded, or empty.
inline std::string_view result_sharding_attribute(StringId op) {
  return op.index < kResultShardingAttributes.size() ? kResultShardingAttributes[op.index]
                                                     : std::string_view();
}

// Whether attribute `key` of `op` is a list of shardings.
inline bool is_sharding_list(StringId op, std::string_view key) {
  return (op == known::kSdyManualComputation || op == known::kSdyNamedComputation) &&
         (key == kInShardings || key == kOutShardings);
}

}  // namespace shardprop::detail
