// Types and constraints of slices, concatenate and reverse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

inline InferredTypes infer_slice(const InferInput& in) {
  AttributeReader attributes(in);
  const auto start = attributes.ints("start_indices");
  const auto limit = attributes.ints("limit_indices");
  const auto strides = attributes.ints("strides");
  if (!attributes.ok()) return std::nullopt;
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const auto from = in.m.types.shape(type);
  if (start.size() != from.size() || limit.size() != from.size() || strides.size() != from.size()) {
    return detail::refuse(
        in, "c2",
        fmt::format("start_indices, limit_indices and strides must have an element for each of the "
                    "operand's {} dimensions, found {}, {} and {}",
                    from.size(), detail::list_text(start), detail::list_text(limit),
                    detail::list_text(strides)));
  }
  Shape shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const bool inside = from[d] == kDynamic || limit[d] <= from[d];
    if (start[d] < 0 || start[d] > limit[d] || !inside) {
      return detail::refuse(
          in, "c3",
          fmt::format("dimension {} of {}: expected 0 <= start <= limit <= size, found start "
                      "{} and limit {}",
                      d, to_string(in.m, type), start[d], limit[d]));
    }
    if (strides[d] < 1) {
      return detail::refuse(
          in, "c4",
          fmt::format("strides must be at least 1, found {}", detail::list_text(strides)));
    }
    shape.push_back((limit[d] - start[d]) / strides[d] +
                    ((limit[d] - start[d]) % strides[d] != 0 ? 1 : 0));
  }
  return detail::inferred(detail::with_shape(in.types, type, shape));
}

namespace detail {

// Start indices from operand `first` on: one per dimension (`constraint_count`), scalars, of one type
// (`constraint_type`).
inline bool check_starts(const InferInput& in, std::size_t first, std::string_view constraint_count,
                         std::string_view constraint_type) {
  const Module& m = in.m;
  const std::size_t rank = m.types.rank(operand_type(m, in.op, 0));
  const std::size_t count = m.ops[in.op].operand_count - first;
  if (count != rank) {
    report(
        in, constraint_count,
        fmt::format("there must be a start index for each of the operand's {} dimensions, found {}",
                    rank, count));
    return false;
  }
  for (std::size_t i = first; i < first + count; ++i) {
    const TypeId type = operand_type(m, in.op, i);
    if (m.types.rank(type) != 0) {
      report(in, fmt::format("i{}", first + 1),
             fmt::format("start indices must be scalars, found {}", to_string(m, type)));
      return false;
    }
    if (type == operand_type(m, in.op, first)) continue;
    report(in, constraint_type,
           fmt::format("start indices must have one type, found {} and {}",
                       to_string(m, operand_type(m, in.op, first)), to_string(m, type)));
    return false;
  }
  return true;
}

}  // namespace detail

inline InferredTypes infer_dynamic_slice(const InferInput& in) {
  AttributeReader attributes(in);
  const auto sizes = attributes.ints("slice_sizes");
  if (!attributes.ok() || !detail::check_starts(in, 1, "c2", "c3")) return std::nullopt;
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const auto from = in.m.types.shape(type);
  if (!detail::check_size(in, "c2", "slice_sizes", sizes.size(), "the operand has dimensions",
                          from.size())) {
    return std::nullopt;
  }
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (sizes[d] >= 0 && (from[d] == kDynamic || sizes[d] <= from[d])) continue;
    return detail::refuse(in, "c4",
                          fmt::format("slice_sizes must be in 0 to the operand's size {}, found {}",
                                      to_string(from), detail::list_text(sizes)));
  }
  return detail::inferred(detail::with_shape(in.types, type, Shape(sizes.begin(), sizes.end())));
}

inline InferredTypes infer_dynamic_update_slice(const InferInput& in) {
  const Module& m = in.m;
  const TypeId type = detail::operand_type(m, in.op, 0);
  const TypeId update = detail::operand_type(m, in.op, 1);
  const auto to = m.types.shape(type);
  const auto sizes = m.types.shape(update);
  if (!compatible_element_types(detail::dtype_of(m, type), detail::dtype_of(m, update))) {
    return detail::refuse(
        in, "c2",
        fmt::format("operand and update must have one element type, found {} and {}",
                    to_string(m, type), to_string(m, update)));
  }
  if (sizes.size() != to.size()) {
    return detail::refuse(in, "c3",
                          fmt::format("the update must have {} dimensions as the operand, found {}",
                                      to.size(), to_string(m, update)));
  }
  if (!detail::check_starts(in, 2, "c4", "c5")) return std::nullopt;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (sizes[d] == kDynamic || to[d] == kDynamic || sizes[d] <= to[d]) continue;
    return detail::refuse(in, "c6",
                          fmt::format("the update must be no larger than the operand {}, found {}",
                                      to_string(m, type), to_string(m, update)));
  }
  return detail::inferred(type);
}

inline InferredTypes infer_concatenate(const InferInput& in) {
  const Module& m = in.m;
  AttributeReader attributes(in);
  const std::int64_t dimension = attributes.integer("dimension");
  if (!attributes.ok()) return std::nullopt;
  if (m.ops[in.op].operand_count == 0) return detail::refuse(in, "c3", "there must be an input");
  const TypeId first = detail::operand_type(m, in.op, 0);
  const std::int64_t dims[] = {dimension};
  if (!detail::check_in_range(in, "c4", "dimension", dims, m.types.rank(first)))
    return std::nullopt;
  const auto joined = static_cast<std::size_t>(dimension);
  Shape shape = detail::shape_copy(m, first);
  for (std::size_t i = 1; i < m.ops[in.op].operand_count; ++i) {
    const TypeId type = detail::operand_type(m, in.op, i);
    const auto found = [&] {
      return fmt::format("found {} and {}", to_string(m, first), to_string(m, type));
    };
    if (!compatible_element_types(detail::dtype_of(m, first), detail::dtype_of(m, type))) {
      return detail::refuse(in, "c1", "inputs must have one element type, " + found());
    }
    Shape other = detail::shape_copy(m, type);
    const std::int64_t added = joined < other.size() ? other[joined] : 0;
    const std::int64_t so_far = shape[joined];
    if (joined < other.size()) other[joined] = so_far;
    if (!compatible_shapes(shape, other)) {
      return detail::refuse(
          in, "c2",
          fmt::format("inputs must have one shape except in dimension {}, {}", joined, found()));
    }
    shape = detail::most_specific(shape, other);
    shape[joined] =
        so_far == kDynamic || added == kDynamic ? kDynamic : detail::add_sizes(so_far, added);
  }
  return detail::inferred(detail::with_shape(in.types, first, shape));
}

inline InferredTypes infer_reverse(const InferInput& in) {
  AttributeReader attributes(in);
  const auto dimensions = attributes.ints("dimensions");
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  if (!attributes.ok() || !detail::check_unique(in, "c2", "dimensions", dimensions) ||
      !detail::check_in_range(in, "c3", "dimensions", dimensions, in.m.types.rank(type))) {
    return std::nullopt;
  }
  return detail::inferred(type);
}

// Not in the specification any more.
inline void verify_real_dynamic_slice(const VerifyInput& in) {
  const TypeId from = detail::operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (detail::dtype_of(in.m, from) != detail::dtype_of(in.m, to)) {
    report(in, "same_element_type",
           fmt::format("operand and result must have one element type, found {} and {}",
                       to_string(in.m, from), to_string(in.m, to)));
  }
  detail::check_lists_a_dimension(in, 1, "same_size");
}

// Types and constraints of pad and dynamic_pad.

namespace detail {

// The size of a dimension with `gap` more elements between any two.
constexpr std::int64_t padded_size(std::int64_t size, std::int64_t low, std::int64_t high,
                                   std::int64_t gap) {
  const std::int64_t inner = multiply_sizes(std::max<std::int64_t>(size - 1, 0), gap);
  return add_sizes(add_sizes(add_sizes(size, inner), low), high);
}

}  // namespace detail

inline InferredTypes infer_pad(const InferInput& in) {
  AttributeReader attributes(in);
  const auto low = attributes.ints("edge_padding_low");
  const auto high = attributes.ints("edge_padding_high");
  const auto interior = attributes.ints("interior_padding");
  if (!attributes.ok()) return std::nullopt;
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const TypeId value = detail::operand_type(in.m, in.op, 1);
  if (in.m.types.rank(value) != 0) {
    return detail::refuse(
        in, "i2", fmt::format("padding_value must be a scalar, found {}", to_string(in.m, value)));
  }
  if (!compatible_element_types(detail::dtype_of(in.m, type), detail::dtype_of(in.m, value))) {
    return detail::refuse(
        in, "c1",
        fmt::format("operand and padding_value must have one element type, found {} and {}",
                    to_string(in.m, type), to_string(in.m, value)));
  }
  const auto from = in.m.types.shape(type);
  if (!detail::check_size(in, "c2", "edge_padding_low", low.size(), "the operand has dimensions",
                          from.size()) ||
      !detail::check_size(in, "c2", "edge_padding_high", high.size(), "the operand has dimensions",
                          from.size()) ||
      !detail::check_size(in, "c2", "interior_padding", interior.size(),
                          "the operand has dimensions", from.size())) {
    return std::nullopt;
  }
  Shape shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (interior[d] < 0) {
      return detail::refuse(in, "c3",
                            fmt::format("interior_padding must not be negative, found {}",
                                        detail::list_text(interior)));
    }
    shape.push_back(from[d] == kDynamic
                        ? kDynamic
                        : detail::padded_size(from[d], low[d], high[d], interior[d]));
    if (from[d] == kDynamic || shape[d] >= 0) continue;
    return detail::refuse(
        in, "c4",
        fmt::format("dimension {} of {} would be of size {} with padding {} and {}", d,
                    to_string(in.m, type), shape[d], low[d], high[d]));
  }
  return detail::inferred(detail::with_shape(in.types, type, shape));
}

namespace detail {

// C4 of dynamic_pad, where the paddings' values and both shapes are known.
inline void check_padded_shape(const VerifyInput& in, const Shape& interior) {
  const auto low = constant_ints(in.m, operand(in.m, in.op, 2));
  const auto high = constant_ints(in.m, operand(in.m, in.op, 3));
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (!low || !high) return;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] == kDynamic || to[d] == kDynamic) return;
    const std::int64_t expected = padded_size(from[d], (*low)[d], (*high)[d], interior[d]);
    if (expected == to[d]) continue;
    report(
        in, "c4",
        fmt::format("dimension {} of the result must be of size {}, found {}", d, expected, to[d]));
    return;
  }
}

}  // namespace detail

inline void verify_dynamic_pad(const VerifyInput& in) {
  const Module& m = in.m;
  const TypeId from = detail::operand_type(m, in.op, 0);
  const TypeId value = detail::operand_type(m, in.op, 1);
  const TypeId to = type_of(m, result(m, in.op, 0));
  if (m.types.rank(value) != 0) {
    report(in, "i2", fmt::format("padding_value must be a scalar, found {}", to_string(m, value)));
    return;
  }
  if (detail::dtype_of(m, from) != detail::dtype_of(m, value) ||
      detail::dtype_of(m, from) != detail::dtype_of(m, to)) {
    report(in, "c1",
           fmt::format(
               "operand, padding_value and result must have one element type, found {}, {} and {}",
               to_string(m, from), to_string(m, value), to_string(m, to)));
    return;
  }
  if (!detail::check_lists_a_dimension(in, 2, "c2")) return;
  if (m.types.rank(from) != m.types.rank(to)) {
    report(in, "c4",
           fmt::format("the result must have {} dimensions as the operand, found {}",
                       m.types.rank(from), to_string(m, to)));
    return;
  }
  const auto interior = detail::constant_ints(m, operand(m, in.op, 4));
  if (!interior) return;
  if (std::any_of(interior->begin(), interior->end(), [](std::int64_t gap) { return gap < 0; })) {
    report(in, "c3",
           fmt::format("interior_padding must not be negative, found {}",
                       detail::list_text(*interior)));
    return;
  }
  detail::check_padded_shape(in, *interior);
}

}  // namespace shardprop
