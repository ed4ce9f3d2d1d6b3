// Operations that read or write at places which an index tensor names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/stablehlo/gather_scatter_dims.hpp"
#include "shardprop/run/ops/reduction.hpp"

namespace shardprop {

namespace detail {

// Index vectors one after the other, as places in the input. `batch` is an index of the dimensions
// that the slices have from the indices.
class IndexVectors {
 public:
  IndexVectors(const WindowDims& dims, const Tensor& indices, std::size_t input_rank)
      : dims_(dims), numbers_(integers_of(indices)), strides_(strides_of(indices.shape())) {
    for (std::size_t d = 0; d < indices.rank(); ++d) {
      if (static_cast<std::int64_t>(d) == dims.index_vector_dim) continue;
      batch_dims_.push_back(d);
      batch_.push_back(indices.shape()[d]);
    }
    const auto vector_dim = static_cast<std::size_t>(dims.index_vector_dim);
    step_ = vector_dim < indices.rank() ? strides_[vector_dim] : 0;
    input_rank_ = input_rank;
  }

  // The sizes of the batch.
  const Shape& batch() const { return batch_; }
  // Where the slice of that batch index begins in the input, as the numbers say, in range or not.
  // Along dimensions that go together with some of the indices it is the same index.
  Shape start(const Shape& index) const {
    std::int64_t at = 0;
    for (std::size_t b = 0; b < index.size(); ++b) at += index[b] * strides_[batch_dims_[b]];
    Shape out(input_rank_, 0);
    for (std::size_t i = 0; i < dims_.index_map.size(); ++i) {
      out[static_cast<std::size_t>(dims_.index_map[i])] =
          numbers_[static_cast<std::size_t>(at + static_cast<std::int64_t>(i) * step_)];
    }
    for (std::size_t i = 0; i < dims_.input_batch.size(); ++i) {
      for (std::size_t b = 0; b < index.size(); ++b) {
        if (static_cast<std::int64_t>(batch_dims_[b]) == dims_.indices_batch[i])
          out[static_cast<std::size_t>(dims_.input_batch[i])] = index[b];
      }
    }
    return out;
  }

 private:
  WindowDims dims_;
  Shape numbers_;
  Shape strides_;
  std::vector<std::size_t> batch_dims_;
  Shape batch_;
  std::int64_t step_ = 0;
  std::size_t input_rank_ = 0;
};

// The strides of the tensor of slices: along its batch dimensions, and along each dimension of the
// input, which is 0 where a slice has no such dimension.
struct SliceStrides {
  Shape batch;
  Shape input;
};
inline SliceStrides slice_strides(const WindowDims& dims, std::span<const std::int64_t> slices,
                                  std::size_t input_rank) {
  const Shape strides = strides_of(slices);
  SliceStrides out;
  for (std::size_t d = 0; d < slices.size(); ++d) {
    if (!contains(dims.window, static_cast<std::int64_t>(d))) out.batch.push_back(strides[d]);
  }
  out.input.assign(input_rank, 0);
  const auto sources = window_sources(dims, input_rank);
  for (std::size_t i = 0; i < sources.size(); ++i)
    out.input[sources[i]] = strides[static_cast<std::size_t>(dims.window[i])];
  return out;
}

inline std::int64_t dot_of(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline Result<Tensors> gather_slices(EvalInput& in, const Shape& sizes) {
  AttributeReader reader(in.m, in.op, nullptr);
  bool ok = true;
  const WindowDims dims = read_window_dims(reader, kGatherNames, ok);
  const Tensor& operand = in.operands[0];
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (0 <= sizes[d] && sizes[d] <= operand.shape()[d]) continue;
    return eval_error(
        in, "shape",
        fmt::format("slices of {} do not fit {}", list_text(sizes), type_text(operand)));
  }
  const IndexVectors vectors(dims, in.operands[1], operand.rank());
  // Batch sizes in the places that the window dimensions leave.
  Shape shape(vectors.batch().size() + dims.window.size(), -1);
  const auto sources = window_sources(dims, operand.rank());
  for (std::size_t i = 0; i < sources.size(); ++i)
    shape[static_cast<std::size_t>(dims.window[i])] = sizes[sources[i]];
  std::size_t next = 0;
  for (std::int64_t& size : shape) {
    if (size < 0) size = vectors.batch()[next++];
  }
  if (auto error = wrong_shape(in, shape)) return *std::move(error);
  Tensor out(operand.element(), shape);
  const SliceStrides strides = slice_strides(dims, shape, operand.rank());
  for_each_index(vectors.batch(), [&](const Shape& index) {
    Shape start = vectors.start(index);
    for (std::size_t d = 0; d < start.size(); ++d)
      start[d] = std::clamp<std::int64_t>(start[d], 0, operand.shape()[d] - sizes[d]);
    copy_strided(bytes_of(out.element()), sizes, operand.read(), view_into(operand.shape(), start),
                 out.write(), {dot_of(index, strides.batch), strides.input});
  });
  return one_result(std::move(out));
}
inline Result<Tensors> evaluate_gather(EvalInput& in) {
  return gather_slices(in, list_of(AttributeReader(in.m, in.op, nullptr).ints("slice_sizes")));
}
inline Result<Tensors> evaluate_dynamic_gather(EvalInput& in) {
  return gather_slices(in, integers_of(in.operands[2]));
}

// Combines the elements of one slice with those in their places: `targets` and `updates` are
// numbers of elements.
inline void combine_slice(ScalarRegion& region, Tensors& out, const Tensors& updates,
                          const std::vector<std::size_t>& targets,
                          const std::vector<std::size_t>& sources,
                          std::vector<std::vector<std::byte>>& buffers) {
  std::vector<const std::byte*> given(2 * out.size());
  for (std::size_t at = 0; at < targets.size(); at += kRegionChunk) {
    const std::size_t n = std::min(kRegionChunk, targets.size() - at);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool is_update = i >= out.size();
      const Tensor& tensor = is_update ? updates[i - out.size()] : out[i];
      const std::vector<std::size_t>& numbers = is_update ? sources : targets;
      const std::size_t width = bytes_of(tensor.element());
      buffers[i].resize(kRegionChunk * width);
      for (std::size_t j = 0; j < n; ++j)
        std::memcpy(buffers[i].data() + j * width, tensor.read() + numbers[at + j] * width, width);
      given[i] = buffers[i].data();
    }
    region.run(given, n);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t width = bytes_of(out[i].element());
      std::byte* const to = out[i].write();
      for (std::size_t j = 0; j < n; ++j)
        std::memcpy(to + targets[at + j] * width, region.result(i) + j * width, width);
    }
  }
}

// Slices are scattered one after the other, in the order of the indices; elements whose place is
// out of range are left out.
inline Result<Tensors> evaluate_scatter(EvalInput& in) {
  Result<ScalarRegion> region = ScalarRegion::compile(in, block_of(in.m, in.op, 0));
  if (!region) return std::move(region.errors());
  AttributeReader reader(in.m, in.op, nullptr);
  bool ok = true;
  const WindowDims dims = read_window_dims(reader, kScatterNames, ok);
  const std::size_t n = in.operands.size() / 2;
  Tensors out;
  Tensors updates;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back(converted(in.operands[i], region->argument_element(i)));
    in.operands[i] = Tensor();
    updates.push_back(converted(in.operands[n + 1 + i], region->argument_element(i)));
  }
  const Shape shape = out[0].shape();
  const IndexVectors vectors(dims, in.operands[n], shape.size());
  const SliceStrides slices = slice_strides(dims, updates[0].shape(), shape.size());
  const Shape strides = strides_of(shape);
  Shape sizes(shape.size(), 1);
  const auto sources = window_sources(dims, shape.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    sizes[sources[i]] = updates[0].shape()[static_cast<std::size_t>(dims.window[i])];
  std::vector<std::size_t> to;
  std::vector<std::size_t> from;
  std::vector<std::vector<std::byte>> buffers(2 * n);
  for_each_index(vectors.batch(), [&](const Shape& index) {
    const Shape start = vectors.start(index);
    const std::int64_t base = dot_of(index, slices.batch);
    to.clear();
    from.clear();
    for_each_index(sizes, [&](const Shape& offset) {
      std::int64_t target = 0;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        // One check for both ends, which no start can make overflow.
        if (start[d] < -offset[d] || start[d] >= shape[d] - offset[d]) return;
        target += (start[d] + offset[d]) * strides[d];
      }
      to.push_back(static_cast<std::size_t>(target));
      from.push_back(static_cast<std::size_t>(base + dot_of(offset, slices.input)));
    });
    combine_slice(*region, out, updates, to, from, buffers);
  });
  return out;
}

}  // namespace detail

inline constexpr EvalDef kGatherScatterEvaluators[] = {
    {"stablehlo.gather", nullptr, detail::evaluate_gather},
    {"stablehlo.dynamic_gather", nullptr, detail::evaluate_dynamic_gather},
    {"stablehlo.scatter", nullptr, detail::evaluate_scatter},
};

}  // namespace shardprop
