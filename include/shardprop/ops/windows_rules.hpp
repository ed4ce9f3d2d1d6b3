// Sharding rules of operations that slide a window over their operand. A dimension whose window is
// one element, taken one by one without padding, is passed through; any other one needs an exchange
// with neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/rule_builder.hpp"
#include "shardprop/ops/rule_inputs.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

namespace detail {

// What the rules need of a window: absent lists mean ones for sizes and strides and zeros for
// padding.
struct WindowAttributes {
  ArrayView<const std::int64_t> dimensions;
  ArrayView<const std::int64_t> strides;
  Vector<ArrayView<const std::int64_t>> padding;

  bool is_one_to_one(std::size_t dim) const {
    const bool padded = !padding.empty() && (padding[dim][0] != 0 || padding[dim][1] != 0);
    return !padded && (strides.empty() || strides[dim] == 1) &&
           (dimensions.empty() || dimensions[dim] == 1);
  }
};

// None where a list is not of `rank` entries.
inline Optional<WindowAttributes> read_window_attributes(const RuleInput& in, std::size_t rank) {
  AttributeReader reader(in.m, in.op, nullptr);
  WindowAttributes window = {reader.ints_or_empty("window_dimensions"),
                             reader.ints_or_empty("window_strides"),
                             reader.int_lists_or_empty("padding")};
  const auto fits = [&](std::size_t size) { return size == 0 || size == rank; };
  if (!reader.ok() || !fits(window.dimensions.size()) || !fits(window.strides.size()) ||
      !fits(window.padding.size())) {
    return nullopt;
  }
  for (const auto& pair : window.padding) {
    if (pair.size() != 2) return nullopt;
  }
  return window;
}

}  // namespace detail

// Operands are n inputs, then n initial values, which are scalars; results are n. Factors are as
// large as the results' dimensions: the numbers of windows.
inline Optional<ShardingRule> reduce_window_rule(const RuleInput& in) {
  const std::size_t inputs = in.m.ops[in.op].result_count;
  if (inputs == 0 || !detail::has_static_tensors(in, 2 * inputs, inputs)) return nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  for (std::size_t i = 0; i < inputs; ++i) {
    if (rank_of(in.m, operand(in.m, in.op, i)) != shape.size()) return nullopt;
    if (rank_of(in.m, operand(in.m, in.op, inputs + i)) != 0) return nullopt;
    if (rank_of(in.m, result(in.m, in.op, i)) != shape.size()) return nullopt;
  }
  const auto window = detail::read_window_attributes(in, shape.size());
  if (!window) return nullopt;

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
inline Optional<ShardingRule> select_and_scatter_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 3, 1)) return nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  const auto source = shape_of(in.m, operand(in.m, in.op, 1));
  if (rank_of(in.m, operand(in.m, in.op, 0)) != shape.size() || source.size() != shape.size() ||
      rank_of(in.m, operand(in.m, in.op, 2)) != 0) {
    return nullopt;
  }
  const auto window = detail::read_window_attributes(in, shape.size());
  if (!window) return nullopt;

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

}  // namespace shardprop
