// Manual and free axes of sdy.manual_computation. Outside, a value is sharded along manual axes and
// free ones, the manual ones first in each dimension; in the body it is a local tensor, sharded
// along free axes only.
//
// Worked example, manual axes {a}: an operand of 8x4 with `in_sharding` [{a, b}, {}] and a of size
// 2 is an argument of 4x4 with the sharding [{b}, {}].
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

using AxisNames = std::vector<std::string_view>;  // valid until the module's next new string

// The manual axes of `op`, a manual computation; empty if the attribute is missing or holds
// anything else.
inline AxisNames manual_axes(const Module& m, OpId op) {
  AxisNames names;
  const AttrId attr = attribute(m, op, "manual_axes");
  if (m.attrs.kind(attr) != AttrKind::kList) return names;
  for (AttrId item : m.attrs.items(attr)) {
    if (m.attrs.kind(item) == AttrKind::kString)
      names.push_back(m.strings[m.attrs.as_string(item)]);
  }
  return names;
}

inline bool is_manual_computation(const Module& m, OpId op) {
  return m.ops[op].name == known::kSdyManualComputation;
}

// The manual axes of all computations that `block` lies in. O(nesting depth).
inline AxisNames manual_axes_around(const Module& m, BlockId block) {
  AxisNames names;
  for (OpId op = m.blocks[block].parent_op; op.valid();
       op = m.blocks[m.layout[op].block].parent_op) {
    if (!is_manual_computation(m, op)) continue;
    const AxisNames own = manual_axes(m, op);
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

inline bool is_manual(AxisRef axis, const Mesh& mesh, std::span<const std::string_view> manual) {
  return std::find(manual.begin(), manual.end(), mesh.axes[axis.axis].name) != manual.end();
}

// How many axes of a dimension come before the first free one.
inline std::size_t manual_prefix(AxisSpan axes, const Mesh& mesh,
                                 std::span<const std::string_view> manual) {
  std::size_t count = 0;
  while (count < axes.size() && is_manual(axes[count], mesh, manual)) ++count;
  return count;
}

namespace detail {

inline void keep_free_axes(AxisList& axes, const Mesh& mesh,
                           std::span<const std::string_view> manual) {
  AxisList kept;
  for (AxisRef axis : axes) {
    if (!is_manual(axis, mesh, manual)) kept.push_back(axis);
  }
  axes = kept;
}

}  // namespace detail

// The sharding without its manual axes: how the body sees it.
inline TensorSharding erase_manual_axes(const Module& m, TensorSharding s,
                                        std::span<const std::string_view> manual) {
  if (manual.empty()) return s;
  const Mesh& mesh = m.meshes[s.mesh];
  for (DimSharding& dim : s.dims) {
    const std::size_t prefix = manual_prefix(dim.axes, mesh, manual);
    dim.axes = AxisList(std::span<const AxisRef>(dim.axes).subspan(prefix));
  }
  detail::keep_free_axes(s.replicated, mesh, manual);
  detail::keep_free_axes(s.unreduced, mesh, manual);
  return s;
}

// What the body made of its sharding, `inner`, with the manual axes of `outer` before it.
// Replicated and unreduced axes are those of `outer`.
inline TensorSharding add_manual_axes(const Module& m, const TensorSharding& outer,
                                      const TensorSharding& inner,
                                      std::span<const std::string_view> manual) {
  const Mesh& mesh = m.meshes[outer.mesh];
  TensorSharding s = inner;
  for (std::size_t i = 0; i < s.dims.size() && i < outer.dims.size(); ++i) {
    const AxisList& axes = outer.dims[i].axes;
    AxisList joined(std::span<const AxisRef>(axes).first(manual_prefix(axes, mesh, manual)));
    joined.append(inner.dims[i].axes);
    s.dims[i].axes = joined;
  }
  s.replicated = outer.replicated;
  s.unreduced = outer.unreduced;
  s.reduction = ReductionOp::kSum;
  return s;
}

}  // namespace shardprop
