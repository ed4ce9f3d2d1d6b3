// Pass `sharding-group-import`: groups that share a value become one, ids become 0..N-1, and a
// value that was put in a group twice is in it once. All values of a group must have one shape
// and be in the same manual computation, or in none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fmt/core.h"
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

// The groups in program order; an id that is not a number is reported.
inline std::vector<GroupMember> group_members(const Module& m, Diagnostics& errors) {
  std::vector<GroupMember> members;
  for (OpId op : postorder(m)) {
    if (m.ops[op].name != known::kSdyShardingGroup) continue;
    const AttrId id = attribute(m, op, key::kGroupId);
    if (m.attrs.kind(id) != AttrKind::kInt || m.ops[op].operand_count != 1) {
      errors.push_back({"sharding_group.group_id", "a sharding group needs a number and one value",
                        "give it one operand and the attribute group_id", place_of(m, op)});
      continue;
    }
    members.push_back({op, operand(m, op, 0), m.attrs.as_int(id)});
  }
  return members;
}

inline OpId enclosing_manual_computation(const Module& m, OpId op) {
  for (op = parent_op(m, op); op.valid() && m.ops[op].name != known::kSdyManualComputation;)
    op = parent_op(m, op);
  return op;
}

inline void check_groups(const Module& m, const std::vector<GroupMember>& members,
                         Diagnostics& errors) {
  std::unordered_map<std::int64_t, GroupMember> first;
  for (const GroupMember& member : members) {
    const GroupMember& other = first.emplace(member.id, member).first->second;
    if (enclosing_manual_computation(m, other.op) != enclosing_manual_computation(m, member.op)) {
      errors.push_back(
          {"sharding_group.manual_computation",
           fmt::format("values of sharding group {} are in different manual computations",
                       member.id),
           "use a group of its own in each manual computation", place_of(m, member.op)});
    }
    const auto a = shape_of(m, other.value);
    const auto b = shape_of(m, member.value);
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
      errors.push_back({"sharding_group.shape",
                        fmt::format("values of sharding group {} differ in shape", member.id),
                        "group only values of one shape", place_of(m, member.op)});
    }
  }
}

// Classes of ids that share a value. A class is led by the id that led the first of two that were
// joined.
class GroupClasses {
 public:
  void join(std::int64_t first, std::int64_t second) {
    const std::size_t a = leader(row_of(first));
    leaders_[leader(row_of(second))] = a;
  }

  // The number of a class is the rank of its leader among the leaders, in the order in which `join`
  // first saw them.
  std::unordered_map<std::int64_t, std::int64_t> numbers() {
    std::vector<std::int64_t> number_of(leaders_.size());
    std::int64_t next = 0;
    for (std::size_t row = 0; row < leaders_.size(); ++row) {
      if (leaders_[row] == row) number_of[row] = next++;
    }
    std::unordered_map<std::int64_t, std::int64_t> numbers;
    for (const auto& [id, row] : rows_) numbers[id] = number_of[leader(row)];
    return numbers;
  }

 private:
  std::size_t row_of(std::int64_t id) {
    const auto [it, is_new] = rows_.emplace(id, leaders_.size());
    if (is_new) leaders_.push_back(it->second);
    return it->second;
  }
  std::size_t leader(std::size_t row) {
    while (leaders_[row] != row) row = leaders_[row] = leaders_[leaders_[row]];
    return row;
  }

  std::map<std::int64_t, std::size_t> rows_;
  std::vector<std::size_t> leaders_;  // by row, in the order of first mention
};

// The new id of each old one. Values are taken in the order of their first group, and of a value
// its groups in program order.
inline std::unordered_map<std::int64_t, std::int64_t> unify_groups(
    const std::vector<GroupMember>& members) {
  std::vector<std::vector<std::int64_t>> ids;  // of each value
  std::unordered_map<std::uint32_t, std::size_t> row_of_value;
  for (const GroupMember& member : members) {
    const auto [it, is_new] = row_of_value.emplace(member.value.index, ids.size());
    if (is_new) ids.emplace_back();
    ids[it->second].push_back(member.id);
  }
  GroupClasses classes;
  for (const std::vector<std::int64_t>& of_value : ids) {
    for (std::int64_t id : of_value) classes.join(of_value.front(), id);
  }
  return classes.numbers();
}

}  // namespace detail

inline Result<bool> sharding_group_import(Module& m) {
  Diagnostics errors;
  const std::vector<detail::GroupMember> members = detail::group_members(m, errors);
  detail::check_groups(m, members, errors);
  if (!errors.empty()) return errors;
  if (members.empty()) return false;
  const std::unordered_map<std::int64_t, std::int64_t> new_id = detail::unify_groups(members);
  std::unordered_set<std::uint64_t> seen;  // pairs of a new id, which counts from 0, and a value
  bool changed = false;
  for (const detail::GroupMember& member : members) {
    const std::int64_t id = new_id.at(member.id);
    if (!seen.insert((static_cast<std::uint64_t>(id) << 32) | member.value.index).second) {
      erase_op(m, member.op);
      changed = true;
    } else if (id != member.id) {
      set_attribute(m, member.op, key::kGroupId, m.attrs.integer(id));
      changed = true;
    }
  }
  return changed;
}

}  // namespace shardprop
