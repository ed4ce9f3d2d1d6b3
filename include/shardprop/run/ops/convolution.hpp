// Convolutions: for each place of the window on the input and each element of the window, a vector
// of input features times a matrix of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shardprop/ops/stablehlo/convolution_dims.hpp"
#include "shardprop/run/ops/contraction.hpp"

namespace shardprop {

namespace detail {

// The window, one row per spatial dimension.
struct ConvolutionWindow {
  std::vector<WindowDim> dims;
  std::vector<bool> reversed;
};

inline ConvolutionWindow read_convolution_window(const EvalInput& in, const ConvolutionDims& dims) {
  AttributeReader reader(in.m, in.op, nullptr);
  ConvolutionWindow window;
  const auto strides = reader.ints_or_empty("window_strides");
  const auto base = reader.ints_or_empty("lhs_dilation");
  const auto dilation = reader.ints_or_empty("rhs_dilation");
  auto padding = reader.int_lists_or_empty("padding");
  Shape operand;  // of dynamic_conv
  if (in.operands.size() > 2) operand = integers_of(in.operands[2]);
  window.reversed = reader.booleans_or_empty("window_reversal");
  window.reversed.resize(dims.input_spatial.size());
  for (std::size_t d = 0; d < dims.input_spatial.size(); ++d) {
    WindowDim dim;
    dim.size = in.operands[1].shape()[static_cast<std::size_t>(dims.kernel_spatial[d])];
    if (!strides.empty()) dim.stride = strides[d];
    if (!base.empty()) dim.base_dilation = base[d];
    if (!dilation.empty()) dim.window_dilation = dilation[d];
    if (!padding.empty()) dim.padding_low = padding[d][0];
    if (!padding.empty()) dim.padding_high = padding[d][1];
    if (!operand.empty()) dim.padding_low = operand[2 * d];
    if (!operand.empty()) dim.padding_high = operand[2 * d + 1];
    window.dims.push_back(dim);
  }
  return window;
}

// Sizes of a convolution whose tensors are in the order [batch, spatial, features] and, for the
// kernel, [spatial, input features, output features].
struct ConvolutionSizes {
  Shape input;             // spatial
  Shape kernel;            // spatial
  Shape output;            // spatial
  std::int64_t batch = 0;  // of the output
  std::int64_t input_features = 0;
  std::int64_t group_features = 0;  // of the input, that one output feature is made of
  std::int64_t output_features = 0;
  std::int64_t feature_groups = 1;
  std::int64_t batch_groups = 1;
};

// The element of the input under element `k` of the window at place `position`, as an offset in
// spatial elements; -1 where there is none: in the padding, or between elements.
inline std::int64_t input_under(const ConvolutionSizes& s, const ConvolutionWindow& window,
                                const Shape& position, const Shape& k) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < k.size(); ++d) {
    const WindowDim& dim = window.dims[d];
    const std::int64_t at = position[d] * dim.stride + k[d] * dim.window_dilation - dim.padding_low;
    if (at < 0 || at % dim.base_dilation != 0 || at / dim.base_dilation >= s.input[d]) return -1;
    offset = offset * s.input[d] + at / dim.base_dilation;
  }
  return offset;
}

template <class T>
void convolve(const ConvolutionSizes& s, const ConvolutionWindow& window, const std::vector<T>& lhs,
              const std::vector<T>& rhs, std::vector<T>& out) {
  const std::int64_t groups = s.feature_groups * s.batch_groups;
  const std::int64_t made = s.output_features / groups;
  const auto input_places = static_cast<std::int64_t>(count_of(s.input));
  T* to = out.data();
  for (std::int64_t n = 0; n < s.batch; ++n) {
    for_each_index(s.output, [&](const Shape& position) {
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t batch = s.batch_groups > 1 ? g * s.batch + n : n;
        const std::int64_t first = s.feature_groups > 1 ? g * s.group_features : 0;
        std::int64_t k_number = 0;
        for_each_index(s.kernel, [&](const Shape& index) {
          Shape k = index;
          for (std::size_t d = 0; d < k.size(); ++d) {
            if (window.reversed[d]) k[d] = s.kernel[d] - 1 - k[d];
          }
          const std::int64_t offset = input_under(s, window, position, k);
          const std::int64_t number = k_number++;
          if (offset < 0) return;
          const T* const features =
              lhs.data() + (batch * input_places + offset) * s.input_features + first;
          const T* rows = rhs.data() + number * s.group_features * s.output_features + g * made;
          for (std::int64_t i = 0; i < s.group_features; ++i, rows += s.output_features)
            add_products(features + i, rows, 1, static_cast<std::size_t>(made), to);
        });
        to += made;
      }
    });
  }
}

inline Shape sizes_along(const Tensor& tensor, std::span<const std::int64_t> dims) {
  Shape out;
  for (std::int64_t dim : dims) out.push_back(tensor.shape()[static_cast<std::size_t>(dim)]);
  return out;
}

inline Result<Tensors> evaluate_convolution(EvalInput& in) {
  const AttributeReader reader(in.m, in.op, nullptr);
  const ConvolutionDims dims = read_convolution_dims(reader).value_or(ConvolutionDims());
  const ConvolutionWindow window = read_convolution_window(in, dims);
  const Shape spatial_in = list_of(dims.input_spatial);
  const Shape spatial_kernel = list_of(dims.kernel_spatial);
  const Tensor lhs =
      in_order(in.operands[0], joined_dims({dims.input_batch}, spatial_in, {dims.input_feature}));
  const Tensor rhs = in_order(
      in.operands[1],
      joined_dims(spatial_kernel, {dims.kernel_input_feature}, {dims.kernel_output_feature}));
  ConvolutionSizes s;
  s.input = sizes_along(in.operands[0], dims.input_spatial);
  s.kernel = sizes_along(in.operands[1], dims.kernel_spatial);
  for (std::size_t d = 0; d < s.input.size(); ++d)
    s.output.push_back(window_positions(s.input[d], window.dims[d]));
  s.batch = lhs.shape().front() / dims.batch_groups;
  s.input_features = lhs.shape().back();
  s.group_features = rhs.shape()[rhs.rank() - 2];
  s.output_features = rhs.shape().back();
  s.feature_groups = dims.feature_groups;
  s.batch_groups = dims.batch_groups;
  // Dimension i of `out` is `places[i]` of the result.
  const Shape places =
      joined_dims({dims.output_batch}, list_of(dims.output_spatial), {dims.output_feature});
  const Shape sizes = joined_dims({s.batch}, s.output, {s.output_features});
  Shape order(places.size());
  Shape shape(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    order[static_cast<std::size_t>(places[i])] = static_cast<std::int64_t>(i);
    shape[static_cast<std::size_t>(places[i])] = sizes[i];
  }
  if (auto error = wrong_shape(in, shape)) return *std::move(error);
  Tensor out(result_element(in), sizes);
  with_factor_type(lhs.element(), out.element(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> sums(out.count());
    convolve(s, window, factors_of<T>(lhs), factors_of<T>(rhs), sums);
    store_sums(out.element(), sums.data(), sums.size(), out.write());
  });
  return one_result(in_order(out, order));
}

}  // namespace detail

inline constexpr EvalDef kConvolutionEvaluators[] = {
    {"stablehlo.convolution", nullptr, detail::evaluate_convolution},
    {"stablehlo.dynamic_conv", nullptr, detail::evaluate_convolution},
};

}  // namespace shardprop
