// The main job: the shardings that the reference's pipeline finds for a program, on the program's
// own operations.
//
// The pipeline gives each use of a constant a copy of its own and each call a copy of its function,
// propagates, and cuts what does not divide evenly where values enter and leave functions. All this
// happens on a copy of the module. The outcome is then mapped back (program_outcome.hpp): nothing is
// added to the program and nothing is taken from it, apart from copies of functions whose calls need
// different shardings.
//
// `propagate` (propagate/propagate.hpp) is the propagation alone. It does not enter loops, manual
// computations or calls unless data-flow edges mark them.
#pragma once

#include <span>
#include <utility>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/passes/calls/export_named_computations.hpp"
#include "shardprop/passes/calls/flatten_call_graph.hpp"
#include "shardprop/passes/calls/func_calls.hpp"
#include "shardprop/passes/calls/import_func_calls.hpp"
#include "shardprop/passes/calls/insert_func_call_reshards.hpp"
#include "shardprop/passes/calls/unflatten_call_graph.hpp"
#include "shardprop/passes/export/close_shardings.hpp"
#include "shardprop/passes/export/drop_sharding_rules.hpp"
#include "shardprop/passes/export/propagate_to_func_results.hpp"
#include "shardprop/passes/export/remove_sub_axes_in_input_output_shardings.hpp"
#include "shardprop/passes/export/update_non_divisible_input_output_shardings.hpp"
#include "shardprop/passes/import/apply_sharding_constraints.hpp"
#include "shardprop/passes/import/constant_or_scalar_splitter.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
#include "shardprop/passes/import/lift_inlined_meshes.hpp"
#include "shardprop/passes/import/manual_axes_cleanup.hpp"
#include "shardprop/passes/import/remove_size_one_axes.hpp"
#include "shardprop/passes/import/sharding_group_import.hpp"
#include "shardprop/pipeline/program_outcome.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct PropagateProgramOptions {
  PropagateOptions propagation = {};
  // Check the module first. False is the caller's promise that it verifies: what happens to a
  // module that does not is then undefined.
  bool verify = true;
  // Copy a function whose calls need different shardings. Otherwise it takes those of the first
  // call, and the report says so.
  bool copy_functions = true;
};

namespace detail {

using ProgramStep = Result<bool> (*)(Module&, const OpTable&);

template <Result<bool> (*kPass)(Module&)>
Result<bool> step(Module& m, const OpTable&) {
  return kPass(m);
}
template <Result<bool> (*kPass)(Module&, const OpTable&)>
Result<bool> step(Module& m, const OpTable& ops) {
  return kPass(m, ops);
}

// What comes before propagation: `import-pipeline`, then a copy of each function for each call.
inline constexpr ProgramStep kImportSteps[] = {
    step<symbol_dce>,
    step<lift_inlined_meshes>,
    step<remove_size_one_axes>,
    step<propagate_sharding_from_func_to_call>,
    step<constant_or_scalar_splitter>,
    step<symbol_dce>,
    step<manual_axes_cleanup>,
    step<add_data_flow_edges>,
    step<flatten_call_graph>,
    step<symbol_dce>,
    [](Module& m, const OpTable& ops) { return import_func_calls(m, ops); },
    step<symbol_dce>,
};

// What comes after it, up to the boundary: constants are not merged again, so that each copy still
// says what its use wants.
inline constexpr ProgramStep kExportSteps[] = {
    step<export_named_computations>,
    step<propagate_to_func_results>,
    [](Module& m, const OpTable&) { return unflatten_call_graph(m); },
    step<symbol_dce>,
    step<insert_func_call_reshards>,
    [](Module& m, const OpTable& ops) { return sink_data_flow_edges(m, ops); },
};

// Cut shardings back to what divides evenly and to whole axes, where values enter and leave.
inline constexpr ProgramStep kBoundarySteps[] = {
    step<update_non_divisible_input_output_shardings>,
    step<remove_sub_axes_in_input_output_shardings>,
};

inline Diagnostics run_steps(Module& m, const OpTable& ops, std::span<const ProgramStep> steps) {
  for (ProgramStep step : steps) {
    if (Result<bool> done = step(m, ops); !done) return std::move(done.errors());
  }
  return {};
}

inline Diagnostics import_program(Module& work, const OpTable& ops,
                                  const PropagateOptions& options) {
  if (Diagnostics errors = run_steps(work, ops, kImportSteps); !errors.empty()) return errors;
  const Result<bool> applied =
      apply_sharding_constraints(work, ops, {options.trace_origins, options.trace_edges});
  if (!applied) return applied.errors();
  const Result<bool> grouped = sharding_group_import(work);
  if (!grouped) return grouped.errors();
  const Result<bool> ordered = pre_order_funcs(work);
  return ordered ? Diagnostics() : ordered.errors();
}

// `cuts` takes a note for each sharding that is cut back.
inline Diagnostics export_program(Module& work, const OpTable& ops, bool keep_sharding_rules,
                                  Diagnostics& cuts) {
  if (Diagnostics errors = run_steps(work, ops, kExportSteps); !errors.empty()) return errors;
  const BoundaryShardings before(work);
  if (Diagnostics errors = run_steps(work, ops, kBoundarySteps); !errors.empty()) return errors;
  before.note_cuts(work, cuts);
  if (const Result<bool> closed = close_shardings(work); !closed) return closed.errors();
  if (keep_sharding_rules) return {};
  const Result<bool> dropped = drop_sharding_rules(work);
  return dropped ? Diagnostics() : dropped.errors();
}

}  // namespace detail

// A copy of a program as propagation leaves it: constants split, calls inlined, edges in place. For
// those who ask how an axis came to a value; `lineage` of the copy says what each value stands for.
struct PropagatedCopy {
  Module module;
  PropagationReport report;
};

// Propagates through a copy of `m`, which must verify.
inline Result<PropagatedCopy> propagate_copy(const Module& m, const OpTable& ops,
                                             const PropagateOptions& options) {
  PropagatedCopy copy{m, {}};
  start_lineage(copy.module);
  if (Diagnostics errors = detail::import_program(copy.module, ops, options); !errors.empty())
    return errors;
  PropagateOptions propagation = options;
  propagation.keep_sharding_rules = true;
  Result<PropagationReport> report = propagate(copy.module, ops, propagation);
  if (!report) return std::move(report.errors());
  copy.report = std::move(*report);
  return copy;
}

// Gives each value of `m` the sharding that the reference's pipeline gives what it became, closed.
// On failure `m` is as it was.
//
// Where a value became several and they differ, the program has no place for both:
// - a constant, or what is made of constants only, keeps what the user wrote, mostly nothing;
// - a function whose calls need different shardings is copied, or takes those of the first call.
// Each such case is a note in the diagnostics of the report, as is each sharding that was cut back
// where values enter and leave functions.
//
// Cost: that of the passes, O(operations + copies of functions, one for each call), and a copy of
// `m` in memory.
inline Result<PropagationReport> propagate_program(Module& m, const OpTable& ops,
                                                   const PropagateProgramOptions& options = {}) {
  if (options.verify) {
    Diagnostics errors;
    verify_module(ops, m, errors);
    if (has_errors(errors)) return errors;
  }
  Result<PropagatedCopy> copy = propagate_copy(m, ops, options.propagation);
  if (!copy) return std::move(copy.errors());
  PropagationReport report = std::move(copy->report);
  Diagnostics errors = detail::export_program(
      copy->module, ops, options.propagation.keep_sharding_rules, report.diagnostics);
  if (!errors.empty()) return errors;
  detail::OutcomeWriter(m, copy->module, options.copy_functions, report.diagnostics).run();
  return report;
}

}  // namespace shardprop
