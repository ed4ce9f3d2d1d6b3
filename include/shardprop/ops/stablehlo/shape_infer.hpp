// Types and constraints of reshapes, transpose, broadcasts and of reading and setting the size of a
// dimension.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/quantized.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// C1 of operations that keep the elements: the element type stays, except for the quantisation
// dimension.
inline bool check_same_element(const VerifyInput& in, std::string_view constraint) {
  const TypeId from = operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (compatible_element_types(dtype_of(in.m, from), dtype_of(in.m, to))) return true;
  report(in, constraint,
         fmt::format("operand and result must have one element type, found {} and {}",
                     dtype_of(in.m, from), dtype_of(in.m, to)));
  return false;
}

// Only one dimension of the result may be unknown where the operation cannot tell the size of more.
inline bool check_mostly_static(const VerifyInput& in, std::string_view instead) {
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (in.m.types.is_static_tensor(to)) return true;
  report(in, "output",
         fmt::format("the result must have a known shape, found {}", to_string(in.m, to)),
         fmt::format("use {} for a shape that is not known", instead));
  return false;
}

// C2 of the reshapes.
inline bool check_same_size(const VerifyInput& in) {
  const TypeId from = operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (!in.m.types.is_static_tensor(from) || !in.m.types.is_static_tensor(to)) return true;
  const std::int64_t expected = product(in.m.types.shape(from));
  const std::int64_t found = product(in.m.types.shape(to));
  if (expected == found) return true;
  report(in, "c2",
         fmt::format("the result must have as many elements as the operand {}: {}, found {} in {}",
                     to_string(in.m, from), expected, found, to_string(in.m, to)));
  return false;
}

// C2 to C5 of the broadcasts.
inline bool check_broadcast(const VerifyInput& in, std::span<const std::int64_t> dims) {
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (!check_size(in, "c2", "broadcast_dimensions", dims.size(), "the operand has dimensions",
                  from.size()) ||
      !check_in_range(in, "c3", "broadcast_dimensions", dims, to.size()) ||
      !check_unique(in, "c4", "broadcast_dimensions", dims)) {
    return false;
  }
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::int64_t size = to[static_cast<std::size_t>(dims[d])];
    if (from[d] == 1 || compatible_sizes(from[d], size)) continue;
    report(
        in, "c5",
        fmt::format(
            "operand dimension {} must be of size 1 or of size {} as result dimension {}, found {}",
            d, size, dims[d], from[d]));
    return false;
  }
  return true;
}

}  // namespace detail

inline void verify_reshape(const VerifyInput& in) {
  const TypeId from = detail::operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (!detail::check_same_element(in, "c1") ||
      !detail::check_mostly_static(in, "stablehlo.dynamic_reshape") ||
      !detail::check_same_size(in) || !detail::check_same_quantization(in, "c1", from, to)) {
    return;
  }
  detail::check_reshaped_quantization(in, from, to);
}

inline void verify_dynamic_reshape(const VerifyInput& in) {
  const TypeId from = detail::operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (!detail::check_same_element(in, "c1") || !detail::check_list_operand(in, 1) ||
      !detail::check_same_size(in) || !detail::check_shape_operand(in, "c4", 1) ||
      !detail::check_result_rank(in, "c4", 1, "output_shape")) {
    return;
  }
  const auto shape = detail::constant_ints(in.m, operand(in.m, in.op, 1));
  if (shape && in.m.types.is_static_tensor(from) &&
      detail::product(*shape) != detail::product(in.m.types.shape(from))) {
    report(in, "c2",
           fmt::format("output_shape {} must have as many elements as {}",
                       detail::list_text(*shape), to_string(in.m, from)));
    return;
  }
  if (detail::check_same_quantization(in, "c1", from, to))
    detail::check_reshaped_quantization(in, from, to);
}

inline void verify_broadcast_in_dim(const VerifyInput& in) {
  AttributeReader attributes(in);
  const auto dims = attributes.ints("broadcast_dimensions");
  if (!attributes.ok() || !detail::check_same_element(in, "c1") ||
      !detail::check_mostly_static(in, "stablehlo.dynamic_broadcast_in_dim") ||
      !detail::check_broadcast(in, dims)) {
    return;
  }
  detail::check_broadcast_quantization(in, dims);
}

inline void verify_dynamic_broadcast_in_dim(const VerifyInput& in) {
  AttributeReader attributes(in);
  const auto dims = attributes.ints("broadcast_dimensions");
  const auto expanding = attributes.ints_or_empty("known_expanding_dimensions");
  const auto nonexpanding = attributes.ints_or_empty("known_nonexpanding_dimensions");
  if (!attributes.ok() || !detail::check_same_element(in, "c1") ||
      !detail::check_list_operand(in, 1) || !detail::check_broadcast(in, dims) ||
      !detail::check_result_rank(in, "c7", 1, "output_dimensions") ||
      !detail::check_shape_operand(in, "c7", 1)) {
    return;
  }
  Shape hints(expanding.begin(), expanding.end());
  hints.insert(hints.end(), nonexpanding.begin(), nonexpanding.end());
  const std::size_t rank = rank_of(in.m, operand(in.m, in.op, 0));
  if (!detail::check_unique(in, "c8",
                            "known_expanding_dimensions and known_nonexpanding_dimensions together",
                            hints) ||
      !detail::check_in_range(in, "c9", "known_expanding_dimensions", expanding, rank) ||
      !detail::check_in_range(in, "c10", "known_nonexpanding_dimensions", nonexpanding, rank)) {
    return;
  }
  detail::check_broadcast_quantization(in, dims);
}

inline InferredTypes infer_transpose(const InferInput& in) {
  AttributeReader attributes(in);
  const auto permutation = attributes.ints("permutation");
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const std::size_t rank = in.m.types.rank(type);
  if (!attributes.ok()) return std::nullopt;
  if (permutation.size() != rank || !detail::are_distinct_dims(permutation, rank)) {
    return detail::refuse(
        in, "c2",
        fmt::format("permutation must hold each of the operand's {} dimensions once, found {}",
                    rank, detail::list_text(permutation)));
  }
  Shape shape;
  for (std::int64_t dim : permutation)
    shape.push_back(in.m.types.shape(type)[static_cast<std::size_t>(dim)]);
  return detail::inferred(detail::with_shape(in.types, type, shape));
}

// What quantised types add: C1 and C4.
inline void verify_transpose(const VerifyInput& in) {
  const TypeId from = detail::operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  const std::int64_t dim = quantization_dimension(detail::dtype_of(in.m, to));
  if (!detail::check_same_quantization(in, "c1", from, to) || dim == kPerTensor) return;
  AttributeReader attributes(in.m, in.op, nullptr);
  const auto permutation = attributes.ints("permutation");
  if (dim >= static_cast<std::int64_t>(permutation.size())) return;
  const std::int64_t source = permutation[static_cast<std::size_t>(dim)];
  const std::int64_t found = quantization_dimension(detail::dtype_of(in.m, from));
  if (source == found) return;
  report(in, "c4",
         fmt::format("the operand's quantization dimension must be {}, found {}", source, found));
}

inline InferredTypes infer_broadcast(const InferInput& in) {
  AttributeReader attributes(in);
  const auto sizes = attributes.ints("broadcast_sizes");
  if (!attributes.ok()) return std::nullopt;
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; })) {
    return detail::refuse(
        in, "broadcast_sizes",
        fmt::format("sizes must not be negative, found {}", detail::list_text(sizes)));
  }
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  Shape shape(sizes.begin(), sizes.end());
  const auto from = in.m.types.shape(type);
  shape.insert(shape.end(), from.begin(), from.end());
  return detail::inferred(detail::with_shape(in.types, type, shape));
}

namespace detail {

// The attribute `dimension`, or none after a diagnostic under C1.
inline std::optional<std::size_t> read_dimension(const InferInput& in) {
  AttributeReader attributes(in);
  const std::int64_t dimension = attributes.integer("dimension");
  if (!attributes.ok()) return std::nullopt;
  const std::int64_t dims[] = {dimension};
  if (!check_in_range(in, "c1", "dimension", dims, in.m.types.rank(operand_type(in.m, in.op, 0))))
    return std::nullopt;
  return static_cast<std::size_t>(dimension);
}

}  // namespace detail

inline InferredTypes infer_get_dimension_size(const InferInput& in) {
  if (!detail::read_dimension(in)) return std::nullopt;
  return detail::inferred(tensor_type(in.types, "i32", {}));
}

// The result has the operand's type: types of the graph have no bounds, so that the size of the
// dimension that is set is the largest it may have. A program may also say that it is not known.
inline InferredTypes infer_set_dimension_size(const InferInput& in) {
  const TypeId size = detail::operand_type(in.m, in.op, 1);
  if (in.m.types.rank(size) != 0 || detail::dtype_of(in.m, size) != "i32") {
    return detail::refuse(
        in, "i2", fmt::format("size must be a scalar i32, found {}", to_string(in.m, size)));
  }
  if (!detail::read_dimension(in)) return std::nullopt;
  return detail::inferred(detail::operand_type(in.m, in.op, 0));
}

}  // namespace shardprop
