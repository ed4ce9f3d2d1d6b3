// Pass `sharding-group-import`: groups that share a value become one, ids become 0..N-1, and a value that was put in a group
// twice stands in it once. All values of a group must have one shape and stand in the same manual computation, or in none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

struct GroupMember {
  OpId op;
  ValueId value;
  std::int64_t id;
};

inline std::vector<GroupMember> group_members(const Module& m) {
  std::vector<GroupMember> members;
  for (OpId op : postorder(m)) {
    if (op_name(m, op) != "sdy.sharding_group") continue;
    members.push_back({op, operand(m, op, 0), m.attrs.as_int(attribute(m, op, "group_id"))});
  }
  return members;
}

inline OpId enclosing_manual_computation(const Module& m, OpId op) {
  for (op = parent_op(m, op); op.valid() && op_name(m, op) != "sdy.manual_computation";) op = parent_op(m, op);
  return op;
}

inline Diagnostics check_groups(const Module& m, const std::vector<GroupMember>& members) {
  Diagnostics errors;
  std::map<std::int64_t, GroupMember> first;
  for (const GroupMember& member : members) {
    const GroupMember& other = first.emplace(member.id, member).first->second;
    if (enclosing_manual_computation(m, other.op) != enclosing_manual_computation(m, member.op)) {
      errors.push_back({"sharding_group.manual_computation",
                        fmt::format("values of sharding group {} stand in different manual computations", member.id),
                        "use a group of its own in each manual computation", place_of(m, member.op)});
    }
    const auto a = shape_of(m, other.value);
    const auto b = shape_of(m, member.value);
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
      errors.push_back({"sharding_group.shape", fmt::format("values of sharding group {} differ in shape", member.id),
                        "group only values of one shape", place_of(m, member.op)});
    }
  }
  return errors;
}

// Joins the ids of values that stand in several groups. Returns the new id of each old one.
inline std::map<std::int64_t, std::int64_t> unify_groups(const std::vector<GroupMember>& members) {
  std::map<std::int64_t, std::int64_t> leader;
  const auto find = [&](std::int64_t id) {
    leader.emplace(id, id);
    while (leader[id] != id) id = leader[id];
    return id;
  };
  std::map<std::uint32_t, std::int64_t> id_of_value;
  for (const GroupMember& member : members) {
    const std::int64_t a = find(id_of_value.emplace(member.value.index, member.id).first->second);
    const std::int64_t b = find(member.id);
    leader[std::max(a, b)] = std::min(a, b);
  }
  std::map<std::int64_t, std::int64_t> new_id;
  std::int64_t next = 0;
  for (const auto& [id, to] : leader) new_id[id] = id == to ? next++ : new_id.at(find(id));
  return new_id;
}

}  // namespace detail

inline Result<bool> sharding_group_import(Module& m) {
  const std::vector<detail::GroupMember> members = detail::group_members(m);
  if (members.empty()) return false;
  if (Diagnostics errors = detail::check_groups(m, members); !errors.empty()) return errors;
  const std::map<std::int64_t, std::int64_t> new_id = detail::unify_groups(members);
  std::set<std::pair<std::int64_t, std::uint32_t>> seen;
  bool changed = false;
  for (const detail::GroupMember& member : members) {
    const std::int64_t id = new_id.at(member.id);
    if (!seen.emplace(id, member.value.index).second) {
      erase_op(m, member.op);
      changed = true;
    } else if (id != member.id) {
      set_attribute(m, member.op, "group_id", m.attrs.integer(id));
      changed = true;
    }
  }
  return changed;
}

}  // namespace shardprop
