// The import passes as rows, with those that undo them.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "shardprop/passes/calls/flatten_call_graph.hpp"
#include "shardprop/passes/calls/func_calls.hpp"
#include "shardprop/passes/calls/func_data_flow_edges.hpp"
#include "shardprop/passes/calls/import_func_calls.hpp"
#include "shardprop/passes/import/apply_sharding_constraints.hpp"
#include "shardprop/passes/import/constant_or_scalar_splitter.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
#include "shardprop/passes/import/import_gspmd_shardings.hpp"
#include "shardprop/passes/import/import_round_trip_shardings.hpp"
#include "shardprop/passes/import/lift_inlined_meshes.hpp"
#include "shardprop/passes/import/manual_axes_cleanup.hpp"
#include "shardprop/passes/import/remove_size_one_axes.hpp"
#include "shardprop/passes/import/sharding_group_import.hpp"
#include "shardprop/passes/reshards/explicit_gather_scatter_batching.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/pipeline/propagation_passes.hpp"

namespace shardprop {

namespace detail {

inline Result<bool> run_import_gspmd_shardings(Module& m, const OptionValues&,
                                               const PassContext& context) {
  GspmdImport imported = import_gspmd_shardings(m);
  std::ranges::move(imported.warnings, std::back_inserter(context.warnings));
  return imported.imported > 0;
}

inline constexpr std::array kImportFuncCallsOptions = {
    PassOption{.name = "add-data-flow-edges-on-named-computations",
               .summary = "put data-flow edges on all named computations",
               .default_value = "true"}};

inline Result<bool> run_import_func_calls(Module& m, const OptionValues& values,
                                          const PassContext& context) {
  ImportFuncCallsOptions options;
  options.add_data_flow_edges_on_named_computations =
      values.flag("add-data-flow-edges-on-named-computations");
  return import_func_calls(m, context.ops, options);
}

inline constexpr std::array kApplyOptions = {kTraceOrigins, kTraceEdges};
inline constexpr std::array kSinkOptions = {
    PassOption{"sink-debug-sharding-origins",
               "copy the origins of the edges' axes to the operations"},
    PassOption{"sink-debug-propagation-edge-sharding",
               "copy the steps of the edges to the operations"}};

inline Result<bool> run_apply_sharding_constraints(Module& m, const OptionValues& values,
                                                   const PassContext& context) {
  return apply_sharding_constraints(
      m, context.ops,
      {values.flag("debug-sharding-origins"), values.flag("debug-propagation-edge-sharding")});
}

inline Result<bool> run_sink_data_flow_edges(Module& m, const OptionValues& values,
                                             const PassContext& context) {
  return sink_data_flow_edges(m, context.ops,
                              {values.flag("sink-debug-sharding-origins"),
                               values.flag("sink-debug-propagation-edge-sharding")});
}

}  // namespace detail

inline constexpr std::array kImportPasses = {
    pass_row<symbol_dce>("symbol-dce", "erases private functions that are not called"),
    pass_row<import_round_trip_shardings>(
        "import-round-trip-shardings",
        "reads shardings from the strings that carried them through HLO"),
    pass_row<detail::run_import_gspmd_shardings>(
        "import-gspmd-shardings", "reads the device lists of GSPMD as shardings over named axes"),
    pass_row<lift_inlined_meshes>("lift-inlined-meshes", "gives each distinct mesh one name"),
    pass_row<remove_size_one_axes>("remove-size-one-axes",
                                   "removes axes of size 1 from all shardings"),
    pass_row<propagate_sharding_from_func_to_call>(
        "propagate-sharding-from-func-to-call",
        "gives calls the shardings of their function's results"),
    pass_row<constant_or_scalar_splitter>("constant-or-scalar-splitter",
                                          "gives each use of a constant a copy of its own"),
    pass_row<constant_or_scalar_splitter>("constant-splitter",
                                          "the older name of constant-or-scalar-splitter"),
    pass_row<explicit_gather_scatter_batching>(
        "explicit-gather-scatter-batching",
        "makes implicit batching dimensions of gathers and scatters explicit"),
    pass_row<flatten_call_graph>("flatten-call-graph", "gives each call a function of its own"),
    pass_row<detail::run_import_func_calls>(
        "import-func-calls", "replaces calls by named computations with the functions' bodies",
        detail::kImportFuncCallsOptions),
    pass_row<manual_axes_cleanup>("manual-axes-cleanup",
                                  "sorts manual axes and notes unused ones as replicated"),
    pass_row<add_data_flow_edges>("add-data-flow-edges", "marks where values flow through regions"),
    pass_row<add_func_data_flow_edges>("add-func-data-flow-edges",
                                       "marks where values flow between functions"),
    pass_row<detail::run_apply_sharding_constraints>(
        "apply-sharding-constraints", "gives tensors the shardings of the constraints on them",
        detail::kApplyOptions),
    pass_row<sharding_group_import>("sharding-group-import",
                                    "joins sharding groups that share values"),
    pass_row<pre_order_funcs>("pre-order-funcs", "puts functions after their callers"),
    pass_row<detail::run_sink_data_flow_edges>(
        "sink-data-flow-edges", "removes the data-flow edges and keeps their shardings",
        detail::kSinkOptions),
    pass_row<sink_func_data_flow_edges>(
        "sink-func-data-flow-edges",
        "removes the edges between functions and keeps their shardings"),
};

}  // namespace shardprop
