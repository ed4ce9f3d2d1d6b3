// Pass `close-shardings`: closes all dimensions of all shardings, and drops the axes along which
// tensors had to stay replicated; both only matter to propagation. O(shardings).
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> close_shardings(Module& m) {
  return replace_shardings(m, [&](ShardingId sharding) {
    TensorSharding s = m.shardings[sharding];
    for (DimSharding& dim : s.dims) dim.open = false;
    s.replicated = {};
    return m.shardings.intern(s);
  });
}

}  // namespace shardprop
