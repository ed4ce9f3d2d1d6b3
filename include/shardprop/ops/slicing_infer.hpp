// Types and constraints of slices, concatenate and reverse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"

namespace shardprop {

inline InferredTypes infer_slice(const InferInput& in) {
  AttributeReader attributes(in);
  const auto start = attributes.ints("start_indices");
  const auto limit = attributes.ints("limit_indices");
  const auto strides = attributes.ints("strides");
  if (!attributes.ok()) return nullopt;
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const auto from = in.m.types.shape(type);
  if (start.size() != from.size() || limit.size() != from.size() || strides.size() != from.size()) {
    return detail::refuse(
        in, "c2",
        format_text("start_indices, limit_indices and strides must have an element for each of the "
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
          format_text("dimension {} of {}: expected 0 <= start <= limit <= size, found start "
                      "{} and limit {}",
                      d, to_string(in.m, type), start[d], limit[d]));
    }
    if (strides[d] < 1) {
      return detail::refuse(
          in, "c4",
          format_text("strides must be at least 1, found {}", detail::list_text(strides)));
    }
    shape.push_back((limit[d] - start[d]) / strides[d] +
                    ((limit[d] - start[d]) % strides[d] != 0 ? 1 : 0));
  }
  return detail::inferred(detail::with_shape(in.m, type, shape));
}

namespace detail {

// Start indices from operand `first` on: one a dimension (`constraint_count`), scalars, of one type
// (`constraint_type`).
inline bool check_starts(const InferInput& in, std::size_t first, std::string_view constraint_count,
                         std::string_view constraint_type) {
  const Module& m = in.m;
  const std::size_t rank = m.types.rank(operand_type(m, in.op, 0));
  const std::size_t count = m.ops[in.op].operand_count - first;
  if (count != rank) {
    report(
        in, constraint_count,
        format_text("there must be a start index for each of the operand's {} dimensions, found {}",
                    rank, count));
    return false;
  }
  for (std::size_t i = first; i < first + count; ++i) {
    const TypeId type = operand_type(m, in.op, i);
    if (m.types.rank(type) != 0) {
      report(in, format_text("i{}", first + 1),
             format_text("start indices must be scalars, found {}", to_string(m, type)));
      return false;
    }
    if (type == operand_type(m, in.op, first)) continue;
    report(in, constraint_type,
           format_text("start indices must have one type, found {} and {}",
                       to_string(m, operand_type(m, in.op, first)), to_string(m, type)));
    return false;
  }
  return true;
}

}  // namespace detail

inline InferredTypes infer_dynamic_slice(const InferInput& in) {
  AttributeReader attributes(in);
  const auto sizes = attributes.ints("slice_sizes");
  if (!attributes.ok() || !detail::check_starts(in, 1, "c2", "c3")) return nullopt;
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const auto from = in.m.types.shape(type);
  if (!detail::check_size(in, "c2", "slice_sizes", sizes.size(), "the operand has dimensions",
                          from.size())) {
    return nullopt;
  }
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (sizes[d] >= 0 && (from[d] == kDynamic || sizes[d] <= from[d])) continue;
    return detail::refuse(in, "c4",
                          format_text("slice_sizes must be in 0 to the operand's size {}, found {}",
                                      to_string(from), detail::list_text(sizes)));
  }
  return detail::inferred(detail::with_shape(in.m, type, Shape(sizes.begin(), sizes.end())));
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
        format_text("operand and update must have one element type, found {} and {}",
                    to_string(m, type), to_string(m, update)));
  }
  if (sizes.size() != to.size()) {
    return detail::refuse(in, "c3",
                          format_text("the update must have {} dimensions as the operand, found {}",
                                      to.size(), to_string(m, update)));
  }
  if (!detail::check_starts(in, 2, "c4", "c5")) return nullopt;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (sizes[d] == kDynamic || to[d] == kDynamic || sizes[d] <= to[d]) continue;
    return detail::refuse(in, "c6",
                          format_text("the update must be no larger than the operand {}, found {}",
                                      to_string(m, type), to_string(m, update)));
  }
  return detail::inferred(type);
}

inline InferredTypes infer_concatenate(const InferInput& in) {
  const Module& m = in.m;
  AttributeReader attributes(in);
  const std::int64_t dimension = attributes.integer("dimension");
  if (!attributes.ok()) return nullopt;
  if (m.ops[in.op].operand_count == 0) return detail::refuse(in, "c3", "there must be an input");
  const TypeId first = detail::operand_type(m, in.op, 0);
  const std::int64_t dims[] = {dimension};
  if (!detail::check_in_range(in, "c4", "dimension", dims, m.types.rank(first))) return nullopt;
  const auto joined = static_cast<std::size_t>(dimension);
  Shape shape = detail::shape_copy(m, first);
  for (std::size_t i = 1; i < m.ops[in.op].operand_count; ++i) {
    const TypeId type = detail::operand_type(m, in.op, i);
    const auto found = [&] {
      return format_text("found {} and {}", to_string(m, first), to_string(m, type));
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
          format_text("inputs must have one shape but for dimension {}, {}", joined, found()));
    }
    shape = detail::most_specific(shape, other);
    shape[joined] =
        so_far == kDynamic || added == kDynamic ? kDynamic : detail::add_sizes(so_far, added);
  }
  return detail::inferred(detail::with_shape(in.m, first, shape));
}

inline InferredTypes infer_reverse(const InferInput& in) {
  AttributeReader attributes(in);
  const auto dimensions = attributes.ints("dimensions");
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  if (!attributes.ok() || !detail::check_unique(in, "c2", "dimensions", dimensions) ||
      !detail::check_in_range(in, "c3", "dimensions", dimensions, in.m.types.rank(type))) {
    return nullopt;
  }
  return detail::inferred(type);
}

// Not in the specification any more.
inline void verify_real_dynamic_slice(const VerifyInput& in) {
  const TypeId from = detail::operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (detail::dtype_of(in.m, from) != detail::dtype_of(in.m, to)) {
    report(in, "same_element_type",
           format_text("operand and result must have one element type, found {} and {}",
                       to_string(in.m, from), to_string(in.m, to)));
  }
  detail::check_lists_a_dimension(in, 1, "same_size");
}

}  // namespace shardprop
