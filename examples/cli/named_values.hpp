// The values of a program that a command line names: `%12`, `@func %x`, `'result 0'`, with patterns
// as in --shard. Without a function, those of every function are meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/diagnostics.hpp"
#include "fmt/core.h"
#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/apply_annotations.hpp"
#include "shardprop/support/glob.hpp"

namespace shardprop::cli {

namespace detail {

// Every value of a function, in program order, and its results.
inline std::vector<ValueRef> values_of(const Module& m, FuncId func) {
  std::vector<ValueRef> out;
  const auto add = [&](IdRange<ValueId> values) {
    for (ValueId value : values) out.push_back({value});
  };
  const BlockId body = m.funcs[func].body;
  add(m.blocks[body].arguments);
  walk_block(m, body, [&](OpId op) {
    for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling)
      add(m.blocks[b].arguments);
    add(results(m, op));
  });
  for (std::uint32_t i = 0; i < m.funcs[func].results.size(); ++i) out.push_back({{}, func, i});
  return out;
}

// A value's name; for an argument also what frameworks call it.
inline std::vector<std::string> names_of(const Module& m, const ValueRef& ref) {
  if (!ref.value.valid()) return {name_of(m, ref)};
  const auto at = m.value_attributes.find(ref.value.index);
  const AttrId dict = at == m.value_attributes.end() ? AttrId() : at->second;
  const LocId location = m.locations.of_value[ref.value];
  return shardprop::detail::value_target(m, FuncId(), ref.value, dict, location).names;
}

inline bool fits(const Module& m, const ValueRef& ref, std::string_view pattern) {
  for (const std::string& name : names_of(m, ref)) {
    if (name == pattern || glob_match(pattern, name)) return true;
  }
  return false;
}

}  // namespace detail

// All values of the program, function by function.
inline std::vector<ValueRef> all_values(const Module& m) {
  std::vector<ValueRef> out;
  for (FuncId f : m.func_order) {
    const std::vector<ValueRef> of_func = detail::values_of(m, f);
    out.insert(out.end(), of_func.begin(), of_func.end());
  }
  return out;
}

// Adds what `text` names to `out`. False, after an error was printed, where that is nothing.
inline bool find_values(const Module& m, std::string_view text, std::vector<ValueRef>& out) {
  std::string_view pattern = text;
  std::string_view func;
  if (pattern.starts_with('@')) {
    const std::size_t space = std::min(pattern.find(' '), pattern.size());
    func = pattern.substr(1, space - 1);
    pattern.remove_prefix(std::min(space + 1, pattern.size()));
  }
  const std::size_t before = out.size();
  std::vector<std::string> names;
  for (FuncId f : m.func_order) {
    const std::string_view name = m.strings[m.funcs[f].name];
    if (!func.empty() && name != func && !glob_match(func, name)) continue;
    for (const ValueRef& ref : detail::values_of(m, f)) {
      names.push_back(name_of(m, ref));
      if (names.back() == pattern || detail::fits(m, ref, pattern)) out.push_back(ref);
    }
  }
  if (out.size() > before) return true;
  if (pattern.empty() && !names.empty()) {
    print_error(fmt::format("{0} names a function: name a value of it too, as in '{0} {1}'", text,
                            names.front()));
    return false;
  }
  print_error(names.empty() ? fmt::format("the program has no function '@{}'", func)
                            : fmt::format("the program has no value '{}'{}", text,
                                          or_did_you_mean(pattern, names)));
  return false;
}

}  // namespace shardprop::cli
