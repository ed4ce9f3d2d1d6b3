// Data-flow edges of sdy.manual_computation and sdy.named_computation: each operand flows into its
// block argument and each returned value out to its result; the shardings of the owners are in the
// lists `in_shardings` and `out_shardings`.
//
// In a manual computation an argument's own sharding is the free part of its `in_sharding`; the
// edge is propagated with the manual axes (outside) for an argument and without them (inside) for a
// result, that is as the sources see it.
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/data_flow.hpp"
#include "shardprop/ops/manual_axes.hpp"
#include "shardprop/ops/region_edges.hpp"
#include "shardprop/ops/sharding_lists.hpp"

namespace shardprop {

namespace detail {

inline ShardingId without_manual_axes(Module& m, OpId op, ShardingId sharding) {
  return m.shardings.intern(erase_manual_axes(m, m.shardings[sharding], manual_axes(m, op)));
}

inline ShardingId with_manual_axes(Module& m, OpId op, ValueId owner, ShardingId sharding) {
  const ShardingId outer = listed_sharding(m, op, owner);
  if (!outer.valid()) return sharding;
  return m.shardings.intern(
      add_manual_axes(m, m.shardings[outer], m.shardings[sharding], manual_axes(m, op)));
}

}  // namespace detail

inline ShardingId get_manual_sharding(Module& m, OpId op, ValueId owner) {
  const ShardingId sharding = listed_sharding(m, op, owner);
  if (!sharding.valid() || !m.values[owner].is_argument) return sharding;
  return detail::without_manual_axes(m, op, sharding);
}

inline void set_manual_sharding(Module& m, OpId op, ValueId owner, ShardingId sharding) {
  if (sharding.valid() && m.values[owner].is_argument)
    sharding = detail::with_manual_axes(m, op, owner, sharding);
  set_listed_sharding(m, op, owner, sharding);
}

inline ShardingId transform_manual_sharding(Module& m, OpId op, ValueId owner, ShardingId sharding,
                                            EdgeTransform when) {
  const bool add =
      (when == EdgeTransform::kBeforePropagation) == (m.values[owner].is_argument != 0);
  return add ? detail::with_manual_axes(m, op, owner, sharding)
             : detail::without_manual_axes(m, op, sharding);
}

inline ShardingId get_named_sharding(Module& m, OpId op, ValueId owner) {
  return listed_sharding(m, op, owner);
}

namespace detail {

inline constexpr DataFlow kManualFlow = {.edges = body_edges,
                                         .get_sharding = get_manual_sharding,
                                         .set_sharding = set_manual_sharding,
                                         .transform = transform_manual_sharding};
inline constexpr DataFlow kNamedFlow = {
    .edges = body_edges, .get_sharding = get_named_sharding, .set_sharding = set_listed_sharding};

}  // namespace detail

}  // namespace shardprop
