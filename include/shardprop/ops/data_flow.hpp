// Data-flow edges: where values flow between an operation's operands, its regions and its results
// without being computed, as through a while loop. All values of one edge must be sharded alike.
//
// An edge joins `sources` (operand slots of the operation or of its regions' terminators) to
// `targets` (results, block arguments), one of which, the owner, carries the sharding of all.
// Worked example, `%r = while(%x) { cond(%c), body(%b) ... return %y }`: sources are the operand %x
// and the returned %y, targets %r, %c and %b, owner %r.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop {

struct DataFlowEdge {
  ValueId owner;
  SmallVector<UseId, 2> sources;
  SmallVector<ValueId, 3> targets;  // without the owner
};

enum class EdgeTransform : std::uint8_t { kBeforePropagation, kAfterPropagation };

// How an operation describes its edges. `edges` lists them in order: those owned by block
// arguments, then those owned by results. The other members are for operations that keep the
// owners' shardings in attributes of their own.
struct DataFlow {
  void (*edges)(const Module&, OpId, std::vector<DataFlowEdge>&) = nullptr;
  // The sharding of `owner`, none where it has none. Default: the value's own sharding.
  ShardingId (*get_sharding)(Module&, OpId, ValueId owner) = nullptr;
  void (*set_sharding)(Module&, OpId, ValueId owner, ShardingId) = nullptr;
  // The same for several owners at once, all of them arguments or all results; in time linear in
  // their number. Default: one by one.
  std::vector<ShardingId> (*get_shardings)(Module&, OpId, std::span<const ValueId>) = nullptr;
  void (*set_shardings)(Module&, OpId, std::span<const ValueId>,
                        std::span<const ShardingId>) = nullptr;
  // What `get_sharding` gives for `owner`, which has a sharding, once another one is set. With this
  // and `set_shardings`, a propagation writes the attributes once, at its end; without, at each
  // change.
  ShardingId (*sharding_once_set)(Module&, OpId, ValueId owner, ShardingId) = nullptr;
  // Before propagation along the edge: the owner's sharding as the sources see it. After: what the
  // sources see as the sharding of the owner. A manual computation adds or takes away its manual
  // axes. Default: unchanged.
  ShardingId (*transform)(Module&, OpId, ValueId owner, ShardingId, EdgeTransform) = nullptr;
};

// The shardings of `owners`, none for an owner that has none.
inline std::vector<ShardingId> owner_shardings(Module& m, OpId op, const DataFlow& flow,
                                               std::span<const ValueId> owners) {
  if (flow.get_shardings) return flow.get_shardings(m, op, owners);
  std::vector<ShardingId> shardings;
  for (ValueId owner : owners) {
    shardings.push_back(flow.get_sharding ? flow.get_sharding(m, op, owner)
                                          : m.value_shardings[owner]);
  }
  return shardings;
}

inline void set_owner_shardings(Module& m, OpId op, const DataFlow& flow,
                                std::span<const ValueId> owners,
                                std::span<const ShardingId> shardings) {
  if (flow.set_shardings) return flow.set_shardings(m, op, owners, shardings);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (flow.set_sharding) {
      flow.set_sharding(m, op, owners[i], shardings[i]);
    } else {
      m.value_shardings[owners[i]] = shardings[i];
    }
  }
}

}  // namespace shardprop
