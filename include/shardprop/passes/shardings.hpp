// All shardings of a module, wherever they stand: on values, on results of functions, and in
// attributes of operations.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sharding_lists.hpp"

namespace shardprop {

// Attributes that hold a list of shardings: those of manual and named computations, and that of an
// operation without results.
inline constexpr std::string_view kShardingAttributes[] = {"in_shardings", "out_shardings",
                                                           "sdy.sharding"};

// The shardings in attribute `key` of `op`; empty where there is none.
inline std::vector<ShardingId> shardings_in(const Module& m, OpId op, std::string_view key) {
  return sharding_list(m, op, key).value_or(std::vector<ShardingId>());
}

// The shardings of values that keep them together, all or none: where one has a sharding on a mesh
// of more than one device, those that are missing are open on that mesh. Empty where none has.
inline std::vector<ShardingId> complete_shardings(Module& m, std::vector<ShardingId> shardings,
                                                  const std::vector<TypeId>& types) {
  MeshId mesh;
  for (ShardingId sharding : shardings) {
    if (!sharding.valid() || m.meshes[m.shardings[sharding].mesh].is_maximal()) continue;
    mesh = m.shardings[sharding].mesh;
    break;
  }
  if (!mesh.valid()) return {};
  for (std::size_t i = 0; i < shardings.size(); ++i) {
    if (shardings[i].valid()) continue;
    shardings[i] = m.shardings.intern(open_sharding(mesh, m.types.rank(types[i])));
  }
  return shardings;
}

namespace detail {

template <class Fn>
bool replace_sharding(ShardingId& sharding, Fn& fn) {
  if (!sharding.valid()) return false;
  const ShardingId replaced = fn(sharding);
  const bool changed = replaced != sharding;
  sharding = replaced;
  return changed;
}

template <class Fn>
bool replace_shardings_of_op(Module& m, OpId op, Fn& fn) {
  bool changed = false;
  for (std::string_view key : kShardingAttributes) {
    std::vector<ShardingId> list = shardings_in(m, op, key);
    bool list_changed = false;
    for (ShardingId& sharding : list) list_changed = replace_sharding(sharding, fn) || list_changed;
    if (list_changed) set_sharding_list(m, op, key, list);
    changed = changed || list_changed;
  }
  for (ValueId value : results(m, op))
    changed = replace_sharding(m.value_shardings[value], fn) || changed;
  return changed;
}

}  // namespace detail

// Replaces each sharding by `fn(ShardingId) -> ShardingId`, in program order: of a function its
// arguments, its results, then its operations. Whether any changed.
template <class Fn>
bool replace_shardings(Module& m, Fn&& fn) {
  bool changed = false;
  for (FuncId f : m.func_order) {
    for (ValueId argument : m.blocks[m.funcs[f].body].arguments) {
      changed = detail::replace_sharding(m.value_shardings[argument], fn) || changed;
    }
    for (FuncResult& r : m.funcs[f].results) {
      changed = detail::replace_sharding(r.sharding, fn) || changed;
    }
    walk_block(m, m.funcs[f].body,
               [&](OpId op) { changed = detail::replace_shardings_of_op(m, op, fn) || changed; });
  }
  return changed;
}

}  // namespace shardprop
