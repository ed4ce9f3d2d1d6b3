// Rules made wrong on purpose, to see that the oracle refuses them: two dimensions of a tensor, or
// two factors of a dimension, change places; a factor gets another kind.
//
// Left alone are factors for which computing cannot tell (see factors.hpp): those of one tensor,
// and whether a factor that costs communication needs an exchange with neighbours or all of the
// data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/oracle/factors.hpp"

namespace oracle {

// The rule with its factors numbered as they first occur: equal for rules that differ in names
// only.
inline OpShardingRule renumbered(const OpShardingRule& rule) {
  OpShardingRule out = rule;
  std::vector<std::uint32_t> old_numbers;
  const auto number = [&](std::uint32_t factor) {
    const auto at = std::find(old_numbers.begin(), old_numbers.end(), factor);
    const auto found = static_cast<std::uint32_t>(at - old_numbers.begin());
    if (at == old_numbers.end()) old_numbers.push_back(factor);
    return found;
  };
  for (auto* tensors : {&out.operands, &out.results}) {
    for (auto& tensor : *tensors) {
      for (auto& dim : tensor) {
        for (std::uint32_t& factor : dim) factor = number(factor);
      }
    }
  }
  for (std::size_t f = 0; f < old_numbers.size(); ++f)
    out.factors[f] = rule.factors[old_numbers[f]];
  return out;
}

// Whether the factor says something that computing can prove or refute.
inline bool is_decided(const Case& test, const OpShardingRule& rule, std::uint32_t factor) {
  if (rule.factors[factor].size == 1) return false;
  const FactorSplit parts = split_of(test, rule, factor);
  return rule.factors[factor].kind == FactorKind::kReduction ||
         (parts.operands > 0 && parts.results > 0);
}
inline bool is_decided_pairing(const Case& test, const OpShardingRule& rule, std::uint32_t factor) {
  return is_decided(test, rule, factor) &&
         rule.factors[factor].kind != FactorKind::kNeedReplication;
}

inline void add_swaps(const Case& test, const OpShardingRule& rule, std::size_t tensor,
                      std::vector<OpShardingRule>& out) {
  const Shape& shape = test.shape(tensor);
  const auto mutable_tensor = [&](OpShardingRule& r) -> shardprop::TensorMapping& {
    return tensor < r.operands.size() ? r.operands[tensor] : r.results[tensor - r.operands.size()];
  };
  const auto decided = [&](std::uint32_t f) { return is_decided_pairing(test, rule, f); };
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const auto& first = rule.tensor(tensor)[a];
    for (std::size_t b = a + 1; b < shape.size(); ++b) {
      const auto& second = rule.tensor(tensor)[b];
      if (shape[a] != shape[b] || (std::none_of(first.begin(), first.end(), decided) &&
                                   std::none_of(second.begin(), second.end(), decided)))
        continue;
      OpShardingRule swapped = rule;
      std::swap(mutable_tensor(swapped)[a], mutable_tensor(swapped)[b]);
      out.push_back(swapped);
    }
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
      if (rule.factors[first[i]].size == 1 || rule.factors[first[i + 1]].size == 1) continue;
      if (!decided(first[i]) && !decided(first[i + 1])) continue;
      OpShardingRule swapped = rule;
      std::swap(mutable_tensor(swapped)[a][i], mutable_tensor(swapped)[a][i + 1]);
      out.push_back(swapped);
    }
  }
}

inline void add_other_kinds(const Case& test, const OpShardingRule& rule, std::uint32_t factor,
                            std::vector<OpShardingRule>& out) {
  if (!is_decided(test, rule, factor)) return;
  const FactorKind kind = rule.factors[factor].kind;
  for (FactorKind other : {FactorKind::kPassThrough, FactorKind::kReduction,
                           FactorKind::kNeedReplication, FactorKind::kPermutation}) {
    if (other == kind || (!is_local(kind) && !is_local(other))) continue;
    OpShardingRule changed = rule;
    changed.factors[factor].kind = other;
    out.push_back(changed);
  }
}

inline std::vector<OpShardingRule> mutated_rules(const Case& test, const OpShardingRule& rule) {
  std::vector<OpShardingRule> out;
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) add_swaps(test, rule, t, out);
  std::erase_if(out, [&](const OpShardingRule& r) { return renumbered(r) == renumbered(rule); });
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) add_other_kinds(test, rule, f, out);
  return out;
}

}  // namespace oracle
