// Pass `sharding-constraint-to-reshard`: makes each `sdy.sharding_constraint` an `sdy.reshard` of
// the same sharding and attributes. O(operations).
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> sharding_constraint_to_reshard(Module& m) {
  const StringId constraint = m.strings.find("sdy.sharding_constraint");
  if (!constraint.valid()) return false;
  const StringId reshard = m.strings.intern("sdy.reshard");
  bool changed = false;
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].name != constraint) return;
    m.ops[op].name = reshard;
    changed = true;
  });
  return changed;
}

}  // namespace shardprop
