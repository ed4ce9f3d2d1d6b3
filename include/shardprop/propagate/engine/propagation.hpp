// One propagation of a module, from what groups make of its annotations to the rules that it
// leaves. It can record itself, so that session/repropagation.hpp can take it up again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/engine/engine.hpp"
#include "shardprop/propagate/engine/groups.hpp"
#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/engine/record.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/engine/unresolved.hpp"
#include "shardprop/propagate/engine/user_priority.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/trace/trace_attributes.hpp"

namespace shardprop::detail {

struct Propagation {
  // Inserts operations where members of a sharding group disagree. `module` must be verified and
  // have static shapes; it, `table` and `o` must outlive this.
  Propagation(Module& module, const OpTable& table, const PropagateOptions& o)
      : m(module),
        options(o),
        rows(table, m),
        groups(m),
        groups_agree(sync_groups(m, rows, groups, report.diagnostics)),
        store(m, rows),
        plan(Planner(m, rows, store, o.conservative, report).make()),
        engine(m, store, groups, plan, o, report) {}

  // Propagates; with a record, if `recorded`. To be called once.
  void run(bool recorded) {
    if (options.traces())
      report.trace = std::make_shared<Trace>(
          start_trace(m, store, {options.trace_origins, options.trace_edges, options.trace}));
    priorities.emplace(m, store, options.user_priorities);
    if (recorded) start_record();
    run_rounds(0);
    std::size_t first_run = 0;
    for (std::int32_t priority : priorities->priorities()) {
      first_run += runs_per_priority();
      priorities->restore(priority, first_run);
      run_rounds(first_run);
    }
    store.attach(nullptr);
    if (options.find_unresolved) report.unresolved = UnresolvedFinder(m, store, plan).find();
    if (report.trace) write_trace(m, store, *report.trace);
    store.finish();
    leave_rules();
  }

  // By how much the number of a run grows from one user priority to the next.
  std::size_t runs_per_priority() const { return std::max<std::size_t>(1, engine.runs().size()); }

  Module& m;
  const PropagateOptions& options;
  PropagationReport report;
  OpRows rows;
  ShardingGroups groups;
  bool groups_agree;
  ShardingStore store;
  Plan plan;
  Engine engine;
  std::optional<UserPriorities> priorities;  // once it runs
  std::optional<Record> record;

 private:
  void start_record() {
    record.emplace(store.slot_count(), m.ops.size());
    for (std::size_t i = 0; i < store.slot_count(); ++i)
      record->set_start(Slot(i), store.in_module(Slot(i)));
    store.attach(&*record);
  }

  void run_rounds(std::size_t first_run) {
    for (std::size_t r = 0; r < engine.runs().size() && !engine.stopped(); ++r)
      engine.run(first_run + r);
  }

  // Leaves on the operations the rules that were used, or only those that the user marked as
  // custom.
  void leave_rules() {
    const bool keep = options.keep_sharding_rules;
    for (OpId op : plan.order) {
      RuleId& rule = m.ops[op].rule;
      if (keep && plan.ops[op].form == StepForm::kOp && !plan.ops[op].is_barrier())
        rule = plan.ops[op].rule;
      if (!keep && rule.valid() && !m.rules[rule].custom) rule = RuleId();
    }
  }
};

}  // namespace shardprop::detail
