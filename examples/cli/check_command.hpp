// `shardprop check IN` and `shardprop rules IN`: what a program is, without propagation.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/shardings.hpp"
#include "fmt/core.h"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/unknown_ops.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/sharding/rule_text.hpp"

namespace shardprop::cli {

inline int check_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  GivenShardings given;
  if (const int code = read_shardings(arguments, given); code != kOk) return code;
  std::optional<Input> input = load(arguments.positional[0], ops);
  if (!input) return kBadInput;
  const Diagnostics unknown = unknown_operations(ops, input->m);
  print_diagnostics(unknown, input->texts());
  if (!unknown.empty() || (!given.empty() && !apply_shardings(*input, given))) return kBadInput;
  std::size_t operations = 0;
  walk_ops(input->m, [&](OpId) { ++operations; });
  fmt::print(stderr, "{}: {} functions, {} operations, no errors\n", arguments.positional[0],
             input->m.func_order.size(), operations);
  return kOk;
}

inline constexpr std::array kRulesOptions = {
    Option{"--conservative", "", "the rules of conservative propagation"}};

inline int rules_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Input> input = load(arguments.positional[0], ops);
  if (!input) return kBadInput;
  Module& m = input->m;
  populate_sharding_rules(m, ops, arguments.has("--conservative"));
  std::string out;
  for (FuncId f : m.func_order) {
    out += fmt::format("@{}\n", m.strings[m.funcs[f].name]);
    walk_block(m, m.funcs[f].body, [&](OpId op) {
      const RuleId rule = m.ops[op].rule;
      const std::string value = m.ops[op].result_count > 0 ? name_of(m, result(m, op, 0)) : "";
      out += fmt::format("  {:<8} {:<28} {}\n", value, op_name(m, op),
                         rule.valid() ? to_string(m.rules[rule]) : "-");
    });
  }
  return print_text(out);
}

}  // namespace shardprop::cli
