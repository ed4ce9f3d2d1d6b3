// Operations that sum over a dimension which is split over devices, where nothing adds up the parts
// of the sum: no reducing collective, and no axis of the result that is marked unreduced.
#pragma once

#include <cstddef>
#include <optional>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/ops/value_sharding.hpp"

namespace shardprop {

struct PartialSums {
  std::size_t count = 0;
  Place first;
};

namespace detail {

// Whether some dimension that `rule` sums over is split in `operand`.
inline bool splits_reduction(const Module& m, const OpShardingRule& rule, std::size_t number,
                             ValueId operand) {
  const std::optional<TensorSharding> sharding = tensor_sharding_of(m, operand);
  const TensorMapping& mapping = rule.operands[number];
  if (!sharding || sharding->rank() != mapping.size()) return false;
  for (std::size_t d = 0; d < mapping.size(); ++d) {
    if (sharding->dims[d].axes.empty()) continue;
    for (std::uint32_t factor : mapping[d]) {
      if (rule.factors[factor].kind == FactorKind::kReduction) return true;
    }
  }
  return false;
}

// Whether the parts of `value` are added up by its users, or known to be parts.
inline bool is_reduced_later(const Module& m, ValueId value) {
  if (const auto sharding = tensor_sharding_of(m, value); sharding && !sharding->unreduced.empty())
    return true;
  for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
    const StringId user = m.ops[m.uses[use].user].name;
    if (user == known::kSdyAllReduce || user == known::kSdyReduceScatter) return true;
  }
  return false;
}

}  // namespace detail

// O(operations). New rules are made in `m`, nothing else changes.
inline PartialSums find_partial_sums(Module& m, const OpTable& ops) {
  PartialSums out;
  OpRows rows(ops, m);
  RuleCache cache(false);
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].result_count == 0) return;
    const RuleId id = m.ops[op].rule.valid() ? m.ops[op].rule : cache.get(m, rows, op);
    if (!id.valid() || m.rules[id].custom) return;
    bool splits = false;
    for (std::size_t i = 0; i < m.ops[op].operand_count && !splits; ++i)
      splits = detail::splits_reduction(m, m.rules[id], i, operand(m, op, i));
    if (!splits || detail::is_reduced_later(m, result(m, op, 0))) return;
    if (out.count++ == 0) out.first = place_of(m, op);
  });
  return out;
}

}  // namespace shardprop
