// What an operation does to shardings, as an einsum-like map from the dimensions of its operands
// and results to factors.
//
// Worked example, a matrix product of 8x32 by 32x16: `([i, k], [k, j])->([i, j]) {i=8, j=16, k=32}
// reduction={k}`. The dimensions that share a factor are sharded alike; k is in the operands only,
// so that sharding it leaves partial sums. A dimension made of several factors, major to minor, is
// a reshape: `([ij])->([i, j]) {i=2, j=4}`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/interner.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop {

struct RuleTag;
using RuleId = Id<RuleTag>;

// What sharding a factor costs: nothing; a reduction of the results; gathering it; or an exchange
// with neighbours.
enum class FactorKind : std::uint8_t { kPassThrough, kReduction, kNeedReplication, kPermutation };

// A blocked factor may be sharded, but propagation does not carry a sharding along it.
struct Factor {
  std::int64_t size = 1;
  FactorKind kind = FactorKind::kPassThrough;
  bool blocked = false;

  friend bool operator==(const Factor&, const Factor&) = default;
};

using DimMapping = SmallVector<std::uint32_t, 2>;  // factor numbers, major to minor, at least one
using TensorMapping = std::vector<DimMapping>;     // one per dimension

struct OpShardingRule {
  std::vector<Factor> factors;
  std::vector<TensorMapping> operands;
  std::vector<TensorMapping> results;
  bool custom = false;  // written by a user: kept on the operation when propagation ends

  std::size_t tensor_count() const { return operands.size() + results.size(); }
  // The mapping of tensor `i`, operands first.
  const TensorMapping& tensor(std::size_t i) const {
    return i < operands.size() ? operands[i] : results[i - operands.size()];
  }
  friend bool operator==(const OpShardingRule&, const OpShardingRule&) = default;
};

inline std::uint64_t hash_value(const OpShardingRule& rule) {
  std::uint64_t h = hash_mix(rule.operands.size(), rule.results.size() * 2 + (rule.custom ? 1 : 0));
  for (const Factor& f : rule.factors) {
    h = hash_mix(h, static_cast<std::uint64_t>(f.size) * 8 +
                        static_cast<std::uint64_t>(f.kind) * 2 + (f.blocked ? 1 : 0));
  }
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    h = hash_mix(h, rule.tensor(t).size());
    for (const DimMapping& dim : rule.tensor(t)) {
      for (std::uint32_t factor : dim) h = hash_mix(h, factor);
      h = hash_mix(h, dim.size());
    }
  }
  return h;
}

// The distinct rules of a module.
using RuleTable = Interner<RuleId, OpShardingRule>;

}  // namespace shardprop
