// Attributes: every value that MLIR text can have. What has no plain form of its own becomes
// `{"opaque": "its text"}`; a plain value whose text says more keeps that text (AttrKind::kTyped).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/dense.hpp"
#include "shardprop/io/text/read/op_attributes.hpp"
#include "shardprop/io/text/read/sharding.hpp"
#include "shardprop/io/text/read/type.hpp"

namespace shardprop::detail {

inline bool read_attribute(TextReadContext& c, AttrId& out);

inline AttrId opaque_attribute(TextReadContext& c, std::string_view text) {
  const std::string kept = kept_text(c, text, c.in.raw());
  const AttrEntry entry{key::kOpaque, c.m.attrs.string(c.m.strings.intern(kept))};
  return c.m.attrs.dict({&entry, 1});
}

// `plain` together with the text since `from`.
inline AttrId typed_attribute(TextReadContext& c, AttrId plain, const char* from) {
  const std::string text = kept_text(c, trimmed(c.in.since(from)), from);
  return c.m.attrs.typed(plain, c.m.strings.intern(text));
}

// `1 : i64`, `2.5 : f32`, `0x7F800000 : f32`. Without a type an integer is i64, a float f64.
inline bool read_number_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  if (!read_number(c, "", out)) return false;
  const bool is_float = c.m.attrs.kind(out) == AttrKind::kFloat;
  const char* const end = c.in.raw();
  if (!c.in.accept(':')) {
    c.in.go_to(from);
    const bool read = read_number(c, is_float ? "f64" : "i64", out);
    c.in.go_to(end);
    return read;
  }
  TypeId type;
  if (!read_type(c, type)) return false;
  const char* const type_end = c.in.raw();
  const std::string dtype(c.m.strings[c.m.types.dtype(type)]);
  c.in.go_to(from);
  if (!read_number(c, dtype, out)) return false;
  c.in.go_to(type_end);
  const bool is_default = dtype == (is_float ? "f64" : "i64") && !c.m.types.is_tensor(type);
  if (!is_default) out = typed_attribute(c, out, from);
  return true;
}

inline bool read_list_attribute(TextReadContext& c, AttrId& out) {
  TextDepth depth(c);
  const auto read_item = [](TextReadContext& in, AttrId& item) { return read_attribute(in, item); };
  return depth.check() && read_attribute_list(c, read_item, out);
}

// `array<i64: 1, 2>`; the word is read.
inline bool read_array_attribute(TextReadContext& c, const char* from, AttrId& out) {
  const std::string_view all = take_brackets(c, "an array, such as array<i64: 1, 2>");
  if (all.empty()) return false;
  const char* const end = c.in.raw();
  c.in.go_to(all.data() + 1);
  const std::string_view dtype = c.in.word();
  std::vector<AttrId> items;
  if (c.in.accept(':')) {
    do {
      AttrId item;
      if (!read_element(c, dtype, item)) return false;
      items.push_back(item);
    } while (c.in.accept(','));
  }
  if (!expect(c, '>')) return false;
  c.in.go_to(end);
  out = typed_attribute(c, c.m.attrs.list(items), from);
  return true;
}

// `dense<...> : type`. Outside of a constant (`is_constant`) one value for all elements is written
// out, so that `dense<1> : tensor<2xi64>` is the list [1, 1].
inline bool read_dense_attribute(TextReadContext& c, bool is_constant, AttrId& out) {
  const char* const from = c.in.here();
  TextElements elements;
  if (!read_tensor_elements(c, elements)) return false;
  out = elements.value;
  const AttrKind kind = c.m.attrs.kind(out);
  if (kind != AttrKind::kData && kind != AttrKind::kTyped) {
    const bool is_list = kind == AttrKind::kList || kind == AttrKind::kInts;
    if (!is_constant && !is_list) out = list_splat(c, elements, c.options.max_listed_elements);
    out = typed_attribute(c, out, from);
  }
  c.element_types.resize(c.m.attrs.size());
  c.element_types[out.index] = elements.type;
  return true;
}

// The value of a constant: elements of which one value for all is not written out, also where an
// alias stands for them.
inline bool read_constant_value(TextReadContext& c, AttrId& out) {
  if (c.in.peek_word() == "dense") return read_dense_attribute(c, true, out);
  const char* const from = c.in.here();
  if (!read_attribute(c, out)) return false;
  const char* const end = c.in.raw();
  const std::string_view name = c.in.since(from);
  const TextAlias* const alias =
      name.starts_with('#') ? c.aliases.find(name, hash_text(name)) : nullptr;
  if (alias == nullptr) return true;
  c.in.go_to(alias->at);
  const bool may_be_elements = c.in.peek() == '#' || c.in.peek_word() == "dense";
  const bool read = !may_be_elements || read_constant_value(c, out);
  c.in.go_to(end);
  return read;
}

// One entry of a dictionary: `name = value`, or `name` alone for a unit attribute.
inline bool read_entry(TextReadContext& c, AttrEntry& out) {
  if (c.in.peek() == '"') {
    if (!read_string(c, out.key)) return false;
  } else {
    const std::string_view name = c.in.word();
    if (name.empty()) return fail_expected(c, "the name of an attribute");
    out.key = intern_word(c, name);
  }
  if (c.in.accept('=')) {
    const bool is_constant = c.m.strings[out.key] == "value";
    return is_constant ? read_constant_value(c, out.value) : read_attribute(c, out.value);
  }
  out.value = c.m.attrs.typed(c.m.attrs.boolean(true), c.m.strings.intern("unit"));
  return true;
}

inline bool fail_duplicate_key(TextReadContext& c, const char* at, StringId key) {
  return fail(c, at, "text.duplicate_key",
              fmt::format("the attribute {} is given twice", c.m.strings[key]),
              "keep one of the two");
}

// Checks that no key stands twice among entries that were gathered from several places; `at` is
// where they are said. Error: `text.duplicate_key`.
inline bool check_keys(TextReadContext& c, const char* at, const TextAttributes& entries) {
  std::vector<std::uint32_t> keys;
  for (const AttrEntry& entry : entries) keys.push_back(entry.key.index);
  std::ranges::sort(keys);
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return true;
  return fail_duplicate_key(c, at, StringId(*twice));
}

// The entries of `{...}`, added to `out`. Error: `text.duplicate_key`.
inline bool read_entries(TextReadContext& c, TextAttributes& out) {
  TextDepth depth(c);
  if (!depth.check() || !expect(c, '{')) return false;
  if (c.in.accept('}')) return true;
  std::vector<std::uint32_t> keys;
  do {
    const char* const at = c.in.here();
    AttrEntry entry;
    if (!read_entry(c, entry)) return false;
    out.push_back(entry);
    keys.push_back(entry.key.index);
    if (keys.size() > 64) continue;  // a long dictionary is looked through at its end
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      if (keys[i] != keys.back()) continue;
      return fail_duplicate_key(c, at, entry.key);
    }
  } while (c.in.accept(','));
  std::ranges::sort(keys);
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) {
    return fail(c, c.in.here(), "text.duplicate_key", "an attribute of a dictionary is given twice",
                "keep one of the two");
  }
  return expect(c, '}');
}

// A dictionary with its braces. One whose text was seen before is not read again.
inline bool read_dictionary(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  if (c.in.peek() != '{') return fail_expected(c, "a dictionary of attributes, '{'");
  const std::string_view text = take_brackets(c, "a dictionary of attributes");
  if (text.empty()) return false;
  const std::uint64_t hash = hash_text(text);
  if (const AttrId* const known = c.dictionaries.find(text, hash)) {
    out = *known;
    return true;
  }
  c.in.go_to(from);
  TextAttributes entries;
  if (!read_entries(c, entries)) return false;
  out = c.m.attrs.dict({entries.data(), entries.size()});
  c.dictionaries.add(text, hash, out);
  return true;
}

// A dictionary as a value. One that looks like the opaque form, `{opaque = "text"}`, keeps its text
// to be told from it.
inline bool read_dictionary_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  if (!read_dictionary(c, out)) return false;
  const auto entries = c.m.attrs.entries(out);
  const bool looks_opaque = entries.size() == 1 && c.m.strings[entries[0].key] == "opaque";
  if (looks_opaque) out = typed_attribute(c, out, from);
  return true;
}

// The entries of `{...}`, if one comes next, added to `out`.
inline bool read_optional_attributes(TextReadContext& c, TextAttributes& out) {
  if (c.in.peek() != '{') return true;
  AttrId dict;
  if (!read_dictionary(c, dict)) return false;
  out.append(c.m.attrs.entries(dict));
  return true;
}

// `#sdy.sharding<...>` and `#sdy.sharding_per_value<...>`; the cursor is after `head`.
inline bool read_sharding_attribute(TextReadContext& c, std::string_view head, AttrId& out,
                                    bool& known) {
  known = true;
  if (head == "sdy.sharding") {
    ShardingId sharding;
    if (!read_sharding_body(c, sharding)) return false;
    out = c.m.attrs.sharding(sharding);
    return true;
  }
  if (head == "sdy.sharding_per_value")
    return expect(c, '<') && read_sharding_list(c, out) && expect(c, '>');
  known = false;
  return true;
}

// `text`, one line, with one blank after each comma and around each `->`, as Shardy writes
// propagation edges.
inline std::string spaced_edges(std::string_view text) {
  std::string out;
  const auto blank = [&] {
    if (!out.empty() && out.back() != ' ') out += ' ';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::size_t length = quoted_length(text.substr(i));
      out.append(text, i, length);
      i += length - 1;
      continue;
    }
    const bool is_arrow = text.substr(i, 2) == "->";
    if (is_blank(text[i]) || is_arrow) blank();
    if (is_blank(text[i])) continue;
    out.append(text, i, is_arrow ? 2 : 1);
    if (is_arrow || text[i] == ',') blank();
    if (is_arrow) ++i;
  }
  return out;
}

// `#name` or `#dialect.name<...>`.
inline bool read_dialect_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  c.in.advance();
  const std::string_view head = c.in.suffix();
  if (head.empty()) return fail_expected(c, "the name of an attribute after '#'");
  const std::string_view name = c.in.since(from);
  if (const TextAlias* const alias = c.aliases.find(name, hash_text(name))) {
    out = alias->value;
    return use_alias(c, from, c.m.strings[alias->text].size());
  }
  bool known = false;
  if (!read_sharding_attribute(c, head, out, known)) return false;
  if (known) return true;
  const bool has_body = c.in.raw_peek() == '<';
  if (head.find('.') == std::string_view::npos && !has_body) {
    return fail(c, from, "text.alias", fmt::format("there is no definition of {}", name),
                fmt::format("define it before it is used: {} = ...", name));
  }
  AttrId plain;
  if (!read_known_attribute(c, head, plain, known)) return false;
  if (known) {
    out = typed_attribute(c, plain, from);
    return true;
  }
  if (has_body && take_brackets(c, "the attribute in '<' and '>'").empty()) return false;
  // What has a notation here is not known by what its aliases stand for.
  if (head.find('.') == std::string_view::npos && names_alias(c, c.in.since(from))) {
    return fail(c, from, "text.alias", "an attribute that cannot be read uses an alias",
                "write the meaning of the alias in its place");
  }
  const bool is_edges = head == "sdy.propagation_edges";
  out = is_edges ? opaque_attribute(c, spaced_edges(one_line(c.in.since(from))))
                 : opaque_attribute(c, c.in.since(from));
  return true;
}

// `@name`, `@"any name"`, `@outer::@inner`.
inline bool read_symbol_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  StringId name;
  if (!read_symbol(c, name)) return false;
  if (!c.in.next_is("::")) {
    out = typed_attribute(c, c.m.attrs.string(name), from);
    return true;
  }
  while (c.in.accept("::")) {
    if (!read_symbol(c, name)) return false;
  }
  out = opaque_attribute(c, c.in.since(from));
  return true;
}

// A string, which may have a type after it.
inline bool read_string_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  StringId text;
  if (!read_string(c, text)) return false;
  out = c.m.attrs.string(text);
  if (!c.in.accept(':')) return true;
  TypeId type;
  if (!read_type(c, type)) return false;
  out = typed_attribute(c, out, from);
  return true;
}

// What begins with a word that is not a type: `affine_map<...>`, `sparse<...>`, `loc(...)`,
// `distinct[0]<...>`.
inline bool read_word_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  const std::string_view word = c.in.word();
  while (c.in.raw_peek() == '<' || c.in.raw_peek() == '(' || c.in.raw_peek() == '[') {
    if (take_brackets(c, "a closing bracket").empty()) return false;
  }
  if (word == "sparse") {
    TypeId type;
    if (!expect(c, ':') || !read_type(c, type)) return false;
  }
  out = opaque_attribute(c, c.in.since(from));
  return true;
}

// A type as an attribute: `tensor<2xf32>`, `(i32) -> i32`, `!stablehlo.token`.
inline bool read_type_attribute(TextReadContext& c, AttrId& out) {
  const char* const from = c.in.here();
  if (c.in.peek() == '(') {
    TextTypes inputs;
    TextTypes results;
    if (!read_function_type(c, inputs, results)) return false;
  } else {
    TypeId type;
    if (!read_type(c, type)) return false;
  }
  out = opaque_attribute(c, c.in.since(from));
  return true;
}

// Reads one attribute. Errors: `text.syntax`, `text.alias`, `text.too_deep`, and those of what is
// inside.
inline bool read_attribute(TextReadContext& c, AttrId& out) {
  TextDepth depth(c);
  if (!depth.check()) return false;
  const char next = c.in.peek();
  if (next == '"') return read_string_attribute(c, out);
  if (next == '[') return read_list_attribute(c, out);
  if (next == '{') return read_dictionary_attribute(c, out);
  if (next == '#') return read_dialect_attribute(c, out);
  if (next == '@') return read_symbol_attribute(c, out);
  if (next == '-' || is_digit(next)) return read_number_attribute(c, out);
  if (next == '!' || next == '(') return read_type_attribute(c, out);
  const char* const from = c.in.here();
  const std::string_view word = c.in.peek_word();
  if (word.empty()) return fail_expected(c, "an attribute");
  if (word == "true" || word == "false") {
    c.in.word();
    out = c.m.attrs.boolean(word == "true");
    return true;
  }
  if (word == "unit") {
    c.in.word();
    out = c.m.attrs.typed(c.m.attrs.boolean(true), c.m.strings.intern(word));
    return true;
  }
  if (word == "dense" || word == "dense_resource") return read_dense_attribute(c, false, out);
  if (word == "array") return c.in.word(), read_array_attribute(c, from, out);
  constexpr std::string_view kWords[] = {"affine_map", "affine_set", "sparse",
                                         "strided",    "distinct",   "loc"};
  for (std::string_view known : kWords) {
    if (word == known) return read_word_attribute(c, out);
  }
  return read_type_attribute(c, out);
}

}  // namespace shardprop::detail
