// Sharding rules of matrix products. Each dimension of a product is of one of four sorts, worked on
// `dot_general` of [b, i, k] and [b, k, j] with result [b, i, j]: batching (b, in all three), free
// of the left (i), free of the right (j), and contracting (k, in the operands only: a reduction).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// The fields of `dot_dimension_numbers`.
struct DotDims {
  std::span<const std::int64_t> lhs_batching;
  std::span<const std::int64_t> rhs_batching;
  std::span<const std::int64_t> lhs_contracting;
  std::span<const std::int64_t> rhs_contracting;

  bool is_free_of_lhs(std::int64_t dim) const {
    return !detail::contains(lhs_batching, dim) && !detail::contains(lhs_contracting, dim);
  }
  bool is_free_of_rhs(std::int64_t dim) const {
    return !detail::contains(rhs_batching, dim) && !detail::contains(rhs_contracting, dim);
  }
};

// Reads `dot_dimension_numbers`; none where it is missing or of another kind.
inline std::optional<DotDims> read_dot_dims(AttributeReader attributes) {
  AttributeReader reader = attributes.dict("dot_dimension_numbers");
  const DotDims dims = {reader.ints_or_empty("lhs_batching_dimensions"),
                        reader.ints_or_empty("rhs_batching_dimensions"),
                        reader.ints_or_empty("lhs_contracting_dimensions"),
                        reader.ints_or_empty("rhs_contracting_dimensions")};
  if (!attributes.ok() || !reader.ok()) return std::nullopt;
  return dims;
}

namespace detail {

inline bool are_dims_of_product(const DotDims& dims, std::size_t lhs_rank, std::size_t rhs_rank,
                                std::size_t out_rank) {
  if (dims.lhs_batching.size() != dims.rhs_batching.size()) return false;
  if (dims.lhs_contracting.size() != dims.rhs_contracting.size()) return false;
  for (std::size_t i = 0; i < dims.lhs_batching.size(); ++i) {
    if (contains(dims.lhs_contracting, dims.lhs_batching[i])) return false;
    if (contains(dims.rhs_contracting, dims.rhs_batching[i])) return false;
  }
  return are_distinct_dims(dims.lhs_batching, lhs_rank) &&
         are_distinct_dims(dims.lhs_contracting, lhs_rank) &&
         are_distinct_dims(dims.rhs_batching, rhs_rank) &&
         are_distinct_dims(dims.rhs_contracting, rhs_rank) &&
         out_rank + dims.lhs_batching.size() + 2 * dims.lhs_contracting.size() ==
             lhs_rank + rhs_rank;
}

}  // namespace detail

inline std::optional<OpShardingRule> dot_general_rule(const RuleInput& in) {
  const std::optional<DotDims> dims = read_dot_dims({in.m, in.op, nullptr});
  if (!dims || !detail::has_static_tensors(in, 2, 1)) return std::nullopt;
  const auto lhs = shape_of(in.m, operand(in.m, in.op, 0));
  const auto rhs = shape_of(in.m, operand(in.m, in.op, 1));
  const std::size_t out_rank = rank_of(in.m, result(in.m, in.op, 0));
  if (!detail::are_dims_of_product(*dims, lhs.size(), rhs.size(), out_rank)) return std::nullopt;

  RuleBuilder builder(in.m, in.op);
  std::int64_t out = 0;
  for (std::size_t i = 0; i < dims->lhs_batching.size(); ++i) {
    const std::int64_t dim = dims->lhs_batching[i];
    builder.add({dim, dims->rhs_batching[i]}, {out++}, lhs[static_cast<std::size_t>(dim)]);
  }
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    const std::int64_t dim = static_cast<std::int64_t>(i);
    if (dims->is_free_of_lhs(dim)) builder.add({dim, kNoDim}, {out++}, lhs[i]);
  }
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    const std::int64_t dim = static_cast<std::int64_t>(i);
    if (dims->is_free_of_rhs(dim)) builder.add({kNoDim, dim}, {out++}, rhs[i]);
  }
  for (std::size_t i = 0; i < dims->lhs_contracting.size(); ++i) {
    const std::int64_t dim = dims->lhs_contracting[i];
    builder.add({dim, dims->rhs_contracting[i]}, {kNoDim}, lhs[static_cast<std::size_t>(dim)],
                {FactorKind::kReduction});
  }
  return std::move(builder).build();
}

}  // namespace shardprop
