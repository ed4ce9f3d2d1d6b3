// Sharding rules of the collectives of StableHLO. Dimension by dimension alike, but for those that
// a collective gathers, scatters or exchanges between devices: they are replicated on both sides,
// each with a factor of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// Whether all operands and results are tensors of known shape, of `rank` dimensions or none.
inline bool are_tensors_of_rank(const Module& m, OpId op, std::size_t rank) {
  const auto fits = [&](ValueId value) {
    return m.types.is_static_tensor(type_of(m, value)) &&
           (rank_of(m, value) == rank || rank_of(m, value) == 0);
  };
  for (UseId use : operand_uses(m, op)) {
    if (!fits(m.uses[use].value)) return false;
  }
  for (ValueId value : results(m, op)) {
    if (!fits(value)) return false;
  }
  return true;
}

// The same rule for one or two dimensions that are exchanged, `exchanged[0]` first.
inline std::optional<OpShardingRule> rule_with_exchange(const RuleInput& in,
                                                        std::span<const std::int64_t> exchanged) {
  if (in.m.ops[in.op].operand_count == 0 || in.m.ops[in.op].result_count == 0) return std::nullopt;
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (from.size() != to.size() || !are_tensors_of_rank(in.m, in.op, from.size()))
    return std::nullopt;
  for (std::int64_t dim : exchanged) {
    if (dim < 0 || static_cast<std::size_t>(dim) >= from.size()) return std::nullopt;
  }
  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    bool alike = true;
    for (std::int64_t other : exchanged) alike = alike && static_cast<std::size_t>(other) != dim;
    if (alike) builder.add_everywhere(dim, from[dim]);
  }
  const FactorOptions replicated{.kind = FactorKind::kNeedReplication};
  for (std::int64_t exchange : exchanged) {
    const auto dim = static_cast<std::size_t>(exchange);
    builder.add_to_operands(dim, from[dim], replicated).add_to_results(dim, to[dim], replicated);
  }
  return std::move(builder).build();
}

}  // namespace detail

// Dimension d of every operand and result is factor d, of the size that the first result has.
inline std::optional<OpShardingRule> dim_by_dim_rule(const RuleInput& in) {
  if (in.m.ops[in.op].result_count == 0) return std::nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  if (!detail::are_tensors_of_rank(in.m, in.op, shape.size())) return std::nullopt;
  return std::move(RuleBuilder(in.m, in.op).add_pointwise(shape)).build();
}

inline std::optional<OpShardingRule> all_gather_rule(const RuleInput& in) {
  AttributeReader attributes(in.m, in.op, nullptr);
  const std::int64_t dim = attributes.integer("all_gather_dim");
  return attributes.ok() ? detail::rule_with_exchange(in, std::span(&dim, 1)) : std::nullopt;
}

inline std::optional<OpShardingRule> reduce_scatter_rule(const RuleInput& in) {
  AttributeReader attributes(in.m, in.op, nullptr);
  const std::int64_t dim = attributes.integer("scatter_dimension");
  return attributes.ok() ? detail::rule_with_exchange(in, std::span(&dim, 1)) : std::nullopt;
}

inline std::optional<OpShardingRule> all_to_all_rule(const RuleInput& in) {
  AttributeReader attributes(in.m, in.op, nullptr);
  const std::int64_t dims[] = {attributes.integer("split_dimension"),
                               attributes.integer("concat_dimension")};
  if (!attributes.ok()) return std::nullopt;
  return detail::rule_with_exchange(in, std::span(dims, dims[0] == dims[1] ? 1 : 2));
}

}  // namespace shardprop
