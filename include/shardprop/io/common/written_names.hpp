// Names of values as JSON and MLIR text have them.
//
// In JSON a name is any text that is unique in its function.
//
// An MLIR name is `%`, then digits, or a letter or one of `$._-` followed by letters, digits and
// these. A name stands for one value in its region and the regions inside; regions beside one
// another may use it again. The results of an operation with several of them may share a name, as
// `%4#0` and `%4#1` of `%4:2`. The pretty form of a while names the arguments of both its regions
// at once: those of the condition have the names of those of the body.
//
// A value keeps its name where all that holds. Otherwise, in JSON, it is named as if it had no
// name. In MLIR text the characters that no name has are replaced by `_`, and a name that is taken
// gets a number after it. Values without a name are called %0, %1, ... and %arg0, %arg1, ... in the
// order of their definition, leaving out what the function uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/text/read/scanner.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

// Whether `text` may stand after the `%` of a name.
inline bool is_value_suffix(std::string_view text) {
  if (text.empty()) return false;
  const bool number = is_digit(text[0]);
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_digit(c) || (!number && (is_word_char(c) || c == '-'));
  });
}

enum class NameRules : std::uint8_t { kJson, kGenericText, kPrettyText };

class WrittenNames {
 public:
  WrittenNames(const Module& m, NameRules rules) : m_(m), rules_(rules), open_(m.blocks.size(), 0) {
    rows_.resize(m.values.size());
  }

  // Settles the names of a function. O(values of the function).
  void enter(FuncId func) {
    ++round_;
    unnamed_.clear();
    shared_.clear();
    next_number_ = next_argument_ = 0;
    collect(m_.funcs[func].body, m_.funcs[func].body);
    for (ValueId value : unnamed_) name_anew(value);
    for (const Shared& shared : shared_) rows_[shared.to] = rows_[shared.from];
  }

  // As a string of JSON: `"%4"`
  void append_quoted(std::string& out, ValueId value) const {
    const Name name = rows_[value].name;
    if (name & kText) return append_string(out, text_of(name));
    out += '"';
    append_base(out, name);
    out += '"';
  }

  // `%4`, `%x`, `%4#1`
  void append(std::string& out, ValueId value) const {
    const Row row = rows_[value];
    append_base(out, row.name);
    if (row.number == 0) return;
    out += '#';
    append_integer(out, row.number - 1);
  }

  // What stands before the ` = ` of an operation with results: `%4`, `%4:2`, `%a, %b`.
  void append_results(std::string& out, OpId op) const {
    const IdRange<ValueId> values = results(m_, op);
    if (rows_[values[0]].number != 0) {
      append_base(out, rows_[values[0]].name);
      out += ':';
      append_integer(out, values.size());
      return;
    }
    append_list(out, values, [&](ValueId value) { append(out, value); });
  }

 private:
  // Numbers below `kText`, else the strings of the module and then those of `texts_`.
  using Name = std::uint32_t;
  static constexpr Name kText = ValueName::kIsText;
  static constexpr Name kNone = 0xFFFFFFFFu;

  struct Row {
    Name name = kNone;
    std::uint32_t number = 0;  // of the result and 1 more, where results share the name
  };
  // A value that gets the name of another when that has one.
  struct Shared {
    ValueId to;
    ValueId from;
  };
  // The last region of function number `round` that defined a name.
  struct Owner {
    std::uint32_t round = 0;
    BlockId block;
  };

  void append_base(std::string& out, Name name) const {
    if (name & kText) {
      out.append(text_of(name));
      return;
    }
    out += '%';
    append_integer(out, name);
  }

  std::string_view text_of(Name name) const {
    const std::size_t i = name & ~kText;
    return i < m_.strings.size() ? m_.strings[StringId(i)]
                                 : texts_[StringId(i - m_.strings.size())];
  }

  // `text` is a name with its `%`.
  Name name_of_text(std::string_view text) {
    std::uint32_t number = 0;
    if (parse_numbered_name(text, number) && is_near(number)) return number;
    const StringId known = m_.strings.find(text);
    if (known.valid()) return known.index | kText;
    return static_cast<Name>(m_.strings.size() + texts_.intern(text).index) | kText;
  }

  // Owners of numbers are kept in a list, which must not become long for the sake of one number.
  bool is_near(std::uint32_t number) const { return number < 4 * m_.values.size() + 64; }

  Owner& owner(Name name) {
    std::vector<Owner>& owners = name & kText ? text_owners_ : number_owners_;
    const std::size_t i = name & ~kText;
    if (i >= owners.size()) owners.resize(std::max(i + 1, 2 * owners.size()));
    return owners[i];
  }
  bool is_visible(Name name) {
    const Owner& at = owner(name);
    return at.round == round_ && open_[at.block.index] != 0;
  }
  bool is_used(Name name) { return owner(name).round == round_; }

  // Names what `block` defines, its arguments as if they were those of `like`.
  void collect(BlockId block, BlockId like) {
    open_[block.index] = 1;
    for (std::size_t i = 0; i < m_.blocks[block].arguments.size(); ++i) {
      const ValueId value = m_.blocks[block].arguments[i];
      const ValueId model = m_.blocks[like].arguments[i];
      if (model == value || m_.value_names[model].bits != ValueName::kUnnamed) {
        take(value, m_.value_names[model], block);
      } else {
        shared_.push_back({value, model});
      }
    }
    for (OpId op = m_.blocks[block].first_op; op.valid(); op = m_.layout[op].next) {
      take_results(op, block);
      for (BlockId b = m_.ops[op].first_block; b.valid(); b = m_.blocks[b].next_sibling) {
        const BlockId body = m_.blocks[b].next_sibling;
        const bool is_condition = rules_ == NameRules::kPrettyText &&
                                  m_.ops[op].name == known::kWhile && body.valid() &&
                                  m_.blocks[body].arguments.size() == m_.blocks[b].arguments.size();
        collect(b, is_condition ? body : b);
      }
    }
    open_[block.index] = 0;
  }

  void take_results(OpId op, BlockId block) {
    const IdRange<ValueId> values = results(m_, op);
    if (rules_ == NameRules::kJson || values.size() < 2 || !take_shared(values, block)) {
      for (ValueId value : values) take(value, m_.value_names[value], block);
    }
  }

  // Results that are called `%x#0`, `%x#1`, ... or that have no names at all share one.
  bool take_shared(IdRange<ValueId> values, BlockId block) {
    std::string_view base;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ValueName name = m_.value_names[values[i]];
      if (name.bits == ValueName::kUnnamed && base.empty()) continue;
      if (name.bits == ValueName::kUnnamed || !(name.bits & ValueName::kIsText)) return false;
      const std::string_view text = m_.strings[StringId(name.bits & ~ValueName::kIsText)];
      const std::size_t hash = text.rfind('#');
      if (hash == std::string_view::npos || text.substr(hash + 1) != std::to_string(i))
        return false;
      if (i != 0 && text.substr(0, hash) != base) return false;
      base = text.substr(0, hash);
    }
    if (base.empty()) {
      unnamed_.push_back(values[0]);
      for (std::size_t i = 0; i < values.size(); ++i) share(values[i], kNone, i);
      return true;
    }
    if (base[0] != '%' || !is_value_suffix(base.substr(1))) return false;
    const Name name = free_name(name_of_text(base));
    owner(name) = {round_, block};
    for (std::size_t i = 0; i < values.size(); ++i) share(values[i], name, i);
    return true;
  }

  void share(ValueId value, Name name, std::size_t number) {
    rows_[value] = {name, static_cast<std::uint32_t>(number + 1)};
  }

  void take(ValueId value, ValueName kept, BlockId block) {
    Name name = kNone;
    if (kept.bits != ValueName::kUnnamed) {
      name = rules_ == NameRules::kJson ? json_name(kept) : free_name(mlir_name(kept));
    }
    rows_[value] = {name, 0};
    if (name == kNone) return unnamed_.push_back(value);
    owner(name) = {round_, block};
  }

  // None for a name that the function has already.
  Name json_name(ValueName kept) {
    const bool is_name = (kept.bits & ValueName::kIsText) || is_near(kept.bits);
    const Name name = is_name ? kept.bits : name_of_text(to_string(m_.strings, kept));
    return is_used(name) ? kNone : name;
  }

  Name mlir_name(ValueName kept) {
    if (!(kept.bits & ValueName::kIsText) && is_near(kept.bits)) return kept.bits;
    const std::string text = to_string(m_.strings, kept);
    const std::string_view suffix = std::string_view(text).substr(text.starts_with('%') ? 1 : 0);
    if (suffix.size() < text.size() && is_value_suffix(suffix)) {
      return kept.bits & ValueName::kIsText ? kept.bits : name_of_text(text);
    }
    std::string valid = "%";
    for (char c : suffix) {
      valid += is_word_char(c) || c == '-' ? c : '_';
    }
    if (!is_value_suffix(std::string_view(valid).substr(1))) valid.insert(1, 1, '_');
    return name_of_text(valid);
  }

  // `name`, or one made of it if the regions around have it already.
  Name free_name(Name name) {
    if (!is_visible(name)) return name;
    std::string base;
    append_base(base, name);
    if (!(name & kText)) base.insert(1, 1, '_');
    for (std::uint32_t i = 0;; ++i) {
      const Name next = name_of_text(fmt::format("{}_{}", base, i));
      if (!is_used(next)) return next;
    }
  }

  void name_anew(ValueId value) {
    const bool is_argument = m_.values[value].is_argument != 0;
    Name name = kNone;
    do {
      name = is_argument ? name_of_text(fmt::format("%arg{}", next_argument_++))
                         : name_of_text(fmt::format("%{}", next_number_++));
    } while (is_used(name));
    owner(name) = {round_, BlockId(0)};
    if (rows_[value].number == 0) {
      rows_[value].name = name;
      return;
    }
    for (ValueId each : results(m_, defining_op(m_, value))) rows_[each].name = name;
  }

  const Module& m_;
  NameRules rules_;
  std::vector<std::uint8_t> open_;  // by BlockId: it encloses what is being named
  IdVector<ValueId, Row> rows_;
  StringTable texts_;
  std::vector<Owner> number_owners_;
  std::vector<Owner> text_owners_;
  std::vector<ValueId> unnamed_;
  std::vector<Shared> shared_;
  std::uint32_t round_ = 0;
  std::uint32_t next_number_ = 0;
  std::uint32_t next_argument_ = 0;
};

}  // namespace shardprop::detail
