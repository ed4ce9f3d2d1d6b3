// The attributes of a convolution, read once: `dimension_numbers` names the dimensions of input,
// kernel and output; groups split the features of the input or its batch (StableHLO specification,
// convolution).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

struct ConvolutionDims {
  std::int64_t input_batch = 0;
  std::int64_t input_feature = 0;
  std::span<const std::int64_t> input_spatial;
  std::int64_t kernel_input_feature = 0;
  std::int64_t kernel_output_feature = 0;
  std::span<const std::int64_t> kernel_spatial;
  std::int64_t output_batch = 0;
  std::int64_t output_feature = 0;
  std::span<const std::int64_t> output_spatial;
  std::int64_t feature_groups = 1;
  std::int64_t batch_groups = 1;
};

// None where an attribute is missing or of another kind.
inline std::optional<ConvolutionDims> read_convolution_dims(AttributeReader reader) {
  ConvolutionDims dims;
  dims.feature_groups = reader.integer("feature_group_count");
  dims.batch_groups = reader.integer("batch_group_count");
  AttributeReader numbers = reader.dict("dimension_numbers");
  dims.input_batch = numbers.integer_or("input_batch_dimension", 0);
  dims.input_feature = numbers.integer_or("input_feature_dimension", 0);
  dims.input_spatial = numbers.ints_or_empty("input_spatial_dimensions");
  dims.kernel_input_feature = numbers.integer_or("kernel_input_feature_dimension", 0);
  dims.kernel_output_feature = numbers.integer_or("kernel_output_feature_dimension", 0);
  dims.kernel_spatial = numbers.ints_or_empty("kernel_spatial_dimensions");
  dims.output_batch = numbers.integer_or("output_batch_dimension", 0);
  dims.output_feature = numbers.integer_or("output_feature_dimension", 0);
  dims.output_spatial = numbers.ints_or_empty("output_spatial_dimensions");
  if (!reader.ok() || !numbers.ok()) return std::nullopt;
  return dims;
}

}  // namespace shardprop
