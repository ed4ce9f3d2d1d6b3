// Data-flow edges: where values flow between an operation's operands, its regions and its results
// without being computed, as through a while loop. All values of one edge must be sharded alike.
//
// An edge joins `sources` (operand slots of the operation or of its regions' terminators) to
// `targets` (results, block arguments), one of which, the owner, carries the sharding of all.
// Worked example, `%r = while(%x) { cond(%c), body(%b) ... return %y }`: sources are the operand %x
// and the returned %y, targets %r, %c and %b, owner %r.
#pragma once

#include <cstddef>
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
  // The target's sharding as the sources see it, and back (manual axes come and go). Default: as it
  // is.
  ShardingId (*transform)(Module&, OpId, ValueId owner, ShardingId, EdgeTransform) = nullptr;
};

}  // namespace shardprop
