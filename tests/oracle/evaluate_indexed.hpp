// Operations that read or write operand 0 at computed places. Places are clamped to, or dropped
// outside of, the whole operand; a shard then looks only at its own part (see Placement).
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/oracle/operation.hpp"

namespace oracle {

// The element at `index` of the whole operand 0; 0 where the shard does not hold it.
inline std::int64_t read_placed(const Operation& op, Shape index) {
  for (std::size_t d = 0; d < index.size(); ++d) index[d] -= op.placement.offset[d];
  return is_inside(op.operand(0).shape, index) ? op.operand(0).at(index) : 0;
}

inline Results evaluate_dynamic_slice(const Operation& op) {
  const Shape sizes = ints(op.attributes, "slice_sizes");
  if (sizes != op.results[0]) return std::nullopt;
  Shape start;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t last = op.placement.whole[d] - sizes[d];
    if (last < 0) return std::nullopt;
    start.push_back(std::clamp<std::int64_t>(op.operand(1 + d).data[0], 0, last));
  }
  return fill(sizes, [&](const Shape& index) {
    Shape from = index;
    for (std::size_t d = 0; d < from.size(); ++d) from[d] += start[d];
    return read_placed(op, from);
  });
}

inline Results evaluate_dynamic_update_slice(const Operation& op) {
  const Tensor& update = op.operand(1);
  Tensor out = op.operand(0);
  if (out.shape != op.results[0]) return std::nullopt;
  Shape start;
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    const std::int64_t last = op.placement.whole[d] - update.shape[d];
    if (last < 0) return std::nullopt;
    start.push_back(std::clamp<std::int64_t>(op.operand(2 + d).data[0], 0, last));
  }
  for_each_index(update.shape, [&](const Shape& index) {
    Shape to = index;
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += start[d] - op.placement.offset[d];
    if (is_inside(out.shape, to)) out.at(to) = update.at(index);
  });
  return std::vector<Tensor>{out};
}

// The dimension numbers of gather and scatter under common names.
struct WindowDims {
  Shape window;         // of the slices
  Shape dropped;        // of the operand
  Shape batch;          // of the operand
  Shape indices_batch;  // of the indices
  Shape map;
  std::size_t vector_dim;
};

inline WindowDims window_dims(const json& attributes) {
  const bool gather = attributes.contains("dimension_numbers");
  const json& n = attributes[gather ? "dimension_numbers" : "scatter_dimension_numbers"];
  return {ints(n, gather ? "offset_dims" : "update_window_dims"),
          ints(n, gather ? "collapsed_slice_dims" : "inserted_window_dims"),
          ints(n, gather ? "operand_batching_dims" : "input_batching_dims"),
          ints(n, gather ? "start_indices_batching_dims" : "scatter_indices_batching_dims"),
          ints(n, gather ? "start_index_map" : "scatter_dims_to_operand_dims"),
          n.value("index_vector_dim", std::size_t{0})};
}

// The operand's dimensions that the slices' window dimensions lie along.
inline std::vector<std::size_t> window_targets(const WindowDims& dims, std::size_t rank) {
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!contains(dims.dropped, d) && !contains(dims.batch, d)) out.push_back(d);
  }
  return out;
}

// The sizes of the dimensions that are not window dimensions: those of the indices without the index
// vector.
inline Shape batch_sizes(const WindowDims& dims, const Shape& indices) {
  Shape out;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (d != dims.vector_dim) out.push_back(indices[d]);
  }
  return out;
}

// Where in the operand the slice at `batch` begins, and with it the batch dimensions' positions.
inline Shape slice_start(const WindowDims& dims, const Tensor& indices, const Shape& batch,
                         std::size_t rank) {
  Shape at = batch;
  const bool has_vector = dims.vector_dim < indices.shape.size();
  if (has_vector) at.insert(at.begin() + static_cast<std::ptrdiff_t>(dims.vector_dim), 0);
  Shape start(rank, 0);
  for (std::size_t i = 0; i < dims.map.size(); ++i) {
    if (has_vector) at[dims.vector_dim] = static_cast<std::int64_t>(i);
    start[index_of(dims.map[i])] = indices.at(at);
  }
  for (std::size_t i = 0; i < dims.batch.size(); ++i)
    start[index_of(dims.batch[i])] = at[index_of(dims.indices_batch[i])];
  return start;
}

// Splits an index of the slices into its batch part and its offset in the operand.
inline void split_slice_index(const WindowDims& dims, const std::vector<std::size_t>& targets,
                              const Shape& index, Shape& batch, Shape& offset) {
  batch.clear();
  std::size_t window = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (contains(dims.window, d)) {
      offset[targets[window++]] = index[d];
    } else {
      batch.push_back(index[d]);
    }
  }
}

// Whether batch dimensions have the indices' sizes, those of the operand too.
inline bool has_batch_sizes(const WindowDims& dims, const Operation& op, const Shape& indices,
                            const Shape& slices) {
  Shape found;
  for (std::size_t d = 0; d < slices.size(); ++d) {
    if (!contains(dims.window, d)) found.push_back(slices[d]);
  }
  for (std::size_t i = 0; i < dims.batch.size(); ++i) {
    if (op.operand(0).shape[index_of(dims.batch[i])] != indices[index_of(dims.indices_batch[i])])
      return false;
  }
  const bool whole_vector = dims.vector_dim >= indices.size() ||
                            indices[dims.vector_dim] == static_cast<std::int64_t>(dims.map.size());
  return whole_vector && found == batch_sizes(dims, indices);
}

inline Results evaluate_gather(const Operation& op) {
  const WindowDims dims = window_dims(op.attributes);
  const Shape sizes = ints(op.attributes, "slice_sizes");
  const std::size_t rank = sizes.size();
  const auto targets = window_targets(dims, rank);
  if (!has_batch_sizes(dims, op, op.operand(1).shape, op.results[0])) return std::nullopt;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (op.results[0][index_of(dims.window[i])] != sizes[targets[i]]) return std::nullopt;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (sizes[d] > op.placement.whole[d]) return std::nullopt;
  }
  Shape batch;
  return fill(op.results[0], [&](const Shape& index) {
    Shape offset(rank, 0);
    split_slice_index(dims, targets, index, batch, offset);
    Shape at = slice_start(dims, op.operand(1), batch, rank);
    for (std::size_t d = 0; d < rank; ++d) {
      if (!contains(dims.batch, d))
        at[d] = std::clamp<std::int64_t>(at[d], 0, op.placement.whole[d] - sizes[d]);
      at[d] += offset[d];
    }
    return read_placed(op, at);
  });
}

// One input: operands are input, indices, updates.
inline Results evaluate_scatter(const Operation& op) {
  const WindowDims dims = window_dims(op.attributes);
  const Tensor& updates = op.operand(2);
  Tensor out = op.operand(0);
  const std::size_t rank = out.shape.size();
  const auto targets = window_targets(dims, rank);
  if (out.shape != op.results[0] ||
      !has_batch_sizes(dims, op, op.operand(1).shape, updates.shape)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (updates.shape[index_of(dims.window[i])] > op.placement.whole[targets[i]])
      return std::nullopt;
  }
  Shape batch;
  for_each_index(updates.shape, [&](const Shape& index) {
    Shape offset(rank, 0);
    split_slice_index(dims, targets, index, batch, offset);
    Shape at = slice_start(dims, op.operand(1), batch, rank);
    for (std::size_t d = 0; d < rank; ++d) at[d] += offset[d];
    if (!is_inside(op.placement.whole, at)) return;
    for (std::size_t d = 0; d < rank; ++d) at[d] -= op.placement.offset[d];
    if (is_inside(out.shape, at)) out.at(at) = combine(op.body, out.at(at), updates.at(index));
  });
  return std::vector<Tensor>{out};
}

}  // namespace oracle
