// Rewrites of single collectives and of pairs that undo each other. Axes are compared as written:
// attributes are interned, so that equal lists are one id.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/canonicalize/rewriter.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/sharding/axis_text.hpp"

namespace shardprop::detail {

// The operation that makes the first operand of `op`, if it is called `name`.
inline OpId operand_from(const Module& m, OpId op, StringId name) {
  const OpId def = defining_op(m, operand(m, op, 0));
  return def.valid() && m.ops[def].name == name ? def : OpId();
}

// Whether `attr`, a list of axes or a list of such lists, names no axis.
inline bool names_no_axis(const Module& m, AttrId attr) {
  if (m.attrs.kind(attr) == AttrKind::kInts) return m.attrs.as_ints(attr).empty();
  if (m.attrs.kind(attr) != AttrKind::kList) return false;
  const auto items = m.attrs.items(attr);
  return std::all_of(items.begin(), items.end(), [&](AttrId item) {
    return m.attrs.kind(item) == AttrKind::kInts && m.attrs.as_ints(item).empty();
  });
}

inline bool drop_without_axes(Rewriter& r, OpId op, StringId key) {
  const AttrId axes = attribute(r.m, op, key);
  if (!axes.valid() || !names_no_axis(r.m, axes)) return false;
  r.replace(op, operand(r.m, op, 0));
  return true;
}

// all_gather [{}, {}] x  ->  x
inline bool drop_all_gather(Rewriter& r, OpId op) {
  return drop_without_axes(r, op, key::kGatheringAxes);
}
// all_slice [{}, {}] x  ->  x
inline bool drop_all_slice(Rewriter& r, OpId op) {
  return drop_without_axes(r, op, key::kSlicingAxes);
}
// all_reduce {} x  ->  x
inline bool drop_all_reduce(Rewriter& r, OpId op) {
  return drop_without_axes(r, op, key::kReductionAxes);
}
// reduce_scatter [{}, {}] x  ->  x
inline bool drop_reduce_scatter(Rewriter& r, OpId op) {
  return drop_without_axes(r, op, key::kReduceScatterAxes);
}

// collective_permute x to the sharding of x  ->  x
inline bool drop_collective_permute(Rewriter& r, OpId op) {
  const ValueId value = operand(r.m, op, 0);
  if (!is_same_placement(tensor_sharding_of(r.m, value), out_sharding(r.m, op))) return false;
  r.replace(op, value);
  return true;
}

struct UndoneBy {
  StringId name;  // of the operand's operation
  StringId its_axes;
  StringId own_axes;
};

inline bool drop_pair(Rewriter& r, OpId op, const UndoneBy& pair) {
  const OpId inner = operand_from(r.m, op, pair.name);
  if (!inner.valid()) return false;
  if (attribute(r.m, inner, pair.its_axes) != attribute(r.m, op, pair.own_axes)) return false;
  r.replace(op, operand(r.m, inner, 0));
  return true;
}

// all_slice a (all_gather a x)  ->  x
inline bool drop_slice_of_gather(Rewriter& r, OpId op) {
  return drop_pair(r, op, {known::kSdyAllGather, key::kGatheringAxes, key::kSlicingAxes});
}
// all_reduce a (replicated_to_unreduced a x)  ->  x
inline bool drop_reduce_of_replicated(Rewriter& r, OpId op) {
  return drop_pair(r, op, {known::kSdyReplicatedToUnreduced, key::kAxes, key::kReductionAxes});
}

// all_reduce {x, y} (sharded_to_unreduced [{y}, {x}] t)  ->  all_gather [{y}, {x}] t
inline bool gather_instead_of_reduce(Rewriter& r, OpId op) {
  Module& m = r.m;
  const OpId inner = operand_from(m, op, known::kSdyShardedToUnreduced);
  if (!inner.valid()) return false;
  const MeshId mesh = out_sharding(m, inner).mesh;
  const AttrId attr = attribute(m, inner, key::kAxes);
  AxisList axes;
  for (const AxisList& list : axes_per_dim_in(m, attr, m.meshes[mesh])) axes.append(list);
  sort_and_merge(axes, m.meshes[mesh]);
  if (!equal(axes, axes_in(m, attribute(m, op, key::kReductionAxes), m.meshes[mesh]))) return false;
  const ShardingId sharding = m.value_shardings[result(m, op, 0)];
  r.replace(op, build_collective(m, before(m, op),
                                 {known::kSdyAllGather, operand(m, inner, 0), sharding,
                                  key::kGatheringAxes, attr}));
  return true;
}

// An all_to_all that nothing uses.
inline bool drop_unused_all_to_all(Rewriter& r, OpId op) {
  if (has_uses(r.m, result(r.m, op, 0))) return false;
  r.erase(op);
  return true;
}

struct DimensionExchange {
  std::int64_t source = 0;
  std::int64_t target = 0;
  AttrId attr;
};

// The parameters of an all_to_all, added to `params`.
inline void add_all_to_all_params(const Module& m, OpId op,
                                  std::vector<DimensionExchange>& params) {
  for (AttrId item : m.attrs.items(attribute(m, op, key::kParams))) {
    params.push_back({m.attrs.as_int(m.attrs.find(item, key::kSourceDimension)),
                      m.attrs.as_int(m.attrs.find(item, key::kTargetDimension)), item});
  }
}

// all_to_all p (all_to_all q x)  ->  all_to_all {p, q} x, where the inner one has no other use and
// no dimension appears twice.
inline bool join_all_to_alls(Rewriter& r, OpId op) {
  Module& m = r.m;
  const OpId inner = operand_from(m, op, known::kSdyAllToAll);
  if (!inner.valid() || !has_one_use(m, result(m, inner, 0))) return false;
  std::vector<DimensionExchange> params;
  add_all_to_all_params(m, inner, params);
  add_all_to_all_params(m, op, params);
  std::unordered_set<std::int64_t> dims;
  for (const DimensionExchange& p : params) {
    if (!dims.insert(p.source).second || !dims.insert(p.target).second) return false;
  }
  std::ranges::stable_sort(params, [](const DimensionExchange& a, const DimensionExchange& b) {
    return a.source < b.source;
  });
  std::vector<AttrId> items;
  for (const DimensionExchange& p : params) items.push_back(p.attr);
  set_attribute(m, op, key::kParams, m.attrs.list(items));
  r.set_operand(op, 0, operand(m, inner, 0));
  r.erase(inner);
  return true;
}

}  // namespace shardprop::detail
