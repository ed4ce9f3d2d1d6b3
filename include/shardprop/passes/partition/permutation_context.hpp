// What the parts of `resolve-permutation-factors` share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

struct ResolvePermutationOptions {
  // Let devices exchange the ends of their shards. If not, the dimensions are unsharded.
  bool enable_halo_exchange = true;
  // How many copies of the program run, and on how many parts each is split: one of both is 1. With
  // copies, a device is told by its replica_id.
  std::int64_t replica_count = 1;
  std::int64_t partition_count = 1;
  // Resolve also what has no permutation factor but is not local: pads and slices that move elements
  // and keep the size, and reshapes between shardings that do not line up.
  bool only_local = false;
};

namespace detail {

struct PermutationContext {
  ReshardContext& reshards;
  const ResolvePermutationOptions& options;
  ChannelIds channels;
  Symbols symbols;
  // Results of manual computations that were made. Until the pass ends they carry their shardings
  // as other values do.
  std::vector<ValueId> computed = {};
  bool changed = false;

  Module& module() const { return reshards.m; }
  // None where `value` has no sharding, and where it is all on one device.
  std::optional<TensorSharding> sharding(ValueId value) const {
    const Module& m = module();
    const ShardingId id = reshards.sharding(before_barriers(m, value));
    if (!id.valid() || m.meshes[m.shardings[id].mesh].is_maximal()) return std::nullopt;
    return m.shardings[id];
  }
};

// Lets `value` stand for the only result of `op`, which is erased.
inline void replace_op(Module& m, OpId op, ValueId value) {
  const ValueId old = result(m, op, 0);
  m.value_names[value] = m.value_names[old];
  m.lineage.of_value.note(old, value);
  m.lineage.of_op.note(op, defining_op(m, value));
  replace_uses(m, old, value);
  erase_op(m, op);
}

}  // namespace detail

}  // namespace shardprop
