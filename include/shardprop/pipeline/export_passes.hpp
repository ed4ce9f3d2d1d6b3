// The export passes as rows: what comes after propagation.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "shardprop/passes/calls/export_named_computations.hpp"
#include "shardprop/passes/calls/insert_func_call_reshards.hpp"
#include "shardprop/passes/calls/unflatten_call_graph.hpp"
#include "shardprop/passes/export/close_shardings.hpp"
#include "shardprop/passes/export/constant_or_scalar_merger.hpp"
#include "shardprop/passes/export/drop_sharding_and_mesh.hpp"
#include "shardprop/passes/export/drop_sharding_rules.hpp"
#include "shardprop/passes/export/propagate_to_func_results.hpp"
#include "shardprop/passes/export/remove_all_gather_reduce_scatter_for_cmv1.hpp"
#include "shardprop/passes/export/remove_propagation_debug_info.hpp"
#include "shardprop/passes/export/remove_sharding_groups.hpp"
#include "shardprop/passes/export/remove_sub_axes_in_input_output_shardings.hpp"
#include "shardprop/passes/export/resolve_single_device_sharding.hpp"
#include "shardprop/passes/export/sharding_constraint_to_reshard.hpp"
#include "shardprop/passes/export/update_non_divisible_input_output_shardings.hpp"
#include "shardprop/passes/export/verify_unreduced_axes.hpp"
#include "shardprop/passes/import/inline_meshes.hpp"
#include "shardprop/pipeline/import_passes.hpp"
#include "shardprop/pipeline/pass_table.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::array kConstantMergerOptions = {PassOption{
    "merge-elided", "take constants whose data is left out as equal where the rest is", "true"}};

inline Result<bool> run_constant_or_scalar_merger(Module& m, const OptionValues& values,
                                                  const PassContext& context) {
  return constant_or_scalar_merger(m, context.ops, {.merge_elided = values.flag("merge-elided")});
}

inline constexpr std::array kUnflattenOptions = {PassOption{
    "dedup-functions-fully", "keep one function of all copies, whatever their shardings are"}};

inline Result<bool> run_unflatten_call_graph(Module& m, const OptionValues& values,
                                             const PassContext&) {
  return unflatten_call_graph(m, {.dedup_fully = values.flag("dedup-functions-fully")});
}

inline constexpr std::array kSingleDeviceOptions = {
    PassOption{"replica-count", "how many copies of the program run", "1", OptionKind::kText},
    PassOption{"partition-count", "on how many parts each copy is split", "1", OptionKind::kText}};

// A count of 1 or more, or 0 where the text is none.
inline std::int64_t count_option(const OptionValues& values, std::string_view name) {
  const std::string_view text = values.text(name);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0 ? count : 0;
}

inline Result<bool> run_resolve_single_device_sharding(Module& m, const OptionValues& values,
                                                       const PassContext&) {
  const ResolveSingleDeviceOptions options = {count_option(values, "replica-count"),
                                              count_option(values, "partition-count")};
  if (options.replica_count == 0 || options.partition_count == 0) {
    return Diagnostic{"pipeline.option_value",
                      "replica-count and partition-count of 'resolve-single-device-sharding' must "
                      "be numbers of 1 or more",
                      "write a positive number"};
  }
  return resolve_single_device_sharding(m, options);
}

}  // namespace detail

inline constexpr std::array kExportPasses = {
    PassDef{"constant-or-scalar-merger",
            "makes one of constants that are the same and sharded alike",
            detail::kConstantMergerOptions, detail::run_constant_or_scalar_merger},
    PassDef{"remove-sharding-groups",
            "erases all sharding groups and what only they used",
            {},
            detail::run_with_ops<remove_sharding_groups>},
    PassDef{"sharding-constraint-to-reshard",
            "makes reshards of sharding constraints",
            {},
            detail::run_plain<sharding_constraint_to_reshard>},
    PassDef{"update-non-divisible-input-output-shardings",
            "cuts the shardings of inputs and outputs to what divides them evenly",
            {},
            detail::run_plain<update_non_divisible_input_output_shardings>},
    PassDef{"remove-sub-axes-in-input-output-shardings",
            "cuts open dimensions of inputs and outputs before their first sub-axis",
            {},
            detail::run_plain<remove_sub_axes_in_input_output_shardings>},
    PassDef{"close-shardings",
            "closes all dimensions and drops replicated axes",
            {},
            detail::run_plain<close_shardings>},
    PassDef{"propagate-to-func-results",
            "gives results of functions the shardings of what is returned",
            {},
            detail::run_plain<propagate_to_func_results>},
    PassDef{"export-named-computations",
            "makes functions and calls of named computations",
            {},
            detail::run_plain<export_named_computations>},
    PassDef{"unflatten-call-graph", "lets calls share functions that are copies and sharded alike",
            detail::kUnflattenOptions, detail::run_unflatten_call_graph},
    PassDef{"insert-func-call-reshards",
            "reshards the results of calls where their function's are sharded otherwise",
            {},
            detail::run_plain<insert_func_call_reshards>},
    PassDef{"verify-unreduced-axes",
            "checks that no operation loses or invents unreduced axes",
            {},
            detail::run_with_ops<verify_unreduced_axes>},
    PassDef{"drop-sharding-rules",
            "takes off all sharding rules but custom ones",
            {},
            detail::run_plain<drop_sharding_rules>},
    PassDef{"drop-sharding-and-mesh",
            "takes out all shardings and meshes",
            {},
            detail::run_with_ops<drop_sharding_and_mesh>},
    PassDef{"inline-meshes",
            "lets shardings carry their meshes themselves",
            {},
            detail::run_plain<inline_meshes>},
    PassDef{"remove-propagation-debug-info",
            "takes out the trace of propagation",
            {},
            detail::run_plain<remove_propagation_debug_info>},
    PassDef{"remove-all-gather-reduce-scatter-for-cmv1",
            "leaves collectives next to matrix products to the backend",
            {},
            detail::run_plain<remove_all_gather_reduce_scatter_for_cmv1>},
    PassDef{"resolve-single-device-sharding",
            "lets operations that are placed on one device run there alone",
            detail::kSingleDeviceOptions, detail::run_resolve_single_device_sharding},
};

}  // namespace shardprop
