// What the parts of `insert-explicit-reshards` share: where shardings are looked up, and how a
// reshard or collective gets between a value and its users.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/sdy_unreduced.hpp"
#include "shardprop/propagate/sharding_store.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

struct ReshardContext {
  Module& m;
  ShardingStore& store;
  Diagnostics& errors;

  ShardingId sharding(ValueId value) const { return store.get(value); }
  // None or a copy: interning moves the table's rows.
  std::vector<AxisRef> unreduced(ShardingId id) const {
    if (!id.valid()) return {};
    const AxisList& axes = m.shardings[id].unreduced;
    return {axes.begin(), axes.end()};
  }
  void fail(OpId op, std::string_view code, std::string message, std::string hint) {
    errors.push_back({fmt::format("insert_explicit_reshards.{}", code), std::move(message),
                      std::move(hint), place_of(m, op)});
  }
};

// No dimension is sharded. Replicated and unreduced axes do not count.
inline bool has_whole_dims(const TensorSharding& s) {
  return std::all_of(s.dims.begin(), s.dims.end(),
                     [](const DimSharding& dim) { return dim.axes.empty(); });
}
inline bool has_whole_dims(const Module& m, ShardingId id) {
  return !id.valid() || has_whole_dims(m.shardings[id]);
}

// Whether data stands alike under both: open and closed, priorities and replicated axes do not
// count, nor the mesh where nothing is sharded or unreduced.
inline bool same_layout(const Module& m, ShardingId a, ShardingId b) {
  const auto is_whole = [&](ShardingId id) {
    return has_whole_dims(m, id) && (!id.valid() || m.shardings[id].unreduced.empty());
  };
  // As the reference has it, what comes without a sharding fits a target with unreduced axes, but
  // not the other way round.
  if (!a.valid()) return has_whole_dims(m, b);
  if (is_whole(a)) return is_whole(b);
  if (!b.valid()) return false;
  const TensorSharding& s = m.shardings[a];
  const TensorSharding& t = m.shardings[b];
  return s.mesh == t.mesh && s.unreduced == t.unreduced &&
         std::equal(s.dims.begin(), s.dims.end(), t.dims.begin(), t.dims.end(),
                    [](const DimSharding& x, const DimSharding& y) { return x.axes == y.axes; });
}

inline bool is_single_device(const Module& m, ShardingId id) {
  return id.valid() && m.meshes[m.shardings[id].mesh].is_maximal();
}

inline bool same_devices(const Module& m, MeshId a, MeshId b) {
  return m.meshes.content(a) == m.meshes.content(b);
}

// The sharding of `value`, closed without axes on `mesh` where it has none.
inline ShardingId sharding_or_closed(ReshardContext& c, ValueId value, MeshId mesh) {
  const ShardingId id = c.sharding(value);
  return id.valid() ? id : c.m.shardings.intern(closed_sharding(mesh, rank_of(c.m, value)));
}

inline void set_use(Module& m, UseId use, ValueId value) {
  set_operand(m, m.uses[use].user, operand_number(m, use), value);
}

inline AttrId axes_attribute(Module& m, AxisSpan axes, MeshId mesh) {
  std::vector<AttrId> items;
  for (AxisRef axis : axes)
    items.push_back(m.attrs.string(m.strings.intern(to_string(axis, m.meshes[mesh]))));
  return m.attrs.list(items);
}

// One operation of the sdy dialect on `value`, with the given sharding.
struct CollectiveSpec {
  std::string_view name;
  ShardingId sharding;
  std::vector<std::pair<std::string_view, AttrId>> attributes = {};
};

// Makes it at `at` and gives its result.
inline ValueId insert_collective(ReshardContext& c, Cursor at, ValueId value,
                                 const CollectiveSpec& spec) {
  std::vector<AttrEntry> entries;
  for (const auto& [key, attr] : spec.attributes)
    entries.push_back({c.m.strings.intern(key), attr});
  const ValueId operands[] = {value};
  const TypeId types[] = {type_of(c.m, value)};
  const OpId op = create_op(
      c.m, at, {spec.name, operands, types, entries.empty() ? AttrId() : c.m.attrs.dict(entries)});
  c.m.value_shardings[result(c.m, op, 0)] = spec.sharding;
  return result(c.m, op, 0);
}

inline ValueId insert_reshard(ReshardContext& c, Cursor at, ValueId value, ShardingId sharding) {
  return insert_collective(c, at, value, {"sdy.reshard", sharding});
}

inline ValueId insert_all_reduce(ReshardContext& c, Cursor at, ValueId value, AxisSpan axes,
                                 ReductionOp reduction, ShardingId sharding) {
  const MeshId mesh = c.m.shardings[sharding].mesh;
  const AttrId op = c.m.attrs.string(c.m.strings.intern(reduction_name(reduction)));
  return insert_collective(
      c, at, value,
      {"sdy.all_reduce",
       sharding,
       {{"reduction_axes", axes_attribute(c.m, axes, mesh)}, {"reduction_op", op}}});
}

}  // namespace shardprop
