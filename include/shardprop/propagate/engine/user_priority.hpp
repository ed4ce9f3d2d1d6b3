// User priorities: dimensions of priority 0 are propagated first, then 1, and so on. Until its turn
// comes, a dimension of a later priority is closed and empty, and its axes are held back as
// replicated axes so that nothing else takes them.
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

// The sharding with which a tensor starts, before any later priority has its turn.
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
  // Notes every sharding with later priorities and brings all shardings to their start.
  UserPriorities(Module& m, ShardingStore& store) : m_(m), store_(store) {
    for (ValueId value : m.values.ids()) {
      // A value whose sharding is that of a data-flow edge is reached through the edge.
      if (store.holder(value) == value && m.value_shardings[value].valid()) start(value);
    }
    for (FuncId f : m.func_order) {
      for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i) start(f, i);
    }
  }

  // The priorities above 0 that occur, in order.
  std::vector<std::int32_t> priorities() const {
    std::vector<std::int32_t> all;
    for (const auto& row : by_priority_) all.push_back(row.first);
    std::ranges::sort(all);
    return all;
  }

  // Restores the dimensions of one priority.
  void restore(std::int32_t priority) {
    for (const Entry& entry : by_priority_.at(priority)) {
      if (entry.value.valid()) {
        store_.set(entry.value, restored(store_.get(entry.value), entry.original, priority));
      } else {
        ShardingId& sharding = m_.funcs[entry.func].results[entry.number].sharding;
        sharding = restored(sharding, entry.original, priority);
      }
    }
  }

 private:
  struct Entry {
    ValueId value;  // or, where none, a result of a function
    FuncId func;
    std::size_t number = 0;
    ShardingId original;
  };

  void start(ValueId value) {
    const ShardingId original = store_.get(value);
    note(original, {value, FuncId(), 0, original});
    if (const ShardingId first = started(original); first != original) store_.set(value, first);
  }
  void start(FuncId f, std::size_t number) {
    ShardingId& sharding = m_.funcs[f].results[number].sharding;
    if (!sharding.valid()) return;
    note(sharding, {ValueId(), f, number, sharding});
    sharding = started(sharding);
  }

  void note(ShardingId original, const Entry& entry) {
    for (std::int32_t priority : detail::later_priorities(m_.shardings[original]))
      by_priority_[priority].push_back(entry);
  }

  ShardingId started(ShardingId original) {
    const auto [it, is_new] = started_.emplace(original.index, ShardingId());
    if (is_new)
      it->second = m_.shardings.intern(detail::first_priority_only(m_.shardings[original]));
    return it->second;
  }

  ShardingId restored(ShardingId current, ShardingId original, std::int32_t priority) {
    return m_.shardings.intern(
        detail::restore_priority(m_.shardings[current], m_.shardings[original], priority));
  }

  Module& m_;
  ShardingStore& store_;
  std::map<std::int32_t, std::vector<Entry>> by_priority_;
  std::unordered_map<std::uint32_t, ShardingId> started_;
};

}  // namespace shardprop
