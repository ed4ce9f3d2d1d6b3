// Pass `constant-or-scalar-merger`: takes back what `constant-or-scalar-splitter` did where it was
// of no use. Constants of one region with the same value, type, sharding and attributes become one,
// and so do broadcasts of the same scalar. Nothing moves between regions. O(operations).
//
// Constants whose data JSON leaves out (`{"elided": true}`) count as equal where the rest is: the
// copies of one cannot be told from others. `merge_elided = false` leaves them apart, for who puts
// the data in later. Large constants of MLIR text know their data, and only equal ones are merged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct ConstantMergerOptions {
  bool merge_elided = true;  // constants of which the data is left out
};

namespace detail {

class ConstantMerger {
 public:
  ConstantMerger(Module& m, const OpTable& ops, const ConstantMergerOptions& options)
      : m_(m), rows_(ops, m), options_(options) {}

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
  // What two operations that are merged have in common.
  struct Key {
    AttrId attributes;  // sorted
    BlockId block;
    TypeId type;
    ShardingId sharding;
    RuleId rule;
    ValueId scalar;  // that is broadcast; none for a constant

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = hash_mix(key.attributes.index, key.block.index);
      h = hash_mix(hash_mix(h, key.type.index), key.sharding.index);
      return static_cast<std::size_t>(hash_mix(hash_mix(h, key.rule.index), key.scalar.index));
    }
  };

  bool is_constant(OpId op) {
    const OpRow* row = rows_[op];
    return row && (row->def.traits & kConstantLike) != 0 && m_.ops[op].operand_count == 0;
  }

  bool is_elided_constant(OpId op) const {
    const AttrId value = attribute(m_, op, key::kValue);
    return value.valid() && m_.attrs.kind(value) == AttrKind::kDict &&
           m_.attrs.find(value, key::kElided).valid();
  }

  bool is_mergeable(OpId op) {
    if (m_.ops[op].result_count != 1) return false;
    if (is_constant(op)) return options_.merge_elided || !is_elided_constant(op);
    return m_.ops[op].name == known::kBroadcastInDim && m_.ops[op].operand_count == 1 &&
           is_scalar(m_, operand(m_, op, 0));
  }

  // The order in which a program lists attributes says nothing.
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
    const Key key = {sorted(row.attributes),
                     m_.layout[op].block,
                     type_of(m_, result(m_, op, 0)),
                     m_.value_shardings[result(m_, op, 0)],
                     row.rule,
                     row.operand_count == 0 ? ValueId() : operand(m_, op, 0)};
    return first_.try_emplace(key, op).first->second;
  }

  Module& m_;
  OpRows rows_;
  ConstantMergerOptions options_;
  std::unordered_map<Key, OpId, KeyHash> first_;
};

}  // namespace detail

inline Result<bool> constant_or_scalar_merger(Module& m, const OpTable& ops,
                                              const ConstantMergerOptions& options = {}) {
  return detail::ConstantMerger(m, ops, options).run();
}

}  // namespace shardprop
