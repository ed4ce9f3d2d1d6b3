// Pass `add-data-flow-edges`: puts an `sdy.data_flow_edge` on each owner of a data-flow edge.
// During propagation it carries the sharding of all the edge's targets. `sink-data-flow-edges`
// removes them and leaves the shardings on the operations.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sdy/propagation_edge_attributes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/propagate/trace/trace_attributes.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// The origins of axes of an operation's block arguments and results, a list of what
// `kShardingOrigins` is of one value.
inline constexpr std::string_view kBlockArgShardingOrigins = "sdy.block_arg_sharding_origins";
inline constexpr std::string_view kResultShardingOrigins = "sdy.result_sharding_origins";

namespace detail {

// The owners of the edges of `op`: arguments of its blocks, or its results.
inline std::vector<ValueId> edge_owners(const Module& m, OpId op, const DataFlow& flow,
                                        bool arguments) {
  std::vector<DataFlowEdge> edges;
  flow.edges(m, op, edges);
  std::vector<ValueId> owners;
  for (const DataFlowEdge& edge : edges) {
    if ((m.values[edge.owner].is_argument != 0) == arguments) owners.push_back(edge.owner);
  }
  return owners;
}

// Puts an edge operation called `name` between `owner` and its users.
inline void add_edge(Module& m, ValueId owner, ShardingId sharding, StringId name, Cursor at) {
  const ValueId made = create_op_on(m, at, name, owner, sharding);
  replace_uses(m, owner, made, defining_op(m, made));
}

inline bool add_edges(Module& m, OpId op, const DataFlow& flow,
                      const std::vector<ValueId>& owners) {
  const std::vector<ShardingId> shardings = owner_shardings(m, op, flow, owners);
  bool added = false;
  for (std::size_t i = owners.size(); i-- > 0;) {
    if (!m.types.is_static_tensor(type_of(m, owners[i]))) continue;
    add_edge(m, owners[i], shardings[i], known::kSdyDataFlowEdge, after_value(m, owners[i]));
    added = true;
  }
  return added;
}

// Puts edge operations on all owners of `op`: on arguments of its blocks first.
inline bool add_edges_of_op(Module& m, OpId op, const DataFlow& flow) {
  const bool on_arguments = add_edges(m, op, flow, edge_owners(m, op, flow, true));
  return add_edges(m, op, flow, edge_owners(m, op, flow, false)) || on_arguments;
}

// The shardings that the edge operations on `owners` carry, all or none: a missing one is open
// where another has one.
inline std::vector<ShardingId> shardings_on_edges(Module& m, const std::vector<ValueId>& owners) {
  std::vector<ShardingId> shardings;
  for (ValueId owner : owners) {
    const OpId edge = edge_on(m, owner);
    shardings.push_back(edge.valid() ? m.value_shardings[result(m, edge, 0)] : ShardingId());
  }
  return complete_shardings(m, std::move(shardings), types_of(m, owners), MeshFrom::kAny);
}

// Collects attribute `from` of the edge operations on `owners` in attribute `to` of `op`.
inline void sink_attribute(Module& m, OpId op, const std::vector<ValueId>& owners,
                           std::string_view from, std::string_view to) {
  std::vector<AttrId> found;
  for (ValueId owner : owners) {
    const OpId edge = edge_on(m, owner);
    const AttrId attr = edge.valid() ? attribute(m, edge, from) : AttrId();
    if (attr.valid()) found.push_back(attr);
  }
  set_attribute(m, op, to, m.attrs.list(found));
}

// Removes an edge operation.
inline void remove_edge(Module& m, OpId edge) {
  replace_uses(m, result(m, edge, 0), operand(m, edge, 0));
  erase_op(m, edge);
}

}  // namespace detail

inline Result<bool> add_data_flow_edges(Module& m, const OpTable& ops) {
  OpRows rows(ops, m);
  bool changed = false;
  for (OpId op : postorder(m)) {
    const OpRow* row = rows[op];
    if (!row || !row->def.data_flow) continue;
    changed = detail::add_edges_of_op(m, op, *row->def.data_flow) || changed;
  }
  return changed;
}

// What `sink-data-flow-edges` does with the trace that propagation left on the edges.
struct SinkEdgesOptions {
  bool origins = false;
  bool edges = false;
};

inline Result<bool> sink_data_flow_edges(Module& m, const OpTable& ops,
                                         SinkEdgesOptions options = {}) {
  OpRows rows(ops, m);
  bool changed = false;
  for (OpId op : preorder(m)) {
    if (m.ops[op].name == known::kSdyDataFlowEdge) {
      detail::remove_edge(m, op);
      changed = true;
      continue;
    }
    const OpRow* row = rows[op];
    if (!row || !row->def.data_flow) continue;
    const DataFlow& flow = *row->def.data_flow;
    for (const bool arguments : {true, false}) {
      const std::vector<ValueId> owners = detail::edge_owners(m, op, flow, arguments);
      const std::vector<ShardingId> shardings = detail::shardings_on_edges(m, owners);
      if (!shardings.empty()) set_owner_shardings(m, op, flow, owners, shardings);
      if (options.origins) {
        detail::sink_attribute(m, op, owners, kShardingOrigins,
                               arguments ? kBlockArgShardingOrigins : kResultShardingOrigins);
      }
      if (options.edges) {
        detail::sink_attribute(m, op, owners, kPropagationEdges,
                               arguments ? kBlockArgPropagationEdges : kResultPropagationEdges);
      }
    }
  }
  return changed;
}

}  // namespace shardprop
