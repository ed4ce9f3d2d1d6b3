// Rewrites of manual computations that compute nothing per device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/passes/canonicalize/rewriter.hpp"
#include "shardprop/passes/common/all_shardings.hpp"

namespace shardprop::detail {

// Moves the operations of `from` before `at`; the last one stays if `but_last`.
inline void move_ops(Module& m, BlockId from, Cursor at, bool but_last) {
  while (true) {
    const OpId op = m.blocks[from].first_op;
    if (!op.valid() || (but_last && op == m.blocks[from].last_op)) return;
    remove_from_block(m, op);
    insert_op(m, op, at);
  }
}

// Replaces `op` by one with only the operands and block arguments numbered in `kept`.
inline void keep_operands(Rewriter& r, OpId op, const std::vector<std::size_t>& kept) {
  Module& m = r.m;
  const BlockId body = block_of(m, op, 0);
  const std::vector<ShardingId> all = shardings_in(m, op, kInShardings);
  std::vector<ValueId> operands;
  std::vector<TypeId> argument_types;
  std::vector<ShardingId> shardings;
  for (std::size_t i : kept) {
    operands.push_back(operand(m, op, i));
    argument_types.push_back(type_of(m, m.blocks[body].arguments[i]));
    shardings.push_back(all[i]);
  }
  const std::vector<TypeId> types = types_of(m, results(m, op));
  const OpId made =
      create_op(m, before(m, op), {m.ops[op].name, operands, types, m.ops[op].attributes});
  set_sharding_list(m, made, kInShardings, shardings);
  const BlockId block = append_block(m, made, argument_types);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const ValueId from = m.blocks[body].arguments[kept[i]];
    const ValueId to = m.blocks[block].arguments[i];
    m.value_names[to] = m.value_names[from];
    replace_uses(m, from, to);
  }
  move_ops(m, body, at_end(block), false);
  replace_results(m, op, made);
  r.erase(op);
  r.push(made);
}

// A manual computation without the operands that its body does not use.
inline bool drop_unused_operands(Rewriter& r, OpId op) {
  const Module& m = r.m;
  std::vector<std::size_t> kept;
  const BlockId body = block_of(m, op, 0);
  for (std::size_t i = 0; i < m.ops[op].operand_count; ++i) {
    if (has_uses(m, m.blocks[body].arguments[i])) kept.push_back(i);
  }
  if (kept.size() == m.ops[op].operand_count) return false;
  keep_operands(r, op, kept);
  return true;
}

// The product of the sizes of the manual axes of `op`; 1 if it has no inputs and outputs, since
// only they name the mesh.
inline std::int64_t manual_size(const Module& m, OpId op) {
  for (std::string_view key : {kInShardings, kOutShardings}) {
    for (ShardingId sharding : shardings_in(m, op, key)) {
      const Mesh& mesh = m.meshes[m.shardings[sharding].mesh];
      std::int64_t size = 1;
      for (std::string_view name : manual_axes(m, op)) {
        const int axis = mesh.find_axis(name);
        if (axis >= 0) size *= mesh.axes[static_cast<std::size_t>(axis)].size;
      }
      return size;
    }
  }
  return 1;
}

// A manual computation over axes of size 1 only is replaced by its body.
inline bool inline_manual_computation(Rewriter& r, OpId op) {
  Module& m = r.m;
  if (manual_size(m, op) != 1) return false;
  const BlockId body = block_of(m, op, 0);
  for (std::size_t i = 0; i < m.ops[op].operand_count; ++i) {
    r.push_users(m.blocks[body].arguments[i]);
    replace_uses(m, m.blocks[body].arguments[i], operand(m, op, i));
  }
  const OpId last = terminator(m, body);
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    r.push_users(result(m, op, i));
    replace_uses(m, result(m, op, i), operand(m, last, i));
  }
  move_ops(m, body, before(m, op), true);
  r.erase(op);
  return true;
}

}  // namespace shardprop::detail
