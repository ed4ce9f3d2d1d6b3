// Which operations read the sharding that a value carries: the one that makes it and its users,
// then those that read it under another name (an argument of a loop's body has the sharding of the
// loop's result), and the edges that it is a source of.
#pragma once

#include <algorithm>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"

namespace shardprop {

class ShardingReaders {
 public:
  // O(values + sources of edges).
  ShardingReaders(const Module& m, const ShardingStore& store, const Plan& plan)
      : m_(m), plan_(plan) {
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
    std::ranges::stable_sort(far_, comes_before);
    far_.erase(std::unique(far_.begin(), far_.end()), far_.end());
  }

  // Calls `fn(OpId)` for each reader, for some twice, also for operations without a rule.
  // O(uses + log of all far readers).
  template <class Fn>
  void for_each(ValueId value, Fn&& fn) const {
    if (const OpId op = defining_op(m_, value); op.valid()) fn(op);
    for (UseId use = m_.values[value].first_use; use.valid(); use = m_.uses[use].next)
      fn(m_.uses[use].user);
    if (far_.empty()) return;
    auto at = std::lower_bound(far_.begin(), far_.end(), FarReader{value, OpId(0)}, comes_before);
    for (; at != far_.end() && at->holder == value; ++at) fn(at->reader);
  }

 private:
  // Reads the sharding of `holder`, but neither makes nor uses it.
  struct FarReader {
    ValueId holder;
    OpId reader;
    friend bool operator==(const FarReader&, const FarReader&) = default;
  };

  static bool comes_before(const FarReader& a, const FarReader& b) {
    return a.holder != b.holder ? a.holder < b.holder : a.reader < b.reader;
  }

  void add(ValueId holder, OpId reader) {
    if (holder.valid() && reader.valid() && plan_.ops[reader].rule.valid())
      far_.push_back({holder, reader});
  }

  const Module& m_;
  const Plan& plan_;
  std::vector<FarReader> far_;  // sorted
};

}  // namespace shardprop
