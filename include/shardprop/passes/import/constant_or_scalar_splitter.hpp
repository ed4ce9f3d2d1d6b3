// Pass `constant-or-scalar-splitter` (older name: `constant-splitter`): gives each use of a
// constant a copy of its own, so that uses which share nothing but a constant need not be sharded
// alike.
//
// Copied are constant expressions - a constant, an iota, what element-wise and constant-foldable
// operations without side effects make of them, calls of functions and named computations that hold
// nothing else - and broadcasts of a scalar. Scalars themselves have no shardings and stay shared.
// A copy stands right before its original; an original that was copied and has no other uses is
// erased. Each `stablehlo.constant` becomes an `sdy.constant`.
//
// Worked example, `%c = constant; %e = exp(%c); %x = add(%a, %e); %y = add(%b, %e)`: %x and %y each
// get a copy of both %c and %e.
//
// `Module::lineage` notes the copies of constants whose data was left out, for the merger.
//
// O(operations + copies).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Whether `op` is a constant whose data was left out of what was read (`{"elided": true}` in JSON).
// Nothing tells two of them apart, except that `Module::lineage` knows which are copies of one. A
// resource that has a name is data.
inline bool lacks_data(const Module& m, OpId op) {
  const AttrId value = attribute(m, op, key::kValue);
  const AttrId plain = m.attrs.plain(value);
  if (!m.attrs.find(plain, key::kElided).valid()) return false;
  return plain == value ||
         m.strings[m.attrs.typed_text(value)].find("__elided__") != std::string_view::npos;
}

namespace detail {

// Renames constants to those of the sdy dialect. The uses of a constant end up in reverse order, as
// those of any operation that is replaced.
inline bool convert_constants(Module& m) {
  if (!has_op(m, known::kConstant)) return false;
  bool changed = false;
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].name != known::kConstant) return;
    m.ops[op].name = known::kSdyConstant;
    changed = true;
    std::vector<UseId> uses;
    const ValueId value = result(m, op, 0);
    for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
      uses.push_back(use);
    }
    for (UseId use : uses) {
      unlink_use(m, use);
      link_use(m, use, value);
    }
  });
  return changed;
}

// The operations of `body` in pre-order, without those inside of named computations.
inline std::vector<OpId> preorder_outside_named(const Module& m, BlockId body) {
  std::vector<OpId> ops;
  const auto visit = [&](auto&& self, BlockId block) -> void {
    for (OpId op = m.blocks[block].first_op; op.valid(); op = m.layout[op].next) {
      ops.push_back(op);
      if (m.ops[op].name == known::kSdyNamedComputation) continue;
      for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
        self(self, b);
      }
    }
  };
  visit(visit, body);
  return ops;
}

class ConstantSplitter {
 public:
  ConstantSplitter(Module& m, const OpTable& ops, Symbols& symbols)
      : m_(m), rows_(ops, m), symbols_(symbols), has_groups_(has_op(m, known::kSdyShardingGroup)) {}

  // Splits in the named computations of `f`, inner ones first, then in the rest of it. The
  // functions that `f` calls must come first.
  void split_func(FuncId f) {
    std::vector<OpId> named;
    const auto visit = [&](auto&& self, BlockId block) -> void {
      for (OpId op = m_.blocks[block].first_op; op.valid(); op = m_.layout[op].next) {
        for (BlockId b = m_.ops[op].first_block; b.valid(); b = m_.blocks[b].next_sibling) {
          self(self, b);
        }
        if (m_.ops[op].name == known::kSdyNamedComputation) named.push_back(op);
      }
    };
    visit(visit, m_.funcs[f].body);
    func_name_ = original_name(m_, f);
    for (OpId op : named) {
      if (m_.ops[op].first_block.valid()) split_block(m_.ops[op].first_block);
    }
    split_block(m_.funcs[f].body);
  }

  bool changed() const { return changed_; }

 private:
  enum Kind : std::uint8_t { kOther, kConstant, kExpansion };
  // A value that is being copied, and the operand of its operation that is next.
  struct Frame {
    ValueId value;
    std::size_t next_operand;
  };

  void split_block(BlockId block) {
    kinds_.resize(m_.ops.size(), kOther);
    first_copy_.resize(m_.ops.size(), OpId());
    for (OpId op : preorder_outside_named(m_, block)) visit(op);
    for (OpId op : expansions_) erase_if_unused(op);
    for (std::size_t i = constants_.size(); i-- > 0;) erase_if_unused(constants_[i]);
    for (const auto* ops : {&constants_, &expansions_}) {
      for (OpId op : *ops) kinds_[op.index] = kOther, first_copy_[op.index] = OpId();
    }
    constants_.clear();
    expansions_.clear();
    groups_.clear();
  }

  void visit(OpId op) {
    if (m_.ops[op].name == known::kSdyShardingGroup) return;
    const Traits traits = traits_of(rows_[op], m_, op);
    if ((traits & kConstantLike) ||
        (preserves_constants(op, traits) && has_constant_operands(op))) {
      kinds_[op.index] = kConstant;
      constants_.push_back(op);
      return;
    }
    if (!preserves_constants(op, traits) && !(traits & kTerminator)) note_not_constant(op);
    if ((traits & kBroadcasts) && m_.ops[op].operand_count > 0 &&
        is_scalar(m_, operand(m_, op, 0))) {
      kinds_[op.index] = kExpansion;
      expansions_.push_back(op);
      return;
    }
    copy_constant_operands(op);
  }

  // Whether `op` makes a constant of constants.
  bool preserves_constants(OpId op, Traits traits) const {
    if (m_.ops[op].name == known::kFuncCall) {
      return !not_constant_funcs_.contains(original_name(m_, symbols_.callee(m_, op)).index);
    }
    if (m_.ops[op].name == known::kSdyNamedComputation)
      return !not_constant_names_.contains(name_of_computation(op));
    return (traits & kPure) && (traits & (kElementwise | kConstantFoldable));
  }

  bool has_constant_operands(OpId op) const {
    const IdRange<UseId> uses = operand_uses(m_, op);
    return std::all_of(uses.begin(), uses.end(),
                       [&](UseId use) { return kind_of(m_.uses[use].value) == kConstant; });
  }

  // The kind of the operation that makes `value`; copies have none.
  Kind kind_of(ValueId value) const {
    const OpId op = defining_op(m_, value);
    return op.valid() && op.index < kinds_.size() ? kinds_[op.index] : kOther;
  }

  // Computations and functions are known by the name of the function that they were copied from.
  void note_not_constant(OpId op) {
    for (OpId around = parent_op(m_, op); around.valid(); around = parent_op(m_, around)) {
      if (m_.ops[around].name != known::kSdyNamedComputation) continue;
      not_constant_names_.insert(name_of_computation(around));
      break;
    }
    not_constant_funcs_.insert(func_name_.index);
  }
  std::uint32_t name_of_computation(OpId op) const {
    return m_.attrs.string_or_none(attribute(m_, op, key::kName)).index;
  }

  void copy_constant_operands(OpId op) {
    for (std::size_t i = 0; i < m_.ops[op].operand_count; ++i) {
      const ValueId value = operand(m_, op, i);
      if (kind_of(value) == kOther || is_scalar(m_, value)) continue;
      set_operand(m_, op, i, copy_expression(value));
      changed_ = true;
    }
  }

  // Copies the operation that makes `root` and, before it, those that make its operands.
  ValueId copy_expression(ValueId root) {
    // A large map is not cleared for each small expression.
    constexpr std::size_t kFew = 16;
    if (copies_.size() > kFew) copies_ = ValueMap();
    copies_.clear();
    path_.push_back({root, 0});
    while (!path_.empty()) {
      const ValueId value = path_.back().value;
      const OpId op = defining_op(m_, value);
      if (path_.back().next_operand == m_.ops[op].operand_count) {
        path_.pop_back();
        copy_op(op, value);
        continue;
      }
      const ValueId input = operand(m_, op, path_.back().next_operand++);
      if (!defining_op(m_, input).valid() || is_scalar(m_, input)) continue;
      if (!copies_.contains(input.index)) path_.push_back({input, 0});
    }
    return copies_.at(root.index);
  }

  void copy_op(OpId op, ValueId value) {
    if (lacks_data(m_, op) && !m_.lineage.of_op.is_on()) m_.lineage.of_op.start(m_.ops.size());
    const Cursor at = before(m_, op);
    const OpId copy = clone_op(m_, op, at, copies_);
    if (!first_copy_[op.index].valid()) first_copy_[op.index] = copy;
    if (m_.ops[op].name == known::kFuncCall) {
      set_callee(m_, copy, copy_with_callees(m_, symbols_, symbols_.callee(m_, copy)));
    }
    if (!has_groups_) return;
    for (OpId group : groups_on(value)) clone_op(m_, group, at, copies_);
  }

  // The sharding groups that use an original; they do not change while its uses get copies.
  const std::vector<OpId>& groups_on(ValueId value) {
    const auto [it, is_new] = groups_.try_emplace(value.index);
    if (!is_new) return it->second;
    for (UseId use = m_.values[value].first_use; use.valid(); use = m_.uses[use].next) {
      const OpId user = m_.uses[use].user;
      if (m_.ops[user].name == known::kSdyShardingGroup) it->second.push_back(user);
    }
    return it->second;
  }

  // Erases an original that only sharding groups use, and those with it. What nobody used before
  // stays: this pass does not erase it.
  void erase_if_unused(OpId op) {
    std::vector<OpId> groups;
    for (ValueId value : results(m_, op)) {
      for (UseId use = m_.values[value].first_use; use.valid(); use = m_.uses[use].next) {
        if (m_.ops[m_.uses[use].user].name != known::kSdyShardingGroup) return;
        groups.push_back(m_.uses[use].user);
      }
    }
    const OpId copy = first_copy_[op.index];
    if (groups.empty() && !copy.valid()) return;
    for (std::size_t i = 0; copy.valid() && i < m_.ops[op].result_count; ++i) {
      m_.value_names[result(m_, copy, i)] = m_.value_names[result(m_, op, i)];
    }
    for (OpId group : groups) erase_op(m_, group);
    erase_op(m_, op);
    changed_ = true;
  }

  Module& m_;
  OpRows rows_;
  Symbols& symbols_;
  bool has_groups_;
  StringId func_name_;            // of the function that is being split
  std::vector<Kind> kinds_;       // by OpId, up to the first copy
  std::vector<OpId> first_copy_;  // likewise; it takes the name of an original that goes
  std::vector<OpId> constants_;   // in program order
  std::vector<OpId> expansions_;
  ValueMap copies_;          // of the expression that is being copied
  std::vector<Frame> path_;  // down into it
  std::unordered_map<std::uint32_t, std::vector<OpId>> groups_;  // by ValueId of an original
  std::unordered_set<std::uint32_t> not_constant_names_;         // of named computations
  std::unordered_set<std::uint32_t> not_constant_funcs_;
  bool changed_ = false;
};

}  // namespace detail

inline Result<bool> constant_or_scalar_splitter(Module& m, const OpTable& ops) {
  Symbols symbols(m);
  const CallOrder order = call_order(m, symbols);
  if (Diagnostics errors = check_call_order(m, order); !errors.empty()) return errors;
  const bool converted = detail::convert_constants(m);
  detail::ConstantSplitter splitter(m, ops, symbols);
  for (FuncId f : order.funcs) splitter.split_func(f);
  return splitter.changed() || converted;
}

}  // namespace shardprop
