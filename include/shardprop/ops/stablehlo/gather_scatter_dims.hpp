// The dimension numbers of gather and scatter under common names, and what the specification asks
// of them. Both read or write slices of an input at places that an index tensor names; only names
// and numbers of constraints differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop::detail {

using Dims = std::span<const std::int64_t>;

struct WindowDims {
  Dims window;   // of the slices: those that lie along dimensions of the input
  Dims dropped;  // of the input: those of which a slice holds one element, without a dimension for
                 // it
  Dims input_batch;    // of the input: those that go together with `indices_batch`
  Dims indices_batch;  // of the indices
  Dims index_map;      // of the input: what each element of an index vector stands for
  std::int64_t index_vector_dim = 0;  // of the indices; their rank: an index is a single number
};

struct WindowShapes {
  Dims input;
  Dims indices;
  Dims slices;
};

// An attribute and the constraints on it.
struct WindowAttribute {
  std::string_view name;
  std::string_view sorted;    // in increasing order
  std::string_view in_range;  // dimensions that there are
};

struct WindowNames {
  std::string_view attribute;
  WindowAttribute window;
  WindowAttribute dropped;
  WindowAttribute input_batch;
  WindowAttribute indices_batch;   // `sorted`: each once
  WindowAttribute index_map;       // `sorted`: each once, and not in `input_batch`
  std::string_view rank;           // the input's dimensions are window, dropped or batch dimensions
  std::string_view vector_dim;     // index_vector_dim is one of the indices, or their rank
  std::string_view map_size;       // as many elements as an index vector
  std::string_view dropped_once;   // dropped and batch dimensions are distinct
  std::string_view no_vector_dim;  // index_vector_dim is not a batch dimension
  std::string_view batch_count;    // as many batch dimensions of the input as of the indices
  std::string_view batch_sizes;    // of the same sizes
};

inline constexpr WindowNames kGatherNames = {
    .attribute = "dimension_numbers",
    .window = {"offset_dims", "c4", "c5"},
    .dropped = {"collapsed_slice_dims", "c7", "c8"},
    .input_batch = {"operand_batching_dims", "c10", "c11"},
    .indices_batch = {"start_indices_batching_dims", "c13", "c14"},
    .index_map = {"start_index_map", "c18", "c19"},
    .rank = "c1",
    .vector_dim = "c2",
    .map_size = "c3",
    .dropped_once = "c6",
    .no_vector_dim = "c15",
    .batch_count = "c16",
    .batch_sizes = "c17"};

inline constexpr WindowNames kScatterNames = {
    .attribute = "scatter_dimension_numbers",
    .window = {"update_window_dims", "c7", "c8"},
    .dropped = {"inserted_window_dims", "c10", "c11"},
    .input_batch = {"input_batching_dims", "c12", "c13"},
    .indices_batch = {"scatter_indices_batching_dims", "c14", "c15"},
    .index_map = {"scatter_dims_to_operand_dims", "c20", "c21"},
    .rank = "c2",
    .vector_dim = "c22",
    .map_size = "c19",
    .dropped_once = "c9",
    .no_vector_dim = "c16",
    .batch_count = "c17",
    .batch_sizes = "c18"};

// The dimension numbers of an operation, absent ones empty or 0; `ok`: whether they are
// well-formed.
inline WindowDims read_window_dims(AttributeReader& attributes, const WindowNames& names,
                                   bool& ok) {
  AttributeReader numbers = attributes.dict(names.attribute);
  const WindowDims dims{numbers.ints_or_empty(names.window.name),
                        numbers.ints_or_empty(names.dropped.name),
                        numbers.ints_or_empty(names.input_batch.name),
                        numbers.ints_or_empty(names.indices_batch.name),
                        numbers.ints_or_empty(names.index_map.name),
                        numbers.integer_or("index_vector_dim", 0)};
  ok = attributes.ok() && numbers.ok();
  return dims;
}

inline std::vector<std::int64_t> joined(Dims a, Dims b) {
  std::vector<std::int64_t> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

// The number of dimensions of the slices that come from the indices: all but the index vector's.
inline std::size_t batch_rank(const WindowDims& dims, std::size_t indices_rank) {
  return indices_rank - (dims.index_vector_dim < static_cast<std::int64_t>(indices_rank) ? 1 : 0);
}

inline bool check_index_vector_dim(const InferInput& in, const WindowDims& dims,
                                   const WindowNames& names, Dims indices) {
  const std::size_t rank = indices.size();
  if (dims.index_vector_dim >= 0 && dims.index_vector_dim <= static_cast<std::int64_t>(rank))
    return true;
  report(in, names.vector_dim,
         fmt::format("index_vector_dim must be in [0, {}], found {}", rank, dims.index_vector_dim));
  return false;
}

inline bool check_index_vector_size(const InferInput& in, const WindowDims& dims,
                                    const WindowNames& names, Dims indices) {
  const auto dim = static_cast<std::size_t>(dims.index_vector_dim);
  const std::int64_t size = dim == indices.size() ? 1 : indices[dim];
  if (size == kDynamic) return true;
  return check_size(in, names.map_size, names.index_map.name, dims.index_map.size(),
                    "an index vector", static_cast<std::size_t>(size));
}

inline bool check_batch_dims(const InferInput& in, const WindowDims& dims, const WindowNames& names,
                             const WindowShapes& shapes) {
  if (!check_sorted(in, names.input_batch.sorted, names.input_batch.name, dims.input_batch) ||
      !check_in_range(in, names.input_batch.in_range, names.input_batch.name, dims.input_batch,
                      shapes.input.size()) ||
      !check_unique(in, names.indices_batch.sorted, names.indices_batch.name, dims.indices_batch) ||
      !check_in_range(in, names.indices_batch.in_range, names.indices_batch.name,
                      dims.indices_batch, shapes.indices.size())) {
    return false;
  }
  if (contains(dims.indices_batch, dims.index_vector_dim)) {
    report(in, names.no_vector_dim,
           fmt::format("{} must not hold index_vector_dim {}, found {}", names.indices_batch.name,
                       dims.index_vector_dim, list_text(dims.indices_batch)));
    return false;
  }
  if (!check_size(in, names.batch_count, names.indices_batch.name, dims.indices_batch.size(),
                  names.input_batch.name, dims.input_batch.size())) {
    return false;
  }
  for (std::size_t i = 0; i < dims.input_batch.size(); ++i) {
    const std::int64_t input = shapes.input[static_cast<std::size_t>(dims.input_batch[i])];
    const std::int64_t indices = shapes.indices[static_cast<std::size_t>(dims.indices_batch[i])];
    if (compatible_sizes(input, indices)) continue;
    report(in, names.batch_sizes,
           fmt::format("batch dimension {} of the input and {} of the indices must be of one "
                       "size, found {} and {}",
                       dims.input_batch[i], dims.indices_batch[i], input, indices));
    return false;
  }
  return true;
}

// All that is said of the dimension numbers alone; window dimensions are looked up in slices of
// rank `slices_rank`.
inline bool check_window_dims(const InferInput& in, const WindowDims& dims,
                              const WindowNames& names, const WindowShapes& shapes,
                              std::size_t slices_rank) {
  const std::size_t mapped = dims.window.size() + dims.dropped.size() + dims.input_batch.size();
  if (mapped != shapes.input.size()) {
    report(in, names.rank,
           fmt::format(
               "{}, {} and {} must have as many elements together as the input has dimensions: "
               "{}, found {}",
               names.window.name, names.dropped.name, names.input_batch.name, shapes.input.size(),
               mapped));
    return false;
  }
  const auto absent = joined(dims.dropped, dims.input_batch);
  const auto targets = joined(dims.index_map, dims.input_batch);
  return check_index_vector_dim(in, dims, names, shapes.indices) &&
         check_sorted(in, names.window.sorted, names.window.name, dims.window) &&
         check_unique(in, names.window.sorted, names.window.name, dims.window) &&
         check_in_range(in, names.window.in_range, names.window.name, dims.window, slices_rank) &&
         check_unique(in, names.dropped_once,
                      fmt::format("{} and {} together", names.dropped.name, names.input_batch.name),
                      absent) &&
         check_sorted(in, names.dropped.sorted, names.dropped.name, dims.dropped) &&
         check_in_range(in, names.dropped.in_range, names.dropped.name, dims.dropped,
                        shapes.input.size()) &&
         check_batch_dims(in, dims, names, shapes) &&
         check_index_vector_size(in, dims, names, shapes.indices) &&
         check_unique(
             in, names.index_map.sorted,
             fmt::format("{} and {} together", names.index_map.name, names.input_batch.name),
             targets) &&
         check_in_range(in, names.index_map.in_range, names.index_map.name, dims.index_map,
                        shapes.input.size());
}

// The size of the slices along a dimension that is not a window dimension: `batch` counts them.
inline std::int64_t batch_size(const WindowDims& dims, Dims indices, std::size_t batch) {
  return indices[static_cast<std::int64_t>(batch) < dims.index_vector_dim ? batch : batch + 1];
}

// The input's dimensions that the window dimensions lie along, in order.
inline std::vector<std::size_t> window_sources(const WindowDims& dims, std::size_t input_rank) {
  std::vector<std::size_t> sources;
  for (std::size_t d = 0; d < input_rank; ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    if (!contains(dims.dropped, dim) && !contains(dims.input_batch, dim)) sources.push_back(d);
  }
  return sources;
}

}  // namespace shardprop::detail
