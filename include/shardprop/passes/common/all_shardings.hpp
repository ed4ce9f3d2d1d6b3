// All shardings of a module, wherever they stand: on values, on results of functions, and in
// attributes of operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

namespace shardprop {

// Attributes that hold a list of shardings: those of manual and named computations, and that of an
// operation without results.
inline constexpr std::string_view kShardingAttributes[] = {kInShardings, kOutShardings,
                                                           kOpShardings};

// The shardings in attribute `key` of `op`; empty where there is none.
inline std::vector<ShardingId> shardings_in(const Module& m, OpId op, std::string_view key) {
  return sharding_list(m, op, key).value_or(std::vector<ShardingId>());
}

// Which shardings say on what mesh the missing ones are.
enum class MeshFrom : std::uint8_t { kSeveralDevices, kAny };

// The shardings of values of `types` that keep them together, all or none: those that are missing
// are open on the mesh of the first one that counts. Empty where none counts.
inline std::vector<ShardingId> complete_shardings(Module& m, std::vector<ShardingId> shardings,
                                                  std::span<const TypeId> types,
                                                  MeshFrom from = MeshFrom::kSeveralDevices) {
  const auto counts = [&](ShardingId id) {
    return id.valid() && (from == MeshFrom::kAny || !m.meshes[m.shardings[id].mesh].is_maximal());
  };
  const auto first = std::ranges::find_if(shardings, counts);
  if (first == shardings.end()) return {};
  const MeshId mesh = m.shardings[*first].mesh;
  for (std::size_t i = 0; i < shardings.size(); ++i) {
    if (shardings[i].valid()) continue;
    shardings[i] = m.shardings.intern(open_sharding(mesh, m.types.rank(types[i])));
  }
  return shardings;
}

// The shardings of results of an operation or of arguments of a block, all or none.
inline std::vector<ShardingId> complete_shardings(Module& m, IdRange<ValueId> values) {
  std::vector<ShardingId> shardings;
  for (ValueId value : values) shardings.push_back(m.value_shardings[value]);
  return complete_shardings(m, std::move(shardings), types_of(m, values));
}

// The shardings of a function's arguments, all or none.
inline std::vector<ShardingId> func_argument_shardings(Module& m, FuncId f) {
  return complete_shardings(m, m.blocks[m.funcs[f].body].arguments);
}

// The shardings of a function's results, all or none.
inline std::vector<ShardingId> func_result_shardings(Module& m, FuncId f) {
  std::vector<ShardingId> shardings;
  std::vector<TypeId> types;
  for (const FuncResult& r : m.funcs[f].results) {
    shardings.push_back(r.sharding);
    types.push_back(r.type);
  }
  return complete_shardings(m, std::move(shardings), types);
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

// Whether `op` has any of the attributes that are called `keys`.
inline bool has_any_attribute(const Module& m, OpId op, std::span<const StringId> keys) {
  const AttrId dict = m.ops[op].attributes;
  return std::any_of(keys.begin(), keys.end(),
                     [&](StringId key) { return m.attrs.find(dict, key).valid(); });
}

template <class Fn>
bool replace_listed_shardings(Module& m, OpId op, Fn& fn) {
  bool changed = false;
  for (std::string_view key : kShardingAttributes) {
    std::vector<ShardingId> list = shardings_in(m, op, key);
    bool list_changed = false;
    for (ShardingId& sharding : list) list_changed = replace_sharding(sharding, fn) || list_changed;
    if (list_changed) set_sharding_list(m, op, key, list);
    changed = changed || list_changed;
  }
  return changed;
}

}  // namespace detail

// Calls `fn(ShardingId&, TypeId)` for each argument of `f`, then for each result.
template <class Fn>
void for_each_signature_sharding(Module& m, FuncId f, Fn&& fn) {
  for (ValueId argument : m.blocks[m.funcs[f].body].arguments)
    fn(m.value_shardings[argument], type_of(m, argument));
  for (FuncResult& r : m.funcs[f].results) fn(r.sharding, r.type);
}

// Replaces each sharding by `replacement(ShardingId) -> ShardingId`, in program order: of a
// function its arguments, its results, then its operations. It is called once for equal shardings.
// Whether any changed.
template <class Replacement>
bool replace_shardings(Module& m, Replacement&& replacement) {
  std::vector<ShardingId> known(m.shardings.size());
  const auto fn = [&](ShardingId sharding) {
    if (sharding.index >= known.size()) return replacement(sharding);
    ShardingId& by = known[sharding.index];
    if (!by.valid()) by = replacement(sharding);
    return by;
  };
  std::vector<StringId> keys;
  for (std::string_view key : kShardingAttributes) keys.push_back(m.strings.find(key));
  bool changed = false;
  for (FuncId f : m.func_order) {
    for_each_signature_sharding(m, f, [&](ShardingId& sharding, TypeId) {
      changed = detail::replace_sharding(sharding, fn) || changed;
    });
    walk_block(m, m.funcs[f].body, [&](OpId op) {
      if (detail::has_any_attribute(m, op, keys))
        changed = detail::replace_listed_shardings(m, op, fn) || changed;
      for (ValueId value : results(m, op))
        changed = detail::replace_sharding(m.value_shardings[value], fn) || changed;
    });
  }
  return changed;
}

}  // namespace shardprop
