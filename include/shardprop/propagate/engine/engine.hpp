// The engine: runs to a fixed point over a work list.
//
// Answers depend on the order of visits: operations enter in program pre-order and are taken first
// to last. A sharding that changes puts the operations that it concerns on top of the list, and the
// operations around those on top of them; what is already listed keeps its place. The operation
// that was just stepped does not list itself. A run ends when the list is empty. Before and after
// it, shardings pass between the main function's results and the values that it returns.
//
// Operations that are settled (settled.hpp) are skipped: a visit would change nothing and list
// nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/propagate/engine/groups.hpp"
#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/engine/record.hpp"
#include "shardprop/propagate/engine/run_directions.hpp"
#include "shardprop/propagate/engine/settled.hpp"
#include "shardprop/propagate/engine/sharding_readers.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/step/step.hpp"
#include "shardprop/propagate/trace/trace.hpp"
#include "shardprop/support/worklist.hpp"

namespace shardprop {

// A value that an exported function returns, as result `number`.
struct ReturnedValue {
  FuncId func;
  std::size_t number = 0;
  ValueId value;
};

class Engine {
 public:
  Engine(Module& m, ShardingStore& store, const ShardingGroups& groups, const Plan& plan,
         const PropagateOptions& options, PropagationReport& report)
      : m_(m),
        store_(store),
        groups_(groups),
        plan_(plan),
        options_(options),
        report_(report),
        runs_(run_directions(options)),
        readers_(m, store, plan) {
    cache_.enable(options.memoise);
    store_.note_changes();
    settled_.reset(plan, runs_, options.skip_settled);
    add_returned();
  }

  // What each run of a user priority allows; the runs are counted through all priorities.
  std::span<const RunDirections> runs() const { return runs_; }
  const RunDirections& directions(std::size_t run) const { return runs_[run % runs_.size()]; }
  std::span<const ReturnedValue> returned() const { return returned_; }
  const ShardingReaders& readers() const { return readers_; }
  bool stopped() const { return report_.stop_reason != StopReason::kFixedPoint; }

  // Runs number `run` to its fixed point.
  void run(std::size_t run) {
    ++report_.runs;
    if (report_.trace) report_.trace->begin_run();
    start(run);
    for (std::size_t i = 0; i < returned_.size(); ++i) pass_result(Phase::kResultsBefore, i);
    absorb_changes();
    settled_.begin_run(run % runs_.size());
    const std::size_t count = plan_.order.size();
    std::size_t passed = 0;  // places that were taken or skipped
    for (std::size_t at = settled_.next(0); at < count; at = settled_.next(at + 1)) {
      report_.skipped += at - passed;
      passed = at + 1;
      if (!cascade(at)) return;
    }
    report_.skipped += count - passed;
    for (std::size_t i = 0; i < returned_.size(); ++i) pass_result(Phase::kResultsAfter, i);
    report_.memo_hits = cache_.hits();
    report_.memo_entries = cache_.size();
  }

  // Makes `run` the one that `cascade` and `pass_result` are of.
  void start(std::size_t run) {
    number_ = run;
    run_ = &directions(run);
    list_.restart(plan_.order.size());
  }

  // From now on `cascade` visits settled operations too.
  void stop_skipping() { settled_.stop_skipping(); }

  // Visits the operation at `place`, then what changes put on top of the list. What it does depends
  // only on the shardings that it reads and on the places that are still listed, those after
  // `place`. False if the limit of visits ended it.
  bool cascade(std::size_t place) {
    store_.begin(Time(number_, Phase::kVisits, place));
    list_.advance(place);
    OpId op = plan_.order[place];
    while (true) {
      if (options_.max_visits != 0 && report_.visits >= options_.max_visits) {
        report_.stop_reason = StopReason::kVisitLimit;
        break;
      }
      visit(op);
      if (!next_on_list(op)) break;
    }
    store_.end();
    return !stopped();
  }

  // Passes the shardings of returned value `i` and of the function's result to each other.
  void pass_result(Phase phase, std::size_t i) {
    store_.begin(Time(number_, phase, i));
    const ReturnedValue& r = returned_[i];
    const RuleId rule = result_rule(type_of(m_, r.value));
    tensors_.assign({r.value, r.value});
    const Slot result = store_.slot(r.func, r.number);
    before_.assign({store_.get(r.value), store_.get(result)});
    if (before_[0] != before_[1]) {
      const StepKind kind{both_ways(Direction::kBoth), run_->strategy, false, false};
      const auto after = cache_.step(m_, rule, kind, before_);
      if (report_.trace && !std::ranges::equal(after, before_)) {
        const auto number = static_cast<std::uint32_t>(r.number);
        trace({.kind = TraceEventKind::kResult, .func = r.func, .number = number}, rule, kind,
              after);
      }
      if (after[0] != before_[0]) {
        ++report_.changes;
        store_.set(r.value, after[0]);
        if (const ValueId holder = store_.holder(r.value); holder.valid())
          update_group(holder, after[0], false);
      }
      if (after[1] != before_[1]) ++report_.changes;
      store_.set(result, after[1]);
    }
    store_.end();
  }

  // The readers of the shardings that changed in the store are not settled any more.
  void absorb_changes() {
    if (store_.attributes_changed()) settled_.unsettle_all();
    for (ValueId value : store_.changed()) {
      readers_.for_each(value, [&](OpId op) {
        const OpPlan& plan = plan_.ops[op];
        if (plan.rule.valid()) settled_.unsettle(plan.place, plan.group);
      });
    }
    store_.clear_changed();
  }

 private:
  // Takes the next operation that is not settled off the top of the list.
  bool next_on_list(OpId& op) {
    while (!list_.empty()) {
      const std::uint32_t place = list_.pop();
      op = plan_.order[place];
      store_.note_visit(op);
      if (!settled_.is_settled(place, plan_.ops[op].group)) return true;
      ++report_.skipped;
    }
    return false;
  }

  void visit(OpId op) {
    ++report_.visits;
    const OpPlan& plan = plan_.ops[op];
    const Directions directions = run_->by_group[plan.group];
    if (directions.none()) return;
    ++report_.steps;
    current_ = op;
    has_written_ = false;
    gather(op, plan);
    const bool conservative =
        options_.conservative && plan.form == StepForm::kOp && !plan.is_barrier();
    const StepKind kind{directions, run_->strategy, plan.elementwise, conservative};
    const std::span<const ShardingId> after = cache_.step(m_, plan.rule, kind, before_);
    bool is_traced = false;
    for (std::size_t t = 0; t < before_.size(); ++t) {
      if (after[t] == before_[t]) continue;
      if (report_.trace && !is_traced) trace({.op = op}, plan.rule, kind, after);
      is_traced = true;
      update(op, plan, t, after[t]);
    }
    if (!has_written_) return settled_.settle(plan.place, plan.group);
    absorb_changes();
  }

  // Records the step between `tensors_` that is under way; `after` is its answer.
  void trace(const TraceEvent& event, RuleId rule, const StepKind& kind,
             std::span<const ShardingId> after) {
    report_.trace->record(m_, store_, event, rule, kind, tensors_, before_, cache_.note(after));
  }

  // Collects the tensors of a step and their shardings.
  void gather(OpId op, const OpPlan& plan) {
    if (plan.form == StepForm::kOp) return gather_op(op);
    tensors_.clear();
    before_.clear();
    if (plan.form == StepForm::kEdge) {
      for (UseId source : store_.edge(op)->edge.sources) add_tensor(m_.uses[source].value);
    } else {
      for (ValueId source : plan_.func_edge_sources.at(op.index)) add_tensor(source);
    }
    add_tensor(result(m_, op, 0));
    if (plan.form == StepForm::kEdge)
      before_.back() = transformed(op, before_.back(), EdgeTransform::kBeforePropagation);
  }
  void gather_op(OpId op) {
    const Operation& o = m_.ops[op];
    const std::size_t count = std::size_t{o.operand_count} + o.result_count;
    if (count != tensors_.size()) {
      tensors_.resize(count);
      before_.resize(count);
    }
    std::size_t i = 0;
    for (UseId use : operand_uses(m_, op)) tensors_[i++] = m_.uses[use].value;
    for (ValueId value : results(m_, op)) tensors_[i++] = value;
    store_.get(tensors_, before_);
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
    has_written_ = true;
    note_changed(holder);
    update_group(holder, sharding, true);
  }

  void update_group(ValueId value, ShardingId sharding, bool notify) {
    for (ValueId member : groups_.members_of(value)) {
      if (member == value) continue;
      if (report_.trace) report_.trace->record_group(value, member);
      store_.set(member, sharding);
      if (notify && store_.holder(member).valid()) note_changed(member);
    }
  }

  // Lists the operations that a change of `value`, which carries its own sharding, concerns.
  void note_changed(ValueId value) {
    const OpId op = defining_op(m_, value);
    if (op.valid() && plan_.ops[op].form == StepForm::kEdge) {
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
        continue;
      }
      switch (plan_.ops[user].role) {
        case UserRole::kPlain:
          list(user);
          break;
        case UserRole::kReturn:
          note_callers(user, operand_number(m_, use), depth);
          break;
        case UserRole::kCall:
          note_callee(user, operand_number(m_, use), depth);
          break;
        case UserRole::kEndsRegion:
          list(parent_op(m_, user));  // the operation whose region it ends
          break;
      }
    }
  }

  // A change of a returned value concerns the users of the results of each call. `depth` bounds the
  // way through a cyclic call graph.
  void note_callers(OpId end, std::size_t number, std::size_t depth) {
    if (depth > m_.funcs.size()) return;
    for (OpId call : plan_.graph.callers[enclosing_func(m_, m_.layout[end].block)]) {
      if (number < m_.ops[call].result_count) note_users(result(m_, call, number), depth + 1);
    }
  }
  void note_callee(OpId call, std::size_t number, std::size_t depth) {
    const FuncId callee = plan_.graph.callee(call);
    if (!callee.valid() || depth > m_.funcs.size()) return;
    const auto arguments = m_.blocks[m_.funcs[callee].body].arguments;
    if (number < arguments.size()) note_users(arguments[number], depth + 1);
  }

  // Puts `op` on the list, then the operations whose regions it is in.
  void list(OpId op) {
    if (op == current_) return;
    while (op.valid()) {
      const OpPlan& plan = plan_.ops[op];
      if (plan.rule.valid()) list_.push(plan.place);
      op = plan.nested ? parent_op(m_, op) : OpId();
    }
  }

  // The results of `main` take part, or those of the only function. Without a `main`, those of all
  // public functions do.
  void add_returned() {
    const FuncId main = find_func(m_, "main");
    for (FuncId f : m_.func_order) {
      const bool is_outside = main.valid() ? f == main : !m_.funcs[f].is_private;
      if (is_outside || m_.func_order.size() == 1) add_returned(f);
    }
  }

  void add_returned(FuncId f) {
    const OpId end = terminator(m_, m_.funcs[f].body);
    if (!end.valid()) return;
    const std::size_t count =
        std::min<std::size_t>(m_.ops[end].operand_count, m_.funcs[f].results.size());
    for (std::size_t i = 0; i < count; ++i) {
      const ValueId value = operand(m_, end, i);
      if (m_.types.is_static_tensor(type_of(m_, value))) returned_.push_back({f, i, value});
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
  std::vector<RunDirections> runs_;
  std::size_t number_ = 0;  // of the run
  const RunDirections* run_ = nullptr;
  StepCache cache_;
  Worklist list_;
  SettledOps settled_;
  ShardingReaders readers_;
  std::vector<ReturnedValue> returned_;
  bool has_written_ = false;  // whether this visit wrote any sharding, even an unchanged one
  OpId current_;
  std::vector<ValueId> tensors_;
  std::vector<ShardingId> before_;
  IdVector<TypeId, RuleId> result_rules_;
};

}  // namespace shardprop
