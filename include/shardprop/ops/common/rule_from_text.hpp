// Rules of caller's operations as text, such as `([i, k], [k, j])->([i, j]) reduction={k}`, without
// factor sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/rule_text.hpp"

namespace shardprop {

namespace detail {

// The factor of `mapping` whose size is not known yet, if it is the only one; then `rest` is its
// size by the dimension.
inline std::optional<std::uint32_t> only_unknown_factor(const DimMapping& mapping,
                                                        const OpShardingRule& rule,
                                                        std::int64_t dim_size, std::int64_t& rest) {
  std::optional<std::uint32_t> unknown;
  rest = dim_size;
  for (std::uint32_t factor : mapping) {
    if (factor >= rule.factors.size()) return std::nullopt;
    const std::int64_t size = rule.factors[factor].size;
    if (size > 0) {
      rest /= size;
    } else if (unknown) {
      return std::nullopt;
    } else {
      unknown = factor;
    }
  }
  return unknown;
}

}  // namespace detail

// Gives each factor without a size (0 or less) the size that a dimension of the operation's types
// determines. False if the rule's shape does not fit the operation, or a size stays unknown.
inline bool infer_factor_sizes(const RuleInput& in, OpShardingRule& rule) {
  const Operation& op = in.m.ops[in.op];
  if (rule.operands.size() != op.operand_count || rule.results.size() != op.result_count)
    return false;
  const auto shape = [&](std::size_t tensor) {
    return shape_of(in.m, tensor < op.operand_count
                              ? operand(in.m, in.op, tensor)
                              : result(in.m, in.op, tensor - op.operand_count));
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
      if (shape(t).size() != rule.tensor(t).size()) return false;
      for (std::size_t dim = 0; dim < rule.tensor(t).size(); ++dim) {
        std::int64_t rest = 0;
        const auto factor =
            detail::only_unknown_factor(rule.tensor(t)[dim], rule, shape(t)[dim], rest);
        if (!factor || rest <= 0) continue;
        rule.factors[*factor].size = rest;
        progress = true;
      }
    }
  }
  for (const Factor& factor : rule.factors) {
    if (factor.size <= 0) return false;
  }
  return true;
}

// The rule that `text` states for the operation, or none if it does not fit its types.
inline std::optional<OpShardingRule> rule_from_text(std::string_view text, const RuleInput& in) {
  Result<OpShardingRule> rule = parse_rule(text, FactorSizes::kOptional);
  if (!rule || !infer_factor_sizes(in, *rule)) return std::nullopt;
  return *rule;
}

}  // namespace shardprop
