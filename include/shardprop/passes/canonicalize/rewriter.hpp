// The driver of `canonicalize`: visits operations in program order, applies the first rewrite of
// their rows that fits, and visits again the operations that it may affect, to the fixed point.
//
// Each rewrite leaves fewer operations or a cheaper one, so it ends. A visit is O(rows) besides
// what the row's function costs; each rewrite adds visits for the users of what it touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/common/erase_unused.hpp"

namespace shardprop {

class Rewriter;

// The label of rewrites that are done for every label.
inline constexpr std::string_view kAnyLabel = "*";

// One rewrite: of operations called `op`, under its label in the reference. `apply` says whether it
// did anything; the operation may be gone then.
struct RewriteRow {
  std::string_view name;
  StringId op;
  std::string_view label;
  bool (*apply)(Rewriter&, OpId) = nullptr;
};

// The reshards of a tensor and of its reshapes, by a hash of how they divide the elements. Erased
// ones may still be listed; `stale` says that others may be missing.
struct ReshardIndex {
  using OfRoot = std::unordered_map<std::uint64_t, std::vector<OpId>>;
  std::unordered_map<std::uint32_t, OfRoot> roots;  // by ValueId
  bool stale = false;
};

class Rewriter {
 public:
  Rewriter(Module& module, const OpTable& ops) : m(module), rows_(ops, module) {}

  // Runs `rewrites`, of two for the same operation the first one first; of those with a label only
  // those with `label`, unless that is empty. Whether any was applied.
  bool run(std::span<const RewriteRow> rewrites, std::string_view label) {
    collect(rewrites, label);
    bool changed = false;
    while (!stack_.empty()) {
      const OpId op = pop();
      if (is_erased(m, op)) continue;
      for (const RewriteRow& row : rewrites) {
        if (!is_enabled(row, label) || m.ops[op].name != row.op || !row.apply(*this, op)) continue;
        changed = true;
        if (!is_erased(m, op)) push(op);
        break;
      }
    }
    return changed;
  }

  // Whether `a` stands before `b`, which is in the same block; both were there from the start.
  bool is_before(OpId a, OpId b) const { return order_[a.index] < order_[b.index]; }
  bool was_there(OpId op) const { return op.index < order_.size(); }

  // Lets the users of the only result of `op` use `value`, and erases `op`.
  void replace(OpId op, ValueId value) {
    push_users(result(m, op, 0));
    note_moved_users(result(m, op, 0));
    const OpId def = defining_op(m, value);
    if (def.valid()) push(def);
    replace_uses(m, result(m, op, 0), value);
    erase(op);
  }

  void set_operand(OpId op, std::size_t number, ValueId value) {
    const ValueId before = operand(m, op, number);
    reshards.stale = true;
    shardprop::set_operand(m, op, number, value);
    push(op);
    on_use_removed(before);
  }

  // Erases `op`, and the pure operations that made its operands if nothing else uses them.
  void erase(OpId op) {
    const std::vector<ValueId> used = values_used_by(m, op);
    erase_op(m, op);
    for (ValueId value : used) on_use_removed(value);
  }

  void push(OpId op) {
    if (op.index >= listed_.size()) listed_.resize(m.ops.size(), 0);
    if (listed_[op.index]) return;
    listed_[op.index] = 1;
    stack_.push_back(op);
  }
  void push_users(ValueId value) {
    for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next)
      push(m.uses[use].user);
  }

  Module& m;
  ReshardIndex reshards;

 private:
  // A reshard, or a reshape before one, gets another tensor.
  void note_moved_users(ValueId value) {
    for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
      const StringId name = m.ops[m.uses[use].user].name;
      if (name == known::kSdyReshard || name == known::kReshape) reshards.stale = true;
    }
  }

  static bool is_enabled(const RewriteRow& row, std::string_view label) {
    return label.empty() || row.label == label || row.label == kAnyLabel;
  }

  void collect(std::span<const RewriteRow> rewrites, std::string_view label) {
    std::vector<std::uint8_t> wanted(m.strings.size(), 0);
    for (const RewriteRow& row : rewrites) {
      if (is_enabled(row, label)) wanted[row.op.index] = 1;
    }
    order_.assign(m.ops.size(), 0);
    std::uint32_t number = 0;
    walk_ops(m, [&](OpId op) {
      order_[op.index] = number++;
      if (wanted[m.ops[op].name.index]) push(op);
    });
    std::reverse(stack_.begin(), stack_.end());
  }

  OpId pop() {
    const OpId op = stack_.back();
    stack_.pop_back();
    listed_[op.index] = 0;
    return op;
  }

  void on_use_removed(ValueId value) {
    const OpId def = defining_op(m, value);
    if (!def.valid() || is_erased(m, def)) return;
    if (!detail::has_used_results(m, def) && is_pure_with_regions(m, rows_, def)) return erase(def);
    push(def);
    if (has_one_use(m, value)) push(m.uses[m.values[value].first_use].user);
  }

  OpRows rows_;
  std::vector<std::uint32_t> order_;  // by OpId
  std::vector<OpId> stack_;
  std::vector<std::uint8_t> listed_;  // by OpId
};

}  // namespace shardprop
