// Batch normalisation: batch_norm_inference, batch_norm_training, batch_norm_grad (StableHLO
// specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/batch_norm_infer.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/rule_builder.hpp"
#include "shardprop/ops/rule_inputs.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

// The feature dimension of the operand is the only one of scale, offset, mean and variance. The
// reference has no rules for training and grad, so neither have rows of this table.
inline Optional<ShardingRule> batch_norm_inference_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 5, 1)) return nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  if (rank_of(in.m, result(in.m, in.op, 0)) != shape.size()) return nullopt;
  for (std::size_t i = 1; i < 5; ++i) {
    if (rank_of(in.m, operand(in.m, in.op, i)) != 1) return nullopt;
  }
  AttributeReader reader(in.m, in.op, nullptr);
  const std::int64_t feature = reader.integer("feature_index");
  if (!reader.ok()) return nullopt;

  RuleBuilder builder(in.m, in.op);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t dim = static_cast<std::int64_t>(i);
    const std::int64_t of_vectors = dim == feature ? 0 : kNoDim;
    builder.add({dim, of_vectors, of_vectors, of_vectors, of_vectors}, {dim}, shape[i]);
  }
  return std::move(builder).build();
}

namespace detail {

constexpr ElementClasses kFloatOrQuantized = kFloat | kQuantized;

// `operands` operands and `results` results of floating-point or quantised elements.
constexpr Signature batch_norm_signature(std::int8_t operands, std::int8_t results) {
  return {.min_operands = operands,
          .max_operands = operands,
          .min_results = results,
          .max_results = results,
          .operand_classes = {kFloatOrQuantized},
          .result_classes = {kFloatOrQuantized}};
}

}  // namespace detail

inline constexpr OpDef kBatchNormOps[] = {
    {.name = "stablehlo.batch_norm_inference",
     .traits = kPure,
     .signature = detail::batch_norm_signature(5, 1),
     .rule = batch_norm_inference_rule,
     .infer = infer_batch_norm_inference,
     .result_constraint = "c7",
     .element_constraint = "c2",
     .inputs = "operand, scale, offset, mean, variance, epsilon, feature_index"},
    {.name = "stablehlo.batch_norm_training",
     .traits = kPure,
     .signature = detail::batch_norm_signature(3, 3),
     .infer = infer_batch_norm_training,
     .result_constraint = "c7, c5, c6",
     .element_constraint = "c2",
     .inputs = "operand, scale, offset, epsilon, feature_index"},
    {.name = "stablehlo.batch_norm_grad",
     .traits = kPure,
     .signature = detail::batch_norm_signature(5, 3),
     .infer = infer_batch_norm_grad,
     .result_constraint = "c3, c4",
     .element_constraint = "c2",
     .inputs = "operand, scale, mean, variance, grad_output, epsilon, feature_index"},
};

}  // namespace shardprop
