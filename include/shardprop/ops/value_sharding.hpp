// The sharding of any value, wherever it is kept: on the value, in the lists of a manual or named
// computation, on the sdy.data_flow_edge that uses it, or on the result of the while loop that it
// is an argument of. O(size of the sharding).
#pragma once

#include <optional>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

namespace detail {

// The sdy.data_flow_edge that is the only user of `owner`, or none.
inline OpId edge_on(const Module& m, ValueId owner) {
  if (!has_one_use(m, owner)) return OpId();
  const OpId user = m.uses[m.values[owner].first_use].user;
  return m.ops[user].name == known::kSdyDataFlowEdge ? user : OpId();
}

inline std::optional<TensorSharding> stored_sharding(const Module& m, ShardingId id) {
  if (!id.valid()) return std::nullopt;
  return m.shardings[id];
}

}  // namespace detail

// None where the value has no sharding, or can have none (an argument of a reduction's body).
inline std::optional<TensorSharding> sharding_of(const Module& m, ValueId value) {
  const bool is_argument = m.values[value].is_argument != 0;
  const OpId op =
      is_argument ? m.blocks[argument_block(m, value)].parent_op : defining_op(m, value);
  if (!op.valid()) return detail::stored_sharding(m, m.value_shardings[value]);
  const StringId name = m.ops[op].name;
  if (is_argument && name == known::kWhile && m.values[value].number < m.ops[op].result_count) {
    return sharding_of(m, result(m, op, m.values[value].number));
  }
  if (is_argument && name == known::kAsyncStart &&
      m.values[value].number < m.ops[op].operand_count) {
    return sharding_of(m, operand(m, op, m.values[value].number));
  }
  if (const OpId edge = detail::edge_on(m, value); edge.valid()) {
    return detail::stored_sharding(m, m.value_shardings[result(m, edge, 0)]);
  }
  const bool manual = name == known::kSdyManualComputation;
  if (manual || name == known::kSdyNamedComputation) {
    auto listed = detail::stored_sharding(m, listed_sharding(m, op, value));
    if (listed && manual && is_argument) return erase_manual_axes(m, *listed, manual_axes(m, op));
    return listed;
  }
  if (is_argument) return std::nullopt;
  return detail::stored_sharding(m, m.value_shardings[value]);
}

}  // namespace shardprop
