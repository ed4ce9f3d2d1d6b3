// Walks over a module in program pre-order: functions in order, each operation before the
// operations in its regions.
#pragma once

#include <algorithm>
#include <vector>

#include "shardprop/ir/module.hpp"

namespace shardprop {

// The operation after `op` in pre-order within `root` and the regions inside, or none. O(nesting
// depth).
inline OpId next_in_preorder(const Module& m, OpId op, BlockId root) {
  for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
    if (m.blocks[b].first_op.valid()) return m.blocks[b].first_op;
  }
  while (true) {
    if (m.layout[op].next.valid()) return m.layout[op].next;
    BlockId block = m.layout[op].block;
    if (block == root || !block.valid()) return OpId();
    for (block = m.blocks[block].next_sibling; block.valid();
         block = m.blocks[block].next_sibling) {
      if (m.blocks[block].first_op.valid()) return m.blocks[block].first_op;
    }
    op = m.blocks[m.layout[op].block].parent_op;
  }
}

// Calls `fn(OpId)` for each operation of `block` and of the regions inside. `fn` must not change
// the layout.
template <class Fn>
void walk_block(const Module& m, BlockId block, Fn&& fn) {
  for (OpId op = m.blocks.get(block).first_op; op.valid(); op = next_in_preorder(m, op, block))
    fn(op);
}

// Calls `fn(OpId)` for each operation of the module.
template <class Fn>
void walk_ops(const Module& m, Fn&& fn) {
  for (FuncId f : m.func_order) walk_block(m, m.funcs[f].body, fn);
}

// Whether a row of the module is called `name`; that of an erased operation counts. O(rows), but
// much cheaper than a walk.
inline bool has_op(const Module& m, StringId name) {
  return std::any_of(m.ops.begin(), m.ops.end(),
                     [&](const Operation& op) { return op.name == name; });
}

// All operations in pre-order, for callers that change the layout as they go.
inline std::vector<OpId> preorder(const Module& m) {
  std::vector<OpId> ops;
  ops.reserve(m.ops.size());
  walk_ops(m, [&](OpId op) { ops.push_back(op); });
  return ops;
}

// All operations, each after the operations in its regions.
inline std::vector<OpId> postorder(const Module& m) {
  std::vector<OpId> ops;
  ops.reserve(m.ops.size());
  const auto visit_block = [&](auto&& self, BlockId block) -> void {
    for (OpId op = m.blocks[block].first_op; op.valid(); op = m.layout[op].next) {
      for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling)
        self(self, b);
      ops.push_back(op);
    }
  };
  for (FuncId f : m.func_order) visit_block(visit_block, m.funcs[f].body);
  return ops;
}

}  // namespace shardprop
