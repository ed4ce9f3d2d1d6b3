// The engine: runs to a fixed point over a work list.
//
// Order of visits, which is part of the answer: operations enter in program pre-order and are taken
// first to last. A sharding that changes puts the operations it concerns on top of the list, and
// the operations around those on top of them; what is already listed keeps its place. The operation
// that was just stepped does not list itself. A run ends when the list is empty. Before and after
// it, shardings pass between the main function's results and the values that it returns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shardprop/propagate/groups.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/plan.hpp"
#include "shardprop/propagate/report.hpp"
#include "shardprop/propagate/sharding_store.hpp"
#include "shardprop/propagate/step.hpp"
#include "shardprop/propagate/trace.hpp"
#include "shardprop/support/worklist.hpp"

namespace shardprop {

// What one run allows: the directions by class, for operations without and with operands of several
// uses.
struct RunKind {
  Strategy strategy = Strategy::kBasic;
  std::array<Directions, 4> single_use;
  std::array<Directions, 4> multi_use;
};

class Engine {
 public:
  Engine(Module& m, ShardingStore& store, const ShardingGroups& groups, const Plan& plan,
         const PropagateOptions& options, PropagationReport& report, Trace* trace = nullptr)
      : m_(m),
        store_(store),
        groups_(groups),
        plan_(plan),
        options_(options),
        report_(report),
        trace_(trace) {
    cache_.enable(options.memoise);
    call_ = m.strings.intern("func.call");
    return_ = m.strings.intern("func.return");
  }

  void run(const RunKind& kind) {
    ++report_.runs;
    kind_ = kind;
    propagate_func_results();
    list_.reset(plan_.order, m_.ops.size());
    while (!list_.empty()) {
      if (options_.max_visits != 0 && report_.visits >= options_.max_visits) {
        report_.stop_reason = StopReason::kVisitLimit;
        return;
      }
      visit(list_.pop());
    }
    propagate_func_results();
    report_.memo_hits = cache_.hits();
    report_.memo_entries = cache_.size();
  }

  bool stopped() const { return report_.stop_reason != StopReason::kFixedPoint; }

 private:
  void visit(OpId op) {
    ++report_.visits;
    const OpPlan& plan = plan_.ops[op];
    const auto& by_class = plan.multi_use ? kind_.multi_use : kind_.single_use;
    const Directions directions = plan.fixed_direction
                                      ? both_ways(*plan.fixed_direction)
                                      : by_class[static_cast<std::size_t>(plan.op_class)];
    if (directions.none()) return;
    ++report_.steps;
    current_ = op;
    gather(op, plan);
    const bool conservative =
        options_.conservative && plan.form == StepForm::kOp && !plan.fixed_direction;
    const StepKind kind{directions, kind_.strategy, plan.elementwise, conservative};
    const std::span<const ShardingId> after = trace_ ? traced_step(op, FuncId(), plan.rule, kind)
                                                     : cache_.step(m_, plan.rule, kind, before_);
    for (std::size_t t = 0; t < before_.size(); ++t) {
      if (after[t] != before_[t]) update(op, plan, t, after[t]);
    }
  }

  // A step of `op`, or of the results of `func`, between `tensors_`, past the memo and recorded in
  // the trace.
  std::span<const ShardingId> traced_step(OpId op, FuncId func, RuleId rule, const StepKind& kind) {
    traced_after_.resize(before_.size());
    stepper_.step(m_, rule, kind, before_, traced_after_);
    if (traced_after_ == before_) return traced_after_;
    const Mesh& mesh = m_.meshes[common_mesh(m_, before_)];
    traced_before_.reset(m_.rules[rule]);
    for (std::size_t t = 0; t < before_.size(); ++t) {
      project_tensor(m_.rules[rule], t, before_[t].valid() ? &m_.shardings[before_[t]] : nullptr,
                     mesh, traced_before_);
    }
    trace_->record(store_, op, func,
                   {m_.rules[rule], tensors_, traced_before_, stepper_.projection(), mesh});
    return traced_after_;
  }

  // Collects the tensors of a step and their shardings.
  void gather(OpId op, const OpPlan& plan) {
    tensors_.clear();
    before_.clear();
    if (plan.form == StepForm::kOp) {
      for (UseId use : operand_uses(m_, op)) add_tensor(m_.uses[use].value);
      for (ValueId value : results(m_, op)) add_tensor(value);
      return;
    }
    if (plan.form == StepForm::kEdge) {
      for (UseId source : store_.edge(op)->edge.sources) add_tensor(m_.uses[source].value);
    } else {
      for (ValueId source : detail::func_edge_sources(m_, plan_.graph, op)) add_tensor(source);
    }
    add_tensor(result(m_, op, 0));
    if (plan.form == StepForm::kEdge)
      before_.back() = transformed(op, before_.back(), EdgeTransform::kBeforePropagation);
  }
  void add_tensor(ValueId value) {
    tensors_.push_back(value);
    before_.push_back(store_.get(value));
  }
  ShardingId transformed(OpId edge_op, ShardingId sharding, EdgeTransform when) {
    const EdgeInfo& info = *store_.edge(edge_op);
    if (!info.flow->transform || !sharding.valid()) return sharding;
    return info.flow->transform(m_, info.owner_op, info.edge.owner, sharding, when);
  }

  void update(OpId op, const OpPlan& plan, std::size_t tensor, ShardingId sharding) {
    ++report_.changes;
    const ValueId value = tensors_[tensor];
    const bool is_edge_target = plan.form == StepForm::kEdge && tensor + 1 == tensors_.size();
    store_.set(value, is_edge_target ? transformed(op, sharding, EdgeTransform::kAfterPropagation)
                                     : sharding);
    const ValueId holder = store_.holder(value);
    if (!holder.valid()) return;
    note_changed(holder);
    update_group(holder, sharding, true);
  }

  void update_group(ValueId value, ShardingId sharding, bool notify) {
    for (ValueId member : groups_.members_of(value)) {
      if (member == value) continue;
      store_.set(member, sharding);
      if (notify && store_.holder(member).valid()) note_changed(member);
    }
  }

  // Lists what a change of `value`, which carries its own sharding, concerns.
  void note_changed(ValueId value) {
    const OpId op = defining_op(m_, value);
    if (op.valid()) {
      if (const EdgeInfo* info = store_.edge(op)) {
        for (ValueId target : info->edge.targets) note_users(target, 0);
      }
    }
    const OpId owner = op.valid() ? op : m_.blocks[argument_block(m_, value)].parent_op;
    if (owner.valid()) list(owner);
    note_users(value, 0);
  }

  void note_users(ValueId value, std::size_t depth) {
    for (UseId use = m_.values[value].first_use; use.valid(); use = m_.uses[use].next) {
      const OpId user = m_.uses[use].user;
      if (const OpId edge = store_.edge_of_source(use); edge.valid()) {
        list(edge);
      } else if (m_.ops[user].name == return_) {
        note_callers(user, operand_number(m_, use), depth);
      } else if (m_.ops[user].name == call_) {
        note_callee(user, operand_number(m_, use), depth);
      } else if (!m_.layout[user].next.valid()) {
        list(parent_op(m_, user));  // a terminator: the operation whose region it ends
      } else {
        list(user);
      }
    }
  }

  // A returned value is seen by the users of the results of each call. `depth` bounds the way
  // through a cyclic call graph.
  void note_callers(OpId end, std::size_t number, std::size_t depth) {
    const auto calls = plan_.graph.calls.find(enclosing_func(m_, m_.layout[end].block).index);
    if (calls == plan_.graph.calls.end() || depth > m_.funcs.size()) return;
    for (OpId call : calls->second) {
      if (number < m_.ops[call].result_count) note_users(result(m_, call, number), depth + 1);
    }
  }
  void note_callee(OpId call, std::size_t number, std::size_t depth) {
    const auto callee = plan_.graph.callee.find(call.index);
    if (callee == plan_.graph.callee.end() || depth > m_.funcs.size()) return;
    const auto arguments = m_.blocks[m_.funcs[callee->second].body].arguments;
    if (number < arguments.size()) note_users(arguments[number], depth + 1);
  }

  // Puts `op` on the list, then what it stands in.
  void list(OpId op) {
    if (op == current_) return;
    for (; op.valid(); op = parent_op(m_, op)) {
      if (plan_.ops[op].rule.valid()) list_.push(op);
    }
  }

  void propagate_func_results() {
    for (FuncId f : m_.func_order) {
      if (exports_results(f)) propagate_func_results(f);
    }
  }

  // The results of `main` take part, or those of the only function; without a `main` those of all
  // functions that can be called from outside.
  bool exports_results(FuncId f) const {
    if (m_.func_order.size() == 1) return true;
    if (const FuncId main = find_func(m_, "main"); main.valid()) return f == main;
    return !m_.funcs[f].is_private;
  }

  void propagate_func_results(FuncId f) {
    const OpId end = terminator(m_, m_.funcs[f].body);
    if (!end.valid()) return;
    const std::size_t count =
        std::min<std::size_t>(m_.ops[end].operand_count, m_.funcs[f].results.size());
    for (std::size_t i = 0; i < count; ++i) {
      const ValueId value = operand(m_, end, i);
      if (!m_.types.is_static_tensor(type_of(m_, value))) continue;
      const RuleId rule = result_rule(type_of(m_, value));
      tensors_.assign({value, value});
      before_.assign({store_.get(value), m_.funcs[f].results[i].sharding});
      if (before_[0] == before_[1]) continue;
      const StepKind kind{both_ways(Direction::kBoth), kind_.strategy, false, false};
      const auto after =
          trace_ ? traced_step(OpId(), f, rule, kind) : cache_.step(m_, rule, kind, before_);
      if (after[0] != before_[0]) {
        ++report_.changes;
        store_.set(value, after[0]);
        if (store_.holder(value).valid()) update_group(store_.holder(value), after[0], false);
      }
      if (after[1] != before_[1]) ++report_.changes;
      m_.funcs[f].results[i].sharding = after[1];
    }
  }

  // The identity between a returned value of `type` and the function's result.
  RuleId result_rule(TypeId type) {
    if (result_rules_.size() < m_.types.size()) result_rules_.resize(m_.types.size());
    RuleId& rule = result_rules_[type];
    if (!rule.valid()) rule = m_.rules.intern(identity_rule(m_.types.shape(type), 1, 1));
    return rule;
  }

  Module& m_;
  ShardingStore& store_;
  const ShardingGroups& groups_;
  const Plan& plan_;
  const PropagateOptions& options_;
  PropagationReport& report_;
  Trace* trace_;
  StringId call_;
  StringId return_;
  RunKind kind_;
  StepCache cache_;
  Worklist<OpId> list_;
  OpId current_;
  std::vector<ValueId> tensors_;
  std::vector<ShardingId> before_;
  IdVector<TypeId, RuleId> result_rules_;
  Stepper stepper_;  // of traced steps only
  Projection traced_before_;
  std::vector<ShardingId> traced_after_;
};

}  // namespace shardprop
