// The sharding of any value, wherever it is kept: on the value, in the lists of a manual or named
// computation, on the sdy.data_flow_edge that uses it, or on the result of the while loop that it
// is an argument of. O(size of the sharding). `ShardingStore` of room propagate answers the same
// for all values of a module at once, and for operations that a caller added.
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
  const OpId user = m.uses.get(m.values.get(owner).first_use).user;
  return m.ops.get(user).name == known::kSdyDataFlowEdge ? user : OpId();
}

// The value that an argument of a region of `op`, which has no data-flow edges, stands for: an
// operand of a `stablehlo.async_start`. None for any other.
inline ValueId passed_in(const Module& m, OpId op, ValueId argument) {
  const std::size_t i = m.values.get(argument).number;
  const bool is_passed =
      m.ops.get(op).name == known::kAsyncStart && i < m.ops.get(op).operand_count;
  return is_passed ? operand(m, op, i) : ValueId();
}

inline std::optional<TensorSharding> stored_sharding(const Module& m, ShardingId id) {
  if (id.index >= m.shardings.size()) return std::nullopt;
  return m.shardings[id];
}

}  // namespace detail

// None where the value has no sharding, or can have none (an argument of a reduction's body).
// `sharding_of` (sharding_view.hpp) gives the same with names and sizes.
inline std::optional<TensorSharding> tensor_sharding_of(const Module& m, ValueId value) {
  const bool is_argument = m.values.get(value).is_argument != 0;
  const OpId op =
      is_argument ? m.blocks.get(argument_block(m, value)).parent_op : defining_op(m, value);
  if (!op.valid()) return detail::stored_sharding(m, m.value_shardings.get(value));
  const StringId name = m.ops.get(op).name;
  if (is_argument && name == known::kWhile &&
      m.values.get(value).number < m.ops.get(op).result_count) {
    return tensor_sharding_of(m, result(m, op, m.values.get(value).number));
  }
  if (is_argument) {
    if (const ValueId at = detail::passed_in(m, op, value); at.valid())
      return tensor_sharding_of(m, at);
  }
  if (const OpId edge = detail::edge_on(m, value); edge.valid()) {
    return detail::stored_sharding(m, m.value_shardings.get(result(m, edge, 0)));
  }
  const bool manual = name == known::kSdyManualComputation;
  if (manual || name == known::kSdyNamedComputation) {
    auto listed = detail::stored_sharding(m, listed_sharding(m, op, value));
    if (listed && manual && is_argument) return erase_manual_axes(m, *listed, manual_axes(m, op));
    return listed;
  }
  if (is_argument) return std::nullopt;
  return detail::stored_sharding(m, m.value_shardings.get(value));
}

}  // namespace shardprop
