// Constants, and the operations whose pretty form has regions. A function gives false where the
// form cannot say what the operation is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shardprop/io/text/forms/form.hpp"
#include "shardprop/io/text/numbers/number.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/form.hpp"
#include "shardprop/io/text/write/form_parts.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

// The bit of attribute `key` in the dictionary of `op`, as `write_attr_dict` takes it.
inline std::uint64_t entry_bit(const Module& m, OpId op, StringId key) {
  const AttrId dict = m.ops[op].attributes;
  if (!dict.valid() || !key.valid()) return 0;
  std::size_t i = 0;
  for (const AttrEntry& entry : m.attrs.entries(dict)) {
    if (entry.key == key) return i < 64 ? std::uint64_t{1} << i : 0;
    ++i;
  }
  return 0;
}
inline std::uint64_t entry_bit(const Module& m, OpId op, std::string_view key) {
  return entry_bit(m, op, m.strings.find(key));
}

inline bool write_constant(TextWriteContext& c, OpId op) {
  if (c.m.ops[op].operand_count != 0 || c.m.ops[op].result_count != 1) return false;
  const AttrId value = field_of(c.m, c.m.ops[op].attributes, "value");
  const TypeId type = type_of(c.m, result(c.m, op, 0));
  if (!value.valid() || !type.valid() || !c.m.types.is_tensor(type)) return false;
  if (c.m.strings[c.m.types.dtype(type)].starts_with("!quant.")) return false;
  const AttrKind kind = c.m.attrs.kind(value);
  const bool is_other =
      kind == AttrKind::kDict || kind == AttrKind::kNull || kind == AttrKind::kSharding;
  if (is_other && !is_elided(c.m, value)) return false;
  write_attr_dict(c, op, entry_bit(c.m, op, "value"));
  c.out += ' ';
  write_dense(c, value, type);
  return true;
}

// A constant of arith, which may be a number that is not a tensor.
inline bool write_number_constant(TextWriteContext& c, OpId op) {
  if (c.m.ops[op].operand_count != 0 || c.m.ops[op].result_count != 1) return false;
  const AttrId value = field_of(c.m, c.m.ops[op].attributes, "value");
  const TypeId type = type_of(c.m, result(c.m, op, 0));
  if (!value.valid() || !type.valid()) return false;
  if (c.m.types.is_tensor(type)) return write_constant(c, op);
  const std::string_view dtype = c.m.strings[c.m.types.dtype(type)];
  if (!is_number_of(c.m, value, dtype)) return false;
  write_attr_dict(c, op, entry_bit(c.m, op, "value"));
  c.out += ' ';
  append_element(c.out, c.m, value, dtype);
  if (dtype == "i1") return true;
  c.out.append(" : ");
  write_type(c, type);
  return true;
}

// `(%a: type, %b: type) {...}`
inline bool write_body(TextWriteContext& c, OpId op) {
  if (block_count(c.m, op) != 1) return false;
  const BlockId block = c.m.ops[op].first_block;
  c.out += '(';
  append_list(c.out, c.m.blocks[block].arguments,
              [&](ValueId value) { write_region_argument(c, value); });
  c.out.append(") ");
  write_region(c, block, false);
  return true;
}

// ` ({...}, {...})`, nothing if there are no regions.
inline bool write_form_regions(TextWriteContext& c, OpId op) {
  if (!c.m.ops[op].first_block.valid()) return true;
  c.out.append(" (");
  for (BlockId b = c.m.ops[op].first_block; b.valid(); b = c.m.blocks[b].next_sibling) {
    if (b != c.m.ops[op].first_block) c.out.append(", ");
    write_region(c, b, true);
  }
  c.out += ')';
  return true;
}

// --- while ---

inline bool has_types_of_operands(const Module& m, OpId op, BlockId block) {
  const auto arguments = m.blocks[block].arguments;
  if (arguments.size() != m.ops[op].operand_count) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (type_of(m, arguments[i]) != type_of_operand(m, op, i)) return false;
  }
  return true;
}

inline void write_new_line(TextWriteContext& c) {
  c.out += '\n';
  c.out.append(2 * c.indent, ' ');
}

// Whether no argument of `block` has a location that is written.
inline bool has_bare_arguments(const TextWriteContext& c, BlockId block) {
  const auto arguments = c.m.blocks[block].arguments;
  return !c.options.locations ||
         std::none_of(arguments.begin(), arguments.end(),
                      [&](ValueId value) { return c.m.locations.of_value[value].valid(); });
}

// `(%iterArg = %0) : type attributes {...}`, and in lines of their own `cond {...} do {...}`. The
// arguments of both regions have the same names: see WrittenNames.
inline bool write_while(TextWriteContext& c, OpId op) {
  if (block_count(c.m, op) != 2 || !has_pair_types(c.m, op)) return false;
  const BlockId cond = c.m.ops[op].first_block;
  const BlockId body = c.m.blocks[cond].next_sibling;
  if (!has_types_of_operands(c.m, op, cond) || !has_types_of_operands(c.m, op, body)) return false;
  if (!has_bare_arguments(c, cond) || !has_bare_arguments(c, body)) return false;
  c.out += '(';
  for (std::size_t i = 0; i < c.m.ops[op].operand_count; ++i) {
    if (i != 0) c.out.append(", ");
    write_value(c, c.m.blocks[body].arguments[i]);
    c.out.append(" = ");
    write_value(c, operand(c.m, op, i));
  }
  c.out += ')';
  if (c.m.ops[op].operand_count > 0) {
    c.out.append(" : ");
    write_operand_types(c, op);
  }
  const std::size_t begin = c.out.size();
  write_attr_dict(c, op, 0);
  if (c.out.size() != begin) c.out.insert(begin, " attributes");
  write_new_line(c);
  c.out.append("cond ");
  write_region(c, cond, false);
  c.out.append(" do ");
  write_region(c, body, false);
  return true;
}

// --- reduce ---

// Whether an operation is only its name, operands and results.
inline bool is_bare(const TextWriteContext& c, OpId op) {
  if (c.m.ops[op].attributes.valid() || c.m.ops[op].rule.valid()) return false;
  if (c.options.locations && c.m.locations.of_op[op].valid()) return false;
  for (ValueId value : results(c.m, op)) {
    if (c.m.value_shardings[value].valid()) return false;
  }
  return true;
}

// The operation that the region of a reduce of one input applies to its two arguments as they are,
// if it returns no more than the outcome; else none.
inline OpId applied_op(const TextWriteContext& c, OpId op) {
  const Module& m = c.m;
  const BlockId block = m.ops[op].first_block;
  const OpId inner = m.blocks[block].first_op;
  const OpId end = m.blocks[block].last_op;
  if (m.ops[op].operand_count != 2 || !inner.valid() || m.layout[inner].next != end) return OpId();
  if (!is_reduce_op(op_name(m, inner)) || m.ops[end].name != known::kReturn) return OpId();
  if (!is_bare(c, inner) || !is_bare(c, end) || !has_bare_arguments(c, block)) return OpId();
  const auto arguments = m.blocks[block].arguments;
  const TypeId input = type_of_operand(m, op, 0);
  if (arguments.size() != 2 || m.ops[inner].operand_count != 2 || !has_one_type(m, inner) ||
      m.ops[end].operand_count != 1 || !input.valid() || !m.types.is_tensor(input))
    return OpId();
  const TypeId type = type_of(m, result(m, inner, 0));
  const bool is_element = type.valid() && m.types.is_tensor(type) && m.types.rank(type) == 0 &&
                          m.types.dtype(type) == m.types.dtype(input) &&
                          !m.types.encoding(type).valid();
  const bool passes = operand(m, inner, 0) == arguments[0] &&
                      operand(m, inner, 1) == arguments[1] &&
                      operand(m, end, 0) == result(m, inner, 0);
  return is_element && passes ? inner : OpId();
}

// `reducer(%x: type, %y: type) (...)`: the arguments in pairs, the first half with the second.
inline void write_reducer(TextWriteContext& c, BlockId block) {
  write_new_line(c);
  c.out.append(" reducer");
  const auto arguments = c.m.blocks[block].arguments;
  const std::size_t half = arguments.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    c.out += '(';
    write_region_argument(c, arguments[i]);
    c.out.append(", ");
    write_region_argument(c, arguments[half + i]);
    c.out.append(") ");
  }
  c.out += ' ';
  write_region(c, block, false);
}

// `(%a init: %b) applies stablehlo.add across dimensions = [1] : types`, or with a reducer.
inline bool write_reduce(TextWriteContext& c, OpId op) {
  const std::size_t pairs = c.m.ops[op].operand_count / 2;
  std::span<const std::int64_t> dimensions;
  if (block_count(c.m, op) != 1 || c.m.ops[op].operand_count % 2 != 0 || pairs == 0 ||
      !find_ints(c.m, c.m.ops[op].attributes, "dimensions", dimensions))
    return false;
  const BlockId block = c.m.ops[op].first_block;
  if (c.m.blocks[block].arguments.size() != 2 * pairs) return false;
  for (std::size_t i = 0; i < pairs; ++i) {
    c.out.append(i == 0 ? "(" : ", (");
    write_value(c, operand(c.m, op, i));
    c.out.append(" init: ");
    write_value(c, operand(c.m, op, pairs + i));
    c.out += ')';
  }
  const OpId applied = applied_op(c, op);
  if (applied.valid()) c.out.append(" applies ").append(op_name(c.m, applied));
  c.out.append(" across dimensions = [");
  append_ints(c.out, dimensions);
  c.out += ']';
  write_attr_dict(c, op, entry_bit(c.m, op, "dimensions"));
  c.out.append(" : ");
  write_functional_type(c, op);
  if (!applied.valid()) write_reducer(c, block);
  return true;
}

// --- scan ---

// Whether attribute `key` says how many values of `count` come first, and that `last` values
// follow.
inline bool has_segments(const Module& m, OpId op, std::string_view key, std::size_t count,
                         std::int64_t last) {
  std::span<const std::int64_t> sizes;
  return find_ints(m, m.ops[op].attributes, key, sizes) && sizes.size() == 2 && sizes[0] >= 0 &&
         sizes[1] == last && static_cast<std::size_t>(sizes[0] + last) == count;
}

// `(%a) inits (%b) dimension=0 attributes {...} {...} : types`
inline bool write_scan(TextWriteContext& c, OpId op) {
  const Operation& row = c.m.ops[op];
  std::span<const std::int64_t> sizes;
  const AttrId dimension = field_of(c.m, row.attributes, "dimension");
  if (block_count(c.m, op) != 1 || c.m.attrs.kind(dimension) != AttrKind::kInt ||
      !find_ints(c.m, row.attributes, "operandSegmentSizes", sizes) || sizes.size() != 2 ||
      sizes[1] < 0 || !has_segments(c.m, op, "operandSegmentSizes", row.operand_count, sizes[1]) ||
      !has_segments(c.m, op, "resultSegmentSizes", row.result_count, sizes[1]))
    return false;
  const std::size_t inputs = static_cast<std::size_t>(sizes[0]);
  c.out += '(';
  for (std::size_t i = 0; i < row.operand_count; ++i) {
    if (i == inputs) c.out.append(") inits (");
    if (i != 0 && i != inputs) c.out.append(", ");
    write_value(c, operand(c.m, op, i));
  }
  if (inputs == row.operand_count) c.out.append(") inits (");
  c.out.append(") dimension=");
  append_integer(c.out, c.m.attrs.as_int(dimension));
  c.out += ' ';
  const std::size_t begin = c.out.size();
  write_attr_dict(c, op,
                  entry_bit(c.m, op, "dimension") | entry_bit(c.m, op, "operandSegmentSizes") |
                      entry_bit(c.m, op, "resultSegmentSizes"));
  if (c.out.size() != begin) c.out.insert(begin, " attributes");
  c.out += ' ';
  write_region(c, row.first_block, true);
  c.out.append(" : ");
  write_functional_type(c, op);
  return true;
}

}  // namespace shardprop::detail

// Defines what this header only declares, so that it stands alone.
