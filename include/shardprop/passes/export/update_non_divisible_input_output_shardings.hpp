// Pass `update-non-divisible-input-output-shardings`: cuts shardings where values enter and leave
// functions, calls and manual computations so that they divide each dimension evenly and nothing
// has to be padded there.
//
// A dimension that its axes do not divide keeps, major to minor, the axes that divide what is left
// of it. The first that does not is cut to the sub-axis of the greatest common divisor, and nothing
// follows it. Worked example, axes y of size 2 and x of size 4 on a dimension of 4: y divides 4, 2
// is left, x becomes x:(1)2.
//
// O(arguments, results and operations).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/computation_edges.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// The longest prefix of `axes` that divides a dimension of `size`.
inline AxisList divisible_prefix(AxisSpan axes, std::int64_t size) {
  AxisList kept;
  for (AxisRef axis : axes) {
    const std::int64_t common = std::gcd(std::int64_t{axis.size}, size);
    if (common == 1) break;
    if (common != axis.size) {
      kept.push_back(sub_axis(axis.axis, axis.pre_size, common));
      break;
    }
    kept.push_back(axis);
    size /= common;
  }
  return kept;
}

// `sharding` cut for a tensor of `type`. A dimension that is cut loses its priority.
inline ShardingId evenly_sharded(Module& m, ShardingId sharding, TypeId type) {
  if (!sharding.valid() || !m.types.is_static_tensor(type)) return sharding;
  TensorSharding s = m.shardings[sharding];
  const auto shape = m.types.shape(type);
  for (std::size_t i = 0; i < s.dims.size() && i < shape.size(); ++i) {
    if (shape[i] % total_size(s.dims[i].axes) == 0) continue;
    s.dims[i] = {divisible_prefix(s.dims[i].axes, shape[i]), s.dims[i].open, kNoPriority};
  }
  return m.shardings.intern(s);
}

inline bool make_even(Module& m, ShardingId& sharding, TypeId type) {
  const ShardingId before = sharding;
  sharding = evenly_sharded(m, before, type);
  return sharding != before;
}

// Cuts the shardings of the arguments, as the body sees them, and of the results.
inline bool make_manual_computation_even(Module& m, OpId op) {
  std::vector<ValueId> owners;
  if (const BlockId body = m.ops[op].first_block; body.valid()) {
    for (ValueId argument : m.blocks[body].arguments) owners.push_back(argument);
  }
  for (ValueId value : results(m, op)) owners.push_back(value);
  bool changed = false;
  for (ValueId owner : owners) {
    const ShardingId sharding = get_manual_sharding(m, op, owner);
    const ShardingId even = evenly_sharded(m, sharding, type_of(m, owner));
    if (even == sharding) continue;
    set_manual_sharding(m, op, owner, even);
    changed = true;
  }
  return changed;
}

}  // namespace detail

inline Result<bool> update_non_divisible_input_output_shardings(Module& m) {
  bool changed = false;
  for (FuncId f : m.func_order) {
    for_each_signature_sharding(m, f, [&](ShardingId& sharding, TypeId type) {
      changed = detail::make_even(m, sharding, type) || changed;
    });
  }
  walk_ops(m, [&](OpId op) {
    const StringId name = m.ops[op].name;
    if (name == known::kSdyManualComputation) {
      changed = detail::make_manual_computation_even(m, op) || changed;
    }
    if (name != known::kFuncCall) return;
    for (ValueId value : results(m, op)) {
      changed = detail::make_even(m, m.value_shardings[value], type_of(m, value)) || changed;
    }
  });
  return changed;
}

}  // namespace shardprop
