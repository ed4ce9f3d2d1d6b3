// Unreduced axes, made explicit: an axis that is unreduced in a value and not where it is used is
// reduced by an sdy.all_reduce; one that is unreduced only where it is used comes from replicas
// (sdy.replicated_to_unreduced) or from shards (sdy.sharded_to_unreduced) of the value.
#pragma once

#include <cstddef>
#include <vector>

#include "fmt/core.h"
#include "shardprop/passes/reshards/reshard_context.hpp"
#include "shardprop/sharding/axis_list.hpp"

namespace shardprop {

namespace detail {

// Unreduced axes cannot change the mesh on the way.
inline bool check_same_mesh(ReshardContext& c, UseId use, ShardingId from, ShardingId to) {
  if (same_devices(c.m, c.m.shardings[from].mesh, c.m.shardings[to].mesh)) return true;
  c.fail(c.m.uses[use].user, "unreduced_meshes",
         fmt::format("operand {} has unreduced axes on another mesh than its target",
                     operand_number(c.m, use)),
         "reduce the axes before the mesh changes");
  return false;
}

}  // namespace detail

// Reduces the unreduced axes of the used value that `target` does not have unreduced.
inline void reduce_missing_axes(ReshardContext& c, Cursor at, UseId use, ShardingId target) {
  const ValueId value = c.m.uses[use].value;
  const ShardingId source = c.sharding(value);
  const std::vector<AxisRef> unreduced = c.unreduced(source);
  if (unreduced.empty()) return;
  if (target.valid() && !detail::check_same_mesh(c, use, source, target)) return;
  const AxisList axes = difference(unreduced, c.unreduced(target));
  if (axes.empty()) return;
  TensorSharding reduced = c.m.shardings[source];
  reduced.unreduced = difference(unreduced, axes);
  const ShardingId sharding = c.m.shardings.intern(reduced);
  set_use(c.m, use, insert_all_reduce(c, at, value, axes, reduced.reduction, sharding));
}

// As `reduce_missing_axes` for all operands of an operation. All its results have the same
// unreduced axes; one without results takes no unreduced operand.
inline void reduce_operands(ReshardContext& c, OpId op) {
  if (c.m.ops[op].name == known::kSdyShardingGroup) return;  // it only names its value
  const IdRange<ValueId> made = results(c.m, op);
  const ShardingId target = made.size() > 0 ? c.sharding(made[0]) : ShardingId();
  for (ValueId value : made) {
    if (c.unreduced(c.sharding(value)) == c.unreduced(target)) continue;
    return c.fail(op, "unreduced_results", "the results differ in their unreduced axes",
                  "give all results the same unreduced axes");
  }
  for (UseId use : operand_uses(c.m, op)) {
    if (made.size() > 0) {
      reduce_missing_axes(c, before(c.m, op), use, target);
    } else if (!c.unreduced(c.sharding(c.m.uses[use].value)).empty()) {
      return c.fail(op, "unreduced_operand",
                    "an operand has unreduced axes, but there is no result that could have them",
                    "reshard the operand to a sharding without unreduced axes first");
    }
  }
}

namespace detail {

// What becomes of each dimension when a sharding takes on unreduced axes.
struct UnreducedPlan {
  std::vector<DimSharding> dims;      // before the shards become unreduced
  std::vector<AxisList> from_shards;  // by dimension
  AxisList all_from_shards;
  bool reshard = false;
};

// The axes that `axes` has after its strict prefix `prefix`.
inline AxisList rest_after(AxisSpan prefix, AxisSpan axes) {
  AxisList rest;
  if (!prefix.empty()) {
    const AxisRef last = axes[prefix.size() - 1];
    if (last != prefix.back()) rest.push_back(*suffix_without_overlap(last, prefix.back()));
  }
  rest.append(axes.subspan(prefix.size()));
  return rest;
}

// A dimension gives up the end of its axes if all of it becomes unreduced; any other change of it
// needs a reshard first.
inline UnreducedPlan plan_unreduced(const TensorSharding& from, const TensorSharding& to,
                                    AxisSpan new_axes) {
  UnreducedPlan plan;
  plan.dims = to.dims;
  plan.from_shards.resize(from.dims.size());
  for (std::size_t d = 0; d < from.dims.size(); ++d) {
    const PrefixOrder order = prefix_order(to.dims[d].axes, from.dims[d].axes);
    if (order == PrefixOrder::kEqual) continue;
    const AxisList rest = order == PrefixOrder::kStrictPrefix
                              ? rest_after(to.dims[d].axes, from.dims[d].axes)
                              : AxisList();
    if (rest.empty() || !difference(rest, new_axes).empty()) {
      plan.reshard = true;
      continue;
    }
    plan.from_shards[d] = rest;
    plan.all_from_shards.append(rest);
    plan.dims[d] = from.dims[d];
  }
  return plan;
}

inline ValueId insert_from_replicas(ReshardContext& c, Cursor at, ValueId value,
                                    const TensorSharding& sharding, AxisSpan axes) {
  const ShardingId made = c.m.shardings.intern(sharding);
  const AttrId of = collective_axes(c.m, axes, sharding.mesh);
  return build_collective(c.m, at, {known::kSdyReplicatedToUnreduced, value, made, key::kAxes, of});
}

inline ValueId insert_from_shards(ReshardContext& c, Cursor at, ValueId value, ShardingId target,
                                  const std::vector<AxisList>& axes) {
  const AttrId of = collective_axes(c.m, axes, c.m.shardings[target].mesh);
  return build_collective(c.m, at, {known::kSdyShardedToUnreduced, value, target, key::kAxes, of});
}

}  // namespace detail

// Gives the used value the unreduced axes that only `target` has. Replicas first, since that leaves
// the shards as small as they are. Whether anything was inserted.
inline bool add_unreduced_axes(ReshardContext& c, Cursor at, UseId use, ShardingId target) {
  const ValueId value = c.m.uses[use].value;
  const ShardingId source = c.sharding(value);
  if (!source.valid() || c.unreduced(target).empty()) return false;
  if (!detail::check_same_mesh(c, use, source, target)) return false;
  const TensorSharding from = c.m.shardings[source];
  const TensorSharding to = c.m.shardings[target];
  const AxisList new_axes = difference(to.unreduced, from.unreduced);
  if (new_axes.empty()) return false;
  if (!difference(from.unreduced, to.unreduced).empty()) {
    c.fail(c.m.uses[use].user, "unreduced_both_ways",
           "value and target both have unreduced axes that the other lacks",
           "reduce the axes of the value first");
    return false;
  }
  const detail::UnreducedPlan plan = detail::plan_unreduced(from, to, new_axes);
  ValueId made = value;
  TensorSharding next = from;
  next.dims = plan.dims;
  if (plan.reshard) made = insert_reshard(c, at, made, c.m.shardings.intern(next));
  const AxisList from_replicas = difference(new_axes, plan.all_from_shards);
  if (!from_replicas.empty()) {
    next.replicated = to.replicated;
    next.unreduced.append(from_replicas);
    sort_and_merge(next.unreduced, c.m.meshes[next.mesh]);
    next.reduction = to.reduction;
    made = detail::insert_from_replicas(c, at, made, next, from_replicas);
  }
  if (!plan.all_from_shards.empty())
    made = detail::insert_from_shards(c, at, made, target, plan.from_shards);
  set_use(c.m, use, made);
  return true;
}

// Replaces `op`, an sdy.reshard that adds unreduced axes, by what adds them. Whether it did.
inline bool replace_unreducing_reshard(ReshardContext& c, OpId op) {
  const UseId use = operand_uses(c.m, op)[0];
  const ShardingId target = c.sharding(result(c.m, op, 0));
  if (!target.valid() || !add_unreduced_axes(c, before(c.m, op), use, target)) return false;
  replace_uses(c.m, result(c.m, op, 0), c.m.uses[use].value);
  erase_op(c.m, op);
  return true;
}

}  // namespace shardprop
