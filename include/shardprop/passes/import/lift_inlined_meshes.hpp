// Pass `lift-inlined-meshes`: gives each distinct mesh one name that all shardings use.
// O(shardings + meshes squared).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/passes/common/replica_group_mesh.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline std::string name_for_mesh(const Mesh& mesh) {
  if (mesh.is_maximal()) return fmt::format("maximal_mesh_{}", mesh.device_ids[0]);
  return mesh.is_empty() ? "empty_mesh" : "mesh";
}

class MeshLifter {
 public:
  explicit MeshLifter(Module& m) : m_(m), symbols_(without_duplicates()) {}

  bool run() {
    const bool replaced = replace_shardings(m_, [&](ShardingId sharding) {
      const MeshId had = m_.shardings[sharding].mesh;
      const MeshId mesh = lifted(had);
      if (mesh == had) return sharding;
      TensorSharding s = m_.shardings[sharding];
      s.mesh = mesh;
      return m_.shardings.intern(s);
    });
    for (StringId name : kOpsWithReplicaGroups) lift_replica_groups(name);
    return changed_ || replaced;
  }

 private:
  static constexpr StringId kOpsWithReplicaGroups[] = {known::kAllGather, known::kAllReduce,
                                                       known::kReduceScatter, known::kAllToAll,
                                                       known::kCollectiveBroadcast};

  // Removes the names of meshes that are equal to an earlier one; nothing refers to them at the
  // end.
  Symbols without_duplicates() {
    for (MeshId id : m_.meshes.ids()) {
      const std::string name = m_.meshes[id].name;
      if (name.empty()) continue;
      const auto [kept, is_new] = named_.emplace(m_.meshes.content(id).index, id);
      if (is_new) continue;
      duplicates_.emplace(name, m_.meshes[kept->second].name);
      m_.meshes.rename(id, "");
      changed_ = true;
    }
    return Symbols(m_);
  }

  // The named mesh of the content of `mesh`.
  MeshId lifted(MeshId mesh) {
    const auto [it, is_new] = named_.emplace(m_.meshes.content(mesh).index, mesh);
    if (is_new) {
      m_.meshes.rename(mesh, symbols_.take(name_for_mesh(m_.meshes[mesh])));
      changed_ = true;
    }
    return it->second;
  }

  void lift_replica_groups(StringId name) {
    if (!has_op(m_, name)) return;
    walk_ops(m_, [&](OpId op) {
      if (m_.ops[op].name != name) return;
      const AttrId groups = attribute(m_, op, key::kReplicaGroups);
      const std::optional<std::string> mesh = name_for_groups(groups);
      if (!mesh) return;
      const AttrId value = text_attribute(m_, *mesh);
      set_attribute(m_, op, key::kReplicaGroups, m_.attrs.with(groups, key::kMesh, value));
      changed_ = true;
    });
  }

  // The name to which the mesh of replica groups changes, or none. An inlined one gets a mesh of
  // its own, as in the reference, even if the module has an equal one already.
  std::optional<std::string> name_for_groups(AttrId groups) {
    if (m_.attrs.kind(groups) != AttrKind::kDict) return std::nullopt;
    const AttrId mesh = m_.attrs.find(groups, key::kMesh);
    if (!mesh.valid()) return std::nullopt;
    if (m_.attrs.kind(mesh) == AttrKind::kString) {
      const auto found = duplicates_.find(std::string(m_.strings[m_.attrs.as_string(mesh)]));
      if (found == duplicates_.end()) return std::nullopt;
      return found->second;
    }
    const auto known = of_groups_.find(mesh.index);
    if (known != of_groups_.end()) return known->second;
    std::optional<Mesh> inlined = replica_group_mesh(m_, mesh);
    if (!inlined) return std::nullopt;
    inlined->name = symbols_.take("mesh");
    of_groups_.emplace(mesh.index, inlined->name);
    return m_.meshes[m_.meshes.add(std::move(*inlined))].name;
  }

  Module& m_;
  bool changed_ = false;
  std::unordered_map<std::uint32_t, MeshId> named_;           // by content
  std::unordered_map<std::string, std::string> duplicates_;   // name to the name that is kept
  std::unordered_map<std::uint32_t, std::string> of_groups_;  // by attribute
  Symbols symbols_;
};

}  // namespace detail

inline Result<bool> lift_inlined_meshes(Module& m) { return detail::MeshLifter(m).run(); }

}  // namespace shardprop
