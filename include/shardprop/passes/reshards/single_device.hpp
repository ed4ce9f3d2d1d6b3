// Operations that run on one device: a result is on a maximal mesh, of one device and no axes. Its
// operands are brought to that device, by way of replicas on the global mesh, and its results from
// there to what their users expect.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"

namespace shardprop {

namespace detail {

inline bool is_tensor(const Module& m, ValueId value) {
  return m.types.is_tensor(type_of(m, value));
}
inline bool is_token(const Module& m, ValueId value) {
  return !is_tensor(m, value) && m.strings[m.types.dtype(type_of(m, value))].ends_with("token");
}

inline ShardingId closed_on(Module& m, MeshId mesh, std::size_t rank) {
  return m.shardings.intern(closed_sharding(mesh, rank));
}

// The maximal mesh of the results; none after a diagnostic where they are on several devices.
inline MeshId device_mesh(ReshardContext& c, OpId op, const std::vector<ShardingId>& shardings) {
  MeshId mesh;
  for (ShardingId id : shardings) {
    if (!is_single_device(c.m, id)) continue;
    const MeshId other = c.m.shardings[id].mesh;
    if (mesh.valid() && c.m.meshes[mesh].device_ids != c.m.meshes[other].device_ids) {
      c.fail(op, "several_devices", "the results are on different single devices",
             "put all results of an operation on one device");
      return MeshId();
    }
    mesh = other;
  }
  return mesh;
}

inline void move_operands(ReshardContext& c, OpId op, MeshId device, MeshId global) {
  const ShardingId target = closed_on(c.m, device, 0);
  for (std::size_t i = 0; i < c.m.ops[op].operand_count; ++i) {
    ValueId value = operand(c.m, op, i);
    if (!is_tensor(c.m, value)) continue;
    const ShardingId source = sharding_or_closed(c, value, global);
    const MeshId mesh = c.m.shardings[source].mesh;
    if (mesh == device && fits(c.m, source, target)) continue;
    if (mesh != global || !shards_no_dimension(c.m, source)) {
      const ShardingId replicated = closed_on(c.m, global, rank_of(c.m, value));
      value = insert_reshard(c, before(c.m, op), value, replicated);
    }
    set_operand(c.m, op, i, insert_reshard(c, before(c.m, op), value, target));
  }
}

// Lets all users of `value` use a reshard of it.
inline ValueId reshard_for_users(ReshardContext& c, Cursor at, ValueId value, ShardingId sharding) {
  const ValueId made = insert_reshard(c, at, value, sharding);
  replace_uses(c.m, value, made, defining_op(c.m, made));
  return made;
}

inline void move_results(ReshardContext& c, OpId op, const std::vector<ShardingId>& shardings,
                         MeshId global) {
  const Cursor behind = after(c.m, op);
  for (std::size_t i = 0; i < shardings.size(); ++i) {
    const ValueId value = result(c.m, op, i);
    if (!is_tensor(c.m, value)) continue;
    const ShardingId replicated = closed_on(c.m, global, rank_of(c.m, value));
    const bool elsewhere = shardings[i].valid() && !is_single_device(c.m, shardings[i]);
    const ShardingId target = elsewhere ? shardings[i] : replicated;
    const ValueId made = reshard_for_users(c, behind, value, replicated);
    if (target != replicated) reshard_for_users(c, behind, made, target);
  }
}

}  // namespace detail

// `shardings` are those of the results, one of which is on a maximal mesh. Does nothing where there
// is no mesh with axes. Tokens are replicated on the global mesh.
inline void reshard_single_device(ReshardContext& c, OpId op,
                                  const std::vector<ShardingId>& shardings) {
  const MeshId device = detail::device_mesh(c, op, shardings);
  const MeshId global = global_mesh(c.m);
  if (!device.valid() || !global.valid()) return;
  detail::move_operands(c, op, device, global);
  detail::move_results(c, op, shardings, global);
  const ShardingId on_device = detail::closed_on(c.m, device, 0);
  for (ValueId value : results(c.m, op)) {
    if (detail::is_tensor(c.m, value)) {
      c.store.set(value, on_device);
    } else if (detail::is_token(c.m, value)) {
      c.store.set(value, detail::closed_on(c.m, global, 0));
    }
  }
}

// Arguments and results of a function must not be on a single device.
inline void check_no_single_device(ReshardContext& c, FuncId f) {
  const auto check = [&](ShardingId id, std::string_view what, std::size_t number) {
    if (!is_single_device(c.m, id)) return;
    Place place;
    place.function = std::string(c.m.strings[c.m.funcs[f].name]);
    c.errors.push_back({"insert_explicit_reshards.single_device",
                        fmt::format("{} {} of the function is on a single device", what, number),
                        "give it a sharding on a mesh with axes", place});
  };
  const IdRange<ValueId> arguments = c.m.blocks[c.m.funcs[f].body].arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    check(c.m.value_shardings[arguments[i]], "argument", i);
  for (std::size_t i = 0; i < c.m.funcs[f].results.size(); ++i)
    check(c.m.funcs[f].results[i].sharding, "result", i);
}

}  // namespace shardprop
