// Sharding groups: values that must have one sharding. Group ids are 0..N-1 and each value is in at
// most one group, as `sharding-group-import` leaves them. Where values of different ranks are in
// one group, no sharding fits all of them: the group is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"

namespace shardprop {

class ShardingGroups {
 public:
  explicit ShardingGroups(const Module& m) {
    if (!has_op(m, known::kSdyShardingGroup)) return;
    walk_ops(m, [&](OpId op) {
      if (m.ops[op].name != known::kSdyShardingGroup || m.ops[op].operand_count != 1) return;
      const AttrId id = attribute(m, op, key::kGroupId);
      if (m.attrs.kind(id) != AttrKind::kInt || m.attrs.as_int(id) < 0) return;
      const std::size_t group = group_index(m.attrs.as_int(id));
      if (group_of_.emplace(operand(m, op, 0).index, group).second)
        members_[group].push_back(operand(m, op, 0));
    });
    leave_out_mixed_ranks(m);
  }

  // The members of the group of `value`, itself included; empty for a value in no group.
  std::span<const ValueId> members_of(ValueId value) const {
    if (group_of_.empty()) return {};
    const auto it = group_of_.find(value.index);
    return it == group_of_.end() ? std::span<const ValueId>() : members_[it->second];
  }

  // A member of each group that was left out.
  std::span<const ValueId> mixed_ranks() const { return mixed_ranks_; }

  std::size_t size() const { return members_.size(); }
  std::span<const ValueId> members(std::size_t group) const { return members_[group]; }
  void replace_member(std::size_t group, std::size_t i, ValueId by) {
    group_of_.erase(members_[group][i].index);
    members_[group][i] = by;
    group_of_.emplace(by.index, group);
  }

 private:
  void leave_out_mixed_ranks(const Module& m) {
    for (std::vector<ValueId>& members : members_) {
      if (members.empty()) continue;
      const ValueId first = members[0];
      const bool mixed = std::any_of(members.begin(), members.end(), [&](ValueId member) {
        return rank_of(m, member) != rank_of(m, first);
      });
      if (!mixed) continue;
      for (ValueId member : members) group_of_.erase(member.index);
      members.clear();
      mixed_ranks_.push_back(first);
    }
  }

  std::size_t group_index(std::int64_t id) {
    const auto [it, is_new] = index_of_id_.emplace(id, members_.size());
    if (is_new) members_.emplace_back();
    return it->second;
  }

  std::unordered_map<std::int64_t, std::size_t> index_of_id_;
  std::vector<std::vector<ValueId>> members_;
  std::unordered_map<std::uint32_t, std::size_t> group_of_;
  std::vector<ValueId> mixed_ranks_;
};

namespace detail {

// The sharding that the members of a group share; `conflict` where two of them have different ones.
inline ShardingId common_group_sharding(const Module& m, const ShardingStore& store,
                                        std::span<const ValueId> members, bool& conflict) {
  if (members.size() == 1) return store.get(members[0]);
  ShardingId common;
  for (ValueId member : members) {
    const ShardingId sharding = store.get(member);
    if (!sharding.valid() || is_fully_open(m.shardings[sharding])) continue;
    if (!common.valid()) common = sharding;
    if (common == sharding) continue;
    conflict = true;
    break;
  }
  return common;
}

// A group whose members have different shardings, and the mesh of the first.
struct GroupConflict {
  std::size_t group;
  MeshId mesh;
};

// Gives all members of each group the sharding that one of them has. Returns the groups of which
// two members have different ones; those stay as they are.
inline std::vector<GroupConflict> unify_groups(const Module& m, ShardingStore& store,
                                               const ShardingGroups& groups) {
  std::vector<GroupConflict> conflicts;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    bool conflict = false;
    const ShardingId sharding = common_group_sharding(m, store, groups.members(g), conflict);
    if (!sharding.valid()) continue;
    if (conflict) {
      conflicts.push_back({g, m.shardings[sharding].mesh});
      continue;
    }
    for (ValueId member : groups.members(g)) store.set(member, sharding);
  }
  return conflicts;
}

// Puts an open sharding constraint between a group's member and its users, and makes that the
// member.
inline void constrain_member(Module& m, ShardingGroups& groups, std::size_t group, std::size_t i,
                             MeshId mesh) {
  const ValueId member = groups.members(group)[i];
  const ShardingId open = m.shardings.intern(open_sharding(mesh, rank_of(m, member)));
  const ValueId by =
      create_op_on(m, after_value(m, member), known::kSdyShardingConstraint, member, open);
  replace_uses(m, member, by, defining_op(m, by));
  groups.replace_member(group, i, by);
}

}  // namespace detail

// Gives all members of each group the sharding that one of them has. Where two have different ones,
// an open `sdy.sharding_constraint` is inserted after each member, which takes its place in the
// group, and a warning is added. A group of values of different ranks is left out, with a warning.
// Whether all groups could be kept as they are.
inline bool sync_groups(Module& m, OpRows& rows, ShardingGroups& groups, Diagnostics& diagnostics) {
  for (ValueId member : groups.mixed_ranks()) {
    diagnostics.push_back({"propagate.group_rank",
                           "members of one sharding group have different ranks",
                           "put only values of one shape in a group; this group is left out",
                           place_of_value(m, member), Severity::kWarning});
  }
  if (groups.size() == 0) return groups.mixed_ranks().empty();
  ShardingStore store(m, rows);
  const std::vector<detail::GroupConflict> conflicts = detail::unify_groups(m, store, groups);
  for (const detail::GroupConflict& conflict : conflicts) {
    diagnostics.push_back(
        {"propagate.group_conflict", "members of one sharding group have different shardings",
         "give all of them the same sharding, or give only one of them a sharding",
         place_of_value(m, groups.members(conflict.group)[0]), Severity::kWarning});
    for (std::size_t i = 0; i < groups.members(conflict.group).size(); ++i)
      detail::constrain_member(m, groups, conflict.group, i, conflict.mesh);
  }
  store.finish();
  return conflicts.empty() && groups.mixed_ranks().empty();
}

}  // namespace shardprop
