// Pass `apply-sharding-constraints`: gives a tensor the sharding of a closed constraint, or of a
// manual computation, that uses it, if nothing contradicts it. Later users of a tensor that a chain
// of constraints is put on use the end of the chain. O(operations + uses).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/trace/trace_attributes.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

class ConstraintApplier {
 public:
  ConstraintApplier(Module& m, const OpTable& ops, Trace::Options trace)
      : m_(m), rows_(ops, m), store_(m, rows_), rules_(false) {
    if (trace.origins || trace.edges) trace_ = start_trace(m, store_, trace);
    demands_.resize(m.values.size());
    order_.resize(m.ops.size());
    std::uint32_t next = 0;
    walk_ops(m, [&](OpId op) {
      order_[op] = next++;
      note_demands(op);
    });
  }

  bool run() {
    for (OpId op : postorder(m_)) {
      if (m_.ops[op].name == known::kSdyShardingConstraint) {
        apply_constraint_op(op);
      } else if (m_.ops[op].name == known::kSdyManualComputation) {
        apply_manual_computation(op);
      }
    }
    if (trace_) write_trace(m_, store_, *trace_);
    store_.finish();
    return changed_;
  }

 private:
  void apply_constraint_op(OpId op) {
    if (const OpId tail = tail_of_chain(op); tail.valid()) use_tail(op, tail);
    const ValueId input = operand(m_, op, 0);
    const ShardingId sharding = m_.value_shardings[result(m_, op, 0)];
    if (!should_apply(input, sharding)) return;
    if (!is_edge_target(input)) return set_sharding(op, input, sharding);
    remove_from_block(m_, op);
    insert_op(m_, op, after_value(m_, input));
    use_constraint(input, op, sharding);
  }

  void apply_manual_computation(OpId op) {
    const std::vector<ShardingId> shardings = shardings_in(m_, op, kInShardings);
    for (std::size_t i = 0; i < shardings.size() && i < m_.ops[op].operand_count; ++i) {
      const ValueId input = operand(m_, op, i);
      if (!should_apply(input, shardings[i])) continue;
      if (!is_edge_target(input)) {
        set_sharding(op, input, shardings[i]);
        continue;
      }
      const OpId constraint =
          defining_op(m_, create_op_on(m_, after_value(m_, input), known::kSdyShardingConstraint,
                                       input, shardings[i]));
      demands_.resize(m_.values.size());
      note_demands(constraint);
      use_constraint(input, constraint, shardings[i]);
    }
  }

  // The shardings that constraints and manual computations want of a value.
  struct Demands {
    std::uint32_t uses = 0;  // by them
    bool any = false;
    bool differ = false;
    ShardingId sharding;
  };

  void note_demands(OpId op) {
    const bool constrains = m_.ops[op].name == known::kSdyShardingConstraint;
    if (!constrains && m_.ops[op].name != known::kSdyManualComputation) return;
    std::vector<ShardingId> in;
    if (constrains) {
      in.push_back(m_.value_shardings[result(m_, op, 0)]);
    } else {
      in = shardings_in(m_, op, kInShardings);
    }
    for (std::size_t i = 0; i < m_.ops[op].operand_count; ++i) {
      Demands& demands = demands_[operand(m_, op, i)];
      ++demands.uses;
      if (i >= in.size()) continue;
      demands.differ = demands.differ || (demands.any && demands.sharding != in[i]);
      demands.sharding = in[i];
      demands.any = true;
    }
  }

  // A tensor takes the sharding if it can have one and has none, if all dimensions of
  // the sharding are closed, and if no other constraint or manual computation wants another one.
  bool should_apply(ValueId input, ShardingId sharding) const {
    if (!sharding.valid() || !store_.holder(input).valid() || store_.get(input).valid())
      return false;
    for (const DimSharding& dim : m_.shardings[sharding].dims) {
      if (dim.open) return false;
    }
    return !demands_[input].differ;
  }

  // Whether the sharding of `value` is that of a data-flow edge: then one user alone cannot
  // decide it.
  bool is_edge_target(ValueId value) const {
    const ValueId holder = store_.holder(value);
    const OpId op = holder.valid() ? defining_op(m_, holder) : OpId();
    return op.valid() && m_.ops[op].name == known::kSdyDataFlowEdge;
  }

  void set_sharding(OpId op, ValueId input, ShardingId sharding) {
    if (!m_.ops[op].rule.valid()) m_.ops[op].rule = rules_.get(m_, rows_, op);
    const ShardingId before = store_.get(input);
    store_.set(input, sharding);
    changed_ = true;
    if (trace_ && m_.ops[op].name == known::kSdyShardingConstraint && store_.get(input) != before)
      record(op, before);
  }

  // Tells the trace that the constraint's input took its sharding.
  void record(OpId op, ShardingId before) {
    const OpShardingRule& rule = m_.rules[m_.ops[op].rule];
    const ValueId tensors[] = {operand(m_, op, 0), result(m_, op, 0)};
    const ShardingId after = m_.value_shardings[tensors[1]];
    const Mesh& mesh = m_.meshes[m_.shardings[after].mesh];
    Projection projections[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const ShardingId input = i == 0 ? before : after;
      projections[i].reset(rule);
      project_tensor(rule, 0, input.valid() ? &m_.shardings[input] : nullptr, mesh, projections[i]);
      project_tensor(rule, 1, &m_.shardings[after], mesh, projections[i]);
    }
    trace_->record(store_, {.kind = TraceEventKind::kOp, .op = op},
                   {rule, tensors, projections[0], projections[1], mesh});
  }

  // Lets the other users of an edge's target use the constraint on it.
  void use_constraint(ValueId input, OpId constraint, ShardingId sharding) {
    const ValueId output = result(m_, constraint, 0);
    replace_uses(m_, input, output, constraint);
    demands_[output].uses += demands_[input].uses - 1;
    demands_[input].uses = 1;
    changed_ = true;
    const TensorSharding wanted = m_.shardings[sharding];
    if (wanted.unreduced.empty()) return;
    // Unreduced axes do not propagate: the target itself gets them.
    const ShardingId had = store_.get(input);
    TensorSharding s =
        had.valid() ? m_.shardings[had] : open_sharding(wanted.mesh, rank_of(m_, input));
    s.unreduced = wanted.unreduced;
    s.reduction = wanted.reduction;
    store_.set(input, m_.shardings.intern(s));
  }

  // The last constraint of the chain that `head` begins, if the chain is longer than one, nothing
  // else constrains the tensor or the last one's result, and the tensor has no sharding.
  OpId tail_of_chain(OpId head) const {
    const ValueId input = operand(m_, head, 0);
    const OpId producer = defining_op(m_, input);
    if (producer.valid() && m_.ops[producer].name == known::kSdyShardingConstraint) return OpId();
    if (store_.get(input).valid() || demands_[input].uses > 1) return OpId();
    OpId tail = head;
    while (has_one_use(m_, result(m_, tail, 0))) {
      const OpId user = m_.uses[m_.values[result(m_, tail, 0)].first_use].user;
      if (m_.ops[user].name != known::kSdyShardingConstraint) break;
      tail = user;
    }
    return tail == head || demands_[result(m_, tail, 0)].uses > 0 ? OpId() : tail;
  }
  // Users of the chain's input that stand after `tail` in its block use the end of the chain.
  void use_tail(OpId head, OpId tail) {
    std::vector<UseId> later;
    const ValueId input = operand(m_, head, 0);
    for (UseId use = m_.values[input].first_use; use.valid(); use = m_.uses[use].next) {
      const OpId user = m_.uses[use].user;
      if (user == head || m_.ops[user].name == known::kFuncReturn ||
          m_.layout[user].block != m_.layout[tail].block)
        continue;
      if (order_[tail] < order_[user]) later.push_back(use);
    }
    for (UseId use : later)
      set_operand(m_, m_.uses[use].user, operand_number(m_, use), result(m_, tail, 0));
    changed_ = changed_ || !later.empty();
  }

  Module& m_;
  OpRows rows_;
  ShardingStore store_;
  RuleCache rules_;
  IdVector<ValueId, Demands> demands_;
  // Positions in pre-order before the pass. Constraints may move, but only after they served as the
  // end of a chain.
  IdVector<OpId, std::uint32_t> order_;
  std::optional<Trace> trace_;
  bool changed_ = false;
};

}  // namespace detail

inline Result<bool> apply_sharding_constraints(Module& m, const OpTable& ops,
                                               Trace::Options trace = {}) {
  return detail::ConstraintApplier(m, ops, trace).run();
}

}  // namespace shardprop
