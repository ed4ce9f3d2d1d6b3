// The sharding rule of an operation: what a user wrote on it, else what its row says. Rules depend
// on the operation's name, types, attributes and context only, so each distinct one is made once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rule_from_text.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

// The rule that the row gives `in.op`, whatever a user wrote on it.
inline Optional<ShardingRule> create_rule(const OpRow& row, const RuleInput& in) {
  if (row.custom && row.custom->rule) return row.custom->rule(in);
  if (row.custom && !row.custom->rule_text.empty())
    return rule_from_text(row.custom->rule_text, in);
  return row.def.rule ? row.def.rule(in) : nullopt;
}

// Makes and remembers the rules of one module.
class RuleCache {
 public:
  explicit RuleCache(bool conservative) : conservative_(conservative) {}

  // The rule that the row gives `op`, or none. O(operands + results) for an operation that was seen
  // before.
  RuleId get(Module& m, OpRows& rows, OpId op) {
    const OpRow* row = rows[op];
    if (!row || !(row->def.rule || row->custom)) return RuleId();
    key_.clear();
    make_key(m, *row, op);
    std::uint64_t hash = 0;
    for (std::uint32_t word : key_) hash = hash_mix(hash, word);
    const std::uint32_t next = static_cast<std::uint32_t>(entries_.size());
    const std::uint32_t entry = index_.find_or_insert(hash, next, [&](std::uint32_t i) {
      const Entry& e = entries_[i];
      return e.size == key_.size() &&
             std::equal(key_.begin(), key_.end(), words_.begin() + e.begin);
    });
    if (entry == next) {
      const Optional<ShardingRule> rule = create_rule(*row, {m, op, conservative_});
      entries_.push_back({static_cast<std::uint32_t>(words_.size()),
                          static_cast<std::uint32_t>(key_.size()),
                          rule ? m.rules.intern(*rule) : RuleId()});
      words_.append(key_);
    }
    return entries_[entry].rule;
  }

 private:
  struct Entry {
    std::uint32_t begin;
    std::uint32_t size;
    RuleId rule;
  };

  void make_key(const Module& m, const OpRow& row, OpId op) {
    const Operation& o = m.ops[op];
    key_.assign({o.name.index, o.attributes.index, o.operand_count,
                 row.def.context ? row.def.context(m, op) : 0});
    for (UseId use : operand_uses(m, op)) key_.push_back(type_of(m, m.uses[use].value).index);
    for (ValueId value : results(m, op)) key_.push_back(type_of(m, value).index);
  }

  bool conservative_;
  Vector<Entry> entries_;
  Vector<std::uint32_t> words_;
  Vector<std::uint32_t> key_;
  HashIndex index_;
};

}  // namespace shardprop
