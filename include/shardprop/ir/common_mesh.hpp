// The mesh that several shardings, or all of a module, have in common.
#pragma once

#include <span>

#include "shardprop/ir/module.hpp"

namespace shardprop {

// The mesh that all shardings have in common, or none; a value without a sharding does not count.
// Meshes of equal content are the same; an empty mesh fits any other.
inline MeshId common_mesh(const Module& m, std::span<const ShardingId> shardings) {
  MeshId common;
  for (ShardingId id : shardings) {
    if (!id.valid()) continue;
    const MeshId mesh = m.shardings[id].mesh;
    if (!common.valid() || m.meshes[common].is_empty()) {
      common = mesh;
    } else if (!m.meshes[mesh].is_empty() && m.meshes.content(mesh) != m.meshes.content(common)) {
      return MeshId();
    }
  }
  return common;
}

// The first mesh that has a name and axes, or none.
inline MeshId global_mesh(const Module& m) {
  for (MeshId id : m.meshes.ids()) {
    if (!m.meshes[id].name.empty() && !m.meshes[id].axes.empty()) return id;
  }
  return MeshId();
}

}  // namespace shardprop
