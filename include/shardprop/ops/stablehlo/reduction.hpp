// Reductions over whole dimensions: reduce (StableHLO specification, reduce).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/reducer.hpp"
#include "shardprop/ops/common/reducer_inputs.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// Operands are n inputs, then n initial values, which are scalars; results are n. A reduced
// dimension is a reduction factor of the inputs, any other one is in inputs and results.
inline std::optional<OpShardingRule> reduce_rule(const RuleInput& in) {
  const std::size_t inputs = in.m.ops[in.op].result_count;
  AttributeReader reader(in.m, in.op, nullptr);
  const auto dims = reader.ints("dimensions");
  if (!reader.ok() || inputs == 0 || !detail::has_static_tensors(in, 2 * inputs, inputs))
    return std::nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  if (!detail::are_distinct_dims(dims, shape.size())) return std::nullopt;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (rank_of(in.m, operand(in.m, in.op, i)) != shape.size()) return std::nullopt;
    if (rank_of(in.m, result(in.m, in.op, i)) + dims.size() != shape.size()) return std::nullopt;
  }

  RuleBuilder builder(in.m, in.op);
  std::vector<std::int64_t> operand_dims(2 * inputs, kNoDim);
  std::int64_t out = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t dim = static_cast<std::int64_t>(i);
    const bool reduced = detail::contains(dims, dim);
    std::fill_n(operand_dims.begin(), inputs, dim);
    const std::vector<std::int64_t> result_dims(inputs, reduced ? kNoDim : out++);
    builder.add(operand_dims, result_dims, shape[i],
                {reduced ? FactorKind::kReduction : FactorKind::kPassThrough});
  }
  return std::move(builder).build();
}

inline InferredTypes infer_reduce(const InferInput& input) {
  const VerifyInput in = input;
  const std::size_t count = detail::check_input_count(in, "c3");
  if (count == 0) return std::nullopt;
  const auto inputs = detail::operand_types(in.m, in.op, 0, count);
  const auto init_values = detail::operand_types(in.m, in.op, count, count);
  if (!detail::check_same_shapes(in, "c1", inputs)) return std::nullopt;

  AttributeReader reader(in);
  const auto dims = reader.ints("dimensions");
  const std::size_t rank = in.m.types.rank(inputs[0]);
  if (!reader.ok() || !detail::check_in_range(in, "c4", "'dimensions'", dims, rank) ||
      !detail::check_unique(in, "c5", "'dimensions'", dims)) {
    return std::nullopt;
  }
  Shape left;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!detail::contains(dims, static_cast<std::int64_t>(dim)))
      left.push_back(in.m.types.shape(inputs[0])[dim]);
  }
  const auto returned =
      check_reducer(in, block_of(in.m, in.op, 0), {inputs, init_values, left, "c6"});
  if (!returned) return std::nullopt;
  std::vector<TypeId> types;
  for (TypeId type : *returned) types.push_back(detail::with_shape(input.types, type, left));
  return types;
}

inline constexpr OpDef kReductionOps[] = {
    {.name = "stablehlo.reduce",
     .traits = kPure,
     .signature = detail::kReducerSignature,
     .rule = reduce_rule,
     .infer = infer_reduce,
     .result_constraint = "c7",
     .element_constraint = "c8",
     .inputs = "inputs, init_values, dimensions, body"},
};

}  // namespace shardprop
