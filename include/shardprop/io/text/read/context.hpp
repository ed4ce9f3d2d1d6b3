// What the MLIR text reader works on: the module so far, the cursor, the names that are visible,
// and the diagnostics.
//
// A function of the reader gives false after it recorded an error, and its caller gives false in
// turn: a syntax error ends the reading. Errors of meaning are recorded by `note_error`, which does
// not end it, so that one run shows several.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/common/sharding_check.hpp"
#include "shardprop/io/text/forms/form.hpp"
#include "shardprop/io/text/options.hpp"
#include "shardprop/io/text/read/scanner.hpp"
#include "shardprop/io/text/read/scoped_names.hpp"
#include "shardprop/io/text/read/text_memo.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop::detail {

// What an alias stands for.
struct TextAlias {
  AttrId value;              // of an attribute; none of a type
  StringId text;             // with the aliases in it replaced
  const char* at = nullptr;  // where it is defined, after `=`
};

struct TextReadContext {
  Module m;
  const TextReadOptions& options;
  TextSource source;
  TextCursor in;
  Diagnostics out;
  std::size_t error_count = 0;
  std::size_t depth = 0;  // of regions, attributes and types that are open
  TextNames names;
  TextForms forms;

  TextMemo<TypeId> types;             // by the text of a type, or by its alias `!name`
  TextMemo<TextAlias> aliases;        // by the name of an alias, `#name` or `!name`
  TextMemo<AttrId> dictionaries;      // by the text of a dictionary with its braces
  TextMemo<ShardingId> shardings;     // by the text `<@mesh, [...]>`
  TextMemo<AttrId> constants;         // by the text of a short constant with its type
  TextMemo<StringId> words;           // names of operations and attributes
  TextMemo<LocId> locations;          // by the text inside of `loc(...)`
  std::vector<RuleId> rules;          // by StringId of the text of a rule
  std::vector<TypeId> element_types;  // by AttrId of elements of a tensor: its type
  std::size_t alias_bytes = 0;        // of the texts that aliases stood for so far

  // Of what is being read, for messages.
  StringId func_name;
  StringId op_name;
  std::string_view value_name;  // with '%'; of an argument of a function

  StringId sharding_key;  // "sdy.sharding"
  StringId rule_key;      // "sdy.sharding_rule"

  bool meshes_are_ahead = false;           // all meshes of the text were looked for
  std::vector<std::uint8_t> mesh_defined;  // by MeshId: its definition was passed
  bool source_is_kept = false;             // the source is a row of `Module::sources`
  std::uint32_t source_row = 0;            // which one
  ShardingCheck sharding_check;
  std::vector<std::uint8_t> func_defined;  // by StringId of a name

  TextReadContext(TextSource text, const TextReadOptions& o)
      : options(o), source(std::move(text)), in(source.text) {
    sharding_key = m.strings.intern("sdy.sharding");
    rule_key = m.strings.intern("sdy.sharding_rule");
  }
};

// --- errors ---

inline Place text_place(const TextReadContext& c, const char* at) {
  Place place;
  const LineAndColumn found = line_and_column(c.in.text(), c.in.offset_of(at));
  place.line = found.line;
  place.column = found.column;
  if (c.func_name.valid()) place.function = std::string(c.m.strings[c.func_name]);
  if (c.op_name.valid()) place.operation = std::string(c.m.strings[c.op_name]);
  place.value = c.value_name;
  return place;
}

// Records an error at `at`. Reading may go on if it gives true: there may be more errors.
inline bool note_error(TextReadContext& c, const char* at, std::string_view code,
                       std::string message, std::string hint = {}) {
  const std::size_t limit = std::max<std::size_t>(1, c.options.max_diagnostics);
  if (c.error_count < limit) {
    c.out.push_back({std::string(code), std::move(message), std::move(hint), text_place(c, at)});
  }
  return ++c.error_count < limit;
}

// Records an error that ends the reading; always false.
inline bool fail(TextReadContext& c, const char* at, std::string_view code, std::string message,
                 std::string hint = {}) {
  note_error(c, at, code, std::move(message), std::move(hint));
  return false;
}

// Takes over errors that lower rooms made of the piece of text that begins at `at`; false if there
// are any.
inline bool take_errors(TextReadContext& c, const char* at, const Diagnostics& all) {
  for (const Diagnostic& d : all) {
    if (d.severity == Severity::kError) note_error(c, at, d.code, d.message, d.hint);
  }
  return !has_errors(all);
}

// What stands at the cursor, as messages show it.
inline std::string found_text(TextReadContext& c) {
  constexpr std::size_t kShown = 40;
  if (c.in.at_end()) return "the end of the text";
  const char* const from = c.in.here();
  TextCursor ahead = TextCursor(c.in.text());
  ahead.go_to(from);
  if (ahead.word().empty()) {
    ahead.advance();
    if (*from == '%' || *from == '@' || *from == '#' || *from == '^' || *from == '!')
      ahead.suffix();
  }
  return quoted(ahead.since(from).substr(0, kShown));
}

// Records `expected ..., found ...` at the next character; always false.
inline bool fail_expected(TextReadContext& c, std::string_view expected, std::string hint = {}) {
  const char* const at = c.in.here();
  return fail(c, at, "text.syntax", fmt::format("expected {}, found {}", expected, found_text(c)),
              std::move(hint));
}

inline bool expect(TextReadContext& c, char symbol) {
  return c.in.accept(symbol) || fail_expected(c, fmt::format("'{}'", std::string_view(&symbol, 1)));
}
inline bool expect(TextReadContext& c, std::string_view symbol) {
  return c.in.accept(symbol) || fail_expected(c, fmt::format("'{}'", symbol));
}
inline bool expect_word(TextReadContext& c, std::string_view word) {
  return c.in.accept_word(word) || fail_expected(c, fmt::format("'{}'", word));
}

// --- depth ---

// Counts one more open region, attribute or type while it lives.
class TextDepth {
 public:
  explicit TextDepth(TextReadContext& c) : c_(c) { ++c_.depth; }
  TextDepth(const TextDepth&) = delete;
  TextDepth& operator=(const TextDepth&) = delete;
  ~TextDepth() { --c_.depth; }

  // False, after an error, where the limit is passed.
  bool check() {
    const std::size_t limit = std::min(c_.options.max_depth, kMaxTextDepth);
    if (c_.depth <= limit) return true;
    return fail(c_, c_.in.here(), "text.too_deep",
                fmt::format("regions, attributes or types nest more than {} deep", limit),
                "nest the program less deeply");
  }

 private:
  TextReadContext& c_;
};

inline std::size_t depth_left(const TextReadContext& c) {
  const std::size_t limit = std::min(c.options.max_depth, kMaxTextDepth);
  return limit > c.depth ? limit - c.depth : 0;
}

// --- plain pieces ---

inline bool read_integer(TextReadContext& c, std::int64_t& number) {
  return c.in.integer(number) || fail_expected(c, "an integer of 64 bits");
}

// A string in double quotes, escapes resolved, as an interned string.
inline bool read_string(TextReadContext& c, StringId& out) {
  std::string_view raw;
  bool has_escapes = false;
  const char* const at = c.in.here();
  if (!c.in.string_raw(raw, has_escapes)) return fail_expected(c, "a string in double quotes");
  if (!has_escapes) {
    out = c.m.strings.intern(raw);
    return true;
  }
  std::string text;
  if (!unescape_text(raw, text)) {
    return fail(c, at, "text.syntax", "the string has an unknown escape",
                R"(escapes are \\, \", \n, \t and a backslash with two hexadecimal digits)");
  }
  out = c.m.strings.intern(text);
  return true;
}

// A symbol, `@name` or `@"any name"`; its name without the `@`.
inline bool read_symbol(TextReadContext& c, StringId& out) {
  if (!c.in.accept('@')) return fail_expected(c, "a symbol, '@' and a name");
  if (c.in.raw_peek() == '"') return read_string(c, out);
  const std::string_view name = c.in.suffix();
  if (name.empty()) return fail_expected(c, "the name of a symbol");
  out = c.m.strings.intern(name);
  return true;
}

// `1, 2, 3` up to `close`, which is read too; the bracket before must have been read.
template <class Ints>
bool read_integers(TextReadContext& c, char close, Ints& out) {
  if (c.in.accept(close)) return true;
  do {
    std::int64_t number = 0;
    if (!read_integer(c, number)) return false;
    out.push_back(number);
  } while (c.in.accept(','));
  return expect(c, close);
}

// `[1, 2, 3]`
template <class Ints>
bool read_integer_list(TextReadContext& c, Ints& out) {
  return expect(c, '[') && read_integers(c, ']', out);
}

// `[item, item]` as a list; `read_item(c, AttrId&)` reads an item.
template <class ReadItem>
bool read_attribute_list(TextReadContext& c, ReadItem read_item, AttrId& out,
                         std::string_view brackets = "[]") {
  SmallVector<AttrId, 8> items;
  if (!expect(c, brackets[0])) return false;
  if (!c.in.accept(brackets[1])) {
    do {
      AttrId item;
      if (!read_item(c, item)) return false;
      items.push_back(item);
    } while (c.in.accept(','));
    if (!expect(c, brackets[1])) return false;
  }
  out = c.m.attrs.list({items.data(), items.size()});
  return true;
}

// A word of the text as an interned string.
inline StringId intern_word(TextReadContext& c, std::string_view word) {
  const std::uint64_t hash = hash_text(word);
  if (const StringId* const known = c.words.find(word, hash)) return *known;
  const StringId id = c.m.strings.intern(word);
  c.words.add(word, hash, id);
  return id;
}

// --- names of values ---

// The name that a value called `text` (with its `%`) has in the module.
inline ValueName text_value_name(TextReadContext& c, std::string_view text) {
  return make_value_name(c.m.strings, text);
}

// Makes `name` stand for `count` values from `first` on, and gives them their names: `%a`, or
// `%a#0`,
// `%a#1` where there are several. Error: `text.duplicate_value`.
inline bool define_values(TextReadContext& c, std::string_view name, ValueId first,
                          std::uint32_t count, const char* at) {
  const ValueName key = text_value_name(c, name);
  if (!c.names.define(key, first, count)) {
    return fail(c, at, "text.duplicate_value", fmt::format("{} is defined twice", name),
                "a name stands for one value in its region; rename one of the two");
  }
  if (count == 1) {
    c.m.value_names[first] = key;
    return true;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    c.m.value_names[ValueId(first.index + i)] =
        make_value_name(c.m.strings, fmt::format("{}#{}", name, i));
  }
  return true;
}

using TextOperands = SmallVector<ValueId, 8>;

// The name that comes next, which may be one that no value has; unnamed if there is no name.
inline ValueName read_value_name(TextReadContext& c) {
  const std::int32_t number = c.in.numbered_name();
  if (number >= 0) return numbered_name(static_cast<std::uint32_t>(number));
  const std::string_view name = c.in.value_name();
  ValueName key;
  if (name.empty()) return key;
  const std::uint64_t hash = hash_text(name);
  if (const StringId* const known = c.words.find(name, hash)) {
    key.bits = known->index | ValueName::kIsText;
  } else {
    key = text_value_name(c, name);
    if (key.bits & ValueName::kIsText)
      c.words.add(name, hash, StringId(key.bits & ~ValueName::kIsText));
  }
  return key;
}

// One use of a value: `%a` or `%a#1`. Error: `text.unknown_value`.
inline bool read_operand(TextReadContext& c, ValueId& out) {
  const char* const at = c.in.here();
  const ValueName key = read_value_name(c);
  if (key.bits == ValueName::kUnnamed) return fail_expected(c, "a value, such as %0 or %arg0");
  const std::string_view name = c.in.since(at);
  std::int64_t number = 0;
  const bool has_number = c.in.accept_raw('#');
  if (has_number && (!is_digit(c.in.raw_peek()) || !c.in.integer(number)))
    return fail_expected(c, "the number of a result");
  const NamedValues found = c.names.find(key);
  if (found.count == 0) {
    return fail(c, at, "text.unknown_value", fmt::format("no value is called {} here", name),
                "a value is defined before its use, in the same region or one around it");
  }
  if (static_cast<std::uint64_t>(number) >= found.count) {
    return fail(c, at, "text.unknown_value",
                fmt::format("{} stands for {} values, counted from #0", name, found.count));
  }
  out = ValueId(found.first.index + static_cast<std::uint32_t>(number));
  return true;
}

// `%a, %b`: one operand or more.
inline bool read_operands(TextReadContext& c, TextOperands& out) {
  do {
    ValueId value;
    if (!read_operand(c, value)) return false;
    out.push_back(value);
  } while (c.in.accept(','));
  return true;
}

// --- the operation that is being read ---

using TextTypes = SmallVector<TypeId, 8>;
using TextAttributes = SmallVector<AttrEntry, 8>;

// `%a` or `%a:2` left of `=`.
struct TextResultName {
  std::string_view name;
  std::uint32_t count = 1;
  const char* at = nullptr;
};

// An operation between its name and its end. The order of things: operands; `make_op`, which must
// come before the regions are read; regions, types and attributes in any order; `finish_op`. A form
// that has no regions may leave `make_op` to `finish_op`.
struct TextOp {
  StringId name;
  const char* at = nullptr;                     // where the operation begins, for errors
  SmallVector<TextResultName, 2> result_names;  // none: the results have no names
  TextOperands operands;
  TextTypes result_types;
  TextAttributes attributes;  // as they will be; shardings and rules too, `finish_op` moves them
  BlockId block;              // where it will stand
  OpId op;                    // none before `make_op`
  BlockId last_region;        // the last one that was read
};

// An argument of a block that an operation's own notation names.
struct TextBlockArgument {
  std::string_view name;  // with `%`; empty: no name
  TypeId type;
  const char* at = nullptr;
  LocId location;
};
using TextBlockArguments = SmallVector<TextBlockArgument, 4>;

inline bool set_attribute(TextReadContext& c, TextOp& op, std::string_view key, AttrId value) {
  op.attributes.push_back({c.m.strings.intern(key), value});
  return true;
}

// In op.hpp: makes the row of the operation at the end of its block, with its operands
// and as many results as are named; their types come with `finish_op`.
bool make_op(TextReadContext& c, TextOp& op);
// In op.hpp: checks the number of results, sets types, attributes, shardings and the
// rule.
bool finish_op(TextReadContext& c, TextOp& op);
// In region.hpp: `{ ... }` as the next region of the operation, after `make_op`.
// Arguments are those given, or those of a label `^bb0(...)` where none are given.
bool read_region(TextReadContext& c, TextOp& op, const TextBlockArguments& arguments = {});
// In op.hpp: one operation of a block, with its result names and its location.
bool read_op(TextReadContext& c, BlockId block);

}  // namespace shardprop::detail
