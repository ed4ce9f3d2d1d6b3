// Batch normalisation: batch_norm_inference, batch_norm_training, batch_norm_grad (StableHLO
// specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

// Types and constraints of the batch normalisations (StableHLO specification). Operands are tensors
// of the operand's shape and vectors with one element per feature.

namespace shardprop {

namespace detail {

// A vector operand and the constraint on its size.
struct FeatureVector {
  std::size_t operand;
  std::string_view name;
  std::string_view constraint;
};

// `feature_index`, or none after a diagnostic. `epsilon` only has to be there.
inline std::optional<std::size_t> read_feature_index(const VerifyInput& in) {
  AttributeReader reader(in);
  const std::int64_t index = reader.integer("feature_index");
  reader.number("epsilon");
  if (!reader.ok()) return std::nullopt;
  const std::size_t rank = rank_of(in.m, operand(in.m, in.op, 0));
  if (!check_in_range(in, "c1", "'feature_index'", std::span(&index, 1), rank)) return std::nullopt;
  return static_cast<std::size_t>(index);
}

// C2: all operands have elements of one type.
inline bool check_baseline_elements(const VerifyInput& in) {
  const std::string_view expected = dtype_of(in.m, operand_type(in.m, in.op, 0));
  for (UseId use : operand_uses(in.m, in.op)) {
    const std::string_view found = dtype_of(in.m, type_of(in.m, in.m.uses[use].value));
    if (compatible_element_types(expected, found)) continue;
    report(in, "c2",
           fmt::format("all operands must have the same element type, found {} and {}", expected,
                       found));
    return false;
  }
  return true;
}

// Vectors are as long as the operand has features; `same_size` is the constraint that they are
// equally long, or empty where each has its own.
inline bool check_feature_vectors(const VerifyInput& in, std::size_t feature,
                                  std::span<const FeatureVector> vectors,
                                  std::string_view same_size) {
  const std::int64_t features = shape_of(in.m, operand(in.m, in.op, 0))[feature];
  std::int64_t first = kDynamic;
  for (const FeatureVector& vector : vectors) {
    const auto shape = shape_of(in.m, operand(in.m, in.op, vector.operand));
    if (shape.size() != 1) {
      report(in, fmt::format("i{}", vector.operand + 1),
             fmt::format("'{}' must have one dimension, found {}", vector.name, to_string(shape)));
      return false;
    }
    if (!same_size.empty() && !compatible_sizes(first, shape[0])) {
      report(in, same_size,
             fmt::format("'{}' must be as long as 'scale', {}, found {}", vector.name, first,
                         shape[0]));
      return false;
    }
    if (first == kDynamic) first = shape[0];
  }
  for (const FeatureVector& vector : vectors) {
    const std::int64_t size = shape_of(in.m, operand(in.m, in.op, vector.operand))[0];
    if (compatible_sizes(size, features)) continue;
    report(in, vector.constraint,
           fmt::format("'{}' must have one element per feature, {}, found {}", vector.name,
                       features, size));
    return false;
  }
  return true;
}

// The operand's type, then two vectors of its features.
inline std::vector<TypeId> with_feature_vectors(const InferInput& in, std::size_t feature) {
  const TypeId type = operand_type(in.m, in.op, 0);
  const std::int64_t features = in.m.types.shape(type)[feature];
  const TypeId vector = with_shape(in.types, type, std::span(&features, 1));
  return {type, vector, vector};
}

}  // namespace detail

inline InferredTypes infer_batch_norm_inference(const InferInput& input) {
  const VerifyInput in = input;
  static constexpr detail::FeatureVector kVectors[] = {
      {1, "scale", "c3"}, {2, "offset", "c4"}, {3, "mean", "c5"}, {4, "variance", "c6"}};
  const auto feature = detail::read_feature_index(in);
  if (!feature || !detail::check_baseline_elements(in) ||
      !detail::check_feature_vectors(in, *feature, kVectors, {})) {
    return std::nullopt;
  }
  return detail::inferred(detail::operand_type(in.m, in.op, 0));
}

inline InferredTypes infer_batch_norm_training(const InferInput& input) {
  const VerifyInput in = input;
  static constexpr detail::FeatureVector kVectors[] = {{1, "scale", "c3"}, {2, "offset", "c4"}};
  const auto feature = detail::read_feature_index(in);
  if (!feature || !detail::check_baseline_elements(in) ||
      !detail::check_feature_vectors(in, *feature, kVectors, {})) {
    return std::nullopt;
  }
  return detail::with_feature_vectors(input, *feature);
}

inline InferredTypes infer_batch_norm_grad(const InferInput& input) {
  const VerifyInput in = input;
  static constexpr detail::FeatureVector kVectors[] = {
      {1, "scale", "c5"}, {2, "mean", "c5"}, {3, "variance", "c5"}};
  const TypeId operand = detail::operand_type(in.m, in.op, 0);
  const TypeId grad = detail::operand_type(in.m, in.op, 4);
  if (!compatible_shapes(in.m.types.shape(operand), in.m.types.shape(grad))) {
    return detail::refuse(
        input, "c3",
        fmt::format("'operand' and 'grad_output' must have the same shape, found {} and {}",
                    to_string(in.m, operand), to_string(in.m, grad)));
  }
  const auto feature = detail::read_feature_index(in);
  if (!feature || !detail::check_baseline_elements(in) ||
      !detail::check_feature_vectors(in, *feature, kVectors, "c4")) {
    return std::nullopt;
  }
  return detail::with_feature_vectors(input, *feature);
}

// The feature dimension of the operand is the only one of scale, offset, mean and variance. The
// reference has no rules for training and grad, so neither have rows of this table.
inline std::optional<OpShardingRule> batch_norm_inference_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 5, 1)) return std::nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  if (rank_of(in.m, result(in.m, in.op, 0)) != shape.size()) return std::nullopt;
  for (std::size_t i = 1; i < 5; ++i) {
    if (rank_of(in.m, operand(in.m, in.op, i)) != 1) return std::nullopt;
  }
  AttributeReader reader(in.m, in.op, nullptr);
  const std::int64_t feature = reader.integer("feature_index");
  if (!reader.ok()) return std::nullopt;

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
