// Erases operations that a pass left without users, and those that only they used. Operations that
// were without users from the start are the user's and stay.
#pragma once

#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"

namespace shardprop {

namespace detail {

// Operations whose only effects are those of their regions.
inline bool only_runs_regions(StringId name) {
  return is_one_of(name, {known::kWhile, known::kCase, known::kIf, known::kSdyManualComputation,
                          known::kSdyNamedComputation});
}

inline bool has_used_results(const Module& m, OpId op) {
  for (ValueId value : results(m, op)) {
    if (has_uses(m, value)) return true;
  }
  return false;
}

}  // namespace detail

// Whether `op` and all that its regions hold are without side effects. O(operations inside).
inline bool is_pure_with_regions(const Module& m, OpRows& rows, OpId op) {
  const auto is_pure = [&](OpId one) {
    return (traits_of(rows[one], m, one) & kPure) != 0 ||
           detail::only_runs_regions(m.ops[one].name);
  };
  bool pure = is_pure(op);
  for (BlockId b = m.ops[op].first_block; pure && b.valid(); b = m.blocks[b].next_sibling) {
    walk_block(m, b, [&](OpId inner) { pure = pure && is_pure(inner); });
  }
  return pure;
}

// The values that `op` and what its regions hold use; those made inside are among them.
inline std::vector<ValueId> values_used_by(const Module& m, OpId op) {
  std::vector<ValueId> values;
  const auto add = [&](OpId one) {
    for (UseId use : operand_uses(m, one)) values.push_back(m.uses[use].value);
  };
  add(op);
  for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
    walk_block(m, b, add);
  }
  return values;
}

// Erases the operations that make `values` if they are pure and have no users, and then those that
// made their operands.
inline void erase_unused(Module& m, OpRows& rows, std::vector<ValueId> values) {
  while (!values.empty()) {
    const OpId op = defining_op(m, values.back());
    values.pop_back();
    if (!op.valid() || is_erased(m, op) || detail::has_used_results(m, op)) continue;
    if (!is_pure_with_regions(m, rows, op)) continue;
    const std::vector<ValueId> used = values_used_by(m, op);
    values.insert(values.end(), used.begin(), used.end());
    erase_op(m, op);
  }
}

}  // namespace shardprop
