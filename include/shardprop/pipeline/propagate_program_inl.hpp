// Definitions of propagate_program.hpp.
#pragma once

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

// The steps on the working copy: what a pass gave is noted under its name.
struct ProgramSteps {
  const Module& copy;
  const PropagateProgramOptions& options;
  Diagnostics errors = {};

  // Whether to go on.
  bool operator()(std::string_view pass, Result<bool> done) {
    if (!done) {
      errors = std::move(done.errors());
      return false;
    }
    if (options.observe) options.observe(copy, pass);
    return true;
  }
};

// What comes before propagation: `import-pipeline`, then a copy of each function for each call.
inline Diagnostics import_program(Module& copy, const OpTable& ops,
                                  const PropagateProgramOptions& options) {
  ProgramSteps step{copy, options};
  const PropagateOptions& propagation = options.propagation;
  static_cast<void>(
      step("symbol-dce", symbol_dce(copy)) &&
      step("lift-inlined-meshes", lift_inlined_meshes(copy)) &&
      step("remove-size-one-axes", remove_size_one_axes(copy)) &&
      step("propagate-sharding-from-func-to-call", propagate_sharding_from_func_to_call(copy)) &&
      step("constant-or-scalar-splitter", constant_or_scalar_splitter(copy, ops)) &&
      step("symbol-dce", symbol_dce(copy)) &&
      step("manual-axes-cleanup", manual_axes_cleanup(copy)) &&
      step("add-data-flow-edges", add_data_flow_edges(copy, ops)) &&
      step("flatten-call-graph", flatten_call_graph(copy)) &&
      step("symbol-dce", symbol_dce(copy)) &&
      step("import-func-calls", import_func_calls(copy, ops)) &&
      step("symbol-dce", symbol_dce(copy)) &&
      step("apply-sharding-constraints",
           apply_sharding_constraints(copy, ops,
                                      {propagation.trace_origins, propagation.trace_edges})) &&
      step("sharding-group-import", sharding_group_import(copy)) &&
      step("pre-order-funcs", pre_order_funcs(copy)));
  return std::move(step.errors);
}

// What comes after it. Constants are not merged again, so that each copy still has what its use
// wants. Where values enter and leave, shardings are cut back to what divides evenly and to whole
// axes; `cuts` takes a note for each that is.
inline Diagnostics export_program(Module& copy, const OpTable& ops,
                                  const PropagateProgramOptions& options, Diagnostics& cuts) {
  ProgramSteps step{copy, options};
  const bool at_boundary = step("export-named-computations", export_named_computations(copy)) &&
                           step("propagate-to-func-results", propagate_to_func_results(copy)) &&
                           step("unflatten-call-graph", unflatten_call_graph(copy)) &&
                           step("symbol-dce", symbol_dce(copy)) &&
                           step("insert-func-call-reshards", insert_func_call_reshards(copy)) &&
                           step("sink-data-flow-edges", sink_data_flow_edges(copy, ops));
  if (!at_boundary) return std::move(step.errors);
  const BoundaryShardings before(copy);
  const bool cut = step("update-non-divisible-input-output-shardings",
                        update_non_divisible_input_output_shardings(copy)) &&
                   step("remove-sub-axes-in-input-output-shardings",
                        remove_sub_axes_in_input_output_shardings(copy));
  if (!cut) return std::move(step.errors);
  before.note_cuts(copy, cuts);
  if (step("close-shardings", close_shardings(copy)) && !options.propagation.keep_sharding_rules)
    step("drop-sharding-rules", drop_sharding_rules(copy));
  return std::move(step.errors);
}

}  // namespace detail

SHARDPROP_INLINE Result<PropagatedCopy> propagate_copy(const Module& m, const OpTable& ops,
                                                       const PropagateProgramOptions& options) {
  PropagatedCopy copy{m, {}};
  start_lineage(copy.module);
  Diagnostics errors = detail::import_program(copy.module, ops, options);
  if (!errors.empty()) return errors;
  PropagateOptions propagation = options.propagation;
  propagation.keep_sharding_rules = true;
  Result<PropagationReport> report = propagate(copy.module, ops, propagation);
  if (!report) return std::move(report.errors());
  if (options.observe) options.observe(copy.module, "user-priority-propagate");
  copy.report = *std::move(report);
  return copy;
}

SHARDPROP_INLINE Result<PropagationReport> write_outcome(Module& m, PropagatedCopy copy,
                                                         const OpTable& ops,
                                                         const PropagateProgramOptions& options) {
  PropagationReport report = std::move(copy.report);
  Diagnostics errors = detail::export_program(copy.module, ops, options, report.diagnostics);
  if (!errors.empty()) return errors;
  detail::OutcomeWriter(m, copy.module, options.copy_functions, report.diagnostics).run();
  return report;
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
  return write_outcome(m, *std::move(copy), ops, options);
}

}  // namespace shardprop
