// Types. A type whose text was seen before costs one look-up of that text; every other one is read
// once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/text/read/context.hpp"

namespace shardprop::detail {

// Passes one type: `tensor<8x32xf32>`, `!stablehlo.token`, `i32`, `tuple<...>`. Empty, and nothing
// passed, if there is none or a bracket is not closed.
inline std::string_view skip_type(TextReadContext& c) {
  const char* const from = c.in.here();
  if (c.in.peek() == '!') c.in.advance();
  if (c.in.word().empty()) {
    c.in.go_to(from);
    return {};
  }
  if (c.in.raw_peek() == '<' && !c.in.skip_simple_brackets() &&
      !c.in.skip_brackets(depth_left(c))) {
    c.in.go_to(from);
    return {};
  }
  return c.in.since(from);
}

// The length of the string that `text` begins with, its quotes included; of all of `text` where it
// has no end.
inline std::size_t quoted_length(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// `text` with one blank where it has several, or line ends, and without comments; what stands in
// strings is left as it is.
inline std::string one_line(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      if (i == text.size()) break;
    }
    if (text[i] == '"') {
      const std::size_t length = quoted_length(text.substr(i));
      out.append(text.substr(i, length));
      i += length - 1;
    } else if (!is_blank(text[i])) {
      out += text[i];
    } else if (!out.empty() && out.back() != ' ' && out.back() != '<') {
      out += ' ';
    }
  }
  return out;
}

// Notes that an alias was used for `bytes` of text. What aliases of aliases stand for may grow
// without measure; error: `text.alias`, once. Reading may go on.
inline bool use_alias(TextReadContext& c, const char* at, std::size_t bytes) {
  const std::size_t limit = (std::size_t{1} << 16) + 64 * c.in.text().size();
  if (c.alias_bytes > limit) return false;
  c.alias_bytes += bytes;
  if (c.alias_bytes <= limit) return true;
  return fail(c, at, "text.alias",
              fmt::format("the aliases up to here stand for more than {} bytes", limit),
              "write the program with fewer aliases of aliases");
}

// The length of the name of an alias that `text` begins with, `#name` or `!name`; 0 if it begins
// with none that is defined.
inline std::size_t alias_length(const TextReadContext& c, std::string_view text) {
  const std::uint8_t parts = text[0] == '!' ? kInWord : kInSuffix;
  std::size_t end = 1;
  while (end < text.size() && is_in(text[end], parts)) ++end;
  if (end < text.size() && text[end] == '<') return 0;
  const std::string_view name = text.substr(0, end);
  return c.aliases.find(name, hash_text(name)) == nullptr ? 0 : end;
}

// Appends `meant` so that it does not become part of a word before it or of an arrow after it.
inline void append_apart(std::string& out, std::string_view meant) {
  constexpr std::string_view kApart = " <>([{,=:";
  if (!out.empty() && kApart.find(out.back()) == std::string_view::npos) out += ' ';
  out.append(meant);
  if (meant.ends_with('-')) out += ' ';
}

// `text` in one line, with what they stand for in the place of the aliases that it names: the
// module keeps texts, but no aliases. `at` is where it stands, for errors.
inline std::string kept_text(TextReadContext& c, std::string_view text, const char* at) {
  std::string line = one_line(text);
  if (c.aliases.empty() || line.find_first_of("#!") == std::string::npos) return line;
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const std::string_view left = std::string_view(line).substr(i);
    std::size_t length = left[0] == '"' ? quoted_length(left) : 1;
    const bool may_be_alias = left[0] == '#' || left[0] == '!';
    const std::size_t alias = may_be_alias ? alias_length(c, left) : 0;
    if (alias == 0) {
      out.append(left, 0, length);
    } else {
      length = alias;
      const std::string_view name = left.substr(0, length);
      const std::string_view meant = c.m.strings[c.aliases.find(name, hash_text(name))->text];
      if (use_alias(c, at, meant.size())) append_apart(out, meant);
    }
    i += length;
  }
  return one_line(out);
}

// Whether `text` names an alias. O(its size).
inline bool names_alias(const TextReadContext& c, std::string_view text) {
  if (c.aliases.empty()) return false;
  for (std::size_t i = text.find_first_of("#!\"/"); i < text.size();
       i = text.find_first_of("#!\"/", i + 1)) {
    const std::string_view left = text.substr(i);
    if (left[0] == '"') {
      i += quoted_length(left) - 1;
    } else if (left.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (left[0] != '/' && alias_length(c, left) != 0) {
      return true;
    }
  }
  return false;
}

// The part of `text` before the first comma that stands in no bracket.
inline std::string_view before_comma(std::string_view text) {
  std::size_t open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char ch = text[i];
    if (ch == '"') {
      i += quoted_length(text.substr(i)) - 1;
      continue;
    }
    if (ch == '<' || ch == '(' || ch == '[' || ch == '{') ++open;
    const bool closes =
        ch == ')' || ch == ']' || ch == '}' || (ch == '>' && (i == 0 || text[i - 1] != '-'));
    if (closes && open > 0) --open;
    if (ch == ',' && open == 0) return text.substr(0, i);
  }
  return text;
}

// Whether `text` is the type of an element: `f32`, `ui8`, `index`, `complex<f64>`,
// `!quant.any<i8>`.
inline bool is_element_type(std::string_view text) {
  if (text.starts_with('!')) {
    const std::string_view name = text.substr(
        1, text.find('<') == std::string_view::npos ? std::string_view::npos : text.find('<') - 1);
    return !name.empty() && starts_name(name[0]) && name.find('.') != std::string_view::npos &&
           std::all_of(name.begin(), name.end(), is_word_char);
  }
  if (text.ends_with('>')) {
    if (text.starts_with("vector<")) return true;
    return text.starts_with("complex<") && text[8] != 'c' &&
           is_element_type(text.substr(8, text.size() - 9));
  }
  if (text == "index") return true;
  for (std::string_view prefix : {"i", "si", "ui", "f", "bf", "tf"}) {
    if (text.starts_with(prefix) && text.size() > prefix.size() && is_digit(text[prefix.size()]))
      return text.find_first_of(".$<") == std::string_view::npos &&
             std::all_of(text.begin(), text.end(), is_word_char);
  }
  return false;
}

// The type that `text`, `tensor<...>`, says; `at` is where it stands. Errors: `text.type`.
inline bool make_tensor_type(TextReadContext& c, std::string_view text, const char* at,
                             TypeId& out) {
  std::string_view inside = trimmed(text.substr(7, text.size() - 8));
  SmallVector<std::int64_t, 8> shape;
  while (!inside.empty() && (is_digit(inside[0]) || inside[0] == '?')) {
    const std::size_t x = inside.find('x');
    std::int64_t size = kDynamic;
    const bool is_known = inside[0] != '?';
    if (x == std::string_view::npos ||
        (is_known ? !parse_integer(inside.substr(0, x), size) : x != 1)) {
      return fail(c, at, "text.type", fmt::format("{} has a dimension that is not a size", text),
                  "a dimension is a number of 64 bits or ?, with an x after it");
    }
    shape.push_back(size);
    inside = trimmed(inside.substr(x + 1));
  }
  const std::string_view element = trimmed(before_comma(inside));
  const bool has_encoding = inside.size() > element.size() && inside.find(',') < inside.size();
  const std::string_view encoding =
      has_encoding ? trimmed(inside.substr(before_comma(inside).size() + 1)) : std::string_view();
  if (!is_element_type(element)) {
    return fail(c, at, "text.type",
                fmt::format("{} is not a type of an element", quoted(element.substr(0, 40))),
                "write a tensor as tensor<8x32xf32>");
  }
  const StringId dtype = c.m.strings.intern(one_line(element));
  out = c.m.types.tensor(dtype, {shape.data(), shape.size()},
                         encoding.empty() ? StringId() : c.m.strings.intern(one_line(encoding)));
  return true;
}

// The type that `text` says, in which no comment and no alias is left; `at` is where it stands.
inline bool make_type(TextReadContext& c, std::string_view text, const char* at, TypeId& out) {
  const bool is_tensor = text.starts_with("tensor<") && text.back() == '>';
  if (is_tensor && !trimmed(text.substr(7)).starts_with('*')) {
    return make_tensor_type(c, text, at, out);
  }
  const std::string_view name = text.substr(0, text.find('<'));
  const bool is_dialect = text[0] == '!';
  if (is_dialect != (name.find('.') != std::string_view::npos)) {
    return fail(c, at, "text.type", fmt::format("there is no type {}", quoted(name)),
                is_dialect ? "define the alias before it is used: !name = type"
                           : "write the type of a dialect with a ! before it");
  }
  if (is_dialect) text.remove_prefix(1);
  out = c.m.types.non_tensor(c.m.strings.intern(one_line(text)));
  return true;
}

// Reads one type, which may be an alias. Errors: `text.syntax`, `text.type`.
inline bool read_type(TextReadContext& c, TypeId& out) {
  const char* const at = c.in.here();
  const std::string_view text = skip_type(c);
  if (text.empty()) {
    return fail_expected(c, "a type, such as tensor<8x32xf32>",
                         "each bracket of a type must be closed");
  }
  const std::uint64_t hash = hash_text(text);
  if (const TypeId* const known = c.types.find(text, hash)) {
    out = *known;
    const TextAlias* const alias = text[0] == '!' ? c.aliases.find(text, hash) : nullptr;
    return alias == nullptr || use_alias(c, at, c.m.strings[alias->text].size());
  }
  const bool is_plain = text.find("//") == std::string_view::npos && !names_alias(c, text);
  const std::string meant = is_plain ? std::string() : kept_text(c, text, at);
  if (!make_type(c, is_plain ? text : std::string_view(meant), at, out)) return false;
  c.types.add(text, hash, out);
  return true;
}

// `tensor<f32>, tensor<i32>`: one type or more.
inline bool read_types(TextReadContext& c, TextTypes& out) {
  do {
    TypeId type;
    if (!read_type(c, type)) return false;
    out.push_back(type);
  } while (c.in.accept(','));
  return true;
}

// `(a, b)`, `()`, or one type without brackets.
inline bool read_type_or_types(TextReadContext& c, TextTypes& out) {
  if (!c.in.accept('(')) {
    TypeId type;
    if (!read_type(c, type)) return false;
    out.push_back(type);
    return true;
  }
  if (c.in.accept(')')) return true;
  return read_types(c, out) && expect(c, ')');
}

// `(a, b) -> c` or `(a) -> (c, d)`.
inline bool read_function_type(TextReadContext& c, TextTypes& inputs, TextTypes& results) {
  if (!expect(c, '(')) return false;
  if (!c.in.accept(')') && (!read_types(c, inputs) || !expect(c, ')'))) return false;
  return expect(c, "->") && read_type_or_types(c, results);
}

}  // namespace shardprop::detail
