// The sharding rule of an operation: what a user wrote on it, else what its row says. Rules depend
// on the operation's name, types, attributes and context only, so each distinct one is made once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/memo.hpp"

namespace shardprop {

// The rule that the row gives `in.op`, whatever a user wrote on it.
inline std::optional<OpShardingRule> create_rule(const OpRow& row, const RuleInput& in) {
  if (row.custom && row.custom->rule) return row.custom->rule(in);
  return row.def.rule ? row.def.rule(in) : std::nullopt;
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
    const MemoKey<std::uint32_t> key = make_key(m, *row, op);
    if (const RuleId* known = memo_.find(key)) return *known;
    const std::optional<OpShardingRule> rule = create_rule(*row, {m, op, conservative_});
    return memo_.insert(key, rule ? m.rules.intern(*rule) : RuleId());
  }

 private:
  MemoKey<std::uint32_t> make_key(const Module& m, const OpRow& row, OpId op) {
    const Operation& o = m.ops[op];
    words_.resize(2 + o.operand_count + o.result_count);
    words_[0] = o.operand_count;
    words_[1] = row.def.context ? row.def.context(m, op) : 0;
    std::size_t i = 2;
    for (UseId use : operand_uses(m, op)) words_[i++] = type_of(m, m.uses[use].value).index;
    for (ValueId value : results(m, op)) words_[i++] = type_of(m, value).index;
    return {(std::uint64_t{o.name.index} << 32) | o.attributes.index, words_};
  }

  bool conservative_;
  Memo<std::uint32_t, RuleId> memo_;
  std::vector<std::uint32_t> words_;
};

}  // namespace shardprop
