// Definitions of op_table.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// What is wrong with `op` whatever the table holds; its rule is checked when it is read.
inline void check_custom_op(const CustomOp& op, Diagnostics& out) {
  const auto report = [&](bool wrong, std::string_view code, std::string message,
                          std::string hint) {
    if (!wrong) return;
    out.push_back({std::string(code), std::move(message), std::move(hint)});
    out.back().place.operation = op.name;
  };
  report(op.name.empty(), "op.no_name", "the operation has no name", "name it `dialect.operation`");
  report((op.traits & ~kAllTraits) != 0, "op.unknown_traits",
         fmt::format("the traits {:#x} are not known", op.traits & ~kAllTraits),
         "combine the constants of ops/op_def.hpp");
  const int schedules = ((op.traits & (kElementwise | kRearranges)) != 0) +
                        ((op.traits & kSlicesDynamically) != 0) + ((op.traits & kBroadcasts) != 0);
  report(schedules > 1, "op.duplicate_traits", "two traits say when the operation propagates",
         "give one of kElementwise or kRearranges, kSlicesDynamically, kBroadcasts");
  const auto is_range = [](std::int8_t min, std::int8_t max) {
    return min >= 0 && (max == kVariadic || max >= min);
  };
  report(!is_range(op.signature.min_operands, op.signature.max_operands) ||
             !is_range(op.signature.min_results, op.signature.max_results) ||
             !is_range(op.signature.min_blocks, op.signature.max_blocks),
         "op.signature", "a signature must allow at least one count of operands, results, blocks",
         "let each maximum be at least its minimum, or kVariadic");
  report(op.rule && !op.rule_text.empty(), "op.two_rules",
         "the operation has a rule as text and one as a function", "leave one out");
  const DataFlow& flow = op.data_flow;
  report(!flow.edges && (flow.get_sharding || flow.set_sharding || flow.get_shardings ||
                         flow.set_shardings || flow.sharding_once_set || flow.transform),
         "op.data_flow", "the data flow has no edges", "set `data_flow.edges`");
}

}  // namespace detail

SHARDPROP_INLINE Diagnostics OpTable::add(CustomOp op) {
  Diagnostics errors;
  if (find(op.name)) {
    errors.push_back({"op.duplicate_name",
                      fmt::format("the table has an operation {}", detail::quoted(op.name)),
                      "use another name, or `replace`"});
  }
  return put(std::move(op), std::move(errors));
}

SHARDPROP_INLINE Diagnostics OpTable::put(CustomOp op, Diagnostics errors) {
  detail::check_custom_op(op, errors);
  if (!op.rule_text.empty()) {
    if (Result<RulePattern> pattern = parse_rule_pattern(op.rule_text)) {
      op.rule = [p = std::move(*pattern)](const RuleInput& in) { return rule_from_pattern(p, in); };
    } else {
      for (Diagnostic& error : pattern.errors()) {
        error.place.operation = op.name;
        errors.push_back(std::move(error));
      }
    }
  }
  if (!errors.empty()) return errors;
  auto custom = std::make_shared<const CustomOp>(std::move(op));
  OpRow row;
  row.def.name = custom->name;
  row.def.traits = custom->traits;
  row.def.signature = custom->signature;
  if (custom->data_flow.edges) row.def.data_flow = &custom->data_flow;
  row.custom = custom;
  put(custom->name, std::move(row));
  return errors;
}

}  // namespace shardprop
