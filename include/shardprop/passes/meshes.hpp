// Passes on meshes. `lift-inlined-meshes` leaves each distinct mesh once, under a name; `remove-size-one-axes` takes axes of size
// 1 out of all shardings (the meshes keep them).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline std::string name_for_mesh(const Mesh& mesh) {
  if (mesh.is_maximal()) return fmt::format("maximal_mesh_{}", mesh.device_ids[0]);
  return mesh.is_empty() ? "empty_mesh" : "mesh";
}

// `name`, with a number behind it where a mesh or a function is called so.
inline std::string unused_symbol(const Module& m, const std::string& name) {
  const auto taken = [&](std::string_view candidate) {
    return m.meshes.find(candidate).valid() || find_func(m, candidate).valid();
  };
  if (!taken(name)) return name;
  int number = 0;
  while (taken(fmt::format("{}_{}", name, number))) ++number;
  return fmt::format("{}_{}", name, number);
}

inline AxisList without_size_one(AxisSpan axes) {
  AxisList kept;
  for (AxisRef axis : axes) {
    if (axis.size != 1) kept.push_back(axis);
  }
  return kept;
}

inline TensorSharding without_size_one_axes(const TensorSharding& sharding) {
  TensorSharding s = sharding;
  for (DimSharding& dim : s.dims) {
    dim.axes = without_size_one(dim.axes);
    // An empty closed dimension has nothing that a priority could order.
    if (dim.axes.empty() && !dim.open) dim.priority = kNoPriority;
  }
  s.replicated = without_size_one(s.replicated);
  s.unreduced = without_size_one(s.unreduced);
  return s;
}

}  // namespace detail

inline Result<bool> lift_inlined_meshes(Module& m) {
  bool changed = false;
  std::unordered_map<std::uint32_t, MeshId> named;  // by content
  for (MeshId id : m.meshes.ids()) {
    if (m.meshes[id].name.empty()) continue;
    if (!named.emplace(m.meshes.content(id).index, id).second) {
      m.meshes.rename(id, "");  // a duplicate: nothing refers to it any more below
      changed = true;
    }
  }
  const bool replaced = replace_shardings(m, [&](ShardingId sharding) {
    const MeshId mesh = m.shardings[sharding].mesh;
    const auto [it, is_new] = named.emplace(m.meshes.content(mesh).index, mesh);
    if (is_new) {
      m.meshes.rename(mesh, detail::unused_symbol(m, detail::name_for_mesh(m.meshes[mesh])));
      changed = true;
    }
    if (it->second == mesh) return sharding;
    TensorSharding s = m.shardings[sharding];
    s.mesh = it->second;
    return m.shardings.intern(s);
  });
  return changed || replaced;
}

inline Result<bool> remove_size_one_axes(Module& m) {
  return replace_shardings(m, [&](ShardingId sharding) {
    const TensorSharding s = detail::without_size_one_axes(m.shardings[sharding]);
    return m.shardings.intern(s);
  });
}

}  // namespace shardprop
