// Types and constraints of pad and dynamic_pad.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"

namespace shardprop {

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
  if (!attributes.ok()) return nullopt;
  const TypeId type = detail::operand_type(in.m, in.op, 0);
  const TypeId value = detail::operand_type(in.m, in.op, 1);
  if (in.m.types.rank(value) != 0) {
    return detail::refuse(
        in, "i2", format_text("padding_value must be a scalar, found {}", to_string(in.m, value)));
  }
  if (!compatible_element_types(detail::dtype_of(in.m, type), detail::dtype_of(in.m, value))) {
    return detail::refuse(
        in, "c1",
        format_text("operand and padding_value must have one element type, found {} and {}",
                    to_string(in.m, type), to_string(in.m, value)));
  }
  const auto from = in.m.types.shape(type);
  if (!detail::check_size(in, "c2", "edge_padding_low", low.size(), "the operand has dimensions",
                          from.size()) ||
      !detail::check_size(in, "c2", "edge_padding_high", high.size(), "the operand has dimensions",
                          from.size()) ||
      !detail::check_size(in, "c2", "interior_padding", interior.size(),
                          "the operand has dimensions", from.size())) {
    return nullopt;
  }
  Shape shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (interior[d] < 0) {
      return detail::refuse(in, "c3",
                            format_text("interior_padding must not be negative, found {}",
                                        detail::list_text(interior)));
    }
    shape.push_back(from[d] == kDynamic
                        ? kDynamic
                        : detail::padded_size(from[d], low[d], high[d], interior[d]));
    if (from[d] == kDynamic || shape[d] >= 0) continue;
    return detail::refuse(
        in, "c4",
        format_text("dimension {} of {} would be of size {} with padding {} and {}", d,
                    to_string(in.m, type), shape[d], low[d], high[d]));
  }
  return detail::inferred(detail::with_shape(in.m, type, shape));
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
        format_text("dimension {} of the result must be of size {}, found {}", d, expected, to[d]));
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
    report(in, "i2", format_text("padding_value must be a scalar, found {}", to_string(m, value)));
    return;
  }
  if (detail::dtype_of(m, from) != detail::dtype_of(m, value) ||
      detail::dtype_of(m, from) != detail::dtype_of(m, to)) {
    report(in, "c1",
           format_text(
               "operand, padding_value and result must have one element type, found {}, {} and {}",
               to_string(m, from), to_string(m, value), to_string(m, to)));
    return;
  }
  if (!detail::check_lists_a_dimension(in, 2, "c2")) return;
  if (m.types.rank(from) != m.types.rank(to)) {
    report(in, "c4",
           format_text("the result must have {} dimensions as the operand, found {}",
                       m.types.rank(from), to_string(m, to)));
    return;
  }
  const auto interior = detail::constant_ints(m, operand(m, in.op, 4));
  if (!interior) return;
  if (std::any_of(interior->begin(), interior->end(), [](std::int64_t gap) { return gap < 0; })) {
    report(in, "c3",
           format_text("interior_padding must not be negative, found {}",
                       detail::list_text(*interior)));
    return;
  }
  detail::check_padded_shape(in, *interior);
}

}  // namespace shardprop
