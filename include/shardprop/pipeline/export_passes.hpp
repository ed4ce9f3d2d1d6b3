// The export passes as rows: what comes after propagation, with those that make communication
// explicit.
#pragma once

#include <array>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/passes/calls/export_named_computations.hpp"
#include "shardprop/passes/calls/insert_func_call_reshards.hpp"
#include "shardprop/passes/calls/unflatten_call_graph.hpp"
#include "shardprop/passes/canonicalize/canonicalize.hpp"
#include "shardprop/passes/collectives/reshard_to_collectives.hpp"
#include "shardprop/passes/export/close_shardings.hpp"
#include "shardprop/passes/export/constant_or_scalar_merger.hpp"
#include "shardprop/passes/export/drop_sharding_and_mesh.hpp"
#include "shardprop/passes/export/drop_sharding_rules.hpp"
#include "shardprop/passes/export/propagate_to_func_results.hpp"
#include "shardprop/passes/export/remove_all_gather_reduce_scatter_for_cmv1.hpp"
#include "shardprop/passes/export/remove_propagation_debug_info.hpp"
#include "shardprop/passes/export/remove_sharding_groups.hpp"
#include "shardprop/passes/export/remove_sub_axes_in_input_output_shardings.hpp"
#include "shardprop/passes/export/sharding_constraint_to_reshard.hpp"
#include "shardprop/passes/export/update_non_divisible_input_output_shardings.hpp"
#include "shardprop/passes/export/verify_unreduced_axes.hpp"
#include "shardprop/passes/import/inline_meshes.hpp"
#include "shardprop/passes/reshards/insert_explicit_reshards.hpp"
#include "shardprop/passes/reshards/partial_sums.hpp"
#include "shardprop/pipeline/pass_table.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::array kUnflattenOptions = {PassOption{
    "dedup-functions-fully", "keep one function of all copies, even if their shardings differ"}};

inline Result<bool> run_unflatten_call_graph(Module& m, const OptionValues& values,
                                             const PassContext&) {
  return unflatten_call_graph(m, {.dedup_fully = values.flag("dedup-functions-fully")});
}

inline constexpr std::array kExplicitReshardsOptions = {
    PassOption{"enable-full-version",
               "reshard around every operation, not only where it saves communication"}};

inline Result<bool> run_insert_explicit_reshards(Module& m, const OptionValues& values,
                                                 const PassContext& context) {
  const bool full = values.flag("enable-full-version");
  Result<bool> changed = insert_explicit_reshards(m, context.ops, {full});
  if (!changed || full) return changed;
  const PartialSums left = find_partial_sums(m, context.ops);
  if (left.count > 0) {
    context.warnings.push_back(
        {"reshards.partial_sums",
         fmt::format("{} operations sum over a sharded dimension, and no reduction follows: each "
                     "device has a part of the sum",
                     left.count),
         "insert-explicit-reshards{enable-full-version=true} puts the reductions in", left.first,
         Severity::kWarning});
  }
  return changed;
}

inline constexpr std::array kReshardToCollectivesOptions = {
    PassOption{"keep-redundant-reshards", "keep reshards to the sharding that a tensor has"}};
inline constexpr std::array kCanonicalizeOptions = {
    PassOption{"enabled-patterns", "only the rewrites under this label", "", OptionKind::kText,
               "sdy-reshard|sdy-collective"}};

inline Result<bool> run_reshard_to_collectives(Module& m, const OptionValues& values,
                                               const PassContext&) {
  return reshard_to_collectives(m, {values.flag("keep-redundant-reshards")});
}

inline Result<bool> run_canonicalize(Module& m, const OptionValues& values,
                                     const PassContext& context) {
  return canonicalize(m, context.ops, {values.text("enabled-patterns")});
}

}  // namespace detail

inline constexpr std::array kExportPasses = {
    pass_row<constant_or_scalar_merger>("constant-or-scalar-merger",
                                        "merges constants that are equal and sharded alike"),
    pass_row<remove_sharding_groups>("remove-sharding-groups",
                                     "erases all sharding groups and what only they used"),
    pass_row<sharding_constraint_to_reshard>("sharding-constraint-to-reshard",
                                             "turns sharding constraints into reshards"),
    pass_row<update_non_divisible_input_output_shardings>(
        "update-non-divisible-input-output-shardings",
        "cuts the shardings of inputs and outputs to what divides them evenly"),
    pass_row<remove_sub_axes_in_input_output_shardings>(
        "remove-sub-axes-in-input-output-shardings",
        "cuts open dimensions of inputs and outputs before their first sub-axis"),
    pass_row<close_shardings>("close-shardings", "closes all dimensions and drops replicated axes"),
    pass_row<propagate_to_func_results>(
        "propagate-to-func-results",
        "gives the results of functions the shardings of the values that they return"),
    pass_row<export_named_computations>("export-named-computations",
                                        "turns named computations into functions and calls"),
    pass_row<detail::run_unflatten_call_graph>(
        "unflatten-call-graph", "merges functions that are copies of one and sharded alike",
        detail::kUnflattenOptions),
    pass_row<insert_func_call_reshards>(
        "insert-func-call-reshards",
        "reshards the results of calls whose functions shard them differently"),
    pass_row<verify_unreduced_axes>("verify-unreduced-axes",
                                    "checks that no operation loses or invents unreduced axes"),
    pass_row<drop_sharding_rules>("drop-sharding-rules",
                                  "removes all sharding rules except custom ones"),
    pass_row<drop_sharding_and_mesh>("drop-sharding-and-mesh", "removes all shardings and meshes"),
    pass_row<inline_meshes>("inline-meshes",
                            "writes the mesh into each sharding, in place of its name"),
    pass_row<remove_propagation_debug_info>("remove-propagation-debug-info",
                                            "removes the trace of propagation"),
    pass_row<remove_all_gather_reduce_scatter_for_cmv1>(
        "remove-all-gather-reduce-scatter-for-cmv1",
        "removes collectives next to matrix products, which the backend fuses"),
    pass_row<detail::run_insert_explicit_reshards>(
        "insert-explicit-reshards",
        "inserts reshards where the shardings of an operation's tensors conflict",
        detail::kExplicitReshardsOptions),
    pass_row<detail::run_reshard_to_collectives>("reshard-to-collectives",
                                                 "replaces reshards by collectives",
                                                 detail::kReshardToCollectivesOptions),
    pass_row<detail::run_canonicalize>("canonicalize",
                                       "simplifies reshards, collectives and manual computations",
                                       detail::kCanonicalizeOptions),
};

}  // namespace shardprop
