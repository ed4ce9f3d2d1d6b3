// Attributes that belong to an operation, in MLIR text: by the rows of forms/attribute_rows.hpp, in
// full, as the generic form and dictionaries have them, or in brief, as pretty forms have them.
//
// A function gives false, and what it appended is to be taken back, where a value is not of the
// form that its kind has; it is then written as any other attribute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/write/attribute.hpp"
#include "shardprop/io/text/write/axes.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/dense.hpp"
#include "shardprop/io/text/write/mesh_axes.hpp"
#include "shardprop/io/text/write/sharding.hpp"
#include "shardprop/io/text/write/values.hpp"

namespace shardprop::detail {

// How many rows and columns a list of lists has; false if it is none, or they are not of one size,
// or without columns.
struct MatrixSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool is_splat = true;  // of one number
  std::int64_t number = 0;
};

inline bool measure_matrix(const Module& m, AttrId value, MatrixSize& out) {
  if (m.attrs.kind(value) == AttrKind::kInts) return m.attrs.as_ints(value).empty();
  if (m.attrs.kind(value) != AttrKind::kList) return false;
  for (AttrId row : m.attrs.items(value)) {
    if (m.attrs.kind(row) != AttrKind::kInts) return false;
    const auto numbers = m.attrs.as_ints(row);
    if (out.rows == 0) out.columns = numbers.size();
    if (numbers.size() != out.columns || numbers.empty()) return false;
    for (std::int64_t number : numbers) {
      if (out.rows == 0 && &number == numbers.data()) out.number = number;
      out.is_splat = out.is_splat && number == out.number;
    }
    ++out.rows;
  }
  return true;
}

// `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`. A table without rows has pairs in it, but for
// groups.
inline bool write_matrix(TextWriteContext& c, AttrId value, std::string_view key) {
  MatrixSize size;
  if (!measure_matrix(c.m, value, size)) return false;
  if (size.rows == 0 && key != "replica_groups") size.columns = 2;
  c.out.append("dense<");
  if (size.rows * size.columns != 0) {
    if (size.is_splat) {
      append_integer(c.out, size.number);
    } else {
      write_dense_level(c, value, "i64", 2);
    }
  }
  c.out.append("> : tensor<");
  append_integer(c.out, size.rows);
  c.out += 'x';
  append_integer(c.out, size.columns);
  c.out.append("xi64>");
  return true;
}

// `dense<[1, 0]> : tensor<2xindex>`
inline bool write_layout(TextWriteContext& c, AttrId layout) {
  if (c.m.attrs.kind(layout) != AttrKind::kInts) return false;
  const auto order = c.m.attrs.as_ints(layout);
  c.out.append("dense<");
  if (order.size() == 1) {
    append_integer(c.out, order[0]);
  } else if (!order.empty()) {
    c.out += '[';
    append_ints(c.out, order);
    c.out += ']';
  }
  c.out.append("> : tensor<");
  append_integer(c.out, order.size());
  c.out.append("xindex>");
  return true;
}

// `EQ`, in full `#stablehlo<comparison_direction EQ>`.
inline bool write_keyword(TextWriteContext& c, AttrId value, std::string_view name, bool full) {
  if (full) c.out.append("#stablehlo<").append(name) += ' ';
  if (!write_word(c, value)) return false;
  if (full) c.out += '>';
  return true;
}

// A type by its name, such as `tf32`.
inline bool write_type_name(TextWriteContext& c, AttrId value) {
  const std::size_t begin = c.out.size();
  return write_word(c, value) && c.out.find('.', begin) == std::string::npos;
}

inline bool write_struct_field(TextWriteContext& c, AttrId value, AttributeFieldKind kind) {
  const AttrKind is = c.m.attrs.kind(value);
  switch (kind) {
    case AttributeFieldKind::kInt:
      if (is != AttrKind::kInt) return false;
      append_integer(c.out, c.m.attrs.as_int(value));
      return true;
    case AttributeFieldKind::kInts:
      return write_int_array(c, value, false);
    case AttributeFieldKind::kFloat:
      return write_scalar(c, value, "f64", false);
    case AttributeFieldKind::kType:
      return write_type_name(c, value);
    case AttributeFieldKind::kBool:
      if (is != AttrKind::kBool) return false;
      c.out.append(c.m.attrs.as_bool(value) ? "true" : "false");
      return true;
    case AttributeFieldKind::kMode:
      c.out.append("#stablehlo.result_accuracy_mode<");
      if (!write_word(c, value)) return false;
      c.out += '>';
      return true;
  }
  return false;
}

inline bool is_zero_or_empty(const Module& m, AttrId value) {
  if (m.attrs.kind(value) == AttrKind::kInt) return m.attrs.as_int(value) == 0;
  if (m.attrs.kind(value) == AttrKind::kFloat) return m.attrs.as_float(value) == 0;
  return m.attrs.kind(value) == AttrKind::kInts && m.attrs.as_ints(value).empty();
}

// `<offset_dims = [0], ...>` in the order of the rows; false if there are other fields.
inline bool write_fields(TextWriteContext& c, AttrId value, const AttributeStruct& row) {
  if (c.m.attrs.kind(value) != AttrKind::kDict) return false;
  std::size_t found = 0;
  bool first = true;
  for (const AttributeField& field : row.fields) {
    const AttrId own = field_of(c.m, value, field.name);
    if (!own.valid()) continue;
    ++found;
    if (row.skips_zero && is_zero_or_empty(c.m, own)) continue;
    c.out.append(first ? "" : ", ").append(field.name).append(" = ");
    first = false;
    if (!write_struct_field(c, own, field.kind)) return false;
  }
  return found == c.m.attrs.entries(value).size();
}

inline bool write_struct(TextWriteContext& c, AttrId value, std::string_view name, bool full) {
  const AttributeStruct* const row = find_attribute_struct(name);
  if (!row) return false;
  if (full) c.out.append("#stablehlo.").append(name);
  c.out += '<';
  if (!write_fields(c, value, *row)) return false;
  c.out += '>';
  return true;
}

// `BOTH`, in full `3 : i32`.
inline bool write_number_enum(TextWriteContext& c, AttrId value, std::string_view words,
                              bool full) {
  if (c.m.attrs.kind(value) != AttrKind::kString) return false;
  const std::string_view word = c.m.strings[c.m.attrs.as_string(value)];
  for (int number = 0; !words.empty(); ++number) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) {
      if (!full) return write_word(c, value);
      append_integer(c.out, number);
      c.out.append(" : i32");
      return true;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// The constant `value` of `op`. A quantized one stores elements of another type than its result.
inline bool write_elements(TextWriteContext& c, OpId op, AttrId value) {
  const AttrKind is = c.m.attrs.kind(value);
  const bool is_other = is == AttrKind::kDict || is == AttrKind::kNull || is == AttrKind::kSharding;
  if (is_other && !is_elided(c.m, value)) return false;
  if (c.m.ops[op].result_count != 1) return false;
  const TypeId type = type_of(c.m, result(c.m, op, 0));
  if (!type.valid() || !c.m.types.is_tensor(type)) return false;
  write_dense(c, value, type);
  return true;
}

// The shardings of a list in brackets, in full `#sdy.sharding_per_value<[...]>`.
inline bool write_shardings(TextWriteContext& c, AttrId value, bool full) {
  if (full) c.out.append("#sdy.sharding_per_value<");
  if (!write_sharding_list(c, value)) return false;
  if (full) c.out += '>';
  return true;
}

// Lists, and words of enumerations.
inline bool write_own_list(TextWriteContext& c, const OpAttributeRow& row, AttrId value,
                           bool full) {
  switch (row.kind) {
    case OpAttributeKind::kSymbols:
      return write_items(c, value, write_symbol_of);
    case OpAttributeKind::kI64Array:
      return write_int_array(c, value, full);
    case OpAttributeKind::kI32Array:
      return write_int_array(c, value, full, "i32");
    case OpAttributeKind::kBoolArray:
      return write_bool_array(c, value, full);
    case OpAttributeKind::kMatrix:
      return c.m.attrs.kind(value) == AttrKind::kDict ? write_mesh_axes(c, value)
                                                      : write_matrix(c, value, row.key);
    case OpAttributeKind::kLayouts:
      return write_items(c, value, write_layout);
    case OpAttributeKind::kEnum:
      return write_keyword(c, value, row.detail, full);
    case OpAttributeKind::kEnums:
      return write_items(c, value, [&](TextWriteContext& in, AttrId item) {
        return write_keyword(in, item, row.detail, full);
      });
    case OpAttributeKind::kNumberEnum:
      return write_number_enum(c, value, row.detail, full);
    case OpAttributeKind::kStruct:
      return write_struct(c, value, row.detail, full);
    case OpAttributeKind::kStructs:
      return write_items(c, value, [&](TextWriteContext& in, AttrId item) {
        return write_struct(in, item, row.detail, full);
      });
    case OpAttributeKind::kShardings:
      return write_shardings(c, value, full);
    default:
      return write_axes_attribute(c, row, value, full);
  }
}

// `value` of attribute `row` of `op`.
inline bool write_own_attribute(TextWriteContext& c, OpId op, const OpAttributeRow& row,
                                AttrId value, bool full) {
  switch (row.kind) {
    case OpAttributeKind::kI64:
      return write_scalar(c, value, "i64", full);
    case OpAttributeKind::kI32:
      return write_scalar(c, value, "i32", full);
    case OpAttributeKind::kF32:
      return write_scalar(c, value, "f32", full);
    case OpAttributeKind::kBool:
      return write_struct_field(c, value, AttributeFieldKind::kBool);
    case OpAttributeKind::kUnit:
      c.out.append("unit");
      return c.m.attrs.kind(value) == AttrKind::kBool && c.m.attrs.as_bool(value);
    case OpAttributeKind::kString:
      if (c.m.attrs.kind(value) != AttrKind::kString) return false;
      write_string(c, c.m.strings[c.m.attrs.as_string(value)]);
      return true;
    case OpAttributeKind::kSymbol:
      return write_symbol_of(c, value);
    case OpAttributeKind::kElements:
      return write_elements(c, op, value);
    case OpAttributeKind::kAny:
      write_attribute(c, value);
      return true;
    default:
      return write_own_list(c, row, value, full);
  }
}

// Attribute `key` of `op` in full; false, and nothing appended, if the operation does not know it
// or its value has another form.
inline bool write_op_attribute(TextWriteContext& c, OpId op, std::string_view key, AttrId value) {
  const OpAttributeRow* const row = find_op_attribute(op_name(c.m, op), key);
  if (!row) return false;
  const bool keeps_text =
      c.m.attrs.kind(value) == AttrKind::kTyped && row->kind != OpAttributeKind::kElements;
  if (keeps_text) return false;
  const std::size_t begin = c.out.size();
  if (write_own_attribute(c, op, *row, value, true)) return true;
  c.out.resize(begin);
  return false;
}

}  // namespace shardprop::detail
