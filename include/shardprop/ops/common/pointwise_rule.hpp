// Rules of operations that compute each result element from the operand elements of the same
// index, apart from dimensions of another size; and the checks on types that a rule function needs
// before it may index dimensions, since it is also called for ill-formed operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

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

// Whether `op` has `operands` operands and `results` results, and all of them are tensors of static shape.
// O(tensors and dimensions).
inline bool has_static_tensors(const RuleInput& in, std::size_t operands, std::size_t results) {
  const Operation& op = in.m.ops[in.op];
  return op.operand_count == operands && op.result_count == results &&
         has_static_tensors(in.m, in.op);
}

// The same, and each of the tensors has `rank` dimensions or, where `scalars` are
// allowed, none.
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

inline bool same_shape(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Whether `numbers` are distinct and each at least 0 and below `limit`.
inline bool are_distinct_dims(std::span<const std::int64_t> numbers, std::size_t limit) {
  std::vector<bool> seen(limit, false);
  for (std::int64_t number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= limit ||
        seen[static_cast<std::size_t>(number)])
      return false;
    seen[static_cast<std::size_t>(number)] = true;
  }
  return true;
}

inline bool contains(std::span<const std::int64_t> numbers, std::int64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// Whether `op` is, by its name, a constant whose value is known.
inline bool is_constant_op(const Module& m, OpId op) {
  return op.valid() &&
         (m.ops[op].name == known::kConstant || m.ops[op].name == known::kSdyConstant);
}

}  // namespace detail

// What the tensors of an element-wise operation have in common.
enum class Pointwise : std::uint8_t {
  kSameShape,  // all are of one shape
  kOrScalars,  // of one rank, or scalars that hold for all elements, as the bounds of clamp
};

// Operands and results dimension by dimension alike: `([i, j], [i, j])->([i, j])`. Sizes are those
// of the first result.
template <Pointwise Tensors = Pointwise::kSameShape>
std::optional<OpShardingRule> pointwise(const RuleInput& in) {
  if (in.m.ops[in.op].result_count == 0) return std::nullopt;
  const auto shape = shape_of(in.m, result(in.m, in.op, 0));
  constexpr bool kScalars = Tensors == Pointwise::kOrScalars;
  if (!detail::has_tensors_of_rank(in.m, in.op, shape.size(), kScalars)) return std::nullopt;
  if (kScalars) return std::move(RuleBuilder(in.m, in.op).add_pointwise(shape)).build();
  for (UseId use : operand_uses(in.m, in.op)) {
    if (!detail::same_shape(shape_of(in.m, in.m.uses[use].value), shape)) return std::nullopt;
  }
  for (ValueId value : results(in.m, in.op)) {
    if (!detail::same_shape(shape_of(in.m, value), shape)) return std::nullopt;
  }
  return identity_rule(shape, in.m.ops[in.op].operand_count, in.m.ops[in.op].result_count);
}

// Whether propagation is carried along a factor.
enum class Blocked : std::uint8_t { kNever, kIfConservative, kAlways };

// The same for an operation that cuts or extends dimensions: one whose size is not the same in
// operand 0 and result 0 has a factor of `Kind`, of the operand's size.
template <FactorKind Kind, Blocked Block>
std::optional<OpShardingRule> resized(const RuleInput& in) {
  const Operation& op = in.m.ops[in.op];
  if (op.operand_count == 0 || op.result_count == 0) return std::nullopt;
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (from.size() != to.size() || !detail::has_tensors_of_rank(in.m, in.op, to.size(), true))
    return std::nullopt;
  const bool blocked =
      Block == Blocked::kAlways || (Block == Blocked::kIfConservative && in.conservative);
  RuleBuilder builder(in.m, in.op);
  for (std::size_t d = 0; d < from.size(); ++d) {
    builder.add_everywhere(d, from[d],
                           from[d] == to[d] ? FactorOptions{} : FactorOptions{Kind, blocked});
  }
  return std::move(builder).build();
}

}  // namespace shardprop
