// The sharding rule of the operation at a place of a comparison, for showing a mismatch.
#pragma once

#include <string>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "tests/conformance/compare.hpp"

namespace shardprop::conformance {

// The operation at `trail` in `function`, or none.
inline OpId op_at(const Module& m, const std::string& function, const OpTrail& trail) {
  BlockId block;
  for (FuncId f : m.func_order) {
    if (m.strings[m.funcs[f].name] == function) block = m.funcs[f].body;
  }
  OpId op;
  for (OpStep step : trail) {
    if (op.valid()) {
      block = m.ops[op].first_block;
      for (std::size_t i = 0; i < step.block && block.valid(); ++i)
        block = m.blocks[block].next_sibling;
    }
    if (!block.valid()) return OpId();
    op = m.blocks[block].first_op;
    for (std::size_t i = 0; i < step.op && op.valid(); ++i) op = m.layout[op].next;
    if (!op.valid()) return OpId();
  }
  return op;
}

// The rule on the operation, else the one its row gives; empty when there is none.
inline std::string rule_of(const OpTable& ops, Module& m, const Difference& difference,
                           bool conservative) {
  const OpId op = op_at(m, difference.function, difference.trail);
  if (!op.valid()) return "";
  RuleId rule = m.ops[op].rule;
  OpRows rows(ops, m);
  if (!rule.valid()) rule = RuleCache(conservative).get(m, rows, op);
  return rule.valid() ? to_string(m.rules[rule]) : "";
}

}  // namespace shardprop::conformance
