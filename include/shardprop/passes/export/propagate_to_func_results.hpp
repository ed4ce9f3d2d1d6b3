// Pass `propagate-to-func-results`: gives the results of functions the shardings of the values that
// are returned, or none where those have none. The results of `main` are the user's and stay.
// O(results of functions).
#pragma once

#include <cstddef>
#include <optional>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/calls/func_data_flow_edges.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> propagate_to_func_results(Module& m) {
  bool changed = false;
  for (FuncId f : m.func_order) {
    if (detail::is_main(m, f)) continue;
    const OpId end = terminator(m, m.funcs[f].body);
    const std::size_t count = m.funcs[f].results.size();
    if (!end.valid() || m.ops[end].operand_count != count) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<TensorSharding> returned = tensor_sharding_of(m, operand(m, end, i));
      const ShardingId sharding = returned ? m.shardings.intern(*returned) : ShardingId();
      ShardingId& result = m.funcs[f].results[i].sharding;
      changed = changed || result != sharding;
      result = sharding;
    }
  }
  return changed;
}

}  // namespace shardprop
