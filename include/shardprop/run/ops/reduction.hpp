// reduce, reduce_window, select_and_scatter and map: operations with a region over scalars. The
// region runs on many results at once, element by element of what is reduced, in row-major order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/window_geometry.hpp"
#include "shardprop/run/ops/comparison.hpp"
#include "shardprop/run/ops/slicing.hpp"
#include "shardprop/run/scalar_region.hpp"

namespace shardprop {

namespace detail {

// Operands are n inputs, then n initial values; the region's arguments may be of wider types.
struct Reduced {
  ScalarRegion region;
  Tensors inputs;
  Tensors inits;
};
inline Result<Reduced> read_reduced(EvalInput& in) {
  Result<ScalarRegion> region = ScalarRegion::compile(in, block_of(in.m, in.op, 0));
  if (!region) return std::move(region.errors());
  Reduced out{*std::move(region), {}, {}};
  const std::size_t n = in.operands.size() / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const Element element = out.region.argument_element(i);
    out.inputs.push_back(converted(in.operands[i], element));
    out.inits.push_back(converted(in.operands[n + i], element));
  }
  return out;
}

// The dimensions of `rank` that are not in `dims`.
inline Shape other_dims(std::size_t rank, std::span<const std::int64_t> dims) {
  Shape out;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!contains(dims, static_cast<std::int64_t>(d))) out.push_back(static_cast<std::int64_t>(d));
  }
  return out;
}

// The tensor with the dimensions in this order; itself where that is its own order.
inline Tensor in_order(const Tensor& tensor, std::span<const std::int64_t> dims) {
  return std::is_sorted(dims.begin(), dims.end()) ? tensor : transposed(tensor, dims);
}

inline Result<Tensors> evaluate_reduce(EvalInput& in) {
  Result<Reduced> read = read_reduced(in);
  if (!read) return std::move(read.errors());
  const Shape shape = read->inputs[0].shape();
  const auto dims = AttributeReader(in.m, in.op, nullptr).ints_or_empty("dimensions");
  Shape order = list_of(dims);
  std::sort(order.begin(), order.end());
  std::int64_t steps = 1;
  for (std::int64_t dim : order) steps *= shape[static_cast<std::size_t>(dim)];
  Shape out_shape;
  for (std::int64_t dim : other_dims(shape.size(), dims)) {
    order.push_back(dim);
    out_shape.push_back(shape[static_cast<std::size_t>(dim)]);
  }
  Tensors out;
  for (std::size_t i = 0; i < read->inputs.size(); ++i) {
    read->inputs[i] = in_order(read->inputs[i], order);
    out.push_back(splat(read->inits[i], out_shape));
  }
  std::vector<const std::byte*> elements(out.size());
  for (std::int64_t step = 0; step < steps && out[0].count() != 0; ++step) {
    for (std::size_t i = 0; i < out.size(); ++i)
      elements[i] = read->inputs[i].read() + static_cast<std::size_t>(step) * out[i].bytes();
    fold(read->region, out, elements);
  }
  return out;
}

// The window of an operation whose attributes are those of reduce_window; verified modules have
// lists of the right lengths.
inline std::vector<WindowDim> window_of(const EvalInput& in, std::size_t rank) {
  AttributeReader reader(in.m, in.op, nullptr);
  Diagnostics ignored;
  const VerifyInput verify{in.m, in.op, ignored};
  const WindowLists lists = {
      .sizes = {"window_dimensions", reader.ints_or_empty("window_dimensions"), "", ""},
      .strides = {"window_strides", reader.ints_or_empty("window_strides"), "", ""},
      .base_dilations = {"base_dilations", reader.ints_or_empty("base_dilations"), "", ""},
      .window_dilations = {"window_dilations", reader.ints_or_empty("window_dilations"), "", ""},
      .padding = read_padding(verify, "", "").value_or(std::vector<PaddingPair>()),
      .padding_constraint = ""};
  return check_window(verify, lists, rank).value_or(std::vector<WindowDim>(rank));
}

// Calls `visit` with each index of `sizes`, the last dimension fastest.
template <class Visit>
void for_each_index(std::span<const std::int64_t> sizes, Visit&& visit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Shape index(sizes.size(), 0);
  while (true) {
    visit(index);
    std::size_t d = sizes.size();
    for (; d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

// One element of all windows at a time: it is a slice of the padded input.
inline Result<Tensors> evaluate_reduce_window(EvalInput& in) {
  Result<Reduced> read = read_reduced(in);
  if (!read) return std::move(read.errors());
  const Shape shape = read->inputs[0].shape();
  const std::vector<WindowDim> window = window_of(in, shape.size());
  Padding padding;
  Shape sizes;
  Shape strides;
  Shape out_shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    padding.low.push_back(window[d].padding_low);
    padding.high.push_back(window[d].padding_high);
    padding.interior.push_back(window[d].base_dilation - 1);
    sizes.push_back(window[d].size);
    strides.push_back(window[d].stride);
    out_shape.push_back(window_positions(shape[d], window[d]));
  }
  Tensors out;
  for (std::size_t i = 0; i < read->inputs.size(); ++i) {
    read->inputs[i] = padded(read->inputs[i], read->inits[i], padding);
    out.push_back(splat(read->inits[i], out_shape));
  }
  if (out[0].count() == 0) return out;
  Tensors slices(out.size());
  std::vector<const std::byte*> elements(out.size());
  for_each_index(sizes, [&](const Shape& index) {
    Shape starts = index;
    for (std::size_t d = 0; d < starts.size(); ++d) starts[d] *= window[d].window_dilation;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const StridedView view = view_into(read->inputs[i].shape(), starts, strides);
      slices[i] = gathered(read->inputs[i], view, out_shape);
      elements[i] = slices[i].read();
    }
    fold(read->region, out, elements);
  });
  return out;
}

// The number of the element of `operand` that a window selects, or none where the window has none.
inline std::optional<std::size_t> selected_in(ScalarRegion& select, const Tensor& operand,
                                              const std::vector<WindowDim>& window,
                                              const Shape& position) {
  const std::size_t width = bytes_of(operand.element());
  const Shape strides = strides_of(operand.shape());
  Shape sizes;
  for (const WindowDim& dim : window) sizes.push_back(dim.size);
  std::optional<std::size_t> selected;
  for_each_index(sizes, [&](const Shape& index) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t at = position[d] * window[d].stride + index[d] - window[d].padding_low;
      if (at < 0 || at >= operand.shape()[d]) return;
      offset += at * strides[d];
    }
    const auto candidate = static_cast<std::size_t>(offset);
    if (selected) {
      const std::byte* const given[] = {operand.read() + *selected * width,
                                        operand.read() + candidate * width};
      select.run(given, 1);
      if (*select.result(0) != std::byte{0}) return;
    }
    selected = candidate;
  });
  return selected;
}

inline Result<Tensors> evaluate_select_and_scatter(EvalInput& in) {
  Result<ScalarRegion> select = ScalarRegion::compile(in, block_of(in.m, in.op, 0));
  if (!select) return std::move(select.errors());
  Result<ScalarRegion> scatter = ScalarRegion::compile(in, block_of(in.m, in.op, 1));
  if (!scatter) return std::move(scatter.errors());
  const Tensor operand = converted(in.operands[0], select->argument_element(0));
  const Element element = scatter->argument_element(0);
  const Tensor source = converted(in.operands[1], element);
  Tensor out = splat(converted(in.operands[2], element), operand.shape());
  const std::vector<WindowDim> window = window_of(in, operand.rank());
  const std::size_t width = bytes_of(element);
  std::byte* const to = out.write();
  const std::byte* from = source.read();
  for_each_index(source.shape(), [&](const Shape& position) {
    const auto selected = selected_in(*select, operand, window, position);
    if (selected) {
      const std::byte* const given[] = {to + *selected * width, from};
      scatter->run(given, 1);
      std::memcpy(to + *selected * width, scatter->result(0), width);
    }
    from += width;
  });
  return one_result(std::move(out));
}

inline Result<Tensors> evaluate_map(EvalInput& in) {
  Result<ScalarRegion> region = ScalarRegion::compile(in, block_of(in.m, in.op, 0));
  if (!region) return std::move(region.errors());
  Tensor out(region->result_element(0), in.operands[0].shape());
  const std::size_t width = bytes_of(out.element());
  std::vector<const std::byte*> given(in.operands.size());
  for (std::size_t at = 0; at < out.count(); at += kRegionChunk) {
    const std::size_t n = std::min(kRegionChunk, out.count() - at);
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = in.operands[i].read() + at * bytes_of(in.operands[i].element());
    region->run(given, n);
    std::memcpy(out.write() + at * width, region->result(0), n * width);
  }
  return one_result(std::move(out));
}

}  // namespace detail

inline constexpr EvalDef kReductionEvaluators[] = {
    {"stablehlo.reduce", nullptr, detail::evaluate_reduce},
    {"stablehlo.reduce_window", nullptr, detail::evaluate_reduce_window},
    {"stablehlo.select_and_scatter", nullptr, detail::evaluate_select_and_scatter},
    {"stablehlo.map", nullptr, detail::evaluate_map},
};

}  // namespace shardprop
