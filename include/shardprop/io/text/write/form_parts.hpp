// The attributes and types of single operations as their pretty forms write them. A function gives
// false where the form cannot say what the operation is; what was appended is then taken back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "shardprop/io/text/forms/form.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/op_attribute.hpp"
#include "shardprop/io/text/write/type.hpp"

namespace shardprop::detail {

// --- attributes ---

// The integers of attribute `key`; false if there is none, or it is not such a list.
inline bool find_ints(const Module& m, AttrId dict, std::string_view key,
                      std::span<const std::int64_t>& out) {
  const AttrId value = field_of(m, dict, key);
  if (m.attrs.kind(value) != AttrKind::kInts) return false;
  out = m.attrs.as_ints(value);
  return true;
}

// `[0:4, 1:8:2]`
inline bool write_slice_ranges(TextWriteContext& c, OpId op) {
  std::span<const std::int64_t> start, limit, stride;
  const AttrId dict = c.m.ops[op].attributes;
  if (!find_ints(c.m, dict, "start_indices", start) ||
      !find_ints(c.m, dict, "limit_indices", limit) || !find_ints(c.m, dict, "strides", stride) ||
      limit.size() != start.size() || stride.size() != start.size())
    return false;
  c.out += '[';
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (i != 0) c.out.append(", ");
    append_integer(c.out, start[i]);
    c.out += ':';
    append_integer(c.out, limit[i]);
    if (stride[i] == 1) continue;
    c.out += ':';
    append_integer(c.out, stride[i]);
  }
  c.out += ']';
  return true;
}

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
inline bool write_dot_dims(TextWriteContext& c, OpId op) {
  const AttrId dims = field_of(c.m, c.m.ops[op].attributes, "dot_dimension_numbers");
  if (c.m.attrs.kind(dims) != AttrKind::kDict) return false;
  std::array<std::span<const std::int64_t>, 4> lists;
  std::size_t found = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const bool there = field_of(c.m, dims, kDotFields[i].name).valid();
    if (there && !find_ints(c.m, dims, kDotFields[i].name, lists[i])) return false;
    found += there ? 1 : 0;
  }
  if (found != c.m.attrs.entries(dims).size()) return false;
  const auto write = [&](std::string_view word, std::size_t at) {
    c.out.append(word);
    append_ints(c.out, lists[at]);
    c.out.append("] x [");
    append_ints(c.out, lists[at + 1]);
    c.out += ']';
  };
  if (!lists[0].empty() || !lists[1].empty()) {
    write("batching_dims = [", 0);
    c.out.append(", ");
  }
  write("contracting_dims = [", 2);
  return true;
}

inline bool write_form_conv_dims(TextWriteContext& c, OpId op) {
  const AttrId dims = field_of(c.m, c.m.ops[op].attributes, "dimension_numbers");
  return dims.valid() && write_conv_dims(c, dims);
}

// `{stride = [2, 2], pad = [[0, 1], [0, 1]], reverse = [false, false]}`
inline bool write_window(TextWriteContext& c, OpId op) {
  const AttrId dict = c.m.ops[op].attributes;
  c.out += '{';
  bool first = true;
  for (const WindowWord& row : kWindowWords) {
    const AttrId value = field_of(c.m, dict, row.key);
    if (!value.valid()) continue;
    c.out.append(first ? "" : ", ").append(row.word).append(" = ");
    first = false;
    MatrixSize size;
    if (row.word == "pad") {
      if (!measure_matrix(c.m, value, size) || (size.rows > 0 && size.columns != 2)) return false;
      write_dense_level(c, value, "i64", 2);
    } else if (!(row.word == "reverse" ? write_bool_array(c, value, false)
                                       : write_int_array(c, value, false))) {
      return false;
    }
  }
  c.out += '}';
  return true;
}

// `e5m10`
inline bool write_float_bits(TextWriteContext& c, OpId op) {
  for (const std::string_view key : {"exponent_bits", "mantissa_bits"}) {
    const AttrId value = field_of(c.m, c.m.ops[op].attributes, key);
    const bool is_bits = c.m.attrs.kind(value) == AttrKind::kInt && c.m.attrs.as_int(value) >= 0;
    if (!is_bits) return false;
    c.out += key[0];
    append_integer(c.out, c.m.attrs.as_int(value));
  }
  return true;
}

// `max ` with a blank, nothing for a sum.
inline bool write_reduction(TextWriteContext& c, OpId op) {
  const AttrId value = field_of(c.m, c.m.ops[op].attributes, "reduction_op");
  if (c.m.attrs.kind(value) != AttrKind::kString) return false;
  const std::string_view word = c.m.strings[c.m.attrs.as_string(value)];
  if (word == "sum") return true;
  c.out.append(word) += ' ';
  return word == "max" || word == "min";
}

// --- types ---

inline TypeId type_of_operand(const Module& m, OpId op, std::size_t i) {
  return type_of(m, operand(m, op, i));
}

inline bool has_operand_type(const Module& m, OpId op, TypeId type) {
  for (UseId use : operand_uses(m, op)) {
    if (type_of(m, m.uses[use].value) != type) return false;
  }
  return true;
}

// Whether there is one result and all operands have its type.
inline bool has_one_type(const Module& m, OpId op) {
  return m.ops[op].result_count == 1 && has_operand_type(m, op, type_of(m, result(m, op, 0)));
}
// Whether there are no results and all operands are of one type.
inline bool has_one_operand_type(const Module& m, OpId op) {
  return m.ops[op].result_count == 0 && has_operand_type(m, op, type_of_operand(m, op, 0));
}

// Whether the types of the results are those of the operands, one by one.
inline bool has_pair_types(const Module& m, OpId op) {
  if (m.ops[op].result_count != m.ops[op].operand_count) return false;
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    if (type_of(m, result(m, op, i)) != type_of_operand(m, op, i)) return false;
  }
  return true;
}

inline bool has_select_types(const Module& m, OpId op) {
  if (m.ops[op].operand_count != 3 || m.ops[op].result_count != 1) return false;
  const TypeId type = type_of(m, result(m, op, 0));
  return type_of_operand(m, op, 1) == type && type_of_operand(m, op, 2) == type;
}

inline bool has_complex_types(const Module& m, OpId op) {
  if (m.ops[op].operand_count != 2 || m.ops[op].result_count != 1) return false;
  const TypeId part = type_of_operand(m, op, 0);
  const TypeId type = type_of(m, result(m, op, 0));
  if (type_of_operand(m, op, 1) != part || !part.valid() || !type.valid()) return false;
  if (!m.types.is_tensor(part) || !m.types.is_tensor(type)) return false;
  std::string dtype = "complex<";
  dtype.append(m.strings[m.types.dtype(part)]) += '>';
  const auto shape = m.types.shape(type);
  const auto part_shape = m.types.shape(part);
  return m.strings[m.types.dtype(type)] == dtype &&
         std::equal(shape.begin(), shape.end(), part_shape.begin(), part_shape.end()) &&
         m.types.encoding(type) == m.types.encoding(part);
}

// The type of the result, `tuple<...>` of the operands' types.
inline bool write_tuple_type(TextWriteContext& c, OpId op) {
  if (c.m.ops[op].result_count != 1) return false;
  const std::size_t begin = c.out.size();
  c.out.append("tuple<");
  write_operand_types(c, op);
  c.out += '>';
  const std::string of_operands = c.out.substr(begin);
  c.out.resize(begin);
  write_result_types(c, op);
  return std::string_view(c.out).substr(begin) == of_operands;
}

// Either the short form that `says_all`, or the function type.
inline bool write_short_or_function(TextWriteContext& c, OpId op, bool says_all) {
  if (says_all) {
    write_result_types(c, op);
  } else {
    write_functional_type(c, op);
  }
  return true;
}

inline bool write_type_step(TextWriteContext& c, OpId op, FormPart part) {
  const Operation& row = c.m.ops[op];
  switch (part) {
    case FormPart::kFunctionType:
      return write_short_or_function(c, op, false);
    case FormPart::kSameType:
      return write_short_or_function(c, op, has_one_type(c.m, op));
    case FormPart::kComplexType:
      return write_short_or_function(c, op, has_complex_types(c.m, op));
    case FormPart::kOutTypes:
      write_result_types(c, op);
      return row.result_count > 0;
    case FormPart::kInTypes:
      write_operand_types(c, op);
      return row.operand_count > 0;
    case FormPart::kInType:
      write_type(c, type_of_operand(c.m, op, 0));
      return has_one_operand_type(c.m, op);
    case FormPart::kInTypesInBrackets:
      c.out += '(';
      write_operand_types(c, op);
      c.out += ')';
      return true;
    case FormPart::kPairTypes:
      write_operand_types(c, op);
      return has_pair_types(c.m, op);
    case FormPart::kSelectType:
      if (!has_select_types(c.m, op)) return write_short_or_function(c, op, false);
      write_type(c, type_of_operand(c.m, op, 0));
      c.out.append(", ");
      write_result_types(c, op);
      return true;
    case FormPart::kTupleType:
      return write_tuple_type(c, op);
    default:
      write_operand_types(c, op);
      c.out.append(" -> ");
      write_result_types(c, op);
      return row.result_count == 1;
  }
}

}  // namespace shardprop::detail
