// Pass `unflatten-call-graph`: lets calls share functions again. Functions that are copies of one
// function, have the same manual axes and have arguments and results of the same shardings become
// one: the one that is called first. `symbol-dce` erases those that are not called any more.
//
// With `dedup_fully` shardings do not count: all copies become one with the shardings that most
// calls want: the one that is called when its shardings first have more calls than any others.
//
// O(calls + arguments and results of the functions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/calls/func_calls.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct UnflattenOptions {
  bool dedup_fully = false;
};

namespace detail {

class CallUnflattener {
 public:
  CallUnflattener(Module& m, UnflattenOptions options)
      : m_(m), options_(options), order_(call_order(m, Symbols(m))), keys_(m.funcs.size()) {}

  bool run() {
    for_each_call([&](const CallSite& site) {
      const Keys& keys = keys_of(site.callee);
      kept_.try_emplace(options_.dedup_fully ? keys.origin : keys.full, site.callee);
    });
    if (options_.dedup_fully) keep_most_wanted();
    bool changed = false;
    for_each_call([&](const CallSite& site) {
      const Keys& keys = keys_of(site.callee);
      const FuncId kept = kept_.at(options_.dedup_fully ? keys.origin : keys.full);
      if (kept == site.callee) return;
      set_callee(m_, site.op, kept);
      changed = true;
    });
    for (FuncId f : m_.func_order) changed = forget_origin(f) || changed;
    return changed;
  }

 private:
  using Key = std::vector<std::uint32_t>;
  // The function that one is a copy of, and that with its shardings.
  struct Keys {
    Key origin;
    Key full;
  };

  template <class Fn>
  void for_each_call(Fn&& fn) {
    for (FuncId f : m_.func_order) {
      for (const CallSite& site : order_.calls[f]) {
        if (site.callee.valid()) fn(site);
      }
    }
  }

  const Keys& keys_of(FuncId f) {
    Keys& keys = keys_[f.index];
    if (!keys.origin.empty()) return keys;
    const AttrId axes = m_.attrs.find(m_.funcs[f].attributes, key::kFuncManualAxes);
    keys.origin = {original_name(m_, f).index, axes.index};
    keys.full = keys.origin;
    for (const auto& list : {func_argument_shardings(m_, f), func_result_shardings(m_, f)}) {
      keys.full.push_back(static_cast<std::uint32_t>(list.size()));
      for (ShardingId sharding : list) keys.full.push_back(sharding.index);
    }
    return keys;
  }

  void keep_most_wanted() {
    std::unordered_map<Key, std::size_t, WordsHash> wanted;  // calls by shardings
    for_each_call([&](const CallSite& site) {
      const Keys& keys = keys_of(site.callee);
      const std::size_t count = ++wanted[keys.full];
      FuncId& kept = kept_.at(keys.origin);
      if (count > wanted[keys_of(kept).full]) kept = site.callee;
    });
  }

  bool forget_origin(FuncId f) {
    AttrId& attributes = m_.funcs[f].attributes;
    const AttrId before = attributes;
    for (StringId key : {key::kOriginalFuncName, key::kFuncManualAxes}) {
      if (m_.attrs.find(attributes, key).valid())
        attributes = m_.attrs.with(attributes, key, AttrId());
    }
    return attributes != before;
  }

  Module& m_;
  UnflattenOptions options_;
  CallOrder order_;
  std::vector<Keys> keys_;  // by FuncId, filled as they are asked for
  std::unordered_map<Key, FuncId, WordsHash> kept_;
};

}  // namespace detail

inline Result<bool> unflatten_call_graph(Module& m, UnflattenOptions options = {}) {
  return detail::CallUnflattener(m, options).run();
}

}  // namespace shardprop
