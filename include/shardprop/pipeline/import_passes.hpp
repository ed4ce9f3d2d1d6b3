// The import passes as rows, and with them those that take back what they add.
#pragma once

#include <array>

#include "shardprop/passes/calls/flatten_call_graph.hpp"
#include "shardprop/passes/calls/func_calls.hpp"
#include "shardprop/passes/calls/func_data_flow_edges.hpp"
#include "shardprop/passes/calls/import_func_calls.hpp"
#include "shardprop/passes/import/apply_sharding_constraints.hpp"
#include "shardprop/passes/import/constant_or_scalar_splitter.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
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

// Passes without options, as the table calls them.
template <Result<bool> (*Pass)(Module&)>
Result<bool> run_plain(Module& m, const OptionValues&, const PassContext&) {
  return Pass(m);
}
template <Result<bool> (*Pass)(Module&, const OpTable&)>
Result<bool> run_with_ops(Module& m, const OptionValues&, const PassContext& context) {
  return Pass(m, context.ops);
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

}  // namespace detail

namespace detail {

inline constexpr std::array kApplyOptions = {kTraceOrigins, kTraceEdges};
inline constexpr std::array kSinkOptions = {
    PassOption{"sink-debug-sharding-origins",
               "leave the origins of the edges' axes on the operations"},
    PassOption{"sink-debug-propagation-edge-sharding", "leave the edges' steps on the operations"}};

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
    PassDef{"symbol-dce",
            "erases private functions that nobody calls",
            {},
            detail::run_plain<symbol_dce>},
    PassDef{"import-round-trip-shardings",
            "takes shardings out of the strings that carried them through HLO",
            {},
            detail::run_plain<import_round_trip_shardings>},
    PassDef{"lift-inlined-meshes",
            "leaves each distinct mesh once, under a name",
            {},
            detail::run_plain<lift_inlined_meshes>},
    PassDef{"remove-size-one-axes",
            "takes axes of size 1 out of all shardings",
            {},
            detail::run_plain<remove_size_one_axes>},
    PassDef{"propagate-sharding-from-func-to-call",
            "gives calls the shardings of their function's results",
            {},
            detail::run_plain<propagate_sharding_from_func_to_call>},
    PassDef{"constant-or-scalar-splitter",
            "gives each use of a constant a copy of its own",
            {},
            detail::run_with_ops<constant_or_scalar_splitter>},
    PassDef{"constant-splitter",
            "the older name of constant-or-scalar-splitter",
            {},
            detail::run_with_ops<constant_or_scalar_splitter>},
    PassDef{"explicit-gather-scatter-batching",
            "makes implicit batching dimensions of gathers and scatters explicit",
            {},
            detail::run_with_ops<explicit_gather_scatter_batching>},
    PassDef{"flatten-call-graph",
            "gives each call a function of its own",
            {},
            detail::run_plain<flatten_call_graph>},
    PassDef{"import-func-calls", "replaces calls by named computations with the functions' bodies",
            detail::kImportFuncCallsOptions, detail::run_import_func_calls},
    PassDef{"manual-axes-cleanup",
            "sorts manual axes and notes unused ones as replicated",
            {},
            detail::run_plain<manual_axes_cleanup>},
    PassDef{"add-data-flow-edges",
            "marks where values flow through regions",
            {},
            detail::run_with_ops<add_data_flow_edges>},
    PassDef{"add-func-data-flow-edges",
            "marks where values flow between functions",
            {},
            detail::run_plain<add_func_data_flow_edges>},
    PassDef{"apply-sharding-constraints", "lets tensors take the shardings of constraints on them",
            detail::kApplyOptions, detail::run_apply_sharding_constraints},
    PassDef{"sharding-group-import",
            "joins sharding groups that share values",
            {},
            detail::run_plain<sharding_group_import>},
    PassDef{"pre-order-funcs",
            "puts functions behind their callers",
            {},
            detail::run_plain<pre_order_funcs>},
    PassDef{"sink-data-flow-edges", "takes the data-flow edges away and keeps their shardings",
            detail::kSinkOptions, detail::run_sink_data_flow_edges},
    PassDef{"sink-func-data-flow-edges",
            "takes the edges between functions away and keeps their shardings",
            {},
            detail::run_plain<sink_func_data_flow_edges>},
};

}  // namespace shardprop
