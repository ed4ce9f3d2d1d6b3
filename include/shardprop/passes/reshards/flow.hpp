// Reshards where a value flows unchanged: into and out of regions, into calls, out of functions.
// The target's sharding is fixed, so a value that differs is resharded on its way.
#pragma once

#include <cstddef>
#include <vector>

#include "shardprop/ops/data_flow.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"
#include "shardprop/passes/reshards/unreduced.hpp"

namespace shardprop {

// Brings the used value to `target`: unreduced axes always, the rest in the full version.
inline void reshard_use(ReshardContext& c, Cursor at, UseId use, ShardingId target, bool full) {
  reduce_missing_axes(c, at, use, target);
  add_unreduced_axes(c, at, use, target);
  const ValueId value = c.m.uses[use].value;
  const ShardingId source = c.sharding(value);
  if (!full || fits(c.m, source, target)) return;
  if (!target.valid()) {
    const TensorSharding& s = c.m.shardings[source];
    target = c.m.shardings.intern(closed_sharding(s.mesh, s.rank()));
  }
  set_use(c.m, use, insert_reshard(c, at, value, target));
}

// The sources of all edges of `op` take the sharding of the edge's owner, right after they are
// made.
inline void reshard_edges(ReshardContext& c, OpId op, const DataFlow& flow, bool full) {
  std::vector<DataFlowEdge> edges;
  flow.edges(c.m, op, edges);
  for (const bool arguments : {false, true}) {
    for (const DataFlowEdge& edge : edges) {
      if ((c.m.values[edge.owner].is_argument != 0) != arguments) continue;
      ShardingId target = flow.get_sharding ? flow.get_sharding(c.m, op, edge.owner)
                                            : c.m.value_shardings[edge.owner];
      if (flow.transform && target.valid())
        target = flow.transform(c.m, op, edge.owner, target, EdgeTransform::kBeforePropagation);
      for (UseId use : edge.sources)
        reshard_use(c, after_value(c.m, c.m.uses[use].value), use, target, full);
    }
  }
}

namespace detail {

// For a function without shardings: closed ones on the mesh of the first operand that has one.
inline std::vector<ShardingId> closed_operand_shardings(ReshardContext& c, OpId op) {
  MeshId mesh;
  for (UseId use : operand_uses(c.m, op)) {
    const ShardingId id = c.sharding(c.m.uses[use].value);
    if (!id.valid() || is_single_device(c.m, id)) continue;
    mesh = c.m.shardings[id].mesh;
    break;
  }
  std::vector<ShardingId> closed;
  if (!mesh.valid()) return closed;
  for (UseId use : operand_uses(c.m, op)) {
    const std::size_t rank = rank_of(c.m, c.m.uses[use].value);
    closed.push_back(c.m.shardings.intern(closed_sharding(mesh, rank)));
  }
  return closed;
}

}  // namespace detail

// The operands of a call take the shardings of the function's arguments.
inline void reshard_call(ReshardContext& c, OpId op, FuncId callee, bool full) {
  if (!callee.valid()) return;
  std::vector<ShardingId> targets = func_argument_shardings(c.m, callee);
  if (targets.empty()) targets = detail::closed_operand_shardings(c, op);
  for (std::size_t i = 0; i < targets.size() && i < c.m.ops[op].operand_count; ++i) {
    const UseId use = operand_uses(c.m, op)[i];
    reshard_use(c, after_value(c.m, c.m.uses[use].value), use, targets[i], full);
  }
}

// What a function returns takes the shardings of its results.
inline void reshard_returned(ReshardContext& c, FuncId f, bool full) {
  const OpId op = terminator(c.m, c.m.funcs[f].body);
  if (!op.valid()) return;
  for (std::size_t i = 0; i < c.m.ops[op].operand_count; ++i) {
    const ShardingId target =
        i < c.m.funcs[f].results.size() ? c.m.funcs[f].results[i].sharding : ShardingId();
    reshard_use(c, before(c.m, op), operand_uses(c.m, op)[i], target, full);
  }
}

}  // namespace shardprop
