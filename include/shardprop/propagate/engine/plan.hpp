// What the engine needs to know of each operation: its rule, its class, its edge. Made once, before
// the first run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/ir/call_graph.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/propagate/engine/run_directions.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"

namespace shardprop {

// What a step of an operation is between. An operation without a rule is not stepped.
enum class StepForm : std::uint8_t {
  kOp,        // its operands and results
  kEdge,      // the sources of a data-flow edge and the edge's result
  kFuncEdge,  // the sources of a function's argument or of a call's result, and the edge's result
};

// Which operations the change of an operand of an operation concerns (`Engine::note_users`).
enum class UserRole : std::uint8_t { kPlain, kReturn, kCall, kEndsRegion };

struct OpPlan {
  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFFu;

  RuleId rule;
  std::uint32_t place = kNoPlace;  // in `Plan::order`; `kNoPlace` without a rule
  StepForm form = StepForm::kOp;
  OpGroup group = op_group(OpClass::kLate, false);
  bool elementwise : 1 = false;
  bool nested : 1 = false;  // in a region of another operation
  UserRole role : 2 = UserRole::kPlain;

  bool is_barrier() const { return group >= kFirstBarrierGroup; }
};

struct Plan {
  std::vector<OpId> order;  // operations that can be stepped, in program pre-order
  IdVector<OpId, OpPlan> ops;
  CallGraph graph;
  std::map<std::uint32_t, std::vector<ValueId>> func_edge_sources;  // by edge operation
};

namespace detail {

inline bool has_multi_use_operand(const Module& m, OpId op) {
  for (UseId use : operand_uses(m, op)) {
    const ValueId value = m.uses[use].value;
    if (!has_one_use(m, value) && !is_scalar(m, value)) return true;
  }
  return false;
}

// The values whose shardings flow into a function's argument or a call's result.
inline std::vector<ValueId> func_edge_sources(const Module& m, const CallGraph& graph, OpId edge) {
  std::vector<ValueId> sources;
  const ValueId input = operand(m, edge, 0);
  const std::size_t number = m.values[input].number;
  if (m.values[input].is_argument) {
    for (OpId call : graph.callers[enclosing_func(m, argument_block(m, input))]) {
      if (number < m.ops[call].operand_count) sources.push_back(operand(m, call, number));
    }
    return sources;
  }
  const FuncId callee = graph.callee(defining_op(m, input));
  if (!callee.valid()) return sources;
  const OpId end = terminator(m, m.funcs[callee].body);
  if (end.valid() && number < m.ops[end].operand_count) sources.push_back(operand(m, end, number));
  return sources;
}

inline Direction barrier_direction(const Module& m, OpId op) {
  const AttrId allowed = attribute(m, op, "allowed_direction");
  if (m.attrs.kind(allowed) != AttrKind::kString) return Direction::kNone;
  const std::string_view name = m.strings[m.attrs.as_string(allowed)];
  if (name == "FORWARD") return Direction::kForward;
  if (name == "BACKWARD") return Direction::kBackward;
  return name == "BOTH" ? Direction::kBoth : Direction::kNone;
}

}  // namespace detail

// Makes plans; counts operations without a rule in `report`.
class Planner {
 public:
  Planner(Module& m, OpRows& rows, const ShardingStore& store, bool conservative,
          PropagationReport& report)
      : m_(m), rows_(rows), store_(store), rules_(conservative), report_(report) {}

  Plan make() {
    Plan plan;
    plan.graph = call_graph(m_, Symbols(m_));
    plan.ops.resize(m_.ops.size());
    for (FuncId f : m_.func_order) {
      walk_block(m_, m_.funcs[f].body, [&](OpId op) {
        ++report_.operations;
        OpPlan& row = plan.ops[op];
        row = plan_op(op, plan);
        if (!row.rule.valid()) return;
        row.place = static_cast<std::uint32_t>(plan.order.size());
        plan.order.push_back(op);
      });
    }
    return plan;
  }

 private:
  OpPlan plan_op(OpId op, Plan& whole) {
    const OpRow* row = rows_[op];
    const Traits traits = traits_of(row, m_, op);
    OpPlan plan;
    plan.role = role_of(op);
    plan.nested = parent_op(m_, op).valid();
    plan.elementwise = (traits & kElementwise) != 0;
    const StringId name = m_.ops[op].name;
    if (name == known::kSdyDataFlowEdge || name == known::kSdyFuncDataFlowEdge) {
      plan_edge(op, whole, plan);
    } else if (name == known::kSdyPropagationBarrier) {
      plan.rule = identity(op, 1);
      plan.group = barrier_group(detail::barrier_direction(m_, op));
      plan.elementwise = true;
      return plan;
    } else {
      plan.rule = m_.ops[op].rule.valid() ? m_.ops[op].rule : rules_.get(m_, rows_, op);
      if (!plan.rule.valid()) note_without_rule(op, row);
    }
    const bool multi_use = plan.rule.valid() && detail::has_multi_use_operand(m_, op);
    plan.group = op_group(op_class(traits), multi_use);
    return plan;
  }

  UserRole role_of(OpId op) const {
    if (m_.ops[op].name == known::kFuncReturn) return UserRole::kReturn;
    if (m_.ops[op].name == known::kFuncCall) return UserRole::kCall;
    return m_.layout[op].next.valid() ? UserRole::kPlain : UserRole::kEndsRegion;
  }

  void plan_edge(OpId op, Plan& whole, OpPlan& plan) {
    std::size_t sources = 0;
    if (m_.ops[op].name == known::kSdyDataFlowEdge) {
      const EdgeInfo* info = store_.edge(op);
      plan.form = StepForm::kEdge;
      sources = info ? info->edge.sources.size() : 0;
    } else {
      plan.form = StepForm::kFuncEdge;
      std::vector<ValueId> values = detail::func_edge_sources(m_, whole.graph, op);
      sources = values.size();
      whole.func_edge_sources[op.index] = std::move(values);
    }
    if (sources > 0) plan.rule = identity(op, sources);
  }

  // The identity rule with `sources` operands, for an operation whose result has the type of its
  // operand.
  RuleId identity(OpId op, std::size_t sources) {
    if (m_.ops[op].result_count == 0 || !m_.types.is_static_tensor(type_of(m_, result(m_, op, 0))))
      return RuleId();
    return m_.rules.intern(identity_rule(shape_of(m_, result(m_, op, 0)), sources, 1));
  }

  void note_without_rule(OpId op, const OpRow* row) {
    if (row && (row->def.silent_without_rule || (row->def.traits & kTerminator))) return;
    const StringId name = m_.ops[op].name;
    const auto [it, is_new] = without_rule_.emplace(name.index, report_.without_rule.size());
    if (is_new)
      report_.without_rule.push_back({std::string(m_.strings[name]), 0, place_of(m_, op)});
    ++report_.without_rule[it->second].count;
  }

  Module& m_;
  OpRows& rows_;
  const ShardingStore& store_;
  RuleCache rules_;
  PropagationReport& report_;
  std::unordered_map<std::uint32_t, std::size_t> without_rule_;  // name to row of the report
};

}  // namespace shardprop
