// What `pad-for-divisibility` does to collectives. One that splits a dimension further takes an
// operand that is padded with zeros; of one that joins shards the padding is cut off.
//
// Worked example, 7 elements: all_slice along x=4 takes 8, the last one 0; all_gather of its result
// gives 8, of which a slice takes 7.
#pragma once

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/passes/partition/padded_program.hpp"

namespace shardprop::detail {

inline void pad_collective(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId input = operand(m, op, 0);
  const ValueId output = result(m, op, 0);
  const bool zero_before = p.is_zero_padded(input);
  bool zero = zero_before;
  const Shape during = divisible_shape(p.shape(input), out_sharding(m, op));
  if (during != p.shape(input)) {
    zero = zero || !p.grew(input);
    const OpMaker maker = p.before_op(op, p.sharding_id(input));
    const ValueId padded = maker.pad_to(input, maker.zero(type_of(m, input)), during);
    p.note_padded(padded, input);
    if (zero) p.note_zero_padded(padded);
    set_operand(m, op, 0, padded);
  }
  const Shape target = p.shape(output);
  p.grow(output, with_shape(m, type_of(m, output), during));
  if (zero) p.note_zero_padded(output);
  const ValueId trimmed = p.trim(p.after_op(op, m.value_shardings[output]), output, target);
  if (trimmed != output && zero_before) p.note_zero_padded(trimmed);
}

}  // namespace shardprop::detail
