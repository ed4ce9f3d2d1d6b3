// Where the sharding of each value lives, and which data-flow edge a value or a use belongs to.
//
// Most values carry their own sharding. A target of a data-flow edge (the argument of a while
// loop's body, say) shares that of the edge: the result of the `sdy.data_flow_edge` on the edge's
// owner where there is one, else the owner. An argument of any other region has none and takes
// none.
//
// Owners that keep their shardings in lists of their operation (sdy.manual_computation) carry them
// on their values during a run; `finish` writes each list once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"

namespace shardprop {

// An `sdy.data_flow_edge` operation with the edge that it stands for.
struct EdgeInfo {
  OpId owner_op;
  const DataFlow* flow = nullptr;
  DataFlowEdge edge;
};

namespace detail {

// Whether `value` is one of several results.
inline bool has_siblings(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  return op.valid() && m.ops[op].result_count > 1;
}

// To be called before `value` gets `sharding`. Results of an operation have shardings all together
// or not at all: the first that gets one makes the others open. `get(result)` and
// `put(result, sharding)` are the shardings that the results have.
template <class Get, class Put>
void open_siblings(Module& m, ValueId value, ShardingId sharding, Get get, Put put) {
  if (!has_siblings(m, value)) return;
  const IdRange<ValueId> all = results(m, defining_op(m, value));
  for (ValueId result : all) {
    if (get(result).valid()) return;
  }
  const MeshId mesh = m.shardings[sharding].mesh;
  for (ValueId result : all)
    put(result, m.shardings.intern(open_sharding(mesh, rank_of(m, result))));
}

}  // namespace detail

class ShardingStore {
 public:
  static constexpr bool kRecords = false;  // whether the engine tells it when what happens

  ShardingStore(Module& m, OpRows& rows) : m_(&m) {
    walk_ops(m, [&](OpId op) { add(op, rows[op]); });
  }

  // The value that carries the sharding of `value`; none if it cannot have one.
  // A value made after the store was carries its own.
  ValueId holder(ValueId value) const {
    return value.index < holders_.size() ? holders_[value] : value;
  }

  ShardingId get(ValueId value) const {
    const ValueId at = holder(value);
    return at.valid() ? m_->value_shardings[at] : ShardingId();
  }

  // Sets the sharding of the value that carries it; other results of its operation may become open.
  void set(ValueId value, ShardingId sharding) {
    const ValueId at = holder(value);
    if (!at.valid()) return;
    detail::open_siblings(
        *m_, at, sharding, [&](ValueId result) { return m_->value_shardings[result]; },
        [&](ValueId result, ShardingId open) { put(result, open); });
    put(at, sharding);
    if (listed_.empty()) return;
    const auto listed = listed_of_.find(at);
    if (listed == listed_of_.end()) return;
    set_listed_owner(listed_[listed->second], at, sharding);
  }

  // Where shardings live, for those who do not ask for shardings.
  const ShardingStore& structure() const { return *this; }

  // From now on the store notes whose shardings change.
  void note_changes() { noting_ = true; }
  // The values that `set` gave another sharding since `clear_changed`, some perhaps twice.
  std::span<const ValueId> changed() const { return changed_; }
  // Whether `set` changed an attribute of an operation, on which shardings of other values may
  // depend.
  bool attributes_changed() const { return attributes_changed_; }
  void clear_changed() {
    changed_.clear();
    attributes_changed_ = false;
  }

  ShardingId get_result(FuncId f, std::size_t i) const { return m_->funcs[f].results[i].sharding; }
  void set_result(FuncId f, std::size_t i, ShardingId sharding) {
    m_->funcs[f].results[i].sharding = sharding;
  }

  // Whether some owner of an edge has its sharding in an attribute of its operation.
  bool has_owners_in_attributes() const { return !listed_.empty(); }

  // The edge that an `sdy.data_flow_edge` operation stands for, or null.
  const EdgeInfo* edge(OpId op) const {
    const auto it = edges_.find(op.index);
    return it == edges_.end() ? nullptr : &it->second;
  }
  // The `sdy.data_flow_edge` that a use is a source of, or none.
  OpId edge_of_source(UseId use) const {
    if (edge_of_source_.empty()) return OpId();
    const auto it = edge_of_source_.find(use.index);
    return it == edge_of_source_.end() ? OpId() : it->second;
  }

  // Writes the shardings of owners that live in attributes there, and clears what only served the
  // run. O(owners). Must be called if `set` was.
  void finish() {
    // Owners stand operation by operation, arguments before results.
    std::vector<ValueId> owners;
    std::vector<ShardingId> shardings;
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const ListedOwner& owner = listed_[i];
      if (owner.waits) {
        owners.push_back(owner.value);
        shardings.push_back(m_->value_shardings[owner.value]);
      }
      const bool more = i + 1 < listed_.size() && is_same_list(owner, listed_[i + 1]);
      if (!more && !owners.empty()) {
        owner.flow->set_shardings(*m_, owner.op, owners, shardings);
        owners.clear();
        shardings.clear();
      }
    }
    for (ListedOwner& owner : listed_) {
      m_->value_shardings[owner.value] = ShardingId();
      owner.waits = false;
    }
  }

 private:
  // An owner of an edge whose sharding is in an attribute of `op`.
  struct ListedOwner {
    ValueId value;
    OpId op;
    const DataFlow* flow;
    bool waits = false;  // to be written to the attribute
  };

  bool is_same_list(const ListedOwner& a, const ListedOwner& b) const {
    return a.op == b.op && m_->values[a.value].is_argument == m_->values[b.value].is_argument;
  }

  // A list that is there is written at the end: to write it takes time for all that it holds. One
  // that is missing is made at once, since it makes other owners open.
  void set_listed_owner(ListedOwner& owner, ValueId at, ShardingId sharding) {
    const DataFlow& flow = *owner.flow;
    const bool can_wait = flow.sharding_once_set && flow.set_shardings && sharding.valid() &&
                          flow.get_sharding(*m_, owner.op, at).valid();
    if (can_wait) {
      owner.waits = true;
      put(at, flow.sharding_once_set(*m_, owner.op, at, sharding));
      return;
    }
    flow.set_sharding(*m_, owner.op, at, sharding);
    put(at, flow.get_sharding(*m_, owner.op, at));
    attributes_changed_ = true;
  }

  void set_holder(ValueId value, ValueId holder) {
    for (std::size_t i = holders_.size(); i < m_->values.size(); ++i) holders_.push(ValueId(i));
    holders_[value] = holder;
  }

  void add(OpId op, const OpRow* row) {
    if (row && row->def.data_flow) return add_data_flow(op, *row->def.data_flow);
    if (!m_->ops[op].first_block.valid()) return;
    const bool async = m_->ops[op].name == known::kAsyncStart;
    for (BlockId b = m_->ops[op].first_block; b.valid(); b = m_->blocks[b].next_sibling) {
      for (std::size_t i = 0; i < m_->blocks[b].arguments.size(); ++i) {
        const bool passed_in = async && i < m_->ops[op].operand_count;
        set_holder(m_->blocks[b].arguments[i], passed_in ? holder(operand(*m_, op, i)) : ValueId());
      }
    }
  }

  void add_data_flow(OpId op, const DataFlow& flow) {
    for (BlockId b = m_->ops[op].first_block; b.valid(); b = m_->blocks[b].next_sibling) {
      for (ValueId argument : m_->blocks[b].arguments) set_holder(argument, ValueId());
    }
    std::vector<DataFlowEdge> edges;
    flow.edges(*m_, op, edges);
    for (DataFlowEdge& edge : edges) {
      const OpId edge_op = edge_op_on(edge.owner);
      const ValueId at = edge_op.valid() ? result(*m_, edge_op, 0) : edge.owner;
      set_holder(edge.owner, at);
      for (ValueId target : edge.targets) set_holder(target, at);
      if (!edge_op.valid()) {
        if (flow.get_sharding) {
          listed_of_[edge.owner] = listed_.size();
          listed_.push_back({edge.owner, op, &flow});
          m_->value_shardings[edge.owner] = flow.get_sharding(*m_, op, edge.owner);
        }
        continue;
      }
      // A change of an operand that enters through a block argument does not wake the edge, as in
      // the reference.
      if (!m_->values[edge.owner].is_argument) {
        for (UseId source : edge.sources) edge_of_source_[source.index] = edge_op;
      }
      edges_[edge_op.index] = {op, &flow, std::move(edge)};
    }
  }

  // The `sdy.data_flow_edge` that is the only user of `owner`, or none.
  OpId edge_op_on(ValueId owner) const {
    if (!has_one_use(*m_, owner)) return OpId();
    const OpId user = m_->uses[m_->values[owner].first_use].user;
    return m_->ops[user].name == known::kSdyDataFlowEdge ? user : OpId();
  }

  void put(ValueId value, ShardingId sharding) {
    if (noting_ && m_->value_shardings[value] != sharding) changed_.push_back(value);
    m_->value_shardings[value] = sharding;
  }

  Module* m_;
  IdVector<ValueId, ValueId> holders_;                 // empty where each value carries its own
  std::unordered_map<std::uint32_t, EdgeInfo> edges_;  // by edge operation
  std::unordered_map<std::uint32_t, OpId> edge_of_source_;  // by use
  std::vector<ListedOwner> listed_;  // operation by operation, arguments before results
  std::unordered_map<ValueId, std::size_t> listed_of_;
  bool noting_ = false;
  bool attributes_changed_ = false;
  std::vector<ValueId> changed_;
};

}  // namespace shardprop
