// The import passes as rows, and with them those that take back what they add.
#pragma once

#include <array>

#include "shardprop/passes/apply_sharding_constraints.hpp"
#include "shardprop/passes/calls.hpp"
#include "shardprop/passes/data_flow_edges.hpp"
#include "shardprop/passes/func_data_flow_edges.hpp"
#include "shardprop/passes/manual_axes_cleanup.hpp"
#include "shardprop/passes/meshes.hpp"
#include "shardprop/passes/sharding_group_import.hpp"
#include "shardprop/pipeline/pass_table.hpp"

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

}  // namespace detail

inline constexpr std::array kImportPasses = {
    PassDef{"symbol-dce", "erases private functions that nobody calls", {}, detail::run_plain<symbol_dce>},
    PassDef{"lift-inlined-meshes", "leaves each distinct mesh once, under a name", {},
            detail::run_plain<lift_inlined_meshes>},
    PassDef{"remove-size-one-axes", "takes axes of size 1 out of all shardings", {},
            detail::run_plain<remove_size_one_axes>},
    PassDef{"propagate-sharding-from-func-to-call", "gives calls the shardings of their function's results", {},
            detail::run_plain<propagate_sharding_from_func_to_call>},
    PassDef{"manual-axes-cleanup", "sorts manual axes and notes unused ones as replicated", {},
            detail::run_plain<manual_axes_cleanup>},
    PassDef{"add-data-flow-edges", "marks where values flow through regions", {},
            detail::run_with_ops<add_data_flow_edges>},
    PassDef{"add-func-data-flow-edges", "marks where values flow between functions", {},
            detail::run_plain<add_func_data_flow_edges>},
    PassDef{"apply-sharding-constraints", "lets tensors take the shardings of constraints on them", {},
            detail::run_with_ops<apply_sharding_constraints>},
    PassDef{"sharding-group-import", "joins sharding groups that share values", {},
            detail::run_plain<sharding_group_import>},
    PassDef{"pre-order-funcs", "puts functions behind their callers", {}, detail::run_plain<pre_order_funcs>},
    PassDef{"sink-data-flow-edges", "takes the data-flow edges away and keeps their shardings", {},
            detail::run_with_ops<sink_data_flow_edges>},
    PassDef{"sink-func-data-flow-edges", "takes the edges between functions away and keeps their shardings", {},
            detail::run_plain<sink_func_data_flow_edges>},
};

}  // namespace shardprop
