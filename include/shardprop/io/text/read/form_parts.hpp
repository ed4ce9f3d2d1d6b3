// Attributes and types as pretty forms have them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/read/attribute.hpp"
#include "shardprop/io/text/read/axes.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/generic.hpp"
#include "shardprop/io/text/read/op_attributes.hpp"
#include "shardprop/io/text/read/sharding.hpp"
#include "shardprop/io/text/read/type.hpp"

namespace shardprop::detail {

// --- attributes ---

// An attribute in the notation that any attribute has, such as `array<i64: 0, 1>` or an older
// `dense<[0, 1]> : tensor<2xi64>`, as its plain value.
inline bool read_plain_attribute(TextReadContext& c, AttrId& out) {
  if (!read_attribute(c, out)) return false;
  out = plain_or_text(c, out);
  return true;
}

inline bool read_bare_enum(TextReadContext& c, AttrId& out) {
  return c.in.peek() == '#' ? read_plain_attribute(c, out) : read_keyword(c, out);
}

inline bool read_bare_ints(TextReadContext& c, AttrId& out) {
  if (c.in.peek() != '[') {
    const char* const at = c.in.here();
    if (!read_plain_attribute(c, out)) return false;
    return c.m.attrs.kind(out) == AttrKind::kInts ||
           (c.in.go_to(at), fail_expected(c, "a list of integers"));
  }
  SmallVector<std::int64_t, 8> ints;
  if (!read_integer_list(c, ints)) return false;
  out = c.m.attrs.ints({ints.data(), ints.size()});
  return true;
}

// A number may have its type after it in a list of attributes, but not in a form.
inline bool read_bare_integer(TextReadContext& c, AttrId& out) {
  std::int64_t number = 0;
  if (!read_integer(c, number)) return false;
  out = c.m.attrs.integer(number);
  return true;
}

inline bool read_bare_text(TextReadContext& c, AttrId& out) {
  StringId text;
  if (!read_string(c, text)) return false;
  out = c.m.attrs.string(text);
  return true;
}

inline bool read_symbol_name(TextReadContext& c, AttrId& out) {
  StringId name;
  if (!read_symbol(c, name)) return false;
  out = c.m.attrs.string(name);
  return true;
}

// The value of an attribute as a pretty form has it.
inline bool read_bare_attribute(TextReadContext& c, const OpAttributeRow& row, AttrId& out) {
  switch (row.kind) {
    case OpAttributeKind::kI64:
    case OpAttributeKind::kI32:
      return read_bare_integer(c, out);
    case OpAttributeKind::kI64Array:
      return read_bare_ints(c, out);
    case OpAttributeKind::kString:
      return read_bare_text(c, out);
    case OpAttributeKind::kSymbol:
      return read_symbol_name(c, out);
    case OpAttributeKind::kEnum:
    case OpAttributeKind::kNumberEnum:
      return read_bare_enum(c, out);
    case OpAttributeKind::kEnums:
      return read_attribute_list(c, read_bare_enum, out);
    case OpAttributeKind::kStruct:
      if (c.in.peek() != '<') return read_plain_attribute(c, out);
      return read_struct(c, *find_attribute_struct(row.detail), out);
    case OpAttributeKind::kAxes:
      return read_text_axes(c, out);
    case OpAttributeKind::kAxesLists:
      return read_attribute_list(c, read_text_axes, out);
    case OpAttributeKind::kAxesMoves:
      return read_attribute_list(c, read_axes_move, out);
    case OpAttributeKind::kShardings:
      return read_sharding_list(c, out);
    default:
      return read_plain_attribute(c, out);
  }
}

inline bool set_ints(TextReadContext& c, TextOp& op, std::string_view key,
                     const SmallVector<std::int64_t, 8>& ints) {
  return set_attribute(c, op, key, c.m.attrs.ints({ints.data(), ints.size()}));
}

// `[0:4, 1:8:2]`: start, limit and stride of each dimension.
inline bool read_slice_ranges(TextReadContext& c, TextOp& op) {
  std::array<SmallVector<std::int64_t, 8>, 3> ints;
  if (!expect(c, '[')) return false;
  if (!c.in.accept(']')) {
    do {
      std::array<std::int64_t, 3> range = {0, 0, 1};
      if (!read_integer(c, range[0]) || !expect(c, ':') || !read_integer(c, range[1])) return false;
      if (c.in.accept(':') && !read_integer(c, range[2])) return false;
      for (std::size_t i = 0; i < 3; ++i) ints[i].push_back(range[i]);
    } while (c.in.accept(','));
    if (!expect(c, ']')) return false;
  }
  return set_ints(c, op, "start_indices", ints[0]) && set_ints(c, op, "limit_indices", ints[1]) &&
         set_ints(c, op, "strides", ints[2]);
}

// `[0] x [1]` as the fields of the two sides; an empty list is none.
inline bool read_dot_sides(TextReadContext& c, std::size_t field, TextAttributes& out) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (side == 1 && !expect_word(c, "x")) return false;
    AttrId ints;
    if (!read_bare_ints(c, ints)) return false;
    if (is_zero_field(c.m.attrs, ints)) continue;
    out.push_back({c.m.strings.intern(kDotFields[field + side].name), ints});
  }
  return true;
}

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
inline bool read_dot_dims(TextReadContext& c, TextOp& op) {
  TextAttributes fields;
  if (c.in.accept_word("batching_dims") &&
      !(expect(c, '=') && read_dot_sides(c, 0, fields) && expect(c, ',')))
    return false;
  if (!expect_word(c, "contracting_dims") || !expect(c, '=') || !read_dot_sides(c, 2, fields))
    return false;
  return set_attribute(c, op, "dot_dimension_numbers",
                       c.m.attrs.dict({fields.data(), fields.size()}));
}

// `0`, `1`, `false` or `true`
inline bool read_bare_bool(TextReadContext& c, AttrId& out) {
  std::int64_t number = 0;
  if (c.in.accept_word("true")) {
    number = 1;
  } else if (!c.in.accept_word("false") && !c.in.integer(number)) {
    return fail_expected(c, "true or false");
  }
  out = c.m.attrs.boolean(number != 0);
  return true;
}

// `{stride = [2, 2], pad = [[0, 1], [0, 1]], reverse = [false, false]}`, all of them optional.
inline bool read_window(TextReadContext& c, TextOp& op) {
  if (!expect(c, '{')) return false;
  if (c.in.accept('}')) return true;
  do {
    const char* const at = c.in.here();
    const std::string_view word = c.in.word();
    std::size_t i = 0;
    while (i < kWindowWords.size() && kWindowWords[i].word != word) ++i;
    if (i == kWindowWords.size()) {
      c.in.go_to(at);
      return fail_expected(c, "stride, pad, lhs_dilate, rhs_dilate or reverse");
    }
    AttrId value;
    if (!expect(c, '=')) return false;
    const bool read = word == "pad"       ? read_attribute_list(c, read_bare_ints, value)
                      : word == "reverse" ? read_attribute_list(c, read_bare_bool, value)
                                          : read_bare_ints(c, value);
    if (!read || !set_attribute(c, op, kWindowWords[i].key, value)) return false;
  } while (c.in.accept(','));
  return expect(c, '}');
}

// `e5m10`: bits of the exponent and of the mantissa.
inline bool read_float_bits(TextReadContext& c, TextOp& op) {
  const char* const at = c.in.here();
  const std::string_view word = c.in.word();
  const std::size_t m = word.find('m');
  std::int64_t exponent = 0;
  std::int64_t mantissa = 0;
  if (!word.starts_with('e') || m == std::string_view::npos ||
      !parse_integer(word.substr(1, m - 1), exponent) ||
      !parse_integer(word.substr(m + 1), mantissa)) {
    c.in.go_to(at);
    return fail_expected(c, "a format, such as e5m10");
  }
  return set_attribute(c, op, "exponent_bits", c.m.attrs.integer(exponent)) &&
         set_attribute(c, op, "mantissa_bits", c.m.attrs.integer(mantissa));
}

// `max`, or nothing for a sum.
inline bool read_reduction(TextReadContext& c, TextOp& op) {
  std::string_view word = c.in.word();
  if (word.empty()) word = "sum";
  return set_attribute(c, op, "reduction_op", c.m.attrs.string(c.m.strings.intern(word)));
}

// --- types ---

// `(operands) -> results`
inline bool read_op_function_type(TextReadContext& c, TextOp& op) {
  const char* const at = c.in.here();
  TextTypes inputs;
  return read_function_type(c, inputs, op.result_types) && check_operand_types(c, op, inputs, at);
}

// One type for all operands and the result.
inline bool read_same_type(TextReadContext& c, TextOp& op) {
  if (c.in.peek() == '(') return read_op_function_type(c, op);
  const char* const at = c.in.here();
  TypeId type;
  if (!read_type(c, type)) return false;
  op.result_types.push_back(type);
  for (ValueId value : op.operands) {
    if (type_of(c.m, value) == type) continue;
    return check_operand_types(c, op, TextTypes(op.operands.size(), type), at);
  }
  return true;
}

// One type for all operands.
inline bool read_operand_type(TextReadContext& c, TextOp& op) {
  const char* const at = c.in.here();
  TypeId type;
  return read_type(c, type) && check_operand_types(c, op, TextTypes(op.operands.size(), type), at);
}

inline bool read_operand_types(TextReadContext& c, TextOp& op) {
  const char* const at = c.in.here();
  TextTypes types;
  return read_types(c, types) && check_operand_types(c, op, types, at);
}

// The types of the operands, which the results have too.
inline bool read_pair_types(TextReadContext& c, TextOp& op) {
  const char* const at = c.in.here();
  return read_types(c, op.result_types) && check_operand_types(c, op, op.result_types, at);
}

// `tensor<2xi1>, tensor<2xf32>`: the predicate's, and that of all else.
inline bool read_select_type(TextReadContext& c, TextOp& op) {
  if (c.in.peek() == '(') return read_op_function_type(c, op);
  const char* const at = c.in.here();
  TypeId predicate;
  TypeId type;
  if (!read_type(c, predicate) || !expect(c, ',') || !read_type(c, type)) return false;
  op.result_types.push_back(type);
  return check_operand_types(c, op, {predicate, type, type}, at);
}

// `tensor<2xcomplex<f32>>`: the result's; the operands are tensors of its parts.
inline bool read_complex_type(TextReadContext& c, TextOp& op) {
  if (c.in.peek() == '(') return read_op_function_type(c, op);
  const char* const at = c.in.here();
  TypeId type;
  if (!read_type(c, type)) return false;
  op.result_types.push_back(type);
  const std::string dtype(c.m.strings[c.m.types.dtype(type)]);
  if (!c.m.types.is_tensor(type) || complex_part(dtype) == dtype) {
    return fail(c, at, "text.type", "the result must be a tensor of complex numbers",
                "write the types as (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>");
  }
  const SmallVector<std::int64_t, 8> shape(c.m.types.shape(type));
  const TypeId part = c.m.types.tensor(c.m.strings.intern(complex_part(dtype)),
                                       {shape.data(), shape.size()}, c.m.types.encoding(type));
  return check_operand_types(c, op, {part, part}, at);
}

// `tuple<...>`: the result's, which says the operands'.
inline bool read_tuple_type(TextReadContext& c, TextOp& op) {
  TypeId type;
  if (!read_type(c, type)) return false;
  op.result_types.push_back(type);
  return true;
}

// `type, type -> type` or `type -> (type, type)`
inline bool read_arrow_types(TextReadContext& c, TextOp& op) {
  return read_operand_types(c, op) && expect(c, "->") && read_type_or_types(c, op.result_types);
}

}  // namespace shardprop::detail
