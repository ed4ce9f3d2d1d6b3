// Pass `inline-meshes`: writes the mesh into each sharding, and into each list of replica groups
// that names one; no mesh has a name any more. O(shardings + operations).
#pragma once

#include <string>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// The mesh as the attribute of a StableHLO collective, an axis in the notation of its dialect.
inline AttrId mesh_attribute(Module& m, MeshId id) {
  const Mesh& mesh = m.meshes[id];
  std::vector<AttrId> axes;
  for (const MeshAxis& axis : mesh.axes) {
    const std::string text = fmt::format("<name = \"{}\", size = {}>", axis.name, axis.size);
    const AttrEntry entries[] = {{key::kOpaque, text_attribute(m, text)}};
    axes.push_back(m.attrs.dict(entries));
  }
  const AttrId dict = m.attrs.with(AttrId(), key::kAxes, m.attrs.list(axes));
  if (mesh.device_ids.empty()) return dict;
  return m.attrs.with(dict, key::kDeviceIds, m.attrs.ints(mesh.device_ids));
}

inline bool inline_mesh_of_replica_groups(Module& m, OpId op) {
  const AttrId groups = attribute(m, op, key::kReplicaGroups);
  if (m.attrs.kind(groups) != AttrKind::kDict) return false;
  const StringId name = m.attrs.string_or_none(m.attrs.find(groups, key::kMesh));
  if (!name.valid()) return false;
  const MeshId mesh = m.meshes.find(m.strings[name]);
  if (!mesh.valid()) return false;
  set_attribute(m, op, key::kReplicaGroups,
                m.attrs.with(groups, key::kMesh, mesh_attribute(m, mesh)));
  return true;
}

// Removes the names of all meshes.
inline bool remove_mesh_names(Module& m) {
  bool changed = false;
  for (MeshId mesh : m.meshes.ids()) {
    if (m.meshes[mesh].name.empty()) continue;
    m.meshes.rename(mesh, "");
    changed = true;
  }
  return changed;
}

}  // namespace detail

inline Result<bool> inline_meshes(Module& m) {
  bool changed = false;
  walk_ops(m, [&](OpId op) { changed = detail::inline_mesh_of_replica_groups(m, op) || changed; });
  // Inlined meshes of equal content are one.
  const bool joined = replace_shardings(m, [&](ShardingId sharding) {
    const MeshId mesh = m.meshes.content(m.shardings[sharding].mesh);
    if (mesh == m.shardings[sharding].mesh) return sharding;
    TensorSharding s = m.shardings[sharding];
    s.mesh = mesh;
    return m.shardings.intern(s);
  });
  return detail::remove_mesh_names(m) || joined || changed;
}

}  // namespace shardprop
