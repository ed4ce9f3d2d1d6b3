// The text form of a sharding rule, that of `#sdy.op_sharding_rule`:
//   ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k} need_replication={i}
//   permutation={j} blocked_propagation={j}, custom
// on one line. Factors are called i to z, then z_1, z_2, ...; a dimension of several factors is
// their names in a row (`ij`, `zz_1`). The sets are given in this order, each sorted, and left out
// when empty.
//
// A pattern is the same without sizes, for all operations of one name:
//   ([..., i, k], [..., k, j])->([..., i, j]) reduction={k}
// Factors may be called a to h, too; they are numbered in the order of the alphabet. `...` stands
// for any number of leading dimensions, the same in each tensor that has it; each is a factor of
// its own. The run-time reader and the compiler (`rule<"...">` of room ops) read patterns with the
// same parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/rule_parser.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

namespace detail {

inline std::string mappings_text(const std::vector<TensorMapping>& tensors) {
  const auto dim_text = [](const DimMapping& dim) {
    std::string out;
    for (std::uint32_t factor : dim) out += factor_symbol(factor);
    return out;
  };
  return comma_list(tensors, [&](const TensorMapping& tensor) {
    return '[' + comma_list(tensor, dim_text) + ']';
  });
}

// ` name={i, k}` for the factors that `belongs` picks; nothing if there are none.
template <class Belongs>
std::string factor_set_text(const OpShardingRule& rule, std::string_view name, Belongs&& belongs) {
  std::string symbols;
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    if (belongs(rule.factors[f])) symbols += (symbols.empty() ? "" : ", ") + factor_symbol(f);
  }
  return symbols.empty() ? symbols : fmt::format(" {}={{{}}}", name, symbols);
}

}  // namespace detail

inline std::string to_string(const OpShardingRule& rule) {
  std::string out = fmt::format("({})->({})", detail::mappings_text(rule.operands),
                                detail::mappings_text(rule.results));
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    out += fmt::format("{}{}={}", f == 0 ? " {" : ", ", factor_symbol(f), rule.factors[f].size);
  }
  if (!rule.factors.empty()) out += '}';
  for (FactorKind kind :
       {FactorKind::kReduction, FactorKind::kNeedReplication, FactorKind::kPermutation}) {
    out += detail::factor_set_text(rule, to_string(kind),
                                   [kind](const Factor& f) { return f.kind == kind; });
  }
  out += detail::factor_set_text(rule, detail::kBlocked, [](const Factor& f) { return f.blocked; });
  if (rule.custom) out += ", custom";
  return out;
}

// Reads the text form, also within `#sdy.op_sharding_rule<...>`. Errors, with line and column:
// `rule.syntax`, `factor_symbol`, `factor_order`, `empty_dimension`, `unknown_factor`,
// `unsorted_factors`, `duplicate_factor`, `factor_in_two_sets`. Whether the rule fits an operation
// is for `verify_rule`.
inline Result<OpShardingRule> parse_rule(std::string_view text) {
  detail::RuleParser parser(text, detail::RuleParser::Notation::kSdy);
  if (!parser.read()) return std::move(parser.errors());
  return parser.take().rule;
}

// Reads a pattern. Errors: those of `parse_rule`, `rule.reused_factor`, `rule.factor_size`,
// `rule.reduction_in_result`.
inline Result<RulePattern> parse_rule_pattern(std::string_view text) {
  detail::RuleParser parser(text, detail::RuleParser::Notation::kPattern);
  if (!parser.read()) return std::move(parser.errors());
  return parser.take();
}

// For the compiler: true for the text of a pattern; any other text is not a constant expression.
// Sizes cannot be read there.
constexpr bool is_rule_pattern(std::string_view text) {
  return detail::RuleParser(text, detail::RuleParser::Notation::kPattern).read();
}

}  // namespace shardprop
