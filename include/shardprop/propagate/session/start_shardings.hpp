// The shardings with which a propagation starts, kept so that one can be changed: what the user
// wrote, then what sharding groups make of it, then, with user priorities, what of it comes first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/groups.hpp"
#include "shardprop/propagate/engine/user_priority.hpp"
#include "shardprop/propagate/session/transactions.hpp"

namespace shardprop {

namespace detail {

// Shardings as the user wrote them under those that groups have set, with the members that groups
// ask of a store.
class StartOverlay {
 public:
  StartOverlay(Module& m, const ShardingStore& structure,
               const IdVector<ValueId, ShardingId>& written)
      : m_(m), structure_(structure), written_(written) {}

  ShardingId get(ValueId value) const {
    const ValueId at = structure_.holder(value);
    return at.valid() ? own(at) : ShardingId();
  }
  void set(ValueId value, ShardingId sharding) {
    const ValueId at = structure_.holder(value);
    if (!at.valid()) return;
    open_siblings(
        m_, at, sharding, [&](ValueId result) { return own(result); },
        [&](ValueId result, ShardingId open) { set_[result.index] = open; });
    set_[at.index] = sharding;
  }
  const std::map<std::uint32_t, ShardingId>& all() const { return set_; }

 private:
  ShardingId own(ValueId value) const {
    const auto it = set_.find(value.index);
    return it == set_.end() ? written_[value] : it->second;
  }

  Module& m_;
  const ShardingStore& structure_;
  const IdVector<ValueId, ShardingId>& written_;
  std::map<std::uint32_t, ShardingId> set_;  // by value
};

}  // namespace detail

class StartShardings {
 public:
  // `m` holds what the user wrote.
  StartShardings(Module& m, const ShardingStore& structure, const ShardingGroups& groups,
                 bool user_priorities)
      : m_(m), structure_(structure), groups_(groups), user_priorities_(user_priorities) {
    written_ = m.value_shardings;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (ValueId member : groups.members(g)) add_near_group(member);
    }
  }

  // What groups set. False, and nothing is done, where members of a group disagree.
  // O(members of groups).
  bool sync() {
    detail::StartOverlay overlay(m_, structure_, written_);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      bool conflict = false;
      const ShardingId common =
          detail::common_group_sharding(overlay, m_, groups_.members(g), conflict);
      if (conflict) return false;
      if (!common.valid()) continue;
      for (ValueId member : groups_.members(g)) overlay.set(member, common);
    }
    set_by_groups_ = overlay.all();
    return true;
  }

  // Takes note of what the user now wrote on `value`. Whether `sync` must be called.
  bool write(ValueId value, ShardingId sharding) {
    written_[value] = sharding;
    return near_group_.contains(value.index);
  }

  // The sharding of a value after `sync`.
  ShardingId original(ValueId value) const {
    const auto it = set_by_groups_.find(value.index);
    return it == set_by_groups_.end() ? written_[value] : it->second;
  }
  // Calls `fn(ValueId)` for the values that groups have set.
  template <class Fn>
  void for_each_set_by_groups(Fn&& fn) const {
    for (const auto& [value, ignored] : set_by_groups_) fn(ValueId(value));
  }

  // What a slot starts with whose sharding is `original`. Of values that share another's sharding
  // nothing is held back.
  template <class Store>
  ShardingId first(const Store& store, Slot slot, ShardingId original) {
    if (!has_priorities(store, slot, original)) return original;
    return m_.shardings.intern(detail::first_priority_only(m_.shardings[original]));
  }
  // The priorities above 0 for which it waits.
  template <class Store>
  std::vector<std::int32_t> priorities(const Store& store, Slot slot, ShardingId original) const {
    if (!has_priorities(store, slot, original)) return {};
    return detail::later_priorities(m_.shardings[original]);
  }

 private:
  template <class Store>
  bool has_priorities(const Store& store, Slot slot, ShardingId original) const {
    if (!user_priorities_ || !original.valid()) return false;
    const ValueId value(slot.index);
    return !store.is_value(slot) || structure_.holder(value) == value;
  }

  // What the start of a group's member may depend on.
  void add_near_group(ValueId member) {
    const ValueId holder = structure_.holder(member);
    if (!holder.valid()) return;
    near_group_.insert(holder.index);
    const OpId op = defining_op(m_, holder);
    if (!op.valid()) return;
    for (ValueId value : results(m_, op)) near_group_.insert(value.index);
  }

  Module& m_;
  const ShardingStore& structure_;
  const ShardingGroups& groups_;
  bool user_priorities_;
  IdVector<ValueId, ShardingId> written_;
  std::map<std::uint32_t, ShardingId> set_by_groups_;  // by value
  std::unordered_set<std::uint32_t> near_group_;
};

}  // namespace shardprop
