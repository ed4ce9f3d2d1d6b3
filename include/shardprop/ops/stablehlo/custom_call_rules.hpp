// Sharding rules of the custom calls whose targets are known: decompositions and searches that
// frameworks lower to calls, and annotations that pass their operand on. A call of any other target
// has no rule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

inline std::string_view custom_call_target(const Module& m, OpId op) {
  return text_of(m, attribute(m, op, "call_target_name"));
}

// Whether `op` is a custom call `@Sharding`, which stands for a sharding constraint.
inline bool is_sharding_call(const Module& m, OpId op) {
  return m.ops[op].name == known::kCustomCall && custom_call_target(m, op) == "Sharding" &&
         m.ops[op].operand_count == 1 && m.ops[op].result_count == 1 &&
         type_of(m, operand(m, op, 0)) == type_of(m, result(m, op, 0));
}

namespace detail {

// Factor i is dimension i of the first result and of every tensor that has that dimension. A
// tensor of more dimensions than the first result gives no rule; what is not a tensor, such as a
// token, has no dimensions.
inline std::optional<OpShardingRule> leading_dims_rule(const RuleInput& in) {
  if (results(in.m, in.op).empty() ||
      !in.m.types.is_static_tensor(type_of(in.m, result(in.m, in.op, 0))))
    return std::nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  OpShardingRule rule;
  for (std::int64_t size : shape) rule.factors.push_back({size, FactorKind::kPassThrough, false});
  const auto mapping_of = [](std::size_t rank) {
    TensorMapping mapping;
    for (std::uint32_t dim = 0; dim < rank; ++dim) mapping.push_back(DimMapping{dim});
    return mapping;
  };
  for (UseId use : operand_uses(in.m, in.op))
    rule.operands.push_back(mapping_of(rank_of(in.m, in.m.uses[use].value)));
  for (ValueId value : results(in.m, in.op))
    rule.results.push_back(mapping_of(rank_of(in.m, value)));
  for (std::size_t i = 0; i < rule.tensor_count(); ++i) {
    if (rule.tensor(i).size() > shape.size()) return std::nullopt;
  }
  return rule;
}

// Whether the ranks of operands and results, in this order, are `ranks`.
inline bool have_ranks(const RuleInput& in, std::initializer_list<std::size_t> ranks) {
  std::size_t i = 0;
  for (std::size_t rank : ranks) {
    const std::size_t operands = in.m.ops[in.op].operand_count;
    const ValueId value =
        i < operands ? operand(in.m, in.op, i) : result(in.m, in.op, i - operands);
    if (rank_of(in.m, value) != rank) return false;
    ++i;
  }
  return true;
}

// The operand, its indices and two initial values, which are scalars, to values and indices. A
// dimension that shrinks has a factor of the operands and one of the results.
inline std::optional<OpShardingRule> approx_top_k_rule(const RuleInput& in) {
  if (!has_static_tensors(in, 4, 2)) return std::nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  const auto out = shape_of(in.m, result(in.m, in.op, 0));
  if (!have_ranks(in, {shape.size(), shape.size(), 0, 0, shape.size(), shape.size()}))
    return std::nullopt;
  RuleBuilder builder(in.m, in.op);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t dim = static_cast<std::int64_t>(i);
    if (shape[i] == out[i]) {
      builder.add_everywhere(i, shape[i]);
      continue;
    }
    builder.add({dim, dim, kNoDim, kNoDim}, {kNoDim, kNoDim}, shape[i]);
    builder.add({kNoDim, kNoDim, kNoDim, kNoDim}, {dim, dim}, out[i],
                {FactorKind::kNeedReplication, true});
  }
  return std::move(builder).build();
}

inline bool is_used_by(const Module& m, OpId op, std::string_view user) {
  for (ValueId value : results(m, op)) {
    for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
      if (op_name(m, m.uses[use].user) == user) return true;
    }
  }
  return false;
}

}  // namespace detail

// What the rule takes from around the call: 1 for an X64Combine that makes the state of a random
// number generator.
inline std::uint32_t custom_call_context(const Module& m, OpId op) {
  if (custom_call_target(m, op) != "X64Combine") return 0;
  return detail::is_used_by(m, op, "stablehlo.rng_bit_generator") ? 1 : 0;
}

namespace detail {

// Two halves of 64-bit numbers to the whole. The state of a generator must be replicated and cannot
// be resharded as 64-bit numbers, so nothing is propagated to it.
inline std::optional<OpShardingRule> x64_combine_rule(const RuleInput& in) {
  return custom_call_context(in.m, in.op) == 0
             ? leading_dims_rule(in)
             : rule<"([i], [i]) -> ([i]) need_replication={i} blocked_propagation={i}">(in);
}

struct CustomCallTarget {
  std::string_view name;
  RuleFn rule;
};

// The packed factors and the scales of the reflectors.
inline constexpr RuleFn kQrRule =
    rule<"([..., i, j]) -> ([..., i, j], [..., k]) need_replication={i, j, k}">;

inline constexpr CustomCallTarget kCustomCallTargets[] = {
    {"ApproxTopK", approx_top_k_rule},
    {"Cholesky", leading_dims_rule},
    {"CompactWyHelper", leading_dims_rule},
    // Eigenvectors and eigenvalues.
    {"Eigh", rule<"([..., i, j]) -> ([..., i, j], [..., j])">},
    {"InspectSharding", leading_dims_rule},
    {"InvertDiagBlocksLowerTriangular", leading_dims_rule},
    {"InvertDiagBlocksUpperTriangular", leading_dims_rule},
    {"LayoutConstraint", leading_dims_rule},
    {"MoveToDevice", leading_dims_rule},
    {"MoveToHost", leading_dims_rule},
    {"PartialReduce", approx_top_k_rule},
    // The way back from `Qr` to the orthogonal matrix.
    {"ProductOfElementaryHouseholderReflectors",
     rule<"([..., i, j], [..., k]) -> ([..., i, j]) need_replication={i, j, k}">},
    {"Qr", kQrRule},
    {"QrDecompositionBlock", kQrRule},
    {"X64Combine", x64_combine_rule},
    {"X64SplitHigh", leading_dims_rule},
    {"X64SplitLow", leading_dims_rule},
    {"_SPMDInternalOp_MultiPad", leading_dims_rule},
    {"_SPMDInternalOp_MultiRotate", leading_dims_rule},
    {"_SPMDInternalOp_MultiSlice", leading_dims_rule},
    {"_SPMDInternalOp_RotateRight", leading_dims_rule},
    {"_SPMDInternalOp_Wrap", leading_dims_rule},
    {"annotate_device_placement", leading_dims_rule},
    {"mhlo.erf", leading_dims_rule},
    // The largest elements along a dimension, and their indices.
    {"mhlo.topk", resized<FactorKind::kNeedReplication, Blocked::kAlways>},
    {"xla.megascale.provide_metadata", leading_dims_rule},
};

}  // namespace detail

inline std::optional<OpShardingRule> custom_call_rule(const RuleInput& in) {
  const std::string_view target = custom_call_target(in.m, in.op);
  for (const detail::CustomCallTarget& known : detail::kCustomCallTargets) {
    if (known.name == target) return known.rule(in);
  }
  return std::nullopt;
}

}  // namespace shardprop
