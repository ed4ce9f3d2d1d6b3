// Sharding rules of the collectives of StableHLO. Dimension by dimension alike, except those that
// a collective gathers, scatters or exchanges between devices: they are replicated on both sides,
// each with a factor of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// The rule for one or two dimensions that are exchanged, `exchanged[0]` first.
inline std::optional<OpShardingRule> rule_with_exchange(const RuleInput& in,
                                                        std::span<const std::int64_t> exchanged) {
  if (in.m.ops[in.op].operand_count == 0 || in.m.ops[in.op].result_count == 0) return std::nullopt;
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (from.size() != to.size() || !has_tensors_of_rank(in.m, in.op, from.size(), true))
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

// The dimensions that the attributes `Dims` name are gathered, scattered or exchanged.
template <FixedText... Dims>
std::optional<OpShardingRule> exchanged(const RuleInput& in) {
  AttributeReader attributes(in.m, in.op, nullptr);
  std::vector<std::int64_t> dims = {attributes.integer(Dims.view())...};
  if (!attributes.ok()) return std::nullopt;
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return detail::rule_with_exchange(in, dims);
}

}  // namespace shardprop
