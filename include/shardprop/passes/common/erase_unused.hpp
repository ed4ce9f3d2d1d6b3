// Erases operations that a pass left without users, and those that only they used. Operations that
// were without users from the start are the user's and stay.
#pragma once

#include <string_view>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"

namespace shardprop {

namespace detail {

// Operations that do nothing but what their regions do.
inline bool only_runs_regions(std::string_view name) {
  return name == "stablehlo.while" || name == "stablehlo.case" || name == "stablehlo.if" ||
         name == "sdy.manual_computation" || name == "sdy.named_computation";
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
           detail::only_runs_regions(op_name(m, one));
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

// Erases `op`, which has no users, and then of what made the values that it used all that is pure
// and has no users left.
inline void erase_with_unused_operands(Module& m, OpRows& rows, OpId op) {
  std::vector<OpId> unused = {op};
  while (!unused.empty()) {
    const OpId next = unused.back();
    unused.pop_back();
    if (is_erased(m, next)) continue;
    const std::vector<ValueId> values = values_used_by(m, next);
    erase_op(m, next);
    for (ValueId value : values) {
      const OpId def = defining_op(m, value);
      if (!def.valid() || is_erased(m, def) || detail::has_used_results(m, def)) continue;
      if (is_pure_with_regions(m, rows, def)) unused.push_back(def);
    }
  }
}

}  // namespace shardprop
