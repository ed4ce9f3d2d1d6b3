// Pass `remove-sub-axes-in-input-output-shardings`: cuts the open dimensions of the arguments and
// results of `main` before their first sub-axis, for callers that take whole axes only. Closed
// dimensions are the user's and stay. O(arguments and results).
#pragma once

#include <cstddef>

#include "shardprop/ir/module.hpp"
#include "shardprop/passes/calls/func_data_flow_edges.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline bool remove_sub_axes(Module& m, ShardingId& sharding) {
  if (!sharding.valid()) return false;
  TensorSharding s = m.shardings[sharding];
  for (DimSharding& dim : s.dims) {
    if (!dim.open) continue;
    std::size_t whole = 0;
    while (whole < dim.axes.size() && dim.axes[whole].is_full) ++whole;
    dim.axes.truncate(whole);
  }
  const ShardingId before = sharding;
  sharding = m.shardings.intern(s);
  return sharding != before;
}

}  // namespace detail

inline Result<bool> remove_sub_axes_in_input_output_shardings(Module& m) {
  bool changed = false;
  for (FuncId f : m.func_order) {
    if (!detail::is_main(m, f)) continue;
    for_each_signature_sharding(m, f, [&](ShardingId& sharding, TypeId) {
      changed = detail::remove_sub_axes(m, sharding) || changed;
    });
  }
  return changed;
}

}  // namespace shardprop
