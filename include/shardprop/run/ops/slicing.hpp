// Operations that cut tensors, put them together or pad them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/window_geometry.hpp"
#include "shardprop/run/eval_table.hpp"
#include "shardprop/run/ops/movement.hpp"
#include "shardprop/run/tensor_text.hpp"

namespace shardprop {

// A window into `shape`: `sizes` elements from `starts` on, each `steps` from the one before.
inline StridedView view_into(std::span<const std::int64_t> shape,
                             std::span<const std::int64_t> starts,
                             std::span<const std::int64_t> steps = {}) {
  StridedView view = {0, strides_of(shape)};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    view.first += starts[d] * view.strides[d];
    if (!steps.empty()) view.strides[d] *= steps[d];
  }
  return view;
}

struct Padding {
  Shape low;
  Shape high;
  Shape interior;
};

// `operand` with copies of the scalar `value` around and between its elements; negative padding
// cuts elements off.
inline Tensor padded(const Tensor& operand, const Tensor& value, const Padding& padding) {
  const Shape& from = operand.shape();
  Shape shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::int64_t holes = std::max<std::int64_t>(from[d] - 1, 0) * padding.interior[d];
    shape.push_back(std::max<std::int64_t>(from[d] + holes + padding.low[d] + padding.high[d], 0));
  }
  Tensor out = splat(value, shape);
  // The elements that stay: those whose place is within the result.
  Shape starts(from.size());
  Shape targets(from.size());
  Shape steps(from.size());
  Shape sizes(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) {
    steps[d] = padding.interior[d] + 1;
    starts[d] = padding.low[d] < 0 ? (-padding.low[d] + steps[d] - 1) / steps[d] : 0;
    targets[d] = padding.low[d] + starts[d] * steps[d];
    const std::int64_t room = (shape[d] - targets[d] + steps[d] - 1) / steps[d];
    sizes[d] = std::max<std::int64_t>(std::min(from[d] - starts[d], room), 0);
  }
  const StridedView source = view_into(from, starts);
  const StridedView target = view_into(shape, targets, steps);
  copy_strided(bytes_of(out.element()), sizes, operand.read(), source, out.write(), target);
  return out;
}

namespace detail {

// A part of `tensor`: `size` elements of dimension `dim` from `start` on.
inline Tensor part_along(const Tensor& tensor, std::int64_t dim, std::int64_t start,
                         std::int64_t size) {
  Shape starts(tensor.rank(), 0);
  Shape sizes = tensor.shape();
  starts[static_cast<std::size_t>(dim)] = start;
  sizes[static_cast<std::size_t>(dim)] = size;
  return gathered(tensor, view_into(tensor.shape(), starts), sizes);
}

// Tensors of equal shapes but in dimension `dim`, one after the other along it.
inline Tensor concatenated(std::span<const Tensor> tensors, std::size_t dim) {
  Shape shape = tensors[0].shape();
  shape[dim] = 0;
  for (const Tensor& tensor : tensors) shape[dim] += tensor.shape()[dim];
  Tensor out(tensors[0].element(), shape);
  Shape at(shape.size(), 0);
  for (const Tensor& tensor : tensors) {
    copy_strided(bytes_of(out.element()), tensor.shape(), tensor.read(),
                 {0, strides_of(tensor.shape())}, out.write(), view_into(shape, at));
    at[dim] += tensor.shape()[dim];
  }
  return out;
}

inline Result<Tensors> slice_of(EvalInput& in, std::span<const std::int64_t> starts,
                                std::span<const std::int64_t> limits,
                                std::span<const std::int64_t> strides) {
  const Tensor& operand = in.operands[0];
  Shape sizes;
  for (std::size_t d = 0; d < starts.size(); ++d) {
    const bool fits = 0 <= starts[d] && starts[d] <= limits[d] && limits[d] <= operand.shape()[d];
    if (!fits || strides[d] <= 0) {
      return eval_error(in, "shape",
                        fmt::format("a slice from {} to {} by {} does not fit dimension {} of {}",
                                    starts[d], limits[d], strides[d], d, type_text(operand)));
    }
    const std::int64_t length = limits[d] - starts[d];
    sizes.push_back(length == 0 ? 0 : (length - 1) / strides[d] + 1);
  }
  return one_result(
      gathered(operand, view_into(operand.shape(), starts, strides), std::move(sizes)));
}

inline Result<Tensors> evaluate_slice(EvalInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  const auto starts = reader.ints("start_indices");
  Shape strides = list_of(reader.ints_or_empty("strides"));
  if (strides.empty()) strides.assign(starts.size(), 1);
  return slice_of(in, starts, reader.ints("limit_indices"), strides);
}
inline Result<Tensors> evaluate_real_dynamic_slice(EvalInput& in) {
  return slice_of(in, integers_of(in.operands[1]), integers_of(in.operands[2]),
                  integers_of(in.operands[3]));
}

// Scalars from operand `first` on, moved to where a slice of `sizes` fits.
inline Shape clamped_starts(const EvalInput& in, std::size_t first,
                            std::span<const std::int64_t> shape,
                            std::span<const std::int64_t> sizes) {
  Shape starts;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t start = integers_of(in.operands[first + d])[0];
    starts.push_back(std::clamp<std::int64_t>(start, 0, shape[d] - sizes[d]));
  }
  return starts;
}

inline Result<Tensors> evaluate_dynamic_slice(EvalInput& in) {
  const Tensor& operand = in.operands[0];
  Shape sizes = list_of(AttributeReader(in.m, in.op, nullptr).ints("slice_sizes"));
  const Shape starts = clamped_starts(in, 1, operand.shape(), sizes);
  return one_result(gathered(operand, view_into(operand.shape(), starts), std::move(sizes)));
}

// In place, where nobody else holds the operand.
inline Result<Tensors> evaluate_dynamic_update_slice(EvalInput& in) {
  Tensor out = std::move(in.operands[0]);
  const Tensor& update = in.operands[1];
  const Shape starts = clamped_starts(in, 2, out.shape(), update.shape());
  copy_strided(bytes_of(out.element()), update.shape(), update.read(),
               {0, strides_of(update.shape())}, out.write(), view_into(out.shape(), starts));
  return one_result(std::move(out));
}

inline Result<Tensors> evaluate_concatenate(EvalInput& in) {
  const auto dim = AttributeReader(in.m, in.op, nullptr).integer("dimension");
  return one_result(concatenated(in.operands, static_cast<std::size_t>(dim)));
}

inline Result<Tensors> evaluate_pad(EvalInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  return one_result(
      padded(in.operands[0], in.operands[1],
             {list_of(reader.ints("edge_padding_low")), list_of(reader.ints("edge_padding_high")),
              list_of(reader.ints("interior_padding"))}));
}
inline Result<Tensors> evaluate_dynamic_pad(EvalInput& in) {
  const Padding padding = {integers_of(in.operands[2]), integers_of(in.operands[3]),
                           integers_of(in.operands[4])};
  const Shape& shape = in.operands[0].shape();
  Shape out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const WindowDim dim = {.base_dilation = wrap_add(padding.interior[d], 1),
                           .padding_low = padding.low[d],
                           .padding_high = padding.high[d]};
    // A window of one element has as many places as there are elements.
    out.push_back(padding.interior[d] < 0 ? -1 : window_positions(shape[d], dim));
  }
  if (auto error = wrong_shape(in, out)) return *std::move(error);
  return one_result(padded(in.operands[0], in.operands[1], padding));
}

}  // namespace detail

inline constexpr EvalDef kSlicingEvaluators[] = {
    {"stablehlo.slice", nullptr, detail::evaluate_slice},
    {"stablehlo.real_dynamic_slice", nullptr, detail::evaluate_real_dynamic_slice},
    {"stablehlo.dynamic_slice", nullptr, detail::evaluate_dynamic_slice},
    {"stablehlo.dynamic_update_slice", nullptr, detail::evaluate_dynamic_update_slice},
    {"stablehlo.concatenate", nullptr, detail::evaluate_concatenate},
    {"stablehlo.pad", nullptr, detail::evaluate_pad},
    {"stablehlo.dynamic_pad", nullptr, detail::evaluate_dynamic_pad},
};

}  // namespace shardprop
