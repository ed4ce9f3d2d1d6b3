// Makes and reads the collectives of the sdy dialect. Attributes have the forms of the JSON graph;
// the sharding of the result is that of its value.
#pragma once

#include <span>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop::detail {

inline AttrId collective_axes(Module& m, AxisSpan axes, MeshId mesh) {
  std::vector<AttrId> items;
  for (AxisRef axis : axes) items.push_back(text_attribute(m, to_string(axis, m.meshes[mesh])));
  return m.attrs.list(items);
}

inline AttrId collective_axes(Module& m, std::span<const AxisList> axes_per_dim, MeshId mesh) {
  std::vector<AttrId> items;
  for (const AxisList& axes : axes_per_dim) items.push_back(collective_axes(m, axes, mesh));
  return m.attrs.list(items);
}

struct NewCollective {
  StringId name;  // sdy.all_gather
  ValueId operand;
  ShardingId out_sharding;
  StringId key = {};  // of its attribute of axes; none: it has no axes
  AttrId axes = {};
};

// Makes a collective, or a reshard, whose result is of the type of its operand. Gives that result.
inline ValueId build_collective(Module& m, Cursor at, const NewCollective& spec) {
  const AttrId axes = spec.key.valid() ? m.attrs.with(AttrId(), spec.key, spec.axes) : AttrId();
  return create_op_on(m, at, spec.name, spec.operand, spec.out_sharding, axes);
}

// The axes that `attr`, a verified list, names.
inline AxisList axes_in(const Module& m, AttrId attr, const Mesh& mesh) {
  AxisList axes;
  if (m.attrs.kind(attr) != AttrKind::kList) return axes;
  for (AttrId item : m.attrs.items(attr)) {
    if (const auto axis = parse_axis_ref(m.strings[m.attrs.as_string(item)], mesh))
      axes.push_back(*axis);
  }
  return axes;
}

// The axes of a verified list of lists, one per dimension.
inline std::vector<AxisList> axes_per_dim_in(const Module& m, AttrId attr, const Mesh& mesh) {
  std::vector<AxisList> lists;
  if (m.attrs.kind(attr) != AttrKind::kList) return lists;
  for (AttrId item : m.attrs.items(attr)) lists.push_back(axes_in(m, item, mesh));
  return lists;
}

inline const TensorSharding& out_sharding(const Module& m, OpId op) {
  return m.shardings[m.value_shardings[result(m, op, 0)]];
}

}  // namespace shardprop::detail
