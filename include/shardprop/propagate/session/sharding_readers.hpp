// Which operations read the sharding of a value, other than the one that makes it and its users:
// what reads it under another name (an argument of a loop's body has the sharding of the loop's
// result), and the edges that it is a source of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"

namespace shardprop {

class FarReaders {
 public:
  // O(values + sources of edges).
  FarReaders(const Module& m, const ShardingStore& store, const Plan& plan) : plan_(&plan) {
    for (ValueId value : m.values.ids()) {
      const ValueId holder = store.holder(value);
      if (!holder.valid() || holder == value) continue;
      add(holder, defining_op(m, value));
      for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next)
        add(holder, m.uses[use].user);
    }
    for (OpId op : plan.order) {
      if (plan.ops[op].form != StepForm::kEdge) continue;
      for (UseId source : store.edge(op)->edge.sources) add(store.holder(m.uses[source].value), op);
    }
    for (const auto& [edge, sources] : plan.func_edge_sources) {
      for (ValueId source : sources) add(store.holder(source), OpId(edge));
    }
    std::ranges::stable_sort(pairs_, comes_before);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  }

  // Calls `fn(OpId)` for each. O(log of all + their number).
  template <class Fn>
  void for_each(ValueId value, Fn&& fn) const {
    if (pairs_.empty()) return;
    auto at = std::lower_bound(pairs_.begin(), pairs_.end(), Pair{value, OpId(0)}, comes_before);
    for (; at != pairs_.end() && at->holder == value; ++at) fn(at->reader);
  }

 private:
  struct Pair {
    ValueId holder;
    OpId reader;
    friend bool operator==(const Pair&, const Pair&) = default;
  };

  static bool comes_before(const Pair& a, const Pair& b) {
    return a.holder != b.holder ? a.holder < b.holder : a.reader < b.reader;
  }

  void add(ValueId holder, OpId reader) {
    if (holder.valid() && reader.valid() && plan_->ops[reader].rule.valid())
      pairs_.push_back({holder, reader});
  }

  const Plan* plan_;
  std::vector<Pair> pairs_;  // sorted
};

}  // namespace shardprop
