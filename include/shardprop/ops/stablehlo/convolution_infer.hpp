// Types and constraints of convolution and dynamic_conv (StableHLO specification); both number
// their constraints alike. The element type of a result is free, as accumulation in a wider type is
// usual; where a program leaves it out it is the left operand's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/precision.hpp"
#include "shardprop/ops/common/product_quantization.hpp"
#include "shardprop/ops/common/quantized.hpp"
#include "shardprop/ops/common/window_geometry.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/convolution_dims.hpp"

namespace shardprop {

namespace detail {

inline bool check_convolution_operands(const VerifyInput& in) {
  const TypeId lhs = operand_type(in.m, in.op, 0);
  const TypeId rhs = operand_type(in.m, in.op, 1);
  if (in.m.types.rank(lhs) < 2) {
    report(in, "c13",
           fmt::format("the input must have at least 2 dimensions, batch and feature, found {}",
                       to_string(in.m, lhs)));
    return false;
  }
  if (in.m.types.rank(lhs) != in.m.types.rank(rhs)) {
    report(in, "c1",
           fmt::format("input and kernel must have as many dimensions, found {} and {}",
                       to_string(in.m, lhs), to_string(in.m, rhs)));
    return false;
  }
  const std::string_view a = dtype_of(in.m, lhs);
  const std::string_view b = dtype_of(in.m, rhs);
  if (a == b || is_quantized(a) || is_quantized(b)) return true;
  report(in, "c27",
         fmt::format("input and kernel must have the same element type, found {} and {}", a, b));
  return false;
}

// The dimensions of one tensor of a convolution: two that are named and the spatial ones.
inline bool check_convolution_tensor(const VerifyInput& in, std::string_view constraint,
                                     std::string_view name, Shape all,
                                     std::span<const std::int64_t> spatial) {
  all.insert(all.end(), spatial.begin(), spatial.end());
  const std::size_t rank = rank_of(in.m, operand(in.m, in.op, 0));
  const std::string what = fmt::format("the dimensions of the {}", name);
  return check_in_range(in, constraint, what, all, rank) && check_unique(in, constraint, what, all);
}

inline bool check_convolution_dims(const VerifyInput& in, const ConvolutionDims& dims) {
  const std::size_t spatial = rank_of(in.m, operand(in.m, in.op, 0)) - 2;
  const std::size_t of_input = dims.input_spatial.size();
  const std::size_t of_kernel = dims.kernel_spatial.size();
  // With two lists that agree, the third one is what is wrong.
  if (of_kernel != spatial && of_kernel != of_input) {
    return check_size(in, "c17", "'kernel_spatial_dimensions'", of_kernel,
                      "there are spatial dimensions", spatial);
  }
  return check_size(in, "c12", "'input_spatial_dimensions'", of_input,
                    "there are spatial dimensions", spatial) &&
         check_size(in, "c17", "'kernel_spatial_dimensions'", of_kernel,
                    "there are spatial dimensions", spatial) &&
         check_size(in, "c19", "'output_spatial_dimensions'", dims.output_spatial.size(),
                    "there are spatial dimensions", spatial) &&
         check_convolution_tensor(in, "c13", "input", {dims.input_batch, dims.input_feature},
                                  dims.input_spatial) &&
         check_convolution_tensor(in, "c18", "kernel",
                                  {dims.kernel_input_feature, dims.kernel_output_feature},
                                  dims.kernel_spatial) &&
         check_convolution_tensor(in, "c20", "output", {dims.output_batch, dims.output_feature},
                                  dims.output_spatial);
}

inline bool check_multiple(const VerifyInput& in, std::string_view constraint,
                           std::string_view what, std::int64_t size, std::int64_t groups) {
  if (size == kDynamic || size % groups == 0) return true;
  report(in, constraint, fmt::format("{} must be a multiple of {}, found {}", what, groups, size));
  return false;
}

inline bool check_convolution_groups(const VerifyInput& in, const ConvolutionDims& dims) {
  if (dims.feature_groups < 1) {
    report(in, "c21",
           fmt::format("'feature_group_count' must be positive, found {}", dims.feature_groups));
    return false;
  }
  if (dims.batch_groups < 1) {
    report(in, "c22",
           fmt::format("'batch_group_count' must be positive, found {}", dims.batch_groups));
    return false;
  }
  if (dims.feature_groups == 1 || dims.batch_groups == 1) return true;
  report(
      in, "c23",
      fmt::format("one of 'feature_group_count' and 'batch_group_count' must be 1, found {} and {}",
                  dims.feature_groups, dims.batch_groups));
  return false;
}

inline bool check_group_sizes(const VerifyInput& in, const ConvolutionDims& dims) {
  const auto input = shape_of(in.m, operand(in.m, in.op, 0));
  const auto kernel = shape_of(in.m, operand(in.m, in.op, 1));
  const std::int64_t batch = input[static_cast<std::size_t>(dims.input_batch)];
  const std::int64_t features = input[static_cast<std::size_t>(dims.input_feature)];
  const std::int64_t taken = kernel[static_cast<std::size_t>(dims.kernel_input_feature)];
  const std::int64_t made = kernel[static_cast<std::size_t>(dims.kernel_output_feature)];
  if (!check_multiple(in, "c10", "the input's batch size", batch, dims.batch_groups) ||
      !check_multiple(in, "c11", "the input's number of features", features, dims.feature_groups)) {
    return false;
  }
  if (features != kDynamic && !compatible_sizes(features / dims.feature_groups, taken)) {
    report(in, "c14",
           fmt::format("the kernel must take {} input features, those of a group, found {}",
                       features / dims.feature_groups, taken));
    return false;
  }
  return check_multiple(in, "c15", "the kernel's number of output features", made,
                        dims.batch_groups) &&
         check_multiple(in, "c16", "the kernel's number of output features", made,
                        dims.feature_groups);
}

// Dimensions and groups; none after a diagnostic.
inline std::optional<ConvolutionDims> check_convolution(const VerifyInput& in) {
  bool ok = true;
  if (!check_convolution_operands(in)) return std::nullopt;
  const auto dims = read_convolution_dims(AttributeReader(in));
  if (!dims || !check_convolution_groups(in, *dims) || !check_convolution_dims(in, *dims) ||
      !check_group_sizes(in, *dims)) {
    return std::nullopt;
  }
  read_precision(in, "c24", ok);
  return ok ? dims : std::nullopt;
}

// The window, with `padding` from wherever it comes.
inline std::optional<std::vector<WindowDim>> check_convolution_window(
    const VerifyInput& in, const ConvolutionDims& dims, std::vector<PaddingPair> padding) {
  AttributeReader reader(in);
  Shape sizes;
  for (std::int64_t dim : dims.kernel_spatial) {
    sizes.push_back(shape_of(in.m, operand(in.m, in.op, 1))[static_cast<std::size_t>(dim)]);
  }
  const std::size_t reversal = reader.booleans_or_empty("window_reversal").size();
  const WindowLists lists = {
      .sizes = {"size of the kernel", sizes, "c17", "window_size", true},
      .strides = {"window_strides", reader.ints_or_empty("window_strides"), "c2", "c3"},
      .base_dilations = {"lhs_dilation", reader.ints_or_empty("lhs_dilation"), "c5", "c6"},
      .window_dilations = {"rhs_dilation", reader.ints_or_empty("rhs_dilation"), "c7", "c8"},
      .padding = std::move(padding),
      .padding_constraint = "c4"};
  if (!reader.ok() ||
      (reversal != 0 && !check_size(in, "c9", "'window_reversal'", reversal,
                                    "there are spatial dimensions", sizes.size()))) {
    return std::nullopt;
  }
  return check_window(in, lists, sizes.size());
}

// C25: batch, features and the number of windows in each spatial dimension.
inline TypeId convolution_type(const InferInput& in, const ConvolutionDims& dims,
                               const std::vector<WindowDim>& window) {
  const auto input = shape_of(in.m, operand(in.m, in.op, 0));
  const auto kernel = shape_of(in.m, operand(in.m, in.op, 1));
  Shape shape(input.size(), kDynamic);
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::int64_t base = input[static_cast<std::size_t>(dims.input_spatial[i])];
    shape[static_cast<std::size_t>(dims.output_spatial[i])] = window_positions(base, window[i]);
  }
  const std::int64_t batch = input[static_cast<std::size_t>(dims.input_batch)];
  shape[static_cast<std::size_t>(dims.output_batch)] =
      batch == kDynamic ? kDynamic : batch / dims.batch_groups;
  shape[static_cast<std::size_t>(dims.output_feature)] =
      kernel[static_cast<std::size_t>(dims.kernel_output_feature)];
  return with_shape(in.types, operand_type(in.m, in.op, 0), shape);
}

}  // namespace detail

inline InferredTypes infer_convolution(const InferInput& input) {
  const VerifyInput in = input;
  const auto dims = detail::check_convolution(in);
  if (!dims) return std::nullopt;
  auto padding = read_padding(in, "i4", "c4");
  if (!padding) return std::nullopt;
  const auto window = detail::check_convolution_window(in, *dims, std::move(*padding));
  if (!window) return std::nullopt;
  return detail::inferred(detail::convolution_type(input, *dims, *window));
}

namespace detail {

// The padding of dynamic_conv, an operand of one row [low, high] a spatial dimension, where it is a
// known constant.
inline std::optional<std::vector<PaddingPair>> constant_padding(const Module& m, ValueId value,
                                                                std::size_t rows) {
  const OpId op = defining_op(m, value);
  if (!op.valid() || m.ops[op].name != known::kConstant) return std::nullopt;
  const AttrId data = attribute(m, op, "value");
  if (!data.valid()) return std::nullopt;
  if (m.attrs.kind(data) == AttrKind::kInt) {
    return std::vector<PaddingPair>(rows, {m.attrs.as_int(data), m.attrs.as_int(data)});
  }
  std::vector<PaddingPair> pairs;
  if (m.attrs.kind(data) != AttrKind::kList || m.attrs.items(data).size() != rows)
    return std::nullopt;
  for (AttrId item : m.attrs.items(data)) {
    if (m.attrs.kind(item) != AttrKind::kInts || m.attrs.as_ints(item).size() != 2)
      return std::nullopt;
    pairs.push_back({m.attrs.as_ints(item)[0], m.attrs.as_ints(item)[1]});
  }
  return pairs;
}

}  // namespace detail

// Spatial sizes follow only from a constant padding; else they are dynamic.
inline InferredTypes infer_dynamic_conv(const InferInput& input) {
  const VerifyInput in = input;
  const auto dims = detail::check_convolution(in);
  if (!dims) return std::nullopt;
  const std::size_t spatial = dims->input_spatial.size();
  const TypeId padding_type = detail::operand_type(in.m, in.op, 2);
  const Shape expected = {static_cast<std::int64_t>(spatial), 2};
  if (!detail::same_shape(in.m.types.shape(padding_type), expected)) {
    return detail::refuse(input, "c4",
                          fmt::format("the padding must be of shape {}, found {}",
                                      to_string(expected), to_string(in.m, padding_type)));
  }
  auto padding = detail::constant_padding(in.m, operand(in.m, in.op, 2), spatial);
  const bool known = padding.has_value();
  auto window = detail::check_convolution_window(
      in, *dims, known ? std::move(*padding) : std::vector<PaddingPair>());
  if (!window) return std::nullopt;
  if (!known) {
    for (WindowDim& dim : *window) dim.size = kDynamic;
  }
  return detail::inferred(detail::convolution_type(input, *dims, *window));
}

// What needs the result: quantisation.
inline void verify_convolution(const VerifyInput& in) {
  const auto dims = read_convolution_dims({in.m, in.op, nullptr});
  const auto check_dimension = [&](std::string_view constraint, std::string_view name, TypeId type,
                                   std::int64_t expected) {
    const std::int64_t found = quantization_dimension(detail::dtype_of(in.m, type));
    if (found == kPerTensor || found == expected) return;
    report(in, constraint,
           fmt::format("the quantization dimension of the {} must be its output feature dimension "
                       "{}, found {}",
                       name, expected, found));
  };
  if (dims) {
    check_dimension("c29", "kernel", detail::operand_type(in.m, in.op, 1),
                    dims->kernel_output_feature);
    check_dimension("c30", "result", type_of(in.m, result(in.m, in.op, 0)), dims->output_feature);
  }
  check_product_quantization(in, {"c28", "c31", "c32", "c33", "c34"});
}

}  // namespace shardprop
