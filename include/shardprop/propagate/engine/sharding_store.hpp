// The shardings of a propagation: where the sharding of each value lives, and which data-flow edge
// a value or a use belongs to.
//
// Most values carry their own sharding. A target of a data-flow edge (the argument of a while
// loop's body, for example) shares the sharding of the edge: that of the result of the
// `sdy.data_flow_edge` on the edge's owner where there is one, else that of the owner. An argument
// of any other region has no sharding and takes none. `sharding_of` of room ops answers the same
// for one value.
//
// Owners that keep their shardings in lists of their operation (sdy.manual_computation) carry them
// on their values during a propagation; `finish` writes each list once.
//
// A store can be told to keep a record (record.hpp).
#pragma once

#include <algorithm>
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
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/propagate/engine/record.hpp"

namespace shardprop {

// An `sdy.data_flow_edge` operation with the edge that it stands for.
struct EdgeInfo {
  OpId owner_op;
  const DataFlow* flow = nullptr;
  DataFlowEdge edge;
};

class ShardingStore {
 public:
  ShardingStore(Module& m, OpRows& rows) : m_(&m), first_result_(m.values.size()) {
    slot_count_ = first_result_;
    for (FuncId f : m.funcs.ids()) {
      result_slots_.push(Slot(slot_count_));
      slot_count_ += m.funcs[f].results.size();
    }
    walk_ops(m, [&](OpId op) { add(op, rows[op]); });
  }

  // The value that carries the sharding of `value`; none if it cannot have one.
  // A value that was made after the store carries its own.
  ValueId holder(ValueId value) const {
    return value.index < holders_.size() ? holders_[value] : value;
  }

  ShardingId get(ValueId value) const {
    const ValueId at = holder(value);
    return at.valid() ? own(at) : ShardingId();
  }

  // The same for each of `values`.
  void get(std::span<const ValueId> values, std::span<ShardingId> out) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ValueId at = holder(values[i]);
      out[i] = at.valid() ? own(at) : ShardingId();
    }
  }

  // Sets the sharding of the value that carries that of `value`; other results of its operation may
  // become open.
  void set(ValueId value, ShardingId sharding) {
    const ValueId at = holder(value);
    if (!at.valid()) return;
    open_siblings(at, sharding);
    put(at, sharding);
    if (listed_.empty()) return;
    const auto listed = listed_of_.find(at);
    if (listed == listed_of_.end()) return;
    set_listed_owner(listed_[listed->second], at, sharding);
  }

  // --- Slots: the values and the results of functions that were there when the store was made

  std::size_t slot_count() const { return slot_count_; }
  Slot slot(ValueId value) const { return Slot(value.index); }
  Slot slot(FuncId f, std::size_t i) const { return Slot(result_slots_[f].index + i); }
  bool is_value(Slot slot) const { return slot.index < first_result_; }
  ValueId value(Slot slot) const { return ValueId(slot.index); }

  ShardingId get(Slot slot) const {
    if (is_value(slot)) return get(value(slot));
    return replay_ ? replay_->get(slot) : func_result(slot);
  }
  void set(Slot slot, ShardingId sharding) {
    if (is_value(slot)) return set(value(slot), sharding);
    if (record_) record_->write(slot, sharding);
    if (!replay_) func_result(slot) = sharding;
  }
  // The sharding of a value that carries its own, or of a function's result, in the module.
  ShardingId& in_module(Slot slot) const {
    return is_value(slot) ? m_->value_shardings[value(slot)] : func_result(slot);
  }

  // --- The record

  // From now on `record`, unless it is null, is told of each transaction. If it replays, shardings
  // are read and written there, and the module stays as it is.
  void attach(Record* record) {
    record_ = record;
    replay_ = record && record->replays() ? record : nullptr;
  }
  void begin(Time at) {
    if (record_) record_->begin(at);
  }
  void note_visit(OpId op) {
    if (record_) record_->note_visit(op);
  }
  void end() {
    if (record_) record_->end();
  }

  // --- What has changed

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

  // --- Data-flow edges

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

  // Writes the shardings of owners that live in attributes there, and clears those that stood on
  // values for the propagation only. O(owners). Must be called at the end.
  void finish() {
    // Owners are listed operation by operation, arguments before results.
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
    bool waits = false;  // whether it is still to be written to the attribute
  };

  bool is_same_list(const ListedOwner& a, const ListedOwner& b) const {
    return a.op == b.op && m_->values[a.value].is_argument == m_->values[b.value].is_argument;
  }

  // A list that exists is written at the end, since writing takes time for the whole list. A list
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
    for (BlockId b = m_->ops[op].first_block; b.valid(); b = m_->blocks[b].next_sibling) {
      for (ValueId argument : m_->blocks[b].arguments) {
        const ValueId at = detail::passed_in(*m_, op, argument);
        set_holder(argument, at.valid() ? holder(at) : ValueId());
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
      const OpId edge_op = detail::edge_on(*m_, edge.owner);
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

  // The sharding of a value that carries its own.
  ShardingId own(ValueId value) const {
    return replay_ ? replay_->get(slot(value)) : m_->value_shardings[value];
  }

  ShardingId& func_result(Slot slot) const {
    const auto next = std::upper_bound(result_slots_.begin(), result_slots_.end(), slot);
    const FuncId f(static_cast<std::size_t>(next - result_slots_.begin()) - 1);
    return m_->funcs[f].results[slot.index - result_slots_[f].index].sharding;
  }

  // To be called before `value` gets `sharding`. Results of an operation have shardings all
  // together or not at all: the first that gets one makes the others open.
  void open_siblings(ValueId value, ShardingId sharding) {
    const OpId op = defining_op(*m_, value);
    if (!op.valid() || m_->ops[op].result_count < 2) return;
    note_visit(op);  // it is a reader of the results
    const IdRange<ValueId> all = results(*m_, op);
    for (ValueId result : all) {
      if (own(result).valid()) return;
    }
    const MeshId mesh = m_->shardings[sharding].mesh;
    for (ValueId result : all)
      put(result, m_->shardings.intern(open_sharding(mesh, rank_of(*m_, result))));
  }

  void put(ValueId value, ShardingId sharding) {
    if (record_) record_->write(slot(value), sharding);
    if (replay_) return;
    if (noting_ && m_->value_shardings[value] != sharding) changed_.push_back(value);
    m_->value_shardings[value] = sharding;
  }

  Module* m_;
  std::size_t first_result_;  // the slot of the first result of a function
  std::size_t slot_count_;
  IdVector<FuncId, Slot> result_slots_;                // the first of each function
  IdVector<ValueId, ValueId> holders_;                 // empty where each value carries its own
  std::unordered_map<std::uint32_t, EdgeInfo> edges_;  // by edge operation
  std::unordered_map<std::uint32_t, OpId> edge_of_source_;  // by use
  std::vector<ListedOwner> listed_;  // operation by operation, arguments before results
  std::unordered_map<ValueId, std::size_t> listed_of_;
  bool noting_ = false;
  bool attributes_changed_ = false;
  std::vector<ValueId> changed_;
  Record* record_ = nullptr;
  Record* replay_ = nullptr;  // the same, while it replays
};

}  // namespace shardprop
