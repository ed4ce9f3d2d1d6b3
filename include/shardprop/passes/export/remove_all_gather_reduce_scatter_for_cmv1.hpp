// Pass `remove-all-gather-reduce-scatter-for-cmv1`: removes collectives next to a matrix product,
// for a backend that fuses the two ("collective matmul", version 1). The all-gather of an operand
// is removed; if there is none, the reduce-scatter of the product, which takes its sharding.
// O(operations).
#pragma once

#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Adds the all-gathers whose only use is as operand of `dot`.
inline void collect_all_gathers(const Module& m, OpId dot, std::vector<OpId>& out) {
  for (UseId use : operand_uses(m, dot)) {
    const OpId op = defining_op(m, m.uses[use].value);
    if (op.valid() && m.ops[op].name == known::kSdyAllGather && has_one_use(m, m.uses[use].value)) {
      out.push_back(op);
    }
  }
}

// The reduce-scatter that is the only use of `dot`, which leaves nothing unreduced; or none.
inline OpId reduce_scatter_of(const Module& m, OpId dot) {
  const ValueId value = result(m, dot, 0);
  if (!has_one_use(m, value)) return OpId();
  const OpId user = m.uses[m.values[value].first_use].user;
  if (m.ops[user].name != known::kSdyReduceScatter) return OpId();
  const ShardingId sharding = m.value_shardings[value];
  return sharding.valid() && !m.shardings[sharding].unreduced.empty() ? OpId() : user;
}

}  // namespace detail

inline Result<bool> remove_all_gather_reduce_scatter_for_cmv1(Module& m) {
  std::vector<OpId> collectives;
  walk_ops(m, [&](OpId op) {
    const StringId name = m.ops[op].name;
    if (name != known::kDot && name != known::kDotGeneral) return;
    const std::size_t before = collectives.size();
    detail::collect_all_gathers(m, op, collectives);
    if (collectives.size() > before) return;
    const OpId scatter = detail::reduce_scatter_of(m, op);
    if (!scatter.valid()) return;
    m.value_shardings[result(m, op, 0)] = m.value_shardings[result(m, scatter, 0)];
    collectives.push_back(scatter);
  });
  for (OpId op : collectives) {
    replace_uses(m, result(m, op, 0), operand(m, op, 0));
    erase_op(m, op);
  }
  return !collectives.empty();
}

}  // namespace shardprop
