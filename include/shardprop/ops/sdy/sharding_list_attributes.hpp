// Shardings that sdy.manual_computation and sdy.named_computation keep in lists, one per value:
// `in_shardings` of the operands and `out_shardings` of the results.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"

namespace shardprop {

inline constexpr std::string_view kInShardings = "in_shardings";
inline constexpr std::string_view kOutShardings = "out_shardings";
// Of an operation without results, which has its sharding in an attribute.
inline constexpr std::string_view kOpShardings = "sdy.sharding";

// The list under `key`; none if the attribute is missing or holds anything else.
inline std::optional<std::vector<ShardingId>> sharding_list(const Module& m, OpId op,
                                                            std::string_view key) {
  const AttrId attr = attribute(m, op, key);
  if (!attr.valid()) return std::nullopt;
  std::vector<ShardingId> shardings;
  if (m.attrs.kind(attr) == AttrKind::kInts && m.attrs.as_ints(attr).empty()) return shardings;
  if (m.attrs.kind(attr) != AttrKind::kList) return std::nullopt;
  for (AttrId item : m.attrs.items(attr)) {
    if (m.attrs.kind(item) != AttrKind::kSharding) return std::nullopt;
    shardings.push_back(m.attrs.as_sharding(item));
  }
  return shardings;
}

inline void set_sharding_list(Module& m, OpId op, std::string_view key,
                              const std::vector<ShardingId>& shardings) {
  std::vector<AttrId> items;
  for (ShardingId sharding : shardings) items.push_back(m.attrs.sharding(sharding));
  set_attribute(m, op, key, m.attrs.list(items));
}

// The list that holds the sharding of `owner`, a result of an operation or an argument of its body,
// and its place there.
inline std::pair<std::string_view, std::size_t> list_place(const Module& m, ValueId owner) {
  const Value& value = m.values.get(owner);
  return {value.is_argument ? kInShardings : kOutShardings, value.number};
}

// The sharding of `owner` in the lists of `op`, or none. O(1), whatever the length of the list.
inline ShardingId listed_sharding(const Module& m, OpId op, ValueId owner) {
  const auto [key, number] = list_place(m, owner);
  const AttrId attr = attribute(m, op, key);
  if (m.attrs.kind(attr) != AttrKind::kList) return ShardingId();
  const std::span<const AttrId> items = m.attrs.items(attr);
  if (number >= items.size() || m.attrs.kind(items[number]) != AttrKind::kSharding)
    return ShardingId();
  return m.attrs.as_sharding(items[number]);
}

// Sets the sharding of `owner`. A list that was missing is made, open for all others.
inline void set_listed_sharding(Module& m, OpId op, ValueId owner, ShardingId sharding) {
  if (!sharding.valid()) return;
  const auto [key, number] = list_place(m, owner);
  auto shardings = sharding_list(m, op, key);
  if (!shardings || shardings->empty()) {
    const MeshId mesh = m.shardings[sharding].mesh;
    shardings.emplace();
    const auto values = m.values.get(owner).is_argument
                            ? m.blocks[argument_block(m, owner)].arguments
                            : results(m, op);
    for (ValueId value : values)
      shardings->push_back(m.shardings.intern(open_sharding(mesh, rank_of(m, value))));
  }
  if (number >= shardings->size()) return;
  (*shardings)[number] = sharding;
  set_sharding_list(m, op, key, *shardings);
}

}  // namespace shardprop
