// Definitions of propagate_program.hpp.
#pragma once

#include <span>
#include <string_view>
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
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

struct StepInput {
  const OpTable& ops;
  const PropagateOptions& propagation;
};

// A step on the working copy; `name` is that of the pass.
struct ProgramStep {
  std::string_view name;
  Result<bool> (*run)(Module&, const StepInput&);
};

template <Result<bool> (*kPass)(Module&)>
Result<bool> step(Module& m, const StepInput&) {
  return kPass(m);
}
template <Result<bool> (*kPass)(Module&, const OpTable&)>
Result<bool> step(Module& m, const StepInput& in) {
  return kPass(m, in.ops);
}

// What comes before propagation: `import-pipeline`, then a copy of each function for each call.
inline constexpr ProgramStep kImportSteps[] = {
    {"symbol-dce", step<symbol_dce>},
    {"lift-inlined-meshes", step<lift_inlined_meshes>},
    {"remove-size-one-axes", step<remove_size_one_axes>},
    {"propagate-sharding-from-func-to-call", step<propagate_sharding_from_func_to_call>},
    {"constant-or-scalar-splitter", step<constant_or_scalar_splitter>},
    {"symbol-dce", step<symbol_dce>},
    {"manual-axes-cleanup", step<manual_axes_cleanup>},
    {"add-data-flow-edges", step<add_data_flow_edges>},
    {"flatten-call-graph", step<flatten_call_graph>},
    {"symbol-dce", step<symbol_dce>},
    {"import-func-calls",
     [](Module& m, const StepInput& in) { return import_func_calls(m, in.ops); }},
    {"symbol-dce", step<symbol_dce>},
    {"apply-sharding-constraints",
     [](Module& m, const StepInput& in) {
       return apply_sharding_constraints(
           m, in.ops, {in.propagation.trace_origins, in.propagation.trace_edges});
     }},
    {"sharding-group-import", step<sharding_group_import>},
    {"pre-order-funcs", step<pre_order_funcs>},
};

// What comes after it, up to the boundary. Constants are not merged again, so that each copy still
// has what its use wants.
inline constexpr ProgramStep kExportSteps[] = {
    {"export-named-computations", step<export_named_computations>},
    {"propagate-to-func-results", step<propagate_to_func_results>},
    {"unflatten-call-graph", [](Module& m, const StepInput&) { return unflatten_call_graph(m); }},
    {"symbol-dce", step<symbol_dce>},
    {"insert-func-call-reshards", step<insert_func_call_reshards>},
    {"sink-data-flow-edges",
     [](Module& m, const StepInput& in) { return sink_data_flow_edges(m, in.ops); }},
};

// These cut shardings back to what divides evenly and to whole axes, where values enter and leave.
inline constexpr ProgramStep kBoundarySteps[] = {
    {"update-non-divisible-input-output-shardings",
     step<update_non_divisible_input_output_shardings>},
    {"remove-sub-axes-in-input-output-shardings", step<remove_sub_axes_in_input_output_shardings>},
};

inline constexpr ProgramStep kClosingSteps[] = {{"close-shardings", step<close_shardings>}};
inline constexpr ProgramStep kDropRules[] = {{"drop-sharding-rules", step<drop_sharding_rules>}};

inline Diagnostics run_steps(Module& copy, const OpTable& ops,
                             const PropagateProgramOptions& options,
                             std::span<const ProgramStep> steps) {
  for (const ProgramStep& step : steps) {
    Result<bool> done = step.run(copy, {ops, options.propagation});
    if (!done) return std::move(done.errors());
    if (options.observe) options.observe(copy, step.name);
  }
  return {};
}

// `cuts` takes a note for each sharding that is cut back.
inline Diagnostics export_program(Module& copy, const OpTable& ops,
                                  const PropagateProgramOptions& options, Diagnostics& cuts) {
  Diagnostics errors = run_steps(copy, ops, options, kExportSteps);
  if (!errors.empty()) return errors;
  const BoundaryShardings before(copy);
  errors = run_steps(copy, ops, options, kBoundarySteps);
  if (!errors.empty()) return errors;
  before.note_cuts(copy, cuts);
  errors = run_steps(copy, ops, options, kClosingSteps);
  if (!errors.empty() || options.propagation.keep_sharding_rules) return errors;
  return run_steps(copy, ops, options, kDropRules);
}

}  // namespace detail

SHARDPROP_INLINE Result<PropagatedCopy> propagate_copy(const Module& m, const OpTable& ops,
                                                       const PropagateProgramOptions& options) {
  PropagatedCopy copy{m, {}};
  start_lineage(copy.module);
  Diagnostics errors = detail::run_steps(copy.module, ops, options, detail::kImportSteps);
  if (!errors.empty()) return errors;
  PropagateOptions propagation = options.propagation;
  propagation.keep_sharding_rules = true;
  Result<PropagationReport> report = propagate(copy.module, ops, propagation);
  if (!report) return std::move(report.errors());
  if (options.observe) options.observe(copy.module, "user-priority-propagate");
  copy.report = *std::move(report);
  return copy;
}

SHARDPROP_INLINE Result<PropagationReport> propagate_program(
    Module& m, const OpTable& ops, const PropagateProgramOptions& options) {
  if (options.verify) {
    Diagnostics errors;
    verify_module(ops, m, errors);
    if (has_errors(errors)) return errors;
  }
  Result<PropagatedCopy> copy = propagate_copy(m, ops, options);
  if (!copy) return std::move(copy.errors());
  PropagationReport report = std::move(copy->report);
  Diagnostics errors = detail::export_program(copy->module, ops, options, report.diagnostics);
  if (!errors.empty()) return errors;
  detail::OutcomeWriter(m, copy->module, options.copy_functions, report.diagnostics).run();
  return report;
}

}  // namespace shardprop
