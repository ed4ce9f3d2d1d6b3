// Pass `remove-size-one-axes`: removes axes of size 1 from all shardings; the meshes keep them.
// O(shardings).
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline AxisList without_size_one(AxisSpan axes) {
  AxisList kept;
  for (AxisRef axis : axes) {
    if (axis.size != 1) kept.push_back(axis);
  }
  return kept;
}

inline TensorSharding without_size_one_axes(const TensorSharding& sharding) {
  TensorSharding s = sharding;
  for (DimSharding& dim : s.dims) {
    dim.axes = without_size_one(dim.axes);
    // An empty closed dimension has nothing that a priority could order.
    if (dim.axes.empty() && !dim.open) dim.priority = kNoPriority;
  }
  s.replicated = without_size_one(s.replicated);
  s.unreduced = without_size_one(s.unreduced);
  return s;
}

}  // namespace detail

inline Result<bool> remove_size_one_axes(Module& m) {
  return replace_shardings(m, [&](ShardingId sharding) {
    const TensorSharding s = detail::without_size_one_axes(m.shardings[sharding]);
    return m.shardings.intern(s);
  });
}

}  // namespace shardprop
