// Brings the shardings of a propagated program to what a partitioner needs. None of it changes what the
// program computes.
//
// - Dimensions keep the axes that divide them, so that no part needs padding. Where values enter and leave
//   functions, update-non-divisible-input-output-shardings has done so before.
// - Only what enters and leaves the program or a manual computation can be unreduced: there it says what
//   the devices have. Within, it would be a claim that an operation need not keep.
// - Propagation barriers go: they have done their work.
//
// O(operations).
#pragma once

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/export/update_non_divisible_input_output_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline bool make_reduced(Module& m, ShardingId& sharding) {
  if (!sharding.valid() || m.shardings[sharding].unreduced.empty()) return false;
  TensorSharding reduced = m.shardings[sharding];
  reduced.unreduced.clear();
  reduced.reduction = ReductionOp::kSum;
  sharding = m.shardings.intern(reduced);
  return true;
}

}  // namespace detail

inline Result<bool> prepare_shardings(Module& m) {
  Result<bool> changed = update_non_divisible_input_output_shardings(m);
  for (OpId op : preorder(m)) {
    if (m.ops[op].name == known::kSdyPropagationBarrier) {
      replace_uses(m, result(m, op, 0), operand(m, op, 0));
      erase_op(m, op);
      changed = true;
      continue;
    }
    for (ValueId value : results(m, op)) {
      ShardingId& sharding = m.value_shardings[value];
      if (detail::make_even(m, sharding, type_of(m, value))) changed = true;
      if (detail::make_reduced(m, sharding)) changed = true;
    }
  }
  for (FuncId f : m.func_order) {
    if (!m.funcs[f].is_private) continue;
    for (ValueId value : m.blocks[m.funcs[f].body].arguments)
      if (detail::make_reduced(m, m.value_shardings[value])) changed = true;
    for (FuncResult& result : m.funcs[f].results)
      if (detail::make_reduced(m, result.sharding)) changed = true;
  }
  return changed;
}

}  // namespace shardprop
