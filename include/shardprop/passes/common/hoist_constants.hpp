// Moves constants to the front of the function or isolated region that they stand in, and merges
// equal ones. O(operations).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/hash.hpp"

namespace shardprop {

namespace detail {

class ConstantHoister {
 public:
  ConstantHoister(Module& m, const OpTable& ops)
      : m_(m), rows_(ops, m), is_kept_(m.ops.size(), false) {}

  // Whether `op` was moved, or replaced by an equal one.
  bool hoist(OpId op) {
    const BlockId target = hoisting_block(m_.layout[op].block);
    const AttrId value = attribute(m_, op, key::kValue);
    // Data that was left out may differ even if the attributes are equal.
    if (value.valid() && !is_unknown_data(m_, value)) {
      const auto [kept, is_new] =
          kept_.emplace(Key{m_.ops[op].name.index, target.index, value.index,
                            type_of(m_, result(m_, op, 0)).index},
                        op);
      if (!is_new) {
        replace_uses(m_, result(m_, op, 0), result(m_, kept->second, 0));
        erase_op(m_, op);
        return true;
      }
    }
    is_kept_[op.index] = true;
    if (m_.layout[op].block == target) {
      const OpId prev = m_.layout[op].prev;
      // Constants that follow each other keep their order.
      if (!prev.valid() || is_kept_[prev.index]) return false;
    }
    remove_from_block(m_, op);
    insert_op(m_, op, at_start(m_, target));
    return true;
  }

 private:
  // Name, block, value and type.
  using Key = std::array<std::uint32_t, 4>;

  // The block of the function, isolated operation or unknown operation around.
  BlockId hoisting_block(BlockId block) {
    while (true) {
      const OpId parent = m_.blocks[block].parent_op;
      if (!parent.valid()) return block;
      const OpRow* row = rows_[parent];
      if (!row || (row->def.traits & kIsolated)) return block;
      block = m_.layout[parent].block;
    }
  }

  Module& m_;
  OpRows rows_;
  std::vector<bool> is_kept_;  // by OpId
  std::unordered_map<Key, OpId, WordsHash> kept_;
};

}  // namespace detail

// Hoists each stablehlo.constant and arith.constant of the module. A constant that is replaced by
// an equal one takes the sharding of that one.
inline bool hoist_constants(Module& m, const OpTable& ops) {
  if (!has_op(m, known::kConstant) && !has_op(m, known::kArithConstant)) return false;
  detail::ConstantHoister hoister(m, ops);
  bool changed = false;
  for (OpId op : postorder(m)) {
    if (is_one_of(m.ops[op].name, {known::kConstant, known::kArithConstant}) &&
        m.ops[op].result_count == 1)
      changed = hoister.hoist(op) || changed;
  }
  return changed;
}

}  // namespace shardprop
