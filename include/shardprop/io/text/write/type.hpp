// Names, strings and types in MLIR text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/text/read/scanner.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

// Bytes that do not print are `\0A`; MLIR reads `\n` and `\t` too, but does not write them.
inline void append_text_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  out += '"';
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out.append("\\\\");
    } else if (c == '"' || byte < 0x20 || byte > 0x7E) {
      out += '\\';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

inline void write_string(TextWriteContext& c, std::string_view text) {
  append_text_string(c.out, text);
}

// Letters, digits, `_`, `$`, `.`, not a digit first: what needs no quotes.
inline bool is_bare_name(std::string_view name) {
  return !name.empty() && starts_name(name[0]) &&
         std::all_of(name.begin(), name.end(), is_word_char);
}

inline void write_symbol(TextWriteContext& c, std::string_view name) {
  c.out += '@';
  if (is_bare_name(name)) {
    c.out.append(name);
  } else {
    append_text_string(c.out, name);
  }
}

inline void write_key(TextWriteContext& c, std::string_view key) {
  if (is_bare_name(key)) {
    c.out.append(key);
  } else {
    append_text_string(c.out, key);
  }
}

inline void write_value(TextWriteContext& c, ValueId value) { c.names.append(c.out, value); }

inline void write_operands(TextWriteContext& c, OpId op, std::size_t from) {
  const IdRange<UseId> uses = operand_uses(c.m, op);
  for (std::size_t i = from; i < uses.size(); ++i) {
    if (i != from) c.out.append(", ");
    write_value(c, c.m.uses[uses[i]].value);
  }
}

// The text of a type that is not a tensor. One of a dialect has a `!` before it, a builtin one does
// not.
inline void append_other_type(std::string& out, std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("<("), text.size());
  if (text.substr(0, end).find('.') != std::string_view::npos && !text.starts_with('!')) out += '!';
  out.append(text);
}

// `tensor<8x?x`: what stands before the type of the elements.
inline void append_tensor_head(std::string& out, const Module& m, TypeId type) {
  out.append("tensor<");
  for (std::int64_t size : m.types.shape(type)) {
    if (size == kDynamic) {
      out += '?';
    } else {
      append_integer(out, size);
    }
    out += 'x';
  }
}

inline void append_tensor_type(std::string& out, const Module& m, TypeId type) {
  append_tensor_head(out, m, type);
  append_other_type(out, m.strings[m.types.dtype(type)]);
  if (const StringId encoding = m.types.encoding(type); encoding.valid()) {
    out.append(", ").append(m.strings[encoding]);
    if (out.back() == '-') out += ' ';  // -> would be an arrow
  }
  out += '>';
}

inline void write_type(TextWriteContext& c, TypeId type) {
  if (!type.valid()) {
    c.out.append("none");
    if (!c.errors.empty()) return;
    c.errors.push_back({"text.no_type", "a value of the program has no type",
                        "infer types before writing: shardprop::infer_types"});
    return;
  }
  c.types.append(c.out, type, [&] {
    if (c.m.types.is_tensor(type)) {
      append_tensor_type(c.out, c.m, type);
    } else {
      append_other_type(c.out, c.m.strings[c.m.types.dtype(type)]);
    }
  });
}

inline void write_operand_types(TextWriteContext& c, OpId op, std::size_t from) {
  const IdRange<UseId> uses = operand_uses(c.m, op);
  for (std::size_t i = from; i < uses.size(); ++i) {
    if (i != from) c.out.append(", ");
    write_type(c, type_of(c.m, c.m.uses[uses[i]].value));
  }
}

inline void write_result_types(TextWriteContext& c, OpId op) {
  append_list(c.out, results(c.m, op), [&](ValueId value) { write_type(c, type_of(c.m, value)); });
}

// A list of one result has no parentheses, unless it is itself a function type.
inline void write_functional_type(TextWriteContext& c, OpId op) {
  c.out += '(';
  write_operand_types(c, op);
  c.out.append(") -> ");
  const IdRange<ValueId> values = results(c.m, op);
  const std::size_t begin = c.out.size();
  write_result_types(c, op);
  if (values.size() == 1 && c.out[begin] != '(') return;
  c.out.insert(begin, 1, '(');
  c.out += ')';
}

}  // namespace shardprop::detail
