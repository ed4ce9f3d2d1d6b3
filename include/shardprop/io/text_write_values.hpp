// Pieces of attributes in MLIR text: fields of objects, lists, numbers, symbols. A function gives
// false, and what it appended is to be taken back, where a value is not of the form that it writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/io/text_write_context.hpp"
#include "shardprop/io/text_write_dense.hpp"
#include "shardprop/io/text_write_type.hpp"

namespace shardprop::detail {

inline AttrId field_of(const Module& m, AttrId dict, std::string_view name) {
  return m.attrs.find(dict, m.strings.find(name));
}

inline bool append_string_of(TextWriteContext& c, AttrId value) {
  if (c.m.attrs.kind(value) != AttrKind::kString) return false;
  c.out.append(c.m.strings[c.m.attrs.as_string(value)]);
  return true;
}

// `[a, b]` with `write(item)` for each item, which may fail; also of a list of integers, which has
// no items, only where it is empty.
template <class Write>
bool write_items(TextWriteContext& c, AttrId list, Write&& write) {
  const AttrKind kind = c.m.attrs.kind(list);
  if (kind == AttrKind::kInts && c.m.attrs.as_ints(list).empty()) {
    c.out.append("[]");
    return true;
  }
  if (kind != AttrKind::kList) return false;
  c.out += '[';
  bool first = true;
  for (AttrId item : c.m.attrs.items(list)) {
    if (!first) c.out.append(", ");
    first = false;
    if (!write(item)) return false;
  }
  c.out += ']';
  return true;
}

inline void append_ints(std::string& out, ArrayView<const std::int64_t> numbers) {
  bool first = true;
  for (std::int64_t number : numbers) {
    if (!first) out.append(", ");
    first = false;
    append_integer(out, number);
  }
}

// `[1, 2]`, in full `array<i64: 1, 2>`.
inline bool write_int_array(TextWriteContext& c, AttrId value, bool full) {
  if (c.m.attrs.kind(value) != AttrKind::kInts) return false;
  const auto numbers = c.m.attrs.as_ints(value);
  c.out.append(!full ? "[" : numbers.empty() ? "array<i64" : "array<i64: ");
  append_ints(c.out, numbers);
  c.out += full ? '>' : ']';
  return true;
}

inline bool write_bool_array(TextWriteContext& c, AttrId value, bool full) {
  const bool empty = c.m.attrs.kind(value) == AttrKind::kInts && c.m.attrs.as_ints(value).empty();
  if (!empty && c.m.attrs.kind(value) != AttrKind::kList) return false;
  c.out.append(!full ? "[" : empty ? "array<i1" : "array<i1: ");
  bool first = true;
  if (!empty) {
    for (AttrId item : c.m.attrs.items(value)) {
      if (c.m.attrs.kind(item) != AttrKind::kBool) return false;
      c.out.append(first ? "" : ", ").append(c.m.attrs.as_bool(item) ? "true" : "false");
      first = false;
    }
  }
  c.out += full ? '>' : ']';
  return true;
}

inline bool write_scalar(TextWriteContext& c, AttrId value, std::string_view type, bool full) {
  const AttrKind kind = c.m.attrs.kind(value);
  const bool is_float = type == "f32";
  if (kind != AttrKind::kInt &&
      !(is_float && (kind == AttrKind::kFloat || kind == AttrKind::kString)))
    return false;
  append_element(c.out, c.m, value, type);
  if (full) c.out.append(" : ").append(type);
  return true;
}

inline bool write_symbol_of(TextWriteContext& c, AttrId value) {
  if (c.m.attrs.kind(value) != AttrKind::kString) return false;
  write_symbol(c, c.m.strings[c.m.attrs.as_string(value)]);
  return true;
}

}  // namespace shardprop::detail
