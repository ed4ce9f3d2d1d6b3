// Types and constraints of the batch normalisations (StableHLO specification). Operands are tensors
// of the operand's shape and vectors with one element a feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/compatibility.hpp"
#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

namespace detail {

// A vector operand and the constraint on its size.
struct FeatureVector {
  std::size_t operand;
  std::string_view name;
  std::string_view constraint;
};

// `feature_index`, or none after a diagnostic. `epsilon` only has to be there.
inline Optional<std::size_t> read_feature_index(const VerifyInput& in) {
  AttributeReader reader(in);
  const std::int64_t index = reader.integer("feature_index");
  reader.number("epsilon");
  if (!reader.ok()) return nullopt;
  const std::size_t rank = rank_of(in.m, operand(in.m, in.op, 0));
  if (!check_in_range(in, "c1", "'feature_index'", ArrayView(&index, 1), rank)) return nullopt;
  return static_cast<std::size_t>(index);
}

// C2: all operands have elements of one type.
inline bool check_baseline_elements(const VerifyInput& in) {
  const std::string_view expected = dtype_of(in.m, operand_type(in.m, in.op, 0));
  for (UseId use : operand_uses(in.m, in.op)) {
    const std::string_view found = dtype_of(in.m, type_of(in.m, in.m.uses[use].value));
    if (compatible_element_types(expected, found)) continue;
    report(in, "c2",
           format_text("all operands must have the same element type, found {} and {}", expected,
                       found));
    return false;
  }
  return true;
}

// Vectors are as long as the operand has features; `same_size` is the constraint that they are
// equally long, or empty where each has its own.
inline bool check_feature_vectors(const VerifyInput& in, std::size_t feature,
                                  ArrayView<const FeatureVector> vectors,
                                  std::string_view same_size) {
  const std::int64_t features = shape_of(in.m, operand(in.m, in.op, 0))[feature];
  std::int64_t first = kDynamic;
  for (const FeatureVector& vector : vectors) {
    const auto shape = shape_of(in.m, operand(in.m, in.op, vector.operand));
    if (shape.size() != 1) {
      report(in, format_text("i{}", vector.operand + 1),
             format_text("'{}' must have one dimension, found {}", vector.name, to_string(shape)));
      return false;
    }
    if (!same_size.empty() && !compatible_sizes(first, shape[0])) {
      report(in, same_size,
             format_text("'{}' must be as long as 'scale', {}, found {}", vector.name, first,
                         shape[0]));
      return false;
    }
    if (first == kDynamic) first = shape[0];
  }
  for (const FeatureVector& vector : vectors) {
    const std::int64_t size = shape_of(in.m, operand(in.m, in.op, vector.operand))[0];
    if (compatible_sizes(size, features)) continue;
    report(in, vector.constraint,
           format_text("'{}' must have one element a feature, {}, found {}", vector.name, features,
                       size));
    return false;
  }
  return true;
}

// The operand's type, then two vectors of its features.
inline Vector<TypeId> with_feature_vectors(Module& m, OpId op, std::size_t feature) {
  const TypeId type = operand_type(m, op, 0);
  const std::int64_t features = m.types.shape(type)[feature];
  const TypeId vector = with_shape(m, type, ArrayView(&features, 1));
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
    return nullopt;
  }
  return detail::inferred(detail::operand_type(in.m, in.op, 0));
}

inline InferredTypes infer_batch_norm_training(const InferInput& input) {
  const VerifyInput in = input;
  static constexpr detail::FeatureVector kVectors[] = {{1, "scale", "c3"}, {2, "offset", "c4"}};
  const auto feature = detail::read_feature_index(in);
  if (!feature || !detail::check_baseline_elements(in) ||
      !detail::check_feature_vectors(in, *feature, kVectors, {})) {
    return nullopt;
  }
  return detail::with_feature_vectors(input.m, input.op, *feature);
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
        format_text("'operand' and 'grad_output' must have the same shape, found {} and {}",
                    to_string(in.m, operand), to_string(in.m, grad)));
  }
  const auto feature = detail::read_feature_index(in);
  if (!feature || !detail::check_baseline_elements(in) ||
      !detail::check_feature_vectors(in, *feature, kVectors, "c4")) {
    return nullopt;
  }
  return detail::with_feature_vectors(input.m, input.op, *feature);
}

}  // namespace shardprop
