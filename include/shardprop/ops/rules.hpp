// The sharding rule of an operation: what a user wrote on it, else what its row says. Rules depend
// on the operation's name, types, attributes and context only, so each distinct one is made once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/memo.hpp"

namespace shardprop {

// The rule that the row gives `in.op`, whatever a user wrote on it.
inline std::optional<OpShardingRule> create_rule(const OpRow& row, const RuleInput& in) {
  if (row.custom && row.custom->rule) return row.custom->rule(in);
  return row.def.rule ? row.def.rule(in) : std::nullopt;
}

// Whether `rule` is one for the operands and results of `op`. Callers' functions may give any.
inline bool is_rule_of(const OpShardingRule& rule, const Module& m, OpId op, Diagnostics& out) {
  std::vector<ShardedShape> shapes;
  const auto add = [&](ValueId value) {
    shapes.push_back(
        {.is_tensor = m.types.is_tensor(type_of(m, value)), .shape = shape_of(m, value)});
  };
  for (UseId use : operand_uses(m, op)) add(m.uses[use].value);
  for (ValueId value : results(m, op)) add(value);
  const std::span<const ShardedShape> all = shapes;
  const std::size_t operands = m.ops[op].operand_count;
  return verify_rule(rule, {all.first(operands), all.subspan(operands)}, place_of(m, op), out);
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
    std::optional<OpShardingRule> rule = create_rule(*row, {m, op, conservative_});
    Diagnostics wrong;
    if (rule && row->custom && !is_rule_of(*rule, m, op, wrong)) rule.reset();
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
