// Pass `drop-sharding-rules`: removes the sharding rules of all operations, except those that the
// user marked as custom. O(operations).
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> drop_sharding_rules(Module& m) {
  bool changed = false;
  walk_ops(m, [&](OpId op) {
    RuleId& rule = m.ops[op].rule;
    if (!rule.valid() || m.rules[rule].custom) return;
    rule = RuleId();
    changed = true;
  });
  return changed;
}

}  // namespace shardprop
