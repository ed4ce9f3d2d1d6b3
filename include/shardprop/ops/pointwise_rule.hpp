// The rule of operations that compute each result element from the operand elements of the same
// index, and the checks on types that a rule function needs before it may index dimensions: a rule
// is also asked for on ill-formed operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/rule_builder.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

namespace detail {

// Whether `op` has results, and all its operands and results are tensors of static shape.
inline bool has_static_tensors(const Module& m, OpId op) {
  for (UseId use : operand_uses(m, op)) {
    if (!m.types.is_static_tensor(type_of(m, m.uses[use].value))) return false;
  }
  for (ValueId value : results(m, op)) {
    if (!m.types.is_static_tensor(type_of(m, value))) return false;
  }
  return !results(m, op).empty();
}

// The same, and each of the tensors has `rank` dimensions or, where `scalars` may stand among them,
// none.
inline bool has_tensors_of_rank(const Module& m, OpId op, std::size_t rank, bool scalars) {
  const auto fits = [&](ValueId value) {
    return rank_of(m, value) == rank || (scalars && rank_of(m, value) == 0);
  };
  if (!has_static_tensors(m, op)) return false;
  for (UseId use : operand_uses(m, op)) {
    if (!fits(m.uses[use].value)) return false;
  }
  for (ValueId value : results(m, op)) {
    if (!fits(value)) return false;
  }
  return true;
}

inline bool same_shape(ArrayView<const std::int64_t> a, ArrayView<const std::int64_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Whether `numbers` are distinct and each at least 0 and below `limit`.
inline bool are_distinct_dims(ArrayView<const std::int64_t> numbers, std::size_t limit) {
  Vector<bool> seen(limit, false);
  for (std::int64_t number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= limit ||
        seen[static_cast<std::size_t>(number)])
      return false;
    seen[static_cast<std::size_t>(number)] = true;
  }
  return true;
}

inline bool contains(ArrayView<const std::int64_t> numbers, std::int64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// Whether `op` is, by its name, a constant whose value is known.
inline bool is_constant_op(const Module& m, OpId op) {
  return op.valid() && (op_name(m, op) == "stablehlo.constant" || op_name(m, op) == "sdy.constant");
}

}  // namespace detail

// Operands and results of one shape, dimension by dimension alike: `([i, j], [i, j])->([i, j])`.
inline Optional<ShardingRule> pointwise_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in.m, in.op)) return nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  for (UseId use : operand_uses(in.m, in.op)) {
    if (!detail::same_shape(shape_of(in.m, in.m.uses[use].value), shape)) return nullopt;
  }
  for (ValueId value : results(in.m, in.op)) {
    if (!detail::same_shape(shape_of(in.m, value), shape)) return nullopt;
  }
  return identity_rule(shape, in.m.ops[in.op].operand_count, in.m.ops[in.op].result_count);
}

// The same where operands may also be scalars that hold for all elements, as the bounds of clamp.
inline Optional<ShardingRule> pointwise_rule_with_scalars(const RuleInput& in) {
  if (in.m.ops[in.op].result_count != 1) return nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  if (!detail::has_tensors_of_rank(in.m, in.op, shape.size(), true)) return nullopt;
  RuleBuilder builder(in.m, in.op);
  builder.add_pointwise(shape);
  return std::move(builder).build();
}

}  // namespace shardprop
