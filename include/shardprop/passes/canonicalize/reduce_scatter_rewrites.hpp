// all_reduce followed by all_slice becomes reduce_scatter, and an all_slice along what is left:
//
//   all_slice [{x, z}, {y}] (all_reduce {x, y} t)
//     ->  all_slice [{z}, {}] (reduce_scatter [{x}, {y}] t)
//
// Every reduction axis must be among the first slicing axes of a dimension, and all users of the
// all_reduce must slice alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "shardprop/passes/canonicalize/collective_rewrites.hpp"

namespace shardprop::detail {

// The slicing axes, split into those that are reduced as well and the others.
struct ScatterSplit {
  std::vector<AxisList> scattered;
  std::vector<AxisList> sliced;
  bool has_sliced = false;
};

inline std::optional<ScatterSplit> split_slicing_axes(const std::vector<AxisList>& slicing,
                                                      AxisList reduced) {
  ScatterSplit split;
  for (const AxisList& axes : slicing) {
    std::size_t count = 0;
    for (; count < axes.size(); ++count) {
      const auto at = std::find(reduced.begin(), reduced.end(), axes[count]);
      if (at == reduced.end()) break;
      reduced.erase_at(static_cast<std::size_t>(at - reduced.begin()));
    }
    split.scattered.emplace_back(AxisSpan(axes).first(count));
    split.sliced.emplace_back(AxisSpan(axes).subspan(count));
    split.has_sliced = split.has_sliced || count < axes.size();
  }
  if (!reduced.empty()) return std::nullopt;
  return split;
}

// The users of `all_reduce`, if all are slices like `first` in its block and after it.
inline std::vector<OpId> slices_alike(const Rewriter& r, OpId all_reduce, OpId first) {
  const Module& m = r.m;
  const AttrId axes = attribute(m, first, key::kSlicingAxes);
  std::vector<OpId> users;
  for (UseId use = m.values[result(m, all_reduce, 0)].first_use; use.valid();
       use = m.uses[use].next) {
    const OpId user = m.uses[use].user;
    if (m.ops[user].name != m.ops[first].name) return {};
    if (attribute(m, user, key::kSlicingAxes) != axes) return {};
    if (m.layout[user].block != m.layout[first].block) return {};
    if (user != first && !(r.was_there(user) && r.was_there(first) && r.is_before(first, user)))
      return {};
    users.push_back(user);
  }
  return users;
}

inline ShardingId scattered_sharding(Module& m, OpId all_reduce, OpId slice,
                                     const std::vector<AxisList>& scattered) {
  const TensorSharding reduced = out_sharding(m, all_reduce);
  const ValueId input = operand(m, all_reduce, 0);
  const TensorSharding before =
      tensor_sharding_of(m, input).value_or(closed_sharding(reduced.mesh, rank_of(m, input)));
  TensorSharding s = out_sharding(m, slice);
  s.mesh = reduced.mesh;
  for (std::size_t d = 0; d < s.rank(); ++d) {
    s.dims[d] = {before.dims[d].axes};
    for (AxisRef axis : scattered[d]) append_or_merge(s.dims[d].axes, axis, m.meshes[s.mesh]);
  }
  return m.shardings.intern(s);
}

inline bool scatter_instead_of_slice(Rewriter& r, OpId slice) {
  Module& m = r.m;
  const OpId all_reduce = operand_from(m, slice, known::kSdyAllReduce);
  if (!all_reduce.valid()) return false;
  const MeshId mesh = out_sharding(m, all_reduce).mesh;
  const auto split =
      split_slicing_axes(axes_per_dim_in(m, attribute(m, slice, key::kSlicingAxes), m.meshes[mesh]),
                         axes_in(m, attribute(m, all_reduce, key::kReductionAxes), m.meshes[mesh]));
  if (!split) return false;
  const std::vector<OpId> users = slices_alike(r, all_reduce, slice);
  if (users.empty()) return false;
  ValueId value =
      build_collective(m, before(m, slice),
                       {known::kSdyReduceScatter, operand(m, all_reduce, 0),
                        scattered_sharding(m, all_reduce, slice, split->scattered),
                        key::kReduceScatterAxes, collective_axes(m, split->scattered, mesh)});
  const AttrId reduction = attribute(m, all_reduce, key::kReductionOp);
  if (reduction.valid()) set_attribute(m, defining_op(m, value), key::kReductionOp, reduction);
  if (split->has_sliced) {
    value = build_collective(m, before(m, slice),
                             {known::kSdyAllSlice, value, m.value_shardings[result(m, slice, 0)],
                              key::kSlicingAxes, collective_axes(m, split->sliced, mesh)});
  }
  for (OpId user : users) r.replace(user, value);
  r.erase(all_reduce);
  return true;
}

}  // namespace shardprop::detail
