// What the parts of `insert-explicit-reshards` share: where shardings are looked up, and how a
// reshard or collective is put between a value and its users.
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
  // Notes that `made` is used now in place of operand or result `number`; `own` is the sharding
  // that the result itself takes.
  void note(ReshardStepKind kind, std::size_t number, ValueId made, ShardingId own = ShardingId()) {
    const Operation& op = m.ops[defining_op(m, made)];
    steps.push_back({kind, static_cast<std::uint32_t>(number), m.value_shardings[made], op.name,
                     op.attributes, own});
  }
};

inline bool shards_no_dimension(const Module& m, ShardingId id) {
  return !id.valid() || shards_no_dimension(m.shardings[id]);
}

// Whether a value sharded by `from` needs no reshard to `to`. As the reference has it, what comes
// without a sharding fits a target with unreduced axes, but not the other way round.
inline bool fits(const Module& m, ShardingId from, ShardingId to) {
  if (!from.valid()) return shards_no_dimension(m, to);
  if (!to.valid()) return is_replicated(m.shardings[from]);
  return is_same_placement(m.shardings[from], m.shardings[to]);
}

inline bool is_single_device(const Module& m, ShardingId id) {
  return id.valid() && m.meshes[m.shardings[id].mesh].is_maximal();
}

inline bool same_devices(const Module& m, MeshId a, MeshId b) {
  return m.meshes.content(a) == m.meshes.content(b);
}

// The sharding of `value`, closed without axes on `mesh` if it has none.
inline ShardingId sharding_or_closed(ReshardContext& c, ValueId value, MeshId mesh) {
  const ShardingId id = c.sharding(value);
  return id.valid() ? id : c.m.shardings.intern(closed_sharding(mesh, rank_of(c.m, value)));
}

inline void set_use(Module& m, UseId use, ValueId value) {
  set_operand(m, m.uses[use].user, operand_number(m, use), value);
}

inline ValueId insert_reshard(ReshardContext& c, Cursor at, ValueId value, ShardingId sharding) {
  return detail::build_collective(c.m, at, {known::kSdyReshard, value, sharding});
}

inline ValueId insert_all_reduce(ReshardContext& c, Cursor at, ValueId value, AxisSpan axes,
                                 ReductionOp reduction, ShardingId sharding) {
  const AttrId of = detail::collective_axes(c.m, axes, c.m.shardings[sharding].mesh);
  const ValueId made = detail::build_collective(
      c.m, at, {known::kSdyAllReduce, value, sharding, key::kReductionAxes, of});
  const AttrId op = text_attribute(c.m, to_string(reduction));
  set_attribute(c.m, defining_op(c.m, made), key::kReductionOp, op);
  if (const OpId sum = defining_op(c.m, value); sum.valid()) {
    c.m.locations.of_op.set(defining_op(c.m, made), c.m.locations.of_op[sum]);
    c.m.lineage.note_need(defining_op(c.m, made), sum);
  }
  return made;
}

}  // namespace shardprop
