// Propagation of shardings through a module: the entry points.
//
// Rounds nest: user priority, then op-priority round, then strategy; each is a run of the engine
// over the whole module. Cost: O(operations) a run plus O(1) a change, each step a look-up where it
// was seen before.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/engine/engine.hpp"
#include "shardprop/propagate/engine/run_directions.hpp"
#include "shardprop/propagate/engine/unresolved.hpp"
#include "shardprop/propagate/engine/user_priority.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/trace/trace_attributes.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Shardings need static shapes: an error for each operation that makes something else.
inline Diagnostics check_shapes(const Module& m) {
  Diagnostics errors;
  walk_ops(m, [&](OpId op) {
    for (ValueId value : results(m, op)) {
      const TypeId type = type_of(m, value);
      if (m.types.is_tensor(type) && !m.types.is_static_tensor(type)) {
        errors.push_back({"propagate.dynamic_shape", "propagation needs tensors of static shape",
                          "refine the program's shapes first", place_of_value(m, value)});
      } else if (!m.types.is_tensor(type) && m.strings[m.types.dtype(type)].starts_with("tuple")) {
        errors.push_back({"propagate.tuple", "propagation does not pass through tuples",
                          "return the elements as separate results", place_of_value(m, value)});
      }
    }
  });
  return errors;
}

inline void run_all(Module& m, ShardingStore& store, Engine& engine,
                    const PropagateOptions& options) {
  const auto run_rounds = [&] {
    for (std::size_t r = 0; r < engine.run_count() && !engine.stopped(); ++r) engine.run(r);
  };
  if (!options.user_priorities) return run_rounds();
  UserPriorities priorities(m, store);
  run_rounds();
  for (std::int32_t priority : priorities.priorities()) {
    priorities.restore(priority);
    run_rounds();
  }
}

// Leaves on the operations the rules that were used, or only those that the user marked as custom.
inline void leave_rules(Module& m, const Plan& plan, bool keep) {
  for (OpId op : plan.order) {
    RuleId& rule = m.ops[op].rule;
    if (keep && plan.ops[op].form == StepForm::kOp && !plan.ops[op].is_barrier())
      rule = plan.ops[op].rule;
    if (!keep && rule.valid() && !m.rules[rule].custom) rule = RuleId();
  }
}

}  // namespace detail

// Finds the shardings of all values from those that are given. `m` must verify. Fails, and leaves
// `m` as it was, where a value has no static shape.
inline Result<PropagationReport> propagate(Module& m, const OpTable& table,
                                           const PropagateOptions& options = {}) {
  const auto start = std::chrono::steady_clock::now();
  if (Diagnostics errors = detail::check_shapes(m); !errors.empty()) return errors;
  PropagationReport report;
  OpRows rows(table, m);
  ShardingGroups groups(m);
  {
    ShardingStore store(m, rows);
    sync_groups(m, store, groups, report.diagnostics);
    store.finish();
  }
  ShardingStore store(m, rows);
  const Plan plan = Planner(m, rows, store, options.conservative, report).make();
  const bool traced = options.trace_origins || options.trace_edges;
  if (traced) report.trace = start_trace(m, store, {options.trace_origins, options.trace_edges});
  Engine engine(m, store, groups, plan, options, report, traced ? &*report.trace : nullptr);
  detail::run_all(m, store, engine, options);
  if (options.find_unresolved) report.unresolved = UnresolvedFinder(m, store, plan).find();
  if (traced) write_trace(m, store, *report.trace);
  store.finish();
  detail::leave_rules(m, plan, options.keep_sharding_rules);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Puts on each operation that has none the rule that propagation would use.
inline std::size_t populate_sharding_rules(Module& m, const OpTable& table,
                                           bool conservative = false) {
  OpRows rows(table, m);
  RuleCache rules(conservative);
  std::size_t added = 0;
  walk_ops(m, [&](OpId op) {
    RuleId& rule = m.ops[op].rule;
    if (rule.valid()) return;
    rule = rules.get(m, rows, op);
    if (rule.valid()) ++added;
  });
  return added;
}

}  // namespace shardprop
