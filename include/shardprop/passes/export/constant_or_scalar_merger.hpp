// Pass `constant-or-scalar-merger`: undoes what `constant-or-scalar-splitter` did where it had
// no effect. Constants of one region with the same value, type, sharding and attributes become one,
// and so do broadcasts of the same scalar. Nothing moves between regions. O(operations).
//
// Constants whose data was left out of the JSON (`{"elided": true}`) are merged only where they are
// copies of one constant that were made since it was read: those that were split before, and then
// written, cannot be told from others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/import/constant_or_scalar_splitter.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

class ConstantMerger {
 public:
  ConstantMerger(Module& m, const OpTable& ops) : m_(m), rows_(ops, m) {}

  bool run() {
    bool changed = false;
    for (OpId op : postorder(m_)) {
      if (!is_mergeable(op)) continue;
      const OpId first = first_like(op);
      if (first == op) continue;
      replace_uses(m_, result(m_, op, 0), result(m_, first, 0));
      erase_op(m_, op);
      changed = true;
    }
    return changed;
  }

 private:
  // What two operations that are merged have in common: sorted attributes, block, type, sharding,
  // rule, the scalar that is broadcast, and the constant that one without data goes back to.
  using Key = std::array<std::uint32_t, 7>;

  bool is_constant(OpId op) {
    const OpRow* row = rows_[op];
    return row && (row->def.traits & kConstantLike) != 0 && m_.ops[op].operand_count == 0;
  }

  OpId original_of(OpId op) const {
    const OpId original = m_.lineage.of_op.of(op);
    return original.valid() ? original : op;
  }

  bool is_mergeable(OpId op) {
    if (m_.ops[op].result_count != 1) return false;
    if (is_constant(op)) return true;
    return m_.ops[op].name == known::kBroadcastInDim && m_.ops[op].operand_count == 1 &&
           is_scalar(m_, operand(m_, op, 0));
  }

  // The order in which a program lists attributes does not count.
  AttrId sorted(AttrId attributes) {
    if (!attributes.valid()) return attributes;
    const auto entries = m_.attrs.entries(attributes);
    std::vector<AttrEntry> sorted(entries.begin(), entries.end());
    std::ranges::stable_sort(
        sorted, [](const AttrEntry& a, const AttrEntry& b) { return a.key.index < b.key.index; });
    return m_.attrs.dict(sorted);
  }

  OpId first_like(OpId op) {
    const Operation& row = m_.ops[op];
    const ValueId value = result(m_, op, 0);
    const ValueId scalar = row.operand_count == 0 ? ValueId() : operand(m_, op, 0);
    const OpId original = lacks_data(m_, op) ? original_of(op) : OpId();
    const Key key = {sorted(row.attributes).index,
                     m_.layout[op].block.index,
                     type_of(m_, value).index,
                     m_.value_shardings[value].index,
                     row.rule.index,
                     scalar.index,
                     original.index};
    return first_.try_emplace(key, op).first->second;
  }

  Module& m_;
  OpRows rows_;
  std::unordered_map<Key, OpId, WordsHash> first_;
};

}  // namespace detail

inline Result<bool> constant_or_scalar_merger(Module& m, const OpTable& ops) {
  return detail::ConstantMerger(m, ops).run();
}

}  // namespace shardprop
