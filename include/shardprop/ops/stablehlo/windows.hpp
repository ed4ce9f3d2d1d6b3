// Operations that slide a window over their operand: reduce_window, select_and_scatter (StableHLO
// specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/reducer.hpp"
#include "shardprop/ops/common/reducer_inputs.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/common/window_geometry.hpp"
#include "shardprop/ops/op_def.hpp"

// Types and constraints of reduce_window and select_and_scatter (StableHLO specification).

namespace shardprop {

namespace detail {

// The window of these lists; `input` is the number of the attribute `padding`, and `what` of the
// operands must have `rank`.
inline std::optional<std::vector<WindowDim>> read_window(const VerifyInput& in,
                                                         const AttributeReader& reader,
                                                         WindowLists lists, std::string_view input,
                                                         std::string_view what, std::size_t rank) {
  auto padding = read_padding(in, input, lists.padding_constraint);
  if (!reader.ok() || !padding) return std::nullopt;
  if (!check_size(in, "c4", "'window_dimensions'", lists.sizes.values.size(), what, rank))
    return std::nullopt;
  lists.padding = std::move(*padding);
  return check_window(in, lists, rank);
}

inline std::optional<std::vector<WindowDim>> read_reduce_window(const VerifyInput& in,
                                                                std::size_t rank) {
  AttributeReader reader(in);
  const WindowLists lists = {
      .sizes = {"window_dimensions", reader.ints("window_dimensions"), "c4", "c5"},
      .strides = {"window_strides", reader.ints_or_empty("window_strides"), "c6", "c7"},
      .base_dilations = {"base_dilations", reader.ints_or_empty("base_dilations"), "c8", "c9"},
      .window_dilations = {"window_dilations", reader.ints_or_empty("window_dilations"), "c10",
                           "c11"},
      .padding_constraint = "c12"};
  return read_window(in, reader, lists, "i7", "the inputs have dimensions", rank);
}

}  // namespace detail

inline InferredTypes infer_reduce_window(const InferInput& input) {
  const VerifyInput in = input;
  const std::size_t count = detail::check_input_count(in, "c1");
  if (count == 0) return std::nullopt;
  const auto inputs = detail::operand_types(in.m, in.op, 0, count);
  const auto init_values = detail::operand_types(in.m, in.op, count, count);
  if (!detail::check_same_shapes(in, "c2", inputs)) return std::nullopt;
  const Shape base = detail::shape_copy(in.m, inputs[0]);
  const auto window = detail::read_reduce_window(in, base.size());
  if (!window) return std::nullopt;
  Shape sizes;
  for (const WindowDim& dim : *window) sizes.push_back(dim.size);
  const auto returned =
      check_reducer(in, block_of(in.m, in.op, 0), {inputs, init_values, sizes, "c13"});
  if (!returned) return std::nullopt;

  std::vector<TypeId> types;
  for (std::size_t i = 0; i < count; ++i) {
    Shape shape = detail::shape_copy(in.m, inputs[i]);
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      shape[dim] = window_positions(shape[dim], (*window)[dim]);
    types.push_back(detail::with_shape(input.types, (*returned)[i], shape));
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
           fmt::format("the select body must take 2 parameters, found {}", block.arguments.size()));
    return false;
  }
  for (ValueId value : block.arguments) {
    const TypeId type = type_of(in.m, value);
    const bool is_scalar = in.m.types.is_tensor(type) && in.m.types.rank(type) == 0;
    const std::string_view dtype = dtype_of(in.m, type);
    const std::string_view expected = dtype_of(in.m, operand);
    const bool both_floats =
        parse_element_type(dtype).kind == kFloat && parse_element_type(expected).kind == kFloat;
    if (is_scalar && (dtype == expected || both_floats)) continue;
    report(in, "c9",
           fmt::format("the select body must take tensor<{}>, found {}", expected,
                       to_string(in.m, type)));
    return false;
  }
  const OpId end = terminator(in.m, id);
  const std::size_t returned = end.valid() ? in.m.ops[end].operand_count : 0;
  const TypeId type = returned == 1 ? operand_type(in.m, end, 0) : TypeId();
  if (type.valid() && in.m.types.is_tensor(type) && in.m.types.rank(type) == 0 &&
      dtype_of(in.m, type) == "i1") {
    return true;
  }
  report(in, "c9",
         fmt::format("the select body must return one tensor<i1>, found {}",
                     type.valid() ? to_string(in.m, type) : std::to_string(returned) + " values"));
  return false;
}

// C1 and C2: the source has one element for each window.
inline bool check_source(const VerifyInput& in, TypeId operand, TypeId source,
                         const std::vector<WindowDim>& window) {
  const std::string_view expected = dtype_of(in.m, operand);
  const std::string_view found = dtype_of(in.m, source);
  if (expected != found &&
      !(parse_element_type(expected).kind == kFloat && parse_element_type(found).kind == kFloat)) {
    report(in, "c1",
           fmt::format("operand and source must have the same elements, found {} and {}", expected,
                       found));
    return false;
  }
  Shape shape = shape_copy(in.m, operand);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = window_positions(shape[i], window[i]);
  if (compatible_shapes(shape, in.m.types.shape(source))) return true;
  report(in, "c2",
         fmt::format("the source must have one element a window, so the shape {}, found {}",
                     to_string(shape), to_string(in.m, source)));
  return false;
}

inline std::optional<std::vector<WindowDim>> read_scatter_window(const VerifyInput& in,
                                                                 std::size_t rank) {
  AttributeReader reader(in);
  const WindowLists lists = {
      .sizes = {"window_dimensions", reader.ints_or_empty("window_dimensions"), "c4", "c5"},
      .strides = {"window_strides", reader.ints_or_empty("window_strides"), "c6", "c7"},
      .padding_constraint = "c8"};
  return read_window(in, reader, lists, "i6", "the operand has dimensions", rank);
}

}  // namespace detail

inline InferredTypes infer_select_and_scatter(const InferInput& input) {
  const VerifyInput in = input;
  const TypeId operand = detail::operand_type(in.m, in.op, 0);
  const TypeId source = detail::operand_type(in.m, in.op, 1);
  const TypeId init_value = detail::operand_type(in.m, in.op, 2);
  if (!detail::check_select_body(in, operand)) return std::nullopt;
  const auto returned = check_reducer(
      in, block_of(in.m, in.op, 1), {std::span(&source, 1), std::span(&init_value, 1), {}, "c10"});
  if (!returned) return std::nullopt;
  const auto window = detail::read_scatter_window(in, in.m.types.rank(operand));
  if (!window || !detail::check_source(in, operand, source, *window)) return std::nullopt;
  return detail::inferred(
      detail::with_shape(input.types, (*returned)[0], detail::shape_copy(in.m, operand)));
}

// Sharding rules of operations that slide a window over their operand. A dimension whose window is
// one element, taken one by one without padding, is passed through; any other one needs an exchange
// with neighbours.

namespace detail {

// What the rules need of a window: absent lists mean ones for sizes and strides and zeros for
// padding.
struct WindowAttributes {
  std::span<const std::int64_t> dimensions;
  std::span<const std::int64_t> strides;
  std::vector<std::span<const std::int64_t>> padding;

  bool is_one_to_one(std::size_t dim) const {
    const bool padded = !padding.empty() && (padding[dim][0] != 0 || padding[dim][1] != 0);
    return !padded && (strides.empty() || strides[dim] == 1) &&
           (dimensions.empty() || dimensions[dim] == 1);
  }
};

// None where a list is not of `rank` entries.
inline std::optional<WindowAttributes> read_window_attributes(const RuleInput& in,
                                                              std::size_t rank) {
  AttributeReader reader(in.m, in.op, nullptr);
  WindowAttributes window = {reader.ints_or_empty("window_dimensions"),
                             reader.ints_or_empty("window_strides"),
                             reader.int_lists_or_empty("padding")};
  const auto fits = [&](std::size_t size) { return size == 0 || size == rank; };
  if (!reader.ok() || !fits(window.dimensions.size()) || !fits(window.strides.size()) ||
      !fits(window.padding.size())) {
    return std::nullopt;
  }
  for (const auto& pair : window.padding) {
    if (pair.size() != 2) return std::nullopt;
  }
  return window;
}

}  // namespace detail

// Operands are n inputs, then n initial values, which are scalars; results are n. Factors are as
// large as the results' dimensions: the numbers of windows.
inline std::optional<OpShardingRule> reduce_window_rule(const RuleInput& in) {
  const std::size_t inputs = in.m.ops[in.op].result_count;
  if (inputs == 0 || !detail::has_static_tensors(in, 2 * inputs, inputs)) return std::nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  for (std::size_t i = 0; i < inputs; ++i) {
    if (rank_of(in.m, operand(in.m, in.op, i)) != shape.size()) return std::nullopt;
    if (rank_of(in.m, operand(in.m, in.op, inputs + i)) != 0) return std::nullopt;
    if (rank_of(in.m, result(in.m, in.op, i)) != shape.size()) return std::nullopt;
  }
  const auto window = detail::read_window_attributes(in, shape.size());
  if (!window) return std::nullopt;

  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const bool one_to_one = window->is_one_to_one(dim);
    builder.add_everywhere(dim, shape[dim],
                           {one_to_one ? FactorKind::kPassThrough : FactorKind::kPermutation,
                            !one_to_one && in.conservative});
  }
  return std::move(builder).build();
}

// Operands are the operand, the source and the initial value, a scalar. A dimension that is not one
// to one has a factor for operand and result and one of the source's own, which counts windows.
inline std::optional<OpShardingRule> select_and_scatter_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 3, 1)) return std::nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  const auto source = shape_of(in.m, operand(in.m, in.op, 1));
  if (rank_of(in.m, operand(in.m, in.op, 0)) != shape.size() || source.size() != shape.size() ||
      rank_of(in.m, operand(in.m, in.op, 2)) != 0) {
    return std::nullopt;
  }
  const auto window = detail::read_window_attributes(in, shape.size());
  if (!window) return std::nullopt;

  RuleBuilder builder(in.m, in.op);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (window->is_one_to_one(i)) {
      builder.add_everywhere(i, shape[i]);
      continue;
    }
    const std::int64_t dim = static_cast<std::int64_t>(i);
    builder.add({kNoDim, dim, kNoDim}, {kNoDim}, source[i],
                {FactorKind::kNeedReplication, in.conservative});
    builder.add({dim, kNoDim, kNoDim}, {dim}, shape[i],
                {FactorKind::kPermutation, in.conservative});
  }
  return std::move(builder).build();
}

inline constexpr OpDef kWindowOps[] = {
    {.name = "stablehlo.reduce_window",
     .traits = kPure,
     .signature = detail::kReducerSignature,
     .rule = reduce_window_rule,
     .infer = infer_reduce_window,
     .result_constraint = "c15",
     .element_constraint = "c16",
     .count_constraint = "c1",
     .inputs = "inputs, init_values, window_dimensions, window_strides, base_dilations, "
               "window_dilations, padding, body"},
    {.name = "stablehlo.select_and_scatter",
     .traits = kPure,
     .signature = {.min_operands = 3,
                   .max_operands = 3,
                   .min_blocks = 2,
                   .max_blocks = 2,
                   .operand_classes = {kAnyTensorElement},
                   .result_classes = {kAnyTensorElement}},
     .rule = select_and_scatter_rule,
     .infer = infer_select_and_scatter,
     .result_constraint = "c11",
     .element_constraint = "c12",
     .inputs = "operand, source, init_value, window_dimensions, window_strides, padding, "
               "select, scatter"},
};

}  // namespace shardprop
