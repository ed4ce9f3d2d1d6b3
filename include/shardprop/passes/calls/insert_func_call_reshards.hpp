// Pass `insert-func-call-reshards`: gives the results of each call the shardings of its function's
// results, and reshards to what they were before. O(calls).
#pragma once

#include <cstddef>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/calls/func_calls.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline ShardingId closed_like(Module& m, ShardingId sharding) {
  const TensorSharding& s = m.shardings[sharding];
  return m.shardings.intern(closed_sharding(s.mesh, s.rank()));
}

// Puts a reshard to `sharding` between `value` and its uses.
inline void reshard_uses(Module& m, ValueId value, ShardingId sharding) {
  const ValueId made = create_op_on(m, after_value(m, value), known::kSdyReshard, value, sharding);
  replace_uses(m, value, made, defining_op(m, made));
}

// The shardings of the results of a function. Results without shardings are replicated, on the mesh
// of the call.
inline std::vector<ShardingId> func_results_or_closed(Module& m, const CallSite& site) {
  std::vector<ShardingId> shardings = func_result_shardings(m, site.callee);
  if (!shardings.empty()) return shardings;
  shardings = complete_shardings(m, results(m, site.op));
  for (ShardingId& sharding : shardings) sharding = closed_like(m, sharding);
  return shardings;
}

inline bool insert_call_reshards(Module& m, const CallSite& site) {
  const std::vector<ShardingId> shardings = func_results_or_closed(m, site);
  bool changed = false;
  for (std::size_t i = 0; i < shardings.size() && i < m.ops[site.op].result_count; ++i) {
    const ValueId value = result(m, site.op, i);
    const ShardingId wanted = m.value_shardings[value];
    changed = changed || wanted != shardings[i];
    m.value_shardings[value] = shardings[i];
    if (is_same_placement(stored_sharding(m, wanted), m.shardings[shardings[i]])) continue;
    reshard_uses(m, value, wanted.valid() ? wanted : closed_like(m, shardings[i]));
  }
  return changed;
}

}  // namespace detail

inline Result<bool> insert_func_call_reshards(Module& m) {
  const CallOrder order = call_order(m, Symbols(m));
  bool changed = false;
  for (FuncId f : m.func_order) {
    for (const CallSite& site : order.calls[f]) {
      if (site.callee.valid()) changed = detail::insert_call_reshards(m, site) || changed;
    }
  }
  return changed;
}

}  // namespace shardprop
