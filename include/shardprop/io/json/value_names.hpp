// Names of values as they are written: unique in a function, and given to the values that have
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/io/common/json_literals.hpp"
#include "shardprop/io/common/value_name_map.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/hash.hpp"

namespace shardprop::detail {

// A value keeps its name unless an earlier value of its function has it. The others are called %0,
// %1, ... (results) and %arg0, %arg1, ... (arguments of functions and blocks) in the order of their
// definition, leaving out names that are taken.
class WrittenNames {
 public:
  explicit WrittenNames(const Module& m) : m_(m) {}

  // Settles the names of a function. O(values of the function).
  void enter(FuncId func) {
    taken_.clear();
    made_.clear();
    unnamed_.clear();
    next_number_ = next_argument_ = 0;
    collect(m_.funcs[func].body);
    for (ValueId value : unnamed_) make(value);
  }

  void append(std::string& out, ValueId value) const {
    const ValueName name = m_.value_names[value];
    if (!made_.empty()) {
      const std::uint32_t found = made_index(value);
      if (found != HashIndex::kEmpty) return append_made(out, made_[found]);
    }
    if (name.bits & ValueName::kIsText)
      return append_string(out, m_.strings[StringId(name.bits & ~ValueName::kIsText)]);
    append_numbered(out, "%", name.bits);
  }

 private:
  struct Made {
    ValueId value;
    std::uint32_t number;
    bool is_argument;
  };

  static void append_numbered(std::string& out, std::string_view prefix, std::uint32_t number) {
    out += '"';
    out.append(prefix);
    append_integer(out, number);
    out += '"';
  }
  static void append_made(std::string& out, const Made& made) {
    append_numbered(out, made.is_argument ? "%arg" : "%", made.number);
  }

  std::uint32_t made_index(ValueId value) const {
    return made_index_.find(hash_mix(0, value.index),
                            [&](std::uint32_t i) { return made_[i].value == value; });
  }

  void collect(BlockId block) {
    for (ValueId value : m_.blocks[block].arguments) take(value);
    for (OpId op = m_.blocks[block].first_op; op.valid(); op = m_.layout[op].next) {
      for (ValueId value : results(m_, op)) take(value);
      for (BlockId b = m_.ops[op].first_block; b.valid(); b = m_.blocks[b].next_sibling) collect(b);
    }
  }

  void take(ValueId value) {
    const ValueName name = m_.value_names[value];
    if (name.bits == ValueName::kUnnamed || !taken_.insert(name, value)) unnamed_.push_back(value);
  }

  bool is_taken(ValueName name) const { return taken_.find(name).valid(); }

  bool is_taken_argument(std::uint32_t number) const {
    const StringId text = m_.strings.find("%arg" + std::to_string(number));
    return text.valid() && is_taken({text.index | ValueName::kIsText});
  }

  void make(ValueId value) {
    if (made_.empty()) made_index_ = HashIndex();
    const bool is_argument = m_.values[value].is_argument;
    std::uint32_t& next = is_argument ? next_argument_ : next_number_;
    while (is_argument ? is_taken_argument(next) : is_taken(numbered_name(next))) ++next;
    const std::uint32_t row = static_cast<std::uint32_t>(made_.size());
    made_index_.find_or_insert(hash_mix(0, value.index), row, [](std::uint32_t) { return false; });
    made_.push_back({value, next++, is_argument});
  }

  const Module& m_;
  ValueNameMap<ValueId> taken_;
  HashIndex made_index_;
  std::vector<Made> made_;
  std::vector<ValueId> unnamed_;
  std::uint32_t next_number_ = 0;
  std::uint32_t next_argument_ = 0;
};

}  // namespace shardprop::detail
