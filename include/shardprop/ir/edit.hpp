// Changes to a module that keep layout and use lists consistent. Their cost is O(1) per operand,
// result and use that they touch. An id that the module does not have changes nothing: an operation
// without a block stands nowhere, as an erased one does, and an operand without a value is an error
// of `verify_ids`.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "shardprop/ir/module.hpp"

namespace shardprop {

namespace detail {

inline void link_use(Module& m, UseId use, ValueId value) {
  Use& row = m.uses[use];
  row.value = value;
  row.prev = UseId();
  if (!m.values.has(value)) return;
  row.next = m.values[value].first_use;
  if (row.next.valid()) m.uses[row.next].prev = use;
  m.values[value].first_use = use;
}

inline void unlink_use(Module& m, UseId use) {
  Use& row = m.uses[use];
  if (row.prev.valid()) {
    m.uses[row.prev].next = row.next;
  } else if (m.values.has(row.value)) {
    m.values[row.value].first_use = row.next;
  }
  if (row.next.valid()) m.uses[row.next].prev = row.prev;
  row.value = ValueId();
  row.prev = row.next = UseId();
}

inline ValueId new_value(Module& m, TypeId type, std::uint32_t owner, std::size_t number,
                         bool is_argument) {
  Value value;
  value.type = type;
  value.owner = owner;
  value.number = static_cast<std::uint32_t>(number) & 0x7FFFFFFFu;
  value.is_argument = is_argument ? 1 : 0;
  m.value_shardings.push(ShardingId());
  m.value_names.push(ValueName());
  return m.values.push(value);
}

}  // namespace detail

// A place in a block: before `before`, or at the end if that is none.
struct Cursor {
  BlockId block;
  OpId before;
};

inline Cursor at_end(BlockId block) { return {block, OpId()}; }
inline Cursor at_start(const Module& m, BlockId block) { return {block, m.blocks[block].first_op}; }
inline Cursor before(const Module& m, OpId op) { return {m.layout[op].block, op}; }
inline Cursor after(const Module& m, OpId op) { return {m.layout[op].block, m.layout[op].next}; }
// Right after the operation that makes `value`, or at the start of the block of which it is an
// argument.
inline Cursor after_value(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  return op.valid() ? after(m, op) : at_start(m, argument_block(m, value));
}

inline void insert_op(Module& m, OpId op, Cursor at) {
  if (!m.ops.has(op) || !m.blocks.has(at.block)) return;
  if (m.layout.get(at.before).block != at.block) at.before = OpId();
  Block& block = m.blocks[at.block];
  const OpId prev = at.before.valid() ? m.layout[at.before].prev : block.last_op;
  m.layout[op] = {at.block, prev, at.before};
  (prev.valid() ? m.layout[prev].next : block.first_op) = op;
  (at.before.valid() ? m.layout[at.before].prev : block.last_op) = op;
}

// Takes `op` out of its block; its operands, results and regions stay.
inline void remove_from_block(Module& m, OpId op) {
  const OpLayout place = m.layout.get(op);
  if (!place.block.valid()) return;
  Block& block = m.blocks[place.block];
  (place.prev.valid() ? m.layout[place.prev].next : block.first_op) = place.next;
  (place.next.valid() ? m.layout[place.next].prev : block.last_op) = place.prev;
  m.layout[op] = OpLayout();
}

// The name of an operation to be made: an id, such as `known::kReshape`, or a text, which is looked
// up.
struct OpName {
  OpName() = default;
  OpName(StringId of) : id(of) {}
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view> OpName(const Text& of) : text(of) {}

  StringId id;
  std::string_view text = {};
};

struct OpSpec {
  OpName name;
  std::span<const ValueId> operands = {};
  std::span<const TypeId> result_types = {};
  AttrId attributes = {};
};

// Makes an operation and puts it at `at`. Results are unnamed; uses are made in operand order.
inline OpId create_op(Module& m, Cursor at, const OpSpec& spec) {
  Operation op;
  op.name = spec.name.id.valid() ? spec.name.id : m.strings.intern(spec.name.text);
  op.attributes = spec.attributes;
  op.first_operand = m.uses.next_id();
  op.operand_count = static_cast<std::uint32_t>(spec.operands.size());
  op.first_result = m.values.next_id();
  op.result_count = static_cast<std::uint32_t>(spec.result_types.size());
  const OpId id = m.ops.push(op);
  m.layout.push(OpLayout());
  for (ValueId value : spec.operands) {
    const UseId use = m.uses.push(Use{ValueId(), id, UseId(), UseId()});
    detail::link_use(m, use, value);
  }
  for (std::size_t i = 0; i < spec.result_types.size(); ++i) {
    detail::new_value(m, spec.result_types[i], id.index, i, false);
  }
  insert_op(m, id, at);
  return id;
}

namespace detail {

// What needs an operation on `value` at `at`: the operation right after it if that uses `value`, else
// what makes `value`; none for an argument.
inline OpId cause_of(const Module& m, Cursor at, ValueId value) {
  if (at.before.valid()) {
    for (UseId use : operand_uses(m, at.before)) {
      if (m.uses[use].value == value) return at.before;
    }
  }
  return defining_op(m, value);
}

}  // namespace detail

// Makes an operation of `value` whose one result has the type of `value` and `sharding`: a reshard,
// an edge, a collective. It has the source location of what needs it. Gives that result.
inline ValueId create_op_on(Module& m, Cursor at, StringId name, ValueId value, ShardingId sharding,
                            AttrId attributes = {}) {
  const TypeId type = m.values[value].type;
  const OpId cause = detail::cause_of(m, at, value);
  const OpId op = create_op(m, at, {name, {&value, 1}, {&type, 1}, attributes});
  m.locations.of_op.set(op, cause.valid() ? m.locations.of_op[cause] : m.locations.of_value[value]);
  if (cause.valid()) m.lineage.note_need(op, cause);
  m.value_shardings[result(m, op, 0)] = sharding;
  return result(m, op, 0);
}

// Gives `op`, which has no results, results of these types. They are unnamed.
inline void add_results(Module& m, OpId op, std::span<const TypeId> types) {
  if (!m.ops.has(op) || m.ops[op].result_count != 0) return;
  m.ops[op].first_result = m.values.next_id();
  m.ops[op].result_count = static_cast<std::uint32_t>(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) detail::new_value(m, types[i], op.index, i, false);
}

// Makes a block without operations. Arguments are unnamed.
inline BlockId create_block(Module& m, std::span<const TypeId> argument_types) {
  const BlockId id = m.blocks.push(Block());
  m.blocks[id].arguments = {m.values.next_id(), static_cast<std::uint32_t>(argument_types.size())};
  for (std::size_t i = 0; i < argument_types.size(); ++i) {
    detail::new_value(m, argument_types[i], id.index, i, true);
  }
  return id;
}

// Adds a block as the last region of `op`. O(number of regions).
inline BlockId append_block(Module& m, OpId op, std::span<const TypeId> argument_types) {
  const BlockId id = create_block(m, argument_types);
  if (!m.ops.has(op)) return id;
  m.blocks[id].parent_op = op;
  BlockId* link = &m.ops[op].first_block;
  while (link->valid()) link = &m.blocks[*link].next_sibling;
  *link = id;
  return id;
}

struct FuncSpec {
  std::string_view name;
  std::span<const TypeId> argument_types = {};
  std::span<const TypeId> result_types = {};
  bool is_private = false;
};

// Adds a function as the last one of the module, with an empty body.
inline FuncId create_func(Module& m, const FuncSpec& spec) {
  const BlockId body = create_block(m, spec.argument_types);
  Function func;
  func.name = m.strings.intern(spec.name);
  func.is_private = spec.is_private;
  func.body = body;
  for (TypeId type : spec.result_types) func.results.push_back({type, ShardingId(), AttrId()});
  const FuncId id = m.funcs.push(static_cast<Function&&>(func));
  m.blocks[body].parent_func = id;
  m.func_order.push_back(id);
  return id;
}

inline void set_operand(Module& m, OpId op, std::size_t i, ValueId value) {
  const UseId use = operand_uses(m, op)[i];
  if (!m.uses.has(use)) return;
  detail::unlink_use(m, use);
  detail::link_use(m, use, value);
}

// Makes all uses of `from` uses of `to`, except the uses by operation `except`. The uses move one
// by one, first to last, so that they precede the older uses of `to` in reverse order.
inline void replace_uses(Module& m, ValueId from, ValueId to, OpId except = OpId()) {
  for (UseId use = m.values.get(from).first_use; use.valid();) {
    const UseId next = m.uses[use].next;
    if (m.uses[use].user != except) {
      detail::unlink_use(m, use);
      detail::link_use(m, use, to);
    }
    use = next;
  }
}

// Lets `to` stand for `from`: its results take the names and the uses of those of `from`.
inline void replace_results(Module& m, OpId from, OpId to) {
  for (std::size_t i = 0; i < m.ops[from].result_count; ++i) {
    m.value_names[result(m, to, i)] = m.value_names[result(m, from, i)];
    replace_uses(m, result(m, from, i), result(m, to, i));
    m.lineage.of_value.note(result(m, from, i), result(m, to, i));
  }
  m.lineage.of_op.note(from, to);
  m.locations.of_op.set(to, m.locations.of_op[from]);
}

// Erases `op` and everything in its regions. No result may have uses outside of `op`.
inline void erase_op(Module& m, OpId op) {
  if (is_erased(m, op)) return;
  for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
    while (m.blocks[b].last_op.valid()) erase_op(m, m.blocks[b].last_op);
  }
  for (UseId use : operand_uses(m, op)) detail::unlink_use(m, use);
#ifndef NDEBUG
  for (ValueId value : results(m, op)) assert(!has_uses(m, value));
#endif
  remove_from_block(m, op);
}

// Makes a sharding constraint of `op`, which has one operand and one result of the same type. It
// takes the sharding of that result.
inline void replace_by_constraint(Module& m, OpId op) {
  const ValueId made = create_op_on(m, before(m, op), known::kSdyShardingConstraint,
                                    operand(m, op, 0), m.value_shardings[result(m, op, 0)]);
  replace_results(m, op, defining_op(m, made));
  erase_op(m, op);
}

inline void set_attribute(Module& m, OpId op, StringId key, AttrId value) {
  if (m.ops.has(op)) m.ops[op].attributes = m.attrs.with(m.ops[op].attributes, key, value);
}
inline void set_attribute(Module& m, OpId op, std::string_view key, AttrId value) {
  set_attribute(m, op, m.strings.intern(key), value);
}

inline AttrId text_attribute(Module& m, std::string_view text) {
  return m.attrs.string(m.strings.intern(text));
}

inline void set_name(Module& m, ValueId value, std::string_view name) {
  m.value_names[value] = make_value_name(m.strings, name);
}

inline void set_type(Module& m, ValueId value, TypeId type) {
  if (m.values.has(value)) m.values[value].type = type;
}

inline TypeId tensor_type(Module& m, std::string_view dtype, std::span<const std::int64_t> shape) {
  return m.types.tensor(m.strings.intern(dtype), shape);
}

// Reserves rows for `ops` operations of two operands each, and for `values` values.
inline void reserve_rows(Module& m, std::size_t ops, std::size_t values) {
  m.ops.reserve(ops);
  m.layout.reserve(ops);
  m.uses.reserve(2 * ops);
  m.values.reserve(values);
  m.value_shardings.reserve(values);
  m.value_names.reserve(values);
}

// Gives back the memory that was reserved and not used. O(size of the tables).
inline void release_rows(Module& m) {
  m.ops.shrink_to_fit();
  m.layout.shrink_to_fit();
  m.uses.shrink_to_fit();
  m.values.shrink_to_fit();
  m.value_shardings.shrink_to_fit();
  m.value_names.shrink_to_fit();
}

}  // namespace shardprop
