// What is known of a module before it runs: the row of each operation, where the value of each
// value is kept while its block runs, and which operation is the last to use it. Made once, for any
// number of processes; module and table must outlive it. O(operations + uses * depth of nesting).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/run/eval_table.hpp"

namespace shardprop {

class Runnable {
 public:
  Runnable(const Module& m, const EvalTable& table) : m_(&m), table_(&table) {
    rows_.resize(m.ops.size(), nullptr);
    order_.resize(m.ops.size(), 0);
    values_.resize(m.values.size());
    slots_.resize(m.blocks.size(), 0);
    std::unordered_map<std::uint32_t, const EvalRow*> by_name;
    for (std::size_t i = 0; i < m.types.size(); ++i) {
      const TypeId type(i);
      const Element element = element_of(m, type, EvalOptions());
      has_elements_.push_back(!m.types.is_tensor(type) || element != Element::kNone);
      bytes_.push_back(m.types.is_static_tensor(type) ? bytes_of(element, m.types.shape(type)) : 0);
    }
    for (FuncId f : m.func_order) enter(m.funcs[f].body);
    walk_ops(m, [&](OpId op) { visit(op, by_name); });
    for (ValueId value : m.values.ids()) {
      if (values_[value].home.valid()) find_last_user(value);
    }
  }
  Runnable(Module&&, const EvalTable&) = delete;
  Runnable(const Module&, EvalTable&&) = delete;

  const Module& module() const { return *m_; }
  const EvalTable& table() const { return *table_; }
  // Null for an operation that the table does not have.
  const EvalRow* row(OpId op) const { return rows_[op]; }
  // Whether values of the type can be held.
  bool has_elements(TypeId type) const { return has_elements_[type.index]; }
  // Of a value of the type; 0 where that is not known.
  std::uint64_t bytes(TypeId type) const { return bytes_[type.index]; }
  std::size_t slots_of(BlockId block) const { return slots_[block]; }
  // The block that a value is defined in, and its slot there.
  BlockId home(ValueId value) const { return values_[value].home; }
  std::size_t slot(ValueId value) const { return values_[value].slot; }
  // The operation of the home block after which nobody needs the value.
  OpId last_user(ValueId value) const { return values_[value].last_user; }
  // The values that the regions of `op` take from around it and nobody needs after it.
  const std::vector<ValueId>& last_seen_in(OpId op) const {
    static const std::vector<ValueId> kNothing;
    const auto at = last_seen_in_.find(op.index);
    return at == last_seen_in_.end() ? kNothing : at->second;
  }

 private:
  struct Place {
    BlockId home;
    std::uint32_t slot = 0;
    OpId last_user;
  };

  void define(ValueId value, BlockId block) { values_[value] = {block, slots_[block]++, OpId()}; }

  void enter(BlockId block) {
    for (ValueId argument : m_->blocks[block].arguments) define(argument, block);
  }

  void visit(OpId op, std::unordered_map<std::uint32_t, const EvalRow*>& by_name) {
    const Operation& o = m_->ops[op];
    const BlockId block = m_->layout[op].block;
    const OpId before = m_->layout[op].prev;
    order_[op] = before.valid() ? order_[before] + 1 : 0;
    for (ValueId value : results(*m_, op)) define(value, block);
    for (BlockId b = o.first_block; b.valid(); b = m_->blocks[b].next_sibling) enter(b);
    if (o.name == known::kCustomCall) {
      rows_[op] = table_->find(*m_, op);
      return;
    }
    const auto [at, is_new] = by_name.try_emplace(o.name.index, nullptr);
    if (is_new) at->second = table_->find(*m_, op);
    rows_[op] = at->second;
  }

  void find_last_user(ValueId value) {
    Place& place = values_[value];
    bool seen_in_region = false;
    for (UseId use = m_->values[value].first_use; use.valid(); use = m_->uses[use].next) {
      OpId user = m_->uses[use].user;
      bool inside = false;
      while (user.valid() && m_->layout[user].block != place.home) {
        user = parent_op(*m_, user);
        inside = true;
      }
      if (!user.valid()) continue;
      if (!place.last_user.valid() || order_[user] > order_[place.last_user]) {
        place.last_user = user;
        seen_in_region = inside;
      } else if (user == place.last_user) {
        seen_in_region = seen_in_region || inside;
      }
    }
    if (seen_in_region) last_seen_in_[place.last_user.index].push_back(value);
  }

  const Module* m_;
  const EvalTable* table_;
  std::vector<bool> has_elements_;    // by TypeId
  std::vector<std::uint64_t> bytes_;  // by TypeId
  IdVector<OpId, const EvalRow*> rows_;
  IdVector<OpId, std::uint32_t> order_;  // within the block
  IdVector<ValueId, Place> values_;
  IdVector<BlockId, std::uint32_t> slots_;
  std::unordered_map<std::uint32_t, std::vector<ValueId>> last_seen_in_;
};

}  // namespace shardprop
