// Checks the factors of a rule by computing.
//
// Pass-through and reduction factors that join tensors must be computed exactly by the shards.
// Permutation factors move data along one dimension: what stands at one position of it in an
// operand must reach some, but not all, positions of the result's dimension, and not the same as
// all the others. A replicated factor is gathered before the operation and cut afterwards, which is
// right for every pairing: which dimensions share one is a choice, so that only its form is
// checked; that it could be more than replicated is what the search for missing pairings tells. The
// same holds of pass-through factors of operands alone (gathered) and of results alone (cut).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shardprop/sharding/rule_text.hpp"
#include "tests/oracle/shards.hpp"

namespace oracle {

using shardprop::FactorKind;

// Whether shards compute such a factor without communication.
inline bool is_local(FactorKind kind) {
  return kind == FactorKind::kPassThrough || kind == FactorKind::kReduction;
}

struct FactorSplit {
  Split split;
  std::string wrong;  // why the factor cannot be split, if so
  std::size_t operands = 0;
  std::size_t results = 0;
};

// Where a factor lies in each tensor. Factors of a dimension are (major, factor, minor), together
// of the dimension's size.
inline FactorSplit split_of(const Case& test, const OpShardingRule& rule, std::uint32_t factor) {
  FactorSplit out;
  out.split.resize(test.tensor_count());
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    for (std::size_t d = 0; d < rule.tensor(t).size(); ++d) {
      const auto& mapping = rule.tensor(t)[d];
      const auto at = std::find(mapping.begin(), mapping.end(), factor);
      if (at == mapping.end()) continue;
      SubDim sub{d, 1, rule.factors[factor].size, 1};
      for (auto f = mapping.begin(); f != at; ++f) sub.major *= rule.factors[*f].size;
      for (auto f = at + 1; f != mapping.end(); ++f) sub.minor *= rule.factors[*f].size;
      if (sub.major * sub.size * sub.minor != test.shape(t)[d])
        out.wrong = "the factors of a dimension do not make up its size";
      if (out.split[t]) out.wrong = "a tensor has the factor twice";
      out.split[t] = sub;
      ++(t < rule.operands.size() ? out.operands : out.results);
    }
  }
  return out;
}

// The positions along dimension `to` of result `r` that change when operand `t` changes at
// `position` of dimension `from`.
inline std::set<std::int64_t> reached(const Case& test, std::size_t t, std::size_t from,
                                      std::int64_t position, std::size_t r, std::size_t to) {
  Operation changed = test.op;
  for_each_index(changed.operands[t].shape, [&](const Shape& index) {
    std::int64_t& element = changed.operands[t].at(index);
    if (index[from] == position) element = wrap_add(element, 1'000'000 + 7 * index.back());
  });
  const Results results = evaluate(changed);
  std::set<std::int64_t> positions;
  for_each_index(test.results[r].shape, [&](const Shape& index) {
    if ((*results)[r].at(index) != test.results[r].at(index)) positions.insert(index[to]);
  });
  return positions;
}

inline std::string check_permutation(const Case& test, const Split& split) {
  const std::size_t operands = test.op.operands.size();
  bool any = false;
  for (std::size_t t = 0; t < operands; ++t) {
    for (std::size_t r = 0; r < test.results.size(); ++r) {
      if (!split[t] || !split[operands + r]) continue;
      const std::size_t to = split[operands + r]->dim;
      std::set<std::set<std::int64_t>> places;
      std::size_t moved = 0;
      for (std::int64_t p = 0; p < test.shape(t)[split[t]->dim]; ++p) {
        const auto positions = reached(test, t, split[t]->dim, p, r, to);
        if (positions.size() == index_of(test.results[r].shape[to]))
          return "a position of the operand is needed all along the result";
        if (positions.empty()) continue;
        places.insert(positions);
        ++moved;
      }
      any = any || moved > 0;
      if (moved > 1 && places.size() == 1)
        return "all positions of the operand are needed at the same ones of the result";
    }
  }
  return any ? "" : "no data moves from an operand to a result along the factor";
}

// What is wrong with a factor; empty if nothing is.
inline std::string check_factor(const Case& test, const OpShardingRule& rule,
                                std::uint32_t factor) {
  const auto& row = rule.factors[factor];
  if (row.size == 1) return "";
  const FactorSplit parts = split_of(test, rule, factor);
  switch (row.kind) {
    case FactorKind::kReduction:
      if (!parts.wrong.empty()) return parts.wrong;
      if (parts.results > 0) return "a result has a reduction factor";
      return compare_all_shards(test, parts.split, row.size, Joining::kReduce);
    case FactorKind::kPassThrough:
      if (parts.operands == 0 || parts.results == 0) return "";
      if (!parts.wrong.empty()) return parts.wrong;
      return compare_all_shards(test, parts.split, row.size, Joining::kConcatenate);
    case FactorKind::kPermutation:
      return check_permutation(test, parts.split);
    case FactorKind::kNeedReplication:
      return "";
  }
  return "";
}

// What is wrong with a rule; empty if nothing is.
inline std::string check_rule(const Case& test, const OpShardingRule& rule) {
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    if (const std::string wrong = check_factor(test, rule, f); !wrong.empty())
      return shardprop::factor_symbol(f) + ": " + wrong;
  }
  return "";
}

}  // namespace oracle
