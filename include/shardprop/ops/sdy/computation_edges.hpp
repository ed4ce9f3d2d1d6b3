// Data-flow edges of sdy.manual_computation and sdy.named_computation: each operand flows into its
// block argument and each returned value out to its result; the shardings of the owners are in the
// lists `in_shardings` and `out_shardings`.
//
// In a manual computation an argument's own sharding is the free part of its `in_sharding`; the
// edge is propagated with the manual axes (outside) for an argument and without them (inside) for a
// result, that is as the sources see it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/region_edges.hpp"
#include "shardprop/ops/data_flow.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

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

// The manual axes come and go; replicated and unreduced axes stay those of the list.
inline ShardingId manual_sharding_once_set(Module& m, OpId op, ValueId owner, ShardingId sharding) {
  if (!m.values[owner].is_argument) return sharding;
  return detail::without_manual_axes(m, op, detail::with_manual_axes(m, op, owner, sharding));
}

inline ShardingId named_sharding_once_set(Module&, OpId, ValueId, ShardingId sharding) {
  return sharding;
}

inline ShardingId get_named_sharding(Module& m, OpId op, ValueId owner) {
  return listed_sharding(m, op, owner);
}

namespace detail {

// Of a manual computation if `kManual`, else of a named one.
template <bool kManual>
std::vector<ShardingId> get_listed(Module& m, OpId op, std::span<const ValueId> owners) {
  std::vector<ShardingId> shardings(owners.size());
  if (owners.empty()) return shardings;
  const auto list = sharding_list(m, op, list_place(m, owners[0]).first);
  if (!list) return shardings;
  const auto axes = manual_axes(m, op);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Value& owner = m.values[owners[i]];
    if (owner.number >= list->size()) continue;
    shardings[i] = (*list)[owner.number];
    if (!kManual || !owner.is_argument || !shardings[i].valid()) continue;
    shardings[i] = m.shardings.intern(erase_manual_axes(m, m.shardings[shardings[i]], axes));
  }
  return shardings;
}

template <bool kManual>
void set_listed(Module& m, OpId op, std::span<const ValueId> owners,
                std::span<const ShardingId> shardings) {
  if (owners.empty()) return;
  const std::string_view key = list_place(m, owners[0]).first;
  auto list = sharding_list(m, op, key);
  if (!list || list->empty()) {
    set_listed_sharding(m, op, owners[0], shardings[0]);  // makes the list
    list = sharding_list(m, op, key);
    if (!list) return;
  }
  const auto axes = manual_axes(m, op);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Value& owner = m.values[owners[i]];
    if (owner.number >= list->size() || !shardings[i].valid()) continue;
    ShardingId& place = (*list)[owner.number];
    const bool add = kManual && owner.is_argument && place.valid();
    place = add ? m.shardings.intern(
                      add_manual_axes(m, m.shardings[place], m.shardings[shardings[i]], axes))
                : shardings[i];
  }
  set_sharding_list(m, op, key, *list);
}

inline constexpr DataFlow kManualFlow = {.edges = body_edges,
                                         .get_sharding = get_manual_sharding,
                                         .set_sharding = set_manual_sharding,
                                         .get_shardings = get_listed<true>,
                                         .set_shardings = set_listed<true>,
                                         .sharding_once_set = manual_sharding_once_set,
                                         .transform = transform_manual_sharding};
inline constexpr DataFlow kNamedFlow = {.edges = body_edges,
                                        .get_sharding = get_named_sharding,
                                        .set_sharding = set_listed_sharding,
                                        .get_shardings = get_listed<false>,
                                        .set_shardings = set_listed<false>,
                                        .sharding_once_set = named_sharding_once_set};

}  // namespace detail

}  // namespace shardprop
