// The steps of a propagation as a graph: which tensors a step is between, and which steps a tensor
// takes part in. For those who ask, after a propagation, how an axis came to a tensor or why it did
// not. A tensor is named by the slot that carries its sharding (engine/record.hpp), so that the
// values that a data-flow edge joins are one tensor.
//
// O(operations) to make; asking is O(uses of the tensor).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/engine/engine.hpp"
#include "shardprop/propagate/engine/groups.hpp"
#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/step/step.hpp"

namespace shardprop {

// A step of an operation, or, where `op` is none, between the value that `func` returns and its
// result `number`.
struct StepRef {
  OpId op = {};
  FuncId func = {};
  std::uint32_t number = 0;

  friend bool operator==(const StepRef&, const StepRef&) = default;
};

// The tensors of a step, operands first, with the shardings that they have now.
struct StepTensors {
  StepRef step;
  RuleId rule;
  StepKind kind;  // of the last run
  std::size_t operands = 0;
  std::vector<ValueId> values;  // as the step sees them; none for a function's result
  std::vector<Slot> slots;      // none for a value that can have no sharding
  std::vector<ShardingId> shardings;
};

class StepGraph {
 public:
  // `m` is propagated, with its data-flow edges in place and its rules kept; it, `ops` and
  // `options`, those of its propagation, must outlive this.
  StepGraph(Module& m, const OpTable& ops, const PropagateOptions& options)
      : m_(m),
        rows_(ops, m),
        groups_(m),
        store_(m, rows_),
        plan_(Planner(m, rows_, store_, options.conservative, report_).make()),
        engine_(m, store_, groups_, plan_, options, report_),
        conservative_(options.conservative) {
    for (const ReturnedValue& r : engine_.returned()) {
      const StepRef step{{}, r.func, static_cast<std::uint32_t>(r.number)};
      results_of_[slot(r.value)].push_back(step);
      results_of_[slot(r.func, r.number)].push_back(step);
    }
  }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  Module& module() { return m_; }
  const Module& module() const { return m_; }
  const ShardingStore& store() const { return store_; }
  const ShardingGroups& groups() const { return groups_; }
  const Plan& plan() const { return plan_; }
  // What the runs of one user priority are.
  std::size_t runs_per_priority() const { return engine_.runs().size(); }

  bool is_step(StepRef step) const { return !step.op.valid() || plan_.ops[step.op].rule.valid(); }
  bool is_edge(OpId op) const { return plan_.ops[op].form != StepForm::kOp; }
  // The operation that an edge stands at: a loop, a branch, a call or a manual computation; none for
  // the edge of a function's argument.
  OpId edge_owner(OpId op) const {
    const EdgeInfo* info = store_.edge(op);
    return info ? info->owner_op : OpId();
  }

  // The slot that carries the sharding of `value`; none if it can have none.
  Slot slot(ValueId value) const {
    const ValueId holder = store_.holder(value);
    return holder.valid() ? store_.slot(holder) : Slot();
  }
  Slot slot(FuncId func, std::size_t number) const { return store_.slot(func, number); }
  ShardingId sharding(Slot slot) const { return slot.valid() ? store_.get(slot) : ShardingId(); }

  StepTensors tensors(StepRef step) {
    return step.op.valid() ? op_tensors(step) : result_tensors(step);
  }

  // The tensors that an operation stands between, whether it has a rule or not. None for what data-flow
  // edges stand for: loops, branches, computations, calls and the ends of regions.
  std::vector<ValueId> joined_by(OpId op) {
    std::vector<ValueId> out;
    if (is_step({op})) {
      const StepTensors s = tensors({op});
      for (std::size_t t = 0; t < s.values.size(); ++t) {
        if (s.slots[t].valid()) out.push_back(s.values[t]);
      }
      return out;
    }
    const OpRow* row = rows_[op];
    const bool is_flow = (row && row->def.data_flow) || m_.ops[op].name == known::kFuncCall ||
                         !m_.layout[op].next.valid();
    if (is_flow) return out;
    out = operands_of(m_, op);
    for (ValueId value : results(m_, op)) out.push_back(value);
    return out;
  }

  // Calls `fn(OpId)` for each operation that reads the sharding of `slot`, for some twice, also for
  // operations without a rule.
  template <class Fn>
  void for_each_op(Slot slot, Fn&& fn) const {
    if (store_.is_value(slot)) engine_.readers().for_each(store_.value(slot), fn);
  }

  // Calls `fn(StepRef)` for each step of `slot`, for some twice.
  template <class Fn>
  void for_each_step(Slot slot, Fn&& fn) const {
    for_each_op(slot, [&](OpId op) {
      if (plan_.ops[op].rule.valid()) fn(StepRef{op});
    });
    const auto results = results_of_.find(slot);
    if (results != results_of_.end()) std::ranges::for_each(results->second, fn);
  }

  // Calls `fn(StepRef)` for each step of the program.
  template <class Fn>
  void for_each_step(Fn&& fn) const {
    for (OpId op : plan_.order) fn(StepRef{op});
    for (const ReturnedValue& r : engine_.returned())
      fn(StepRef{{}, r.func, static_cast<std::uint32_t>(r.number)});
  }

 private:
  StepTensors op_tensors(StepRef step) {
    const OpPlan& plan = plan_.ops[step.op];
    StepTensors out{step, plan.rule, {}, 0, {}, {}, {}};
    const RunDirections& last = engine_.directions(engine_.runs().size() - 1);
    const bool conservative = conservative_ && plan.form == StepForm::kOp && !plan.is_barrier();
    out.kind = {last.by_group[plan.group], last.strategy, plan.elementwise, conservative};
    if (plan.form == StepForm::kOp) {
      for (UseId use : operand_uses(m_, step.op)) add(out, m_.uses[use].value);
      out.operands = out.values.size();
      for (ValueId value : results(m_, step.op)) add(out, value);
      return out;
    }
    if (plan.form == StepForm::kEdge) {
      for (UseId use : store_.edge(step.op)->edge.sources) add(out, m_.uses[use].value);
    } else {
      for (ValueId value : plan_.func_edge_sources.at(step.op.index)) add(out, value);
    }
    out.operands = out.values.size();
    add(out, result(m_, step.op, 0));
    if (const EdgeInfo* info = store_.edge(step.op);
        info && info->flow->transform && out.shardings.back().valid()) {
      out.shardings.back() =
          info->flow->transform(m_, info->owner_op, info->edge.owner, out.shardings.back(),
                                EdgeTransform::kBeforePropagation);
    }
    return out;
  }

  StepTensors result_tensors(StepRef step) {
    const OpId end = terminator(m_, m_.funcs[step.func].body);
    const ValueId value = operand(m_, end, step.number);
    const Slot result = slot(step.func, step.number);
    const RuleId rule = m_.rules.intern(identity_rule(shape_of(m_, value), 1, 1));
    const Strategy strategy = engine_.directions(engine_.runs().size() - 1).strategy;
    return {step,
            rule,
            {both_ways(Direction::kBoth), strategy, false, false},
            1,
            {value, ValueId()},
            {slot(value), result},
            {sharding(slot(value)), sharding(result)}};
  }

  void add(StepTensors& out, ValueId value) const {
    out.values.push_back(value);
    out.slots.push_back(slot(value));
    out.shardings.push_back(sharding(out.slots.back()));
  }

  Module& m_;
  OpRows rows_;
  PropagationReport report_;
  ShardingGroups groups_;
  ShardingStore store_;
  Plan plan_;
  Engine engine_;
  std::unordered_map<Slot, std::vector<StepRef>> results_of_;  // steps without an operation
  bool conservative_;
};

}  // namespace shardprop
