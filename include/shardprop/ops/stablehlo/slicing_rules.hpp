// Sharding rules of operations that cut tensors or put them together: dimensions of unchanged size
// are pointwise, the others cost communication, or are not propagated at all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// What `value` is a slice of, or `value` itself.
inline ValueId before_slice(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  const bool is_slice =
      op.valid() && m.ops[op].name == known::kSlice && m.ops[op].operand_count > 0;
  return is_slice ? operand(m, op, 0) : value;
}

}  // namespace detail

// 1 where all start indices of a dynamic_update_slice are constants.
inline std::uint32_t has_constant_starts(const Module& m, OpId op) {
  for (std::size_t i = 2; i < m.ops[op].operand_count; ++i) {
    if (!detail::is_constant_op(m, defining_op(m, operand(m, op, i)))) return 0;
  }
  return 1;
}

// Along an updated dimension operand and result stay sharded alike, since each device can update
// its own part. The update has a factor of its own there, which must be whole unless it is known
// where the update goes.
inline std::optional<OpShardingRule> dynamic_update_slice_rule(const RuleInput& in) {
  const Module& m = in.m;
  if (m.ops[in.op].operand_count < 2 || m.ops[in.op].result_count != 1) return std::nullopt;
  const auto shape = shape_of(m, operand(m, in.op, 0));
  const auto update = shape_of(m, operand(m, in.op, 1));
  if (update.size() != shape.size() || rank_of(m, result(m, in.op, 0)) != shape.size() ||
      !detail::has_tensors_of_rank(m, in.op, shape.size(), true)) {
    return std::nullopt;
  }
  const FactorOptions whole{FactorKind::kNeedReplication, false};
  const FactorOptions of_update = has_constant_starts(m, in.op) ? FactorOptions{} : whole;
  RuleBuilder builder(m, in.op);
  std::vector<std::int64_t> dims(m.ops[in.op].operand_count, kNoDim);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == update[d]) {
      builder.add_everywhere(d, shape[d]);
      continue;
    }
    const std::int64_t dim[] = {static_cast<std::int64_t>(d)};
    const std::int64_t none[] = {kNoDim};
    dims[0] = dim[0];
    dims[1] = kNoDim;
    builder.add(dims, dim, shape[d]);
    std::swap(dims[0], dims[1]);
    builder.add(dims, none, update[d], of_update);
  }
  return std::move(builder).build();
}

// 1 where the inputs of a concatenate are slices only, or slices of one tensor and that tensor
// itself, as in a rotation: then data moves to neighbours instead of being gathered.
inline std::uint32_t concatenates_slices(const Module& m, OpId op) {
  const std::size_t count = m.ops[op].operand_count;
  if (count == 0) return 0;
  const ValueId source = detail::before_slice(m, operand(m, op, 0));
  std::size_t slices = 0;
  bool same_source = true;
  for (UseId use : operand_uses(m, op)) {
    const ValueId value = m.uses[use].value;
    const OpId maker = defining_op(m, value);
    if (maker.valid() && m.ops[maker].name == known::kSlice) ++slices;
    same_source &= detail::before_slice(m, value) == source;
  }
  return slices == count || (same_source && slices > 0) ? 1 : 0;
}

inline std::optional<OpShardingRule> concatenate_rule(const RuleInput& in) {
  const Module& m = in.m;
  AttributeReader attributes(m, in.op, nullptr);
  const std::int64_t dimension = attributes.integer("dimension");
  if (!attributes.ok() || m.ops[in.op].operand_count == 0 || m.ops[in.op].result_count != 1)
    return std::nullopt;
  const auto shape = shape_of(m, result(m, in.op, 0));
  if (!detail::has_tensors_of_rank(m, in.op, shape.size(), false)) return std::nullopt;
  const FactorKind joined =
      concatenates_slices(m, in.op) ? FactorKind::kPermutation : FactorKind::kNeedReplication;
  RuleBuilder builder(m, in.op);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_joined = static_cast<std::int64_t>(d) == dimension;
    if (is_joined && in.conservative) continue;
    builder.add_everywhere(d, shape[d], {is_joined ? joined : FactorKind::kPassThrough, false});
  }
  return std::move(builder).build();
}

inline std::optional<OpShardingRule> reverse_rule(const RuleInput& in) {
  const Module& m = in.m;
  AttributeReader attributes(m, in.op, nullptr);
  const auto reversed = attributes.ints("dimensions");
  if (!attributes.ok() || m.ops[in.op].result_count != 1) return std::nullopt;
  const auto shape = shape_of(m, result(m, in.op, 0));
  if (!detail::has_tensors_of_rank(m, in.op, shape.size(), false)) return std::nullopt;
  RuleBuilder builder(m, in.op);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_reversed = detail::contains(reversed, static_cast<std::int64_t>(d));
    builder.add_everywhere(
        d, shape[d], {is_reversed ? FactorKind::kPermutation : FactorKind::kPassThrough, false});
  }
  return std::move(builder).build();
}

}  // namespace shardprop
