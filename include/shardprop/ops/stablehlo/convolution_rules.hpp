// The sharding rule of convolution. Factors, major to minor within a dimension: batch groups and
// batch; for each spatial dimension the number of windows and the size of a window; feature groups,
// input features, output features.
//
// Worked example, input [4, 8, 8, 6] (batch, 2 spatial, features), kernel [3, 3, 6, 16] (2 spatial,
// input and output features), result [4, 8, 8, 16]: the input's 8 elements hold 8 windows, which is
// all of them, so that no factor is left for a window's 3 and the kernel's dimensions stand alone:
// `([i, j, k, l], [n, o, l, m])->([i, j, k, m]) {i=4, j=8, k=8, l=6, m=16, n=1, o=1} reduction={l}
// permutation={j, k}`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/convolution_dims.hpp"

namespace shardprop {

namespace detail {

inline bool are_all_dims(std::int64_t a, std::int64_t b, std::span<const std::int64_t> spatial,
                         std::size_t rank) {
  std::vector<std::int64_t> all = {a, b};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all.size() == rank && are_distinct_dims(all, rank);
}

inline bool are_convolution_dims(const RuleInput& in, const ConvolutionDims& dims) {
  const auto rank = [&](ValueId value) { return rank_of(in.m, value); };
  if (dims.feature_groups < 1 || dims.batch_groups < 1) return false;
  if (dims.feature_groups > 1 && dims.batch_groups > 1) return false;
  return are_all_dims(dims.input_batch, dims.input_feature, dims.input_spatial,
                      rank(operand(in.m, in.op, 0))) &&
         are_all_dims(dims.kernel_input_feature, dims.kernel_output_feature, dims.kernel_spatial,
                      rank(operand(in.m, in.op, 1))) &&
         are_all_dims(dims.output_batch, dims.output_feature, dims.output_spatial,
                      rank(result(in.m, in.op, 0))) &&
         dims.input_spatial.size() == dims.kernel_spatial.size() &&
         dims.input_spatial.size() == dims.output_spatial.size();
}

inline std::int64_t size_of(const Module& m, ValueId value, std::int64_t dim) {
  return shape_of(m, value)[static_cast<std::size_t>(dim)];
}

// The input's spatial dimension is split by the larger of (number of windows, size of a window)
// first; what is left of its size bounds the other one. A factor of size 1 says nothing and is left
// out.
inline void add_spatial_factors(RuleBuilder& builder, const RuleInput& in,
                                const ConvolutionDims& dims, std::size_t i) {
  const std::int64_t input_dim = dims.input_spatial[i];
  const std::int64_t kernel_dim = dims.kernel_spatial[i];
  const std::int64_t output_dim = dims.output_spatial[i];
  const std::int64_t windows = size_of(in.m, result(in.m, in.op, 0), output_dim);
  const std::int64_t window_size = size_of(in.m, operand(in.m, in.op, 1), kernel_dim);
  std::int64_t left = size_of(in.m, operand(in.m, in.op, 0), input_dim);
  const std::array<bool, 2> order = {windows < window_size, windows >= window_size};
  for (const bool contracting : order) {
    const std::int64_t size = std::min(left, contracting ? window_size : windows);
    if (size <= 1) continue;
    if (contracting) {
      builder.add({input_dim, kernel_dim}, {kNoDim}, size, {FactorKind::kReduction});
    } else {
      builder.add({input_dim, kNoDim}, {output_dim}, size, {FactorKind::kPermutation});
    }
    left /= size;
  }
}

}  // namespace detail

// Conservative: without factors for the spatial dimensions.
inline std::optional<OpShardingRule> convolution_rule(const RuleInput& in) {
  const auto dims = read_convolution_dims({in.m, in.op, nullptr});
  if (!dims || !detail::has_static_tensors(in, 2, 1) || !detail::are_convolution_dims(in, *dims))
    return std::nullopt;
  const ValueId kernel = operand(in.m, in.op, 1);
  const ValueId out = result(in.m, in.op, 0);

  RuleBuilder builder(in.m, in.op);
  if (dims->batch_groups > 1) {
    builder.add({dims->input_batch, dims->kernel_output_feature}, {dims->output_feature},
                dims->batch_groups);
  }
  builder.add({dims->input_batch, kNoDim}, {dims->output_batch},
              detail::size_of(in.m, out, dims->output_batch));
  if (!in.conservative) {
    for (std::size_t i = 0; i < dims->input_spatial.size(); ++i)
      detail::add_spatial_factors(builder, in, *dims, i);
  }
  if (dims->feature_groups > 1) {
    builder.add({dims->input_feature, dims->kernel_output_feature}, {dims->output_feature},
                dims->feature_groups);
  }
  builder.add({dims->input_feature, dims->kernel_input_feature}, {kNoDim},
              detail::size_of(in.m, kernel, dims->kernel_input_feature), {FactorKind::kReduction});
  const std::int64_t features = detail::size_of(in.m, out, dims->output_feature) /
                                (dims->batch_groups * dims->feature_groups);
  if (features > 1)
    builder.add({kNoDim, dims->kernel_output_feature}, {dims->output_feature}, features);
  return std::move(builder).build();
}

}  // namespace shardprop
