// Pass `sharding-constraint-to-reshard`: turns each `sdy.sharding_constraint` into an `sdy.reshard`
// of the same sharding and attributes. O(operations).
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> sharding_constraint_to_reshard(Module& m) {
  if (!has_op(m, known::kSdyShardingConstraint)) return false;
  bool changed = false;
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].name != known::kSdyShardingConstraint) return;
    m.ops[op].name = known::kSdyReshard;
    changed = true;
  });
  return changed;
}

}  // namespace shardprop
