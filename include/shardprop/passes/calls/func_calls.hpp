// Passes on functions and calls. `propagate-sharding-from-func-to-call` gives a call without
// shardings those of its function's results; `pre-order-funcs` puts functions after their callers;
// `symbol-dce` erases private functions that are not called. All are O(operations + calls).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline bool has_shardings(const Module& m, IdRange<ValueId> values) {
  return std::any_of(values.begin(), values.end(),
                     [&](ValueId value) { return m.value_shardings[value].valid(); });
}

}  // namespace detail

inline Result<bool> propagate_sharding_from_func_to_call(Module& m) {
  const CallOrder order = call_order(m, Symbols(m));
  bool changed = false;
  for (FuncId f : m.func_order) {
    for (const CallSite& site : order.calls[f]) {
      const IdRange<ValueId> values = results(m, site.op);
      if (!site.callee.valid() || detail::has_shardings(m, values)) continue;
      const std::vector<ShardingId> shardings = func_result_shardings(m, site.callee);
      for (std::size_t i = 0; i < shardings.size() && i < values.size(); ++i) {
        m.value_shardings[values[i]] = shardings[i];
        changed = true;
      }
    }
  }
  return changed;
}

inline Result<bool> pre_order_funcs(Module& m) {
  std::vector<FuncId> funcs = call_order(m, Symbols(m)).funcs;
  std::reverse(funcs.begin(), funcs.end());
  const bool changed = funcs != m.func_order;
  m.func_order = std::move(funcs);
  return changed;
}

namespace detail {

// The functions that are reached: the public ones, and those that operations of reached functions
// name in an attribute, whatever it is called.
class LiveFuncs {
 public:
  explicit LiveFuncs(const Module& m) : m_(m), symbols_(m), live_(m.funcs.size(), 0) {
    for (FuncId f : m.func_order) {
      if (!m.funcs[f].is_private) reach(f);
    }
    while (!open_.empty()) {
      const BlockId body = m.funcs[open_.back()].body;
      open_.pop_back();
      walk_block(m, body, [&](OpId op) { visit(m_.ops[op].attributes); });
    }
  }

  bool contains(FuncId f) const { return live_[f.index] != 0; }

 private:
  void reach(FuncId f) {
    if (!f.valid() || live_[f.index]) return;
    live_[f.index] = 1;
    open_.push_back(f);
  }

  void visit(AttrId attr) {
    if (!attr.valid() || !seen_.insert(attr.index).second) return;
    if (m_.attrs.kind(attr) == AttrKind::kString) {
      std::string_view text = m_.strings[m_.attrs.as_string(attr)];
      if (text.starts_with('@')) text.remove_prefix(1);
      if (const StringId name = m_.strings.find(text); name.valid()) reach(symbols_.func(name));
    } else if (m_.attrs.kind(attr) == AttrKind::kList) {
      for (AttrId item : m_.attrs.items(attr)) visit(item);
    } else if (m_.attrs.kind(attr) == AttrKind::kDict) {
      for (const AttrEntry& entry : m_.attrs.entries(attr)) visit(entry.value);
    }
  }

  const Module& m_;
  const Symbols symbols_;
  std::vector<std::uint8_t> live_;  // by FuncId
  std::vector<FuncId> open_;        // reached, their operations not yet seen
  std::unordered_set<std::uint32_t> seen_;
};

}  // namespace detail

inline Result<bool> symbol_dce(Module& m) {
  const detail::LiveFuncs live(m);
  const std::size_t before = m.func_order.size();
  erase_if(m.func_order, [&](FuncId f) { return !live.contains(f); });
  return m.func_order.size() != before;
}

}  // namespace shardprop
