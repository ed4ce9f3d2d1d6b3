// Copies of operations, with everything in their regions, of blocks and of functions. O(operations
// copied).
//
// A copy has the attributes, shardings and rule of its original; its results and block arguments
// are unnamed. Uses are made in program order, operands in order, as a reader of the program makes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"

namespace shardprop {

// The copy of each value that was copied, by the index of the original. An operand that was not
// copied stays as it is.
using ValueMap = std::unordered_map<std::uint32_t, ValueId>;

inline ValueId copy_of(const ValueMap& copies, ValueId value) {
  const auto found = copies.find(value.index);
  return found == copies.end() ? value : found->second;
}

OpId clone_op(Module& m, OpId op, Cursor at, ValueMap& copies);

namespace detail {

inline void copy_value(Module& m, ValueId from, ValueId to, ValueMap& copies) {
  m.value_shardings[to] = m.value_shardings[from];
  if (const auto found = m.value_attributes.find(from.index); found != m.value_attributes.end()) {
    const AttrId attributes = found->second;
    m.value_attributes[to.index] = attributes;
  }
  m.locations.of_value.set(to, m.locations.of_value[from]);
  m.lineage.of_value.note(from, to);
  copies[from.index] = to;
}

// Fills the empty block `to`, which must have arguments of the same types as `from`.
inline void clone_into(Module& m, BlockId from, BlockId to, ValueMap& copies) {
  m.lineage.of_block.note(from, to);
  const std::size_t count = m.blocks[from].arguments.size();
  for (std::size_t i = 0; i < count; ++i) {
    copy_value(m, m.blocks[from].arguments[i], m.blocks[to].arguments[i], copies);
  }
  for (OpId op = m.blocks[from].first_op; op.valid(); op = m.layout[op].next) {
    clone_op(m, op, at_end(to), copies);
  }
}

}  // namespace detail

// Adds a copy of `block` as the last region of `op`.
inline BlockId clone_block(Module& m, BlockId block, OpId op, ValueMap& copies) {
  const std::vector<TypeId> types = types_of(m, m.blocks[block].arguments);
  const BlockId copy = append_block(m, op, types);
  detail::clone_into(m, block, copy, copies);
  return copy;
}

// Puts a copy of `op` at `at`. Its operands are replaced by their copies in `copies`; its results
// and the values in its regions are added to `copies`.
inline OpId clone_op(Module& m, OpId op, Cursor at, ValueMap& copies) {
  std::vector<ValueId> operands;
  for (UseId use : operand_uses(m, op)) operands.push_back(copy_of(copies, m.uses[use].value));
  const std::vector<TypeId> types = types_of(m, results(m, op));
  const OpId copy = create_op(m, at, {m.ops[op].name, operands, types, m.ops[op].attributes});
  m.ops[copy].rule = m.ops[op].rule;
  m.locations.of_op.set(copy, m.locations.of_op[op]);
  m.lineage.of_op.note(op, copy);
  for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
    clone_block(m, b, copy, copies);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    detail::copy_value(m, result(m, op, i), result(m, copy, i), copies);
  }
  return copy;
}

// Makes a copy of `func` that has the same name and is not listed in the module yet: the caller
// gives it a name of its own and adds it to `func_order`.
inline FuncId clone_func(Module& m, FuncId func) {
  const std::vector<TypeId> types = types_of(m, m.blocks[m.funcs[func].body].arguments);
  Function row = m.funcs[func];
  const BlockId from = row.body;
  row.body = create_block(m, types);
  const BlockId body = row.body;
  const FuncId copy = m.funcs.push(std::move(row));
  m.blocks[body].parent_func = copy;
  m.locations.of_func.set(copy, m.locations.of_func[func]);
  ValueMap copies;
  detail::clone_into(m, from, body, copies);
  return copy;
}

}  // namespace shardprop
