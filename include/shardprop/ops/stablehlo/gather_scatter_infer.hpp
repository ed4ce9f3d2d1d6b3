// Types and constraints of gather, dynamic_gather and scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/reducer.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/gather_scatter_dims.hpp"

namespace shardprop {

namespace detail {

// C9, C12, C20 and C21 of gather; no sizes mean that they are not known.
inline bool check_slice_sizes(const InferInput& in, const WindowDims& dims, Dims input,
                              Dims sizes) {
  if (!check_size(in, "c20", "slice_sizes", sizes.size(), "the operand has dimensions",
                  input.size()))
    return false;
  const auto at_most_one = [&](std::string_view constraint, std::string_view name, Dims along) {
    for (std::int64_t dim : along) {
      if (sizes[static_cast<std::size_t>(dim)] <= 1) continue;
      report(in, constraint,
             fmt::format("slice_sizes must be at most 1 along {} {}, found {}", name,
                         list_text(along), detail::list_text(sizes)));
      return false;
    }
    return true;
  };
  if (!at_most_one("c9", "collapsed_slice_dims", dims.dropped)) return false;
  if (!at_most_one("c12", "operand_batching_dims", dims.input_batch)) return false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] >= 0 && (input[d] == kDynamic || sizes[d] <= input[d])) continue;
    report(in, "c21",
           fmt::format("slice_sizes must be in 0 to the operand's shape {}, found {}",
                       to_string(input), detail::list_text(sizes)));
    return false;
  }
  return true;
}

// C22: the slices' sizes along window dimensions, the indices' along the others. Sizes may be
// kDynamic.
inline InferredTypes infer_gathered(const InferInput& in, const WindowDims& dims, Dims indices,
                                    const Shape& sizes) {
  const TypeId type = operand_type(in.m, in.op, 0);
  const auto sources = window_sources(dims, in.m.types.rank(type));
  Shape shape;
  std::size_t window = 0;
  std::size_t batch = 0;
  const std::size_t rank = dims.window.size() + batch_rank(dims, indices.size());
  for (std::size_t d = 0; d < rank; ++d) {
    if (contains(dims.window, static_cast<std::int64_t>(d))) {
      shape.push_back(sizes[sources[window++]]);
    } else {
      shape.push_back(batch_size(dims, indices, batch++));
    }
  }
  return inferred(with_shape(in.types, type, shape));
}

inline WindowShapes gather_shapes(const InferInput& in) {
  return {shape_of(in.m, operand(in.m, in.op, 0)), shape_of(in.m, operand(in.m, in.op, 1)), {}};
}

// Reads and checks the dimension numbers of a gather.
inline bool read_gather(const InferInput& in, AttributeReader& attributes, WindowDims& dims) {
  bool ok = false;
  dims = read_window_dims(attributes, kGatherNames, ok);
  if (!ok) return false;
  const WindowShapes shapes = gather_shapes(in);
  const std::size_t rank = dims.window.size() + batch_rank(dims, shapes.indices.size());
  return check_window_dims(in, dims, kGatherNames, shapes, rank);
}

}  // namespace detail

inline InferredTypes infer_gather(const InferInput& in) {
  AttributeReader attributes(in);
  const auto sizes = attributes.ints("slice_sizes");
  attributes.boolean_or("indices_are_sorted", false);
  detail::WindowDims dims;
  const detail::WindowShapes shapes = detail::gather_shapes(in);
  if (!detail::read_gather(in, attributes, dims) ||
      !detail::check_slice_sizes(in, dims, shapes.input, sizes)) {
    return std::nullopt;
  }
  return detail::infer_gathered(in, dims, shapes.indices, Shape(sizes.begin(), sizes.end()));
}

// The constraints are those of gather and have its numbers: the specification's own list for
// dynamic_gather is older and knows no batching dimensions. Slice sizes are known where their
// operand is a constant.
inline InferredTypes infer_dynamic_gather(const InferInput& in) {
  AttributeReader attributes(in);
  attributes.boolean_or("indices_are_sorted", false);
  detail::WindowDims dims;
  const detail::WindowShapes shapes = detail::gather_shapes(in);
  const TypeId list = detail::operand_type(in.m, in.op, 2);
  if (!in.m.types.is_static_tensor(list) || in.m.types.rank(list) != 1) {
    return detail::refuse(
        in, "i3",
        fmt::format("slice_sizes must be a tensor of one dimension of known size, found {}",
                    to_string(in.m, list)));
  }
  if (!detail::read_gather(in, attributes, dims) ||
      !detail::check_size(in, "c20", "slice_sizes",
                          static_cast<std::size_t>(in.m.types.shape(list)[0]),
                          "the operand has dimensions", shapes.input.size())) {
    return std::nullopt;
  }
  const auto sizes = detail::constant_ints(in.m, operand(in.m, in.op, 2));
  if (!sizes)
    return detail::infer_gathered(in, dims, shapes.indices, Shape(shapes.input.size(), kDynamic));
  if (!detail::check_slice_sizes(in, dims, shapes.input, *sizes)) return std::nullopt;
  return detail::infer_gathered(in, dims, shapes.indices, *sizes);
}

namespace detail {

// Inputs, then the indices, then as many updates.
struct ScatterOperands {
  std::vector<TypeId> inputs;
  TypeId indices;
  std::vector<TypeId> updates;
};

// C5, and I2: the indices are integers.
inline std::optional<ScatterOperands> read_scatter_operands(const InferInput& in) {
  const Module& m = in.m;
  const std::size_t count = m.ops[in.op].operand_count;
  const std::size_t inputs = count / 2;
  if (inputs == 0 || count != 2 * inputs + 1) {
    return refuse(
        in, "c5",
        fmt::format("operands must be N inputs, indices and N updates, found {} operands", count));
  }
  ScatterOperands operands;
  for (std::size_t i = 0; i < inputs; ++i) {
    operands.inputs.push_back(operand_type(m, in.op, i));
    operands.updates.push_back(operand_type(m, in.op, inputs + 1 + i));
  }
  operands.indices = operand_type(m, in.op, inputs);
  const std::string_view dtype = dtype_of(m, operands.indices);
  if (!(parse_element_type(dtype).kind & (kBool | kInt)) && dtype != "index") {
    return refuse(
        in, "i2",
        fmt::format("scatter_indices must be integers, found {}", to_string(m, operands.indices)));
  }
  return operands;
}

// C1 and C3: one shape.
inline bool check_one_shape(const InferInput& in, std::string_view constraint,
                            std::string_view name, const std::vector<TypeId>& types) {
  for (TypeId type : types) {
    if (compatible_shapes(in.m.types.shape(types[0]), in.m.types.shape(type))) continue;
    report(in, constraint,
           fmt::format("{} must have one shape, found {} and {}", name, to_string(in.m, types[0]),
                       to_string(in.m, type)));
    return false;
  }
  return true;
}

// C4: window dimensions no larger than the input's, the others as large as the indices'.
inline bool check_updates(const InferInput& in, const WindowDims& dims,
                          const WindowShapes& shapes) {
  const auto sources = window_sources(dims, shapes.input.size());
  std::size_t window = 0;
  std::size_t batch = 0;
  for (std::size_t d = 0; d < shapes.slices.size(); ++d) {
    const std::int64_t size = shapes.slices[d];
    if (contains(dims.window, static_cast<std::int64_t>(d))) {
      const std::int64_t limit = shapes.input[sources[window++]];
      if (size == kDynamic || limit == kDynamic || size <= limit) continue;
      report(
          in, "c4",
          fmt::format("dimension {} of the updates must be no larger than the input's {}, found {}",
                      d, limit, size));
      return false;
    }
    const std::int64_t expected = batch_size(dims, shapes.indices, batch++);
    if (compatible_sizes(size, expected)) continue;
    report(in, "c4",
           fmt::format("dimension {} of the updates must be of the indices' size {}, found {}", d,
                       expected, size));
    return false;
  }
  return true;
}

// C23: the computation reduces scalars.
inline std::optional<std::vector<TypeId>> check_update_computation(
    const InferInput& in, const ScatterOperands& operands) {
  const ReducerUse use{.inputs = operands.inputs,
                       .init_values = operands.updates,
                       .constraint = "c23",
                       .scalar_init_values = true};
  return check_reducer(in, in.m.ops[in.op].first_block, use);
}

}  // namespace detail

// C24 and C25: the inputs' shapes with the element types that the computation returns.
inline InferredTypes infer_scatter(const InferInput& in) {
  AttributeReader attributes(in);
  attributes.boolean_or("indices_are_sorted", false);
  attributes.boolean_or("unique_indices", false);
  bool ok = false;
  const detail::WindowDims dims = detail::read_window_dims(attributes, detail::kScatterNames, ok);
  const auto operands = detail::read_scatter_operands(in);
  if (!ok || !operands || !detail::check_one_shape(in, "c1", "inputs", operands->inputs) ||
      !detail::check_one_shape(in, "c3", "updates", operands->updates)) {
    return std::nullopt;
  }
  const auto returned = detail::check_update_computation(in, *operands);
  if (!returned) return std::nullopt;
  const detail::WindowShapes shapes{in.m.types.shape(operands->inputs[0]),
                                    in.m.types.shape(operands->indices),
                                    in.m.types.shape(operands->updates[0])};
  if (!detail::check_index_vector_dim(in, dims, detail::kScatterNames, shapes.indices))
    return std::nullopt;
  const std::size_t rank = dims.window.size() + detail::batch_rank(dims, shapes.indices.size());
  if (shapes.slices.size() != rank) {
    return detail::refuse(
        in, "c4",
        fmt::format("updates must have {} dimensions: {} of the window and those of the "
                    "indices but index_vector_dim, found {}",
                    rank, dims.window.size(), to_string(shapes.slices)));
  }
  if (!detail::check_window_dims(in, dims, detail::kScatterNames, shapes, rank) ||
      !detail::check_updates(in, dims, shapes)) {
    return std::nullopt;
  }
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < operands->inputs.size(); ++i) {
    const Shape shape = detail::shape_copy(in.m, operands->inputs[i]);
    types.push_back(detail::with_shape(in.types, (*returned)[i], shape));
  }
  return types;
}

// Only the attributes are asked for.
inline void verify_torch_index_select(const VerifyInput& in) {
  AttributeReader attributes(in);
  attributes.integer("dim");
  attributes.integer("batch_dims");
}

}  // namespace shardprop
