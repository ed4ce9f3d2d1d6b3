// User priorities: dimensions of priority 0 are propagated first, then those of priority 1, and so
// on. Until its turn comes, a dimension of a later priority is closed and empty, and its axes are
// replicated axes of the tensor, so that no other dimension takes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"

namespace shardprop {

namespace detail {

// The sharding with which a tensor starts, before the turn of any later priority.
inline TensorSharding first_priority_only(const TensorSharding& original) {
  TensorSharding s = original;
  for (DimSharding& dim : s.dims) {
    if (dim.priority_or_default() > 0) {
      s.replicated.append(dim.axes);
      dim = DimSharding();
    }
    dim.priority = kNoPriority;
  }
  std::ranges::sort(s.replicated);
  return s;
}

// `current` with the dimensions that `original` gives this priority restored.
inline TensorSharding restore_priority(const TensorSharding& current,
                                       const TensorSharding& original, std::int32_t priority) {
  TensorSharding s = current;
  AxisList restored;
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    if (original.dims[i].priority_or_default() != priority) continue;
    s.dims[i] = original.dims[i];
    s.dims[i].priority = kNoPriority;
    restored.append(original.dims[i].axes);
  }
  s.replicated.clear();
  for (AxisRef axis : current.replicated) {
    if (std::find(restored.begin(), restored.end(), axis) == restored.end())
      s.replicated.push_back(axis);
  }
  return s;
}

// The distinct priorities above 0 of a sharding, in the order of its dimensions.
inline std::vector<std::int32_t> later_priorities(const TensorSharding& s) {
  std::vector<std::int32_t> seen;
  for (const DimSharding& dim : s.dims) {
    const std::int32_t priority = dim.priority_or_default();
    if (priority > 0 && std::find(seen.begin(), seen.end(), priority) == seen.end())
      seen.push_back(priority);
  }
  return seen;
}

}  // namespace detail

class UserPriorities {
 public:
  // Notes every sharding with later priorities and brings all shardings to their start. Does
  // nothing unless `enabled`. O(values).
  UserPriorities(Module& m, ShardingStore& store, bool enabled)
      : m_(m), store_(store), enabled_(enabled) {
    if (!enabled) return;
    // A value whose sharding is that of a data-flow edge is reached through the edge.
    for (ValueId value : m.values.ids()) {
      const bool has_own = m.value_shardings[value].valid() && store.holder(value) == value;
      if (has_own) start(store.slot(value));
    }
    for (FuncId f : m.func_order) {
      for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i) start(store.slot(f, i));
    }
  }

  // The priorities above 0 that occur, in order.
  std::vector<std::int32_t> priorities() const {
    std::vector<std::int32_t> all;
    for (const auto& [priority, entries] : waiting_) {
      if (!entries.empty()) all.push_back(priority);
    }
    return all;
  }

  // Whether a dimension of the slot waits for `priority`.
  bool waits(Slot slot, std::int32_t priority) const {
    const auto row = waiting_.find(priority);
    return row != waiting_.end() && find(row->second, slot) != nullptr;
  }

  // Restores the dimensions of one priority, before run number `run`.
  void restore(std::int32_t priority, std::size_t run) {
    for (const Entry& entry : waiting_.at(priority)) restore(priority, run, entry.slot, &entry);
  }
  // The same in one slot, if it waits for that.
  void restore(std::int32_t priority, std::size_t run, Slot slot) {
    restore(priority, run, slot, find(waiting_.at(priority), slot));
  }

  // The slot, which is that of a function's result or of a value that carries its own sharding,
  // now has `original` before priorities. Returns its start.
  ShardingId change(Slot slot, ShardingId original) {
    if (!enabled_) return original;
    for (auto& [priority, entries] : waiting_) {
      if (const Entry* entry = find(entries, slot))
        entries.erase(entries.begin() + (entry - entries.data()));
    }
    return note(slot, original);
  }

 private:
  // A slot that waits, and its sharding before priorities.
  struct Entry {
    Slot slot;
    ShardingId original;
  };
  using Entries = std::vector<Entry>;  // by slot

  // The sharding at the start, and the priorities above 0.
  struct Start {
    ShardingId first;
    std::vector<std::int32_t> later;
  };

  static const Entry* find(const Entries& entries, Slot slot) {
    const auto at = std::ranges::lower_bound(entries, slot, {}, &Entry::slot);
    return at != entries.end() && at->slot == slot ? &*at : nullptr;
  }

  // A transaction: no sharding of another slot is read or set. `entry` is null where the slot does
  // not wait.
  void restore(std::int32_t priority, std::size_t run, Slot slot, const Entry* entry) {
    store_.begin(Time(run, Phase::kRestore, slot.index));
    if (entry) {
      const TensorSharding& now = m_.shardings[store_.get(slot)];
      const TensorSharding& original = m_.shardings[entry->original];
      store_.set(slot, m_.shardings.intern(detail::restore_priority(now, original, priority)));
    }
    store_.end();
  }

  void start(Slot slot) {
    const ShardingId original = store_.get(slot);
    if (!original.valid()) return;
    if (const ShardingId first = note(slot, original); first != original) store_.set(slot, first);
  }

  ShardingId note(Slot slot, ShardingId original) {
    if (!original.valid()) return original;
    const auto [it, is_new] = starts_.emplace(original, Start());
    if (is_new) {
      const TensorSharding sharding = m_.shardings[original];
      it->second = {m_.shardings.intern(detail::first_priority_only(sharding)),
                    detail::later_priorities(sharding)};
    }
    for (std::int32_t priority : it->second.later) {
      Entries& entries = waiting_[priority];
      entries.insert(std::ranges::upper_bound(entries, slot, {}, &Entry::slot), {slot, original});
    }
    return it->second.first;
  }

  Module& m_;
  ShardingStore& store_;
  bool enabled_;
  std::map<std::int32_t, Entries> waiting_;
  std::unordered_map<ShardingId, Start> starts_;  // by original sharding
};

}  // namespace shardprop
