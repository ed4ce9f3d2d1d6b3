// Pass `remove-sharding-groups`: erases all `sdy.sharding_group`s, which mean nothing after
// propagation, and what only they used. O(operations).
#pragma once

#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/common/erase_unused.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> remove_sharding_groups(Module& m, const OpTable& ops) {
  if (!has_op(m, known::kSdyShardingGroup)) return false;
  OpRows rows(ops, m);
  bool changed = false;
  for (OpId op : preorder(m)) {
    if (is_erased(m, op) || m.ops[op].name != known::kSdyShardingGroup) continue;
    const std::vector<ValueId> grouped = operands_of(m, op);
    erase_op(m, op);
    erase_unused(m, rows, grouped);
    changed = true;
  }
  return changed;
}

}  // namespace shardprop
