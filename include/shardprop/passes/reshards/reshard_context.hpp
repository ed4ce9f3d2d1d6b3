// What the parts of `insert-explicit-reshards` share: where shardings are looked up, and how a
// reshard or collective gets between a value and its users.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/sdy/unreduced_axes.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/passes/reshards/reshard_plan.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

struct ReshardContext {
  Module& m;
  ShardingStore& store;
  Diagnostics& errors;
  std::vector<ReshardStep> steps = {};  // what was done at an operation that has a rule

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
  // Notes that `made` stands in for operand or result `number` now; `own` is what that result takes
  // itself.
  void note(ReshardStepKind kind, std::size_t number, ValueId made, ShardingId own = ShardingId()) {
    const Operation& op = m.ops[defining_op(m, made)];
    steps.push_back({kind, static_cast<std::uint32_t>(number), m.value_shardings[made], op.name,
                     op.attributes, own});
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

inline ValueId insert_reshard(ReshardContext& c, Cursor at, ValueId value, ShardingId sharding) {
  return detail::build_collective(c.m, at, {"sdy.reshard", value, sharding});
}

inline ValueId insert_all_reduce(ReshardContext& c, Cursor at, ValueId value, AxisSpan axes,
                                 ReductionOp reduction, ShardingId sharding) {
  const AttrId of = detail::collective_axes(c.m, axes, c.m.shardings[sharding].mesh);
  const ValueId made =
      detail::build_collective(c.m, at, {"sdy.all_reduce", value, sharding, "reduction_axes", of});
  const AttrId op = c.m.attrs.string(c.m.strings.intern(to_string(reduction)));
  set_attribute(c.m, defining_op(c.m, made), "reduction_op", op);
  return made;
}

}  // namespace shardprop
