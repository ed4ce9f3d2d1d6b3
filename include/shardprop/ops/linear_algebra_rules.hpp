// Sharding rules of decompositions, solvers and transforms: leading dimensions are batches, the
// last ones are computed as a whole and need replication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/rule_builder.hpp"
#include "shardprop/ops/rule_inputs.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/optional.hpp"

namespace shardprop {

inline Optional<ShardingRule> cholesky_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 1, 1)) return nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  if (shape.size() < 2 || rank_of(in.m, result(in.m, in.op, 0)) != shape.size()) return nullopt;
  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const bool is_batch = dim + 2 < shape.size();
    builder.add_everywhere(dim, shape[dim],
                           {is_batch ? FactorKind::kPassThrough : FactorKind::kNeedReplication});
  }
  return std::move(builder).build();
}

// Propagation along the last dimension is blocked where the transform changes its size (real to
// complex and back).
inline Optional<ShardingRule> fft_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 1, 1)) return nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  const auto out = shape_of(in.m, result(in.m, in.op, 0));
  AttributeReader reader(in.m, in.op, nullptr);
  const std::size_t transformed = reader.ints("fft_length").size();
  if (!reader.ok() || shape.empty() || transformed > shape.size() || out.size() != shape.size())
    return nullopt;

  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    FactorOptions options;
    if (dim + transformed >= shape.size()) options.kind = FactorKind::kNeedReplication;
    if (options.kind == FactorKind::kNeedReplication && dim + 1 == shape.size()) {
      options.blocked = shape.back() != out.back();
    }
    builder.add_everywhere(dim, shape[dim], options);
  }
  return std::move(builder).build();
}

// Solves `op(a) x = b` (left side) or `x op(a) = b`, where op is the identity or a transposition of
// the last two dimensions. Of a, one dimension is contracted with x, the other one is b's.
inline Optional<ShardingRule> triangular_solve_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 2, 1)) return nullopt;
  const auto a = shape_of(in.m, operand(in.m, in.op, 0));
  const auto b = shape_of(in.m, operand(in.m, in.op, 1));
  if (a.size() < 2 || b.size() != a.size() || rank_of(in.m, result(in.m, in.op, 0)) != a.size())
    return nullopt;
  AttributeReader reader(in.m, in.op, nullptr);
  const bool left_side = reader.boolean("left_side");
  const std::string_view transpose = reader.text("transpose_a");
  if (!reader.ok()) return nullopt;
  const bool transposed = transpose == "TRANSPOSE" || transpose == "ADJOINT";

  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim + 2 < a.size(); ++dim) builder.add_everywhere(dim, a[dim]);
  const std::int64_t row = static_cast<std::int64_t>(a.size()) - 2;
  const std::int64_t column = row + 1;
  const auto size = [](ArrayView<const std::int64_t> shape, std::int64_t dim) {
    return shape[static_cast<std::size_t>(dim)];
  };
  const FactorOptions replicated = {FactorKind::kNeedReplication};
  const std::int64_t free_of_a = left_side == transposed ? column : row;
  const std::int64_t contracting = left_side == transposed ? row : column;
  // The dimension of b and x that the product leaves alone, and the one that it takes.
  const std::int64_t kept = left_side ? column : row;
  const std::int64_t solved = left_side ? row : column;
  if (left_side) builder.add({free_of_a, solved}, {kNoDim}, size(a, free_of_a), replicated);
  builder.add({kNoDim, kept}, {kept}, size(b, kept), replicated);
  if (!left_side) builder.add({free_of_a, solved}, {kNoDim}, size(a, free_of_a), replicated);
  builder.add({contracting, kNoDim}, {solved}, size(a, contracting), replicated);
  return std::move(builder).build();
}

}  // namespace shardprop
