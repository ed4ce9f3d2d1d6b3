// Types and constraints of reduce_window and select_and_scatter (StableHLO specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/reducer.hpp"
#include "shardprop/ops/reducer_inputs.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/ops/window_geometry.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

namespace detail {

inline Optional<Vector<WindowDim>> read_reduce_window(const VerifyInput& in, std::size_t rank) {
  AttributeReader reader(in);
  const auto sizes = reader.ints("window_dimensions");
  WindowLists lists = {
      .sizes = {"window_dimensions", sizes, "c4", "c5"},
      .strides = {"window_strides", reader.ints_or_empty("window_strides"), "c6", "c7"},
      .base_dilations = {"base_dilations", reader.ints_or_empty("base_dilations"), "c8", "c9"},
      .window_dilations = {"window_dilations", reader.ints_or_empty("window_dilations"), "c10",
                           "c11"},
      .padding_constraint = "c12"};
  auto padding = read_padding(in, "i7", "c12");
  if (!reader.ok() || !padding) return nullopt;
  if (!check_size(in, "c4", "'window_dimensions'", sizes.size(), "the inputs have dimensions",
                  rank)) {
    return nullopt;
  }
  lists.padding = std::move(*padding);
  return check_window(in, lists, rank);
}

}  // namespace detail

inline InferredTypes infer_reduce_window(const InferInput& input) {
  const VerifyInput in = input;
  const std::size_t count = detail::check_input_count(in, "c1");
  if (count == 0) return nullopt;
  const auto inputs = detail::operand_types(in.m, in.op, 0, count);
  const auto init_values = detail::operand_types(in.m, in.op, count, count);
  if (!detail::check_same_shapes(in, "c2", inputs)) return nullopt;
  const Shape base = detail::shape_copy(in.m, inputs[0]);
  const auto window = detail::read_reduce_window(in, base.size());
  if (!window) return nullopt;
  Shape sizes;
  for (const WindowDim& dim : *window) sizes.push_back(dim.size);
  const auto returned =
      check_reducer(in, block_of(in.m, in.op, 0), {inputs, init_values, sizes, "c13"});
  if (!returned) return nullopt;

  Vector<TypeId> types;
  for (std::size_t i = 0; i < count; ++i) {
    Shape shape = detail::shape_copy(in.m, inputs[i]);
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      shape[dim] = window_positions(shape[dim], (*window)[dim]);
    types.push_back(detail::with_shape(input.m, (*returned)[i], shape));
  }
  return types;
}

namespace detail {

// C9: the body that selects one of two elements.
inline bool check_select_body(const VerifyInput& in, TypeId operand) {
  const BlockId id = block_of(in.m, in.op, 0);
  const Block& block = in.m.blocks[id];
  if (block.arguments.size() != 2) {
    report(in, "c9",
           format_text("the select body must take 2 parameters, found {}", block.arguments.size()));
    return false;
  }
  for (ValueId value : block.arguments) {
    const TypeId type = type_of(in.m, value);
    const bool is_scalar = in.m.types.is_tensor(type) && in.m.types.rank(type) == 0;
    const std::string_view dtype = element_name(in.m, type);
    const std::string_view expected = element_name(in.m, operand);
    const bool both_floats =
        parse_element_type(dtype).kind == kFloat && parse_element_type(expected).kind == kFloat;
    if (is_scalar && (dtype == expected || both_floats)) continue;
    report(in, "c9",
           format_text("the select body must take tensor<{}>, found {}", expected,
                       to_string(in.m, type)));
    return false;
  }
  const OpId end = terminator(in.m, id);
  const std::size_t returned = end.valid() ? in.m.ops[end].operand_count : 0;
  const TypeId type = returned == 1 ? operand_type(in.m, end, 0) : TypeId();
  if (type.valid() && in.m.types.is_tensor(type) && in.m.types.rank(type) == 0 &&
      element_name(in.m, type) == "i1") {
    return true;
  }
  report(in, "c9",
         format_text("the select body must return one tensor<i1>, found {}",
                     type.valid() ? to_string(in.m, type) : std::to_string(returned) + " values"));
  return false;
}

// C1 and C2: the source has one element for each window.
inline bool check_source(const VerifyInput& in, TypeId operand, TypeId source,
                         const Vector<WindowDim>& window) {
  const std::string_view expected = element_name(in.m, operand);
  const std::string_view found = element_name(in.m, source);
  if (expected != found &&
      !(parse_element_type(expected).kind == kFloat && parse_element_type(found).kind == kFloat)) {
    report(in, "c1",
           format_text("operand and source must have the same elements, found {} and {}", expected,
                       found));
    return false;
  }
  Shape shape = shape_copy(in.m, operand);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = window_positions(shape[i], window[i]);
  if (compatible_shapes(shape, in.m.types.shape(source))) return true;
  report(in, "c2",
         format_text("the source must have one element a window, so the shape {}, found {}",
                     to_string(shape), to_string(in.m, source)));
  return false;
}

inline Optional<Vector<WindowDim>> read_scatter_window(const VerifyInput& in, std::size_t rank) {
  AttributeReader reader(in);
  const auto sizes = reader.ints_or_empty("window_dimensions");
  WindowLists lists = {
      .sizes = {"window_dimensions", sizes, "c4", "c5"},
      .strides = {"window_strides", reader.ints_or_empty("window_strides"), "c6", "c7"},
      .padding_constraint = "c8"};
  auto padding = read_padding(in, "i6", "c8");
  if (!reader.ok() || !padding) return nullopt;
  if (!check_size(in, "c4", "'window_dimensions'", sizes.size(), "the operand has dimensions",
                  rank)) {
    return nullopt;
  }
  lists.padding = std::move(*padding);
  return check_window(in, lists, rank);
}

}  // namespace detail

inline InferredTypes infer_select_and_scatter(const InferInput& input) {
  const VerifyInput in = input;
  const TypeId operand = detail::operand_type(in.m, in.op, 0);
  const TypeId source = detail::operand_type(in.m, in.op, 1);
  const TypeId init_value = detail::operand_type(in.m, in.op, 2);
  if (!detail::check_select_body(in, operand)) return nullopt;
  const auto returned = check_reducer(
      in, block_of(in.m, in.op, 1), {ArrayView(&source, 1), ArrayView(&init_value, 1), {}, "c10"});
  if (!returned) return nullopt;
  const auto window = detail::read_scatter_window(in, in.m.types.rank(operand));
  if (!window || !detail::check_source(in, operand, source, *window)) return nullopt;
  return detail::inferred(
      detail::with_shape(input.m, (*returned)[0], detail::shape_copy(in.m, operand)));
}

}  // namespace shardprop
