// Whether the shardings that a reader finds suit the values that they stand on.
#pragma once

#include <cstdint>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::detail {

// A sharding that passed once passes for any tensor of its rank, so that the same sharding on many
// values is checked once.
class ShardingCheck {
 public:
  // What is wrong with `sharding` on a value of `type`, without a place. Nothing where either is
  // missing; what is inside of a tuple is for the verifier of the module to see.
  Diagnostics errors(const Module& m, ShardingId sharding, TypeId type) {
    Diagnostics wrong;
    if (!sharding.valid() || !type.valid()) return wrong;
    const bool is_tensor = m.types.is_tensor(type);
    if (!is_tensor && m.strings[m.types.dtype(type)].starts_with("tuple<")) return wrong;
    const TensorSharding& row = m.shardings[sharding];
    passed_.resize(m.shardings.size(), 0);
    std::uint8_t& passed = passed_[sharding.index];
    if (is_tensor && passed && row.rank() == m.types.rank(type)) return wrong;
    const ShardedShape value{.is_tensor = is_tensor, .shape = m.types.shape(type)};
    if (verify_sharding(row, m.meshes, value, Place(), wrong) && is_tensor) passed = 1;
    return wrong;
  }

 private:
  std::vector<std::uint8_t> passed_;  // by ShardingId: well-formed for tensors of its rank
};

}  // namespace shardprop::detail
