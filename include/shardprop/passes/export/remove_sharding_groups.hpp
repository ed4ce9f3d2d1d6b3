// Pass `remove-sharding-groups`: erases all `sdy.sharding_group`s, which mean nothing after
// propagation, and what only they used. O(operations).
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/common/erase_unused.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> remove_sharding_groups(Module& m, const OpTable& ops) {
  const StringId group = m.strings.find("sdy.sharding_group");
  if (!group.valid()) return false;
  OpRows rows(ops, m);
  bool changed = false;
  for (OpId op : preorder(m)) {
    if (is_erased(m, op) || m.ops[op].name != group) continue;
    erase_with_unused_operands(m, rows, op);
    changed = true;
  }
  return changed;
}

}  // namespace shardprop
