// Pieces of attributes in MLIR text: fields of objects, lists, numbers, symbols. A function gives
// false, and what it appended is to be taken back, where a value is not of the form that it writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "shardprop/io/text/numbers/number.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/dense.hpp"
#include "shardprop/io/text/write/type.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

inline AttrId field_of(const Module& m, AttrId dict, std::string_view name) {
  return m.attrs.find(dict, m.strings.find(name));
}

// A string without its quotes, which it can do without if it is a word.
inline bool write_word(TextWriteContext& c, AttrId value) {
  if (c.m.attrs.kind(value) != AttrKind::kString) return false;
  const std::string_view text = c.m.strings[c.m.attrs.as_string(value)];
  if (!is_bare_name(text)) return false;
  c.out.append(text);
  return true;
}

// `[a, b]` with `write(c, item)` for each item, which may fail; also of a list of integers, which
// has no items, only where it is empty.
template <class Write>
bool write_items(TextWriteContext& c, AttrId list, Write write, std::string_view brackets = "[]") {
  const AttrKind kind = c.m.attrs.kind(list);
  if (kind == AttrKind::kInts && c.m.attrs.as_ints(list).empty()) {
    c.out.append(brackets);
    return true;
  }
  if (kind != AttrKind::kList) return false;
  c.out += brackets[0];
  bool first = true;
  for (AttrId item : c.m.attrs.items(list)) {
    if (!first) c.out.append(", ");
    first = false;
    if (!write(c, item)) return false;
  }
  c.out += brackets[1];
  return true;
}

inline void append_ints(std::string& out, std::span<const std::int64_t> numbers) {
  append_list(out, numbers, [&](std::int64_t number) { append_integer(out, number); });
}

// `[1, 2]`, in full `array<i64: 1, 2>`.
inline bool write_int_array(TextWriteContext& c, AttrId value, bool full,
                            std::string_view dtype = "i64") {
  if (c.m.attrs.kind(value) != AttrKind::kInts) return false;
  const auto numbers = c.m.attrs.as_ints(value);
  if (full) {
    c.out.append("array<").append(dtype).append(numbers.empty() ? "" : ": ");
  } else {
    c.out += '[';
  }
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
  const bool is_whole = c.m.attrs.kind(value) == AttrKind::kInt;
  // JSON may have an integer for a float.
  if (!is_number_of(c.m, value, type) && !(is_whole && find_float_format(type))) return false;
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
