// The propagation passes as rows: the strategies of the reference from the plainest to the one that
// users run.
#pragma once

#include <array>
#include <string_view>

#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/propagate/propagate.hpp"

namespace shardprop {

namespace detail {

inline constexpr PassOption kKeepRules = {"keep-sharding-rules",
                                          "keep the rules that were used on the operations"};
inline constexpr PassOption kConservative = {
    "conservative-propagation",
    "use no sub-axes and no shardings that need padding or communication"};
inline constexpr PassOption kStrategy = {
    "propagation-strategy", "how conflicts between factors are resolved", "aggressive",
    OptionKind::kText, "basic|aggressive|basic-then-aggressive"};
inline constexpr PassOption kOpPriority = {"run-op-priority-propagation",
                                           "propagate in rounds by kind of operation", "true"};

inline constexpr PassOption kTraceOrigins = {"debug-sharding-origins",
                                             "write where each axis came from"};
inline constexpr PassOption kTraceEdges = {
    "debug-propagation-edge-sharding", "write which operations carried each axis, step by step"};

inline constexpr std::array kBasicOptions = {kKeepRules, kConservative, kTraceOrigins, kTraceEdges};
inline constexpr std::array kAggressiveOptions = {kKeepRules, kConservative, kTraceOrigins,
                                                  kTraceEdges, kStrategy};
inline constexpr std::array kOpPriorityOptions = {kKeepRules,  kConservative, kTraceOrigins,
                                                  kTraceEdges, kStrategy,     kOpPriority};
inline constexpr std::array kPopulateOptions = {kConservative};

// A pass that lacks an option runs as if it were "false".
inline PropagateOptions propagate_options(const OptionValues& values) {
  PropagateOptions options;
  options.keep_sharding_rules = values.flag("keep-sharding-rules");
  options.conservative = values.flag("conservative-propagation");
  options.trace_origins = values.flag("debug-sharding-origins");
  options.trace_edges = values.flag("debug-propagation-edge-sharding");
  const std::string_view strategy = values.text("propagation-strategy");
  options.strategies = strategy == "basic"                   ? Strategies::kBasic
                       : strategy == "basic-then-aggressive" ? Strategies::kBasicThenAggressive
                                                             : Strategies::kAggressive;
  if (!values.flag("run-op-priority-propagation")) options.schedule = kNoOpPrioritySchedule;
  return options;
}

inline Result<bool> run_propagation(Module& m, PropagateOptions options,
                                    const PassContext& context) {
  options.memoise = context.propagation.memoise;
  options.skip_settled = context.propagation.skip_settled;
  Result<PropagationReport> report = propagate(m, context.ops, options);
  if (!report) return report.errors();
  const bool changed = report->changes > 0;
  context.reports.push_back(std::move(*report));
  return changed;
}

inline Result<bool> basic_propagate(Module& m, const OptionValues& values,
                                    const PassContext& context) {
  PropagateOptions options = propagate_options(values);
  options.strategies = Strategies::kBasic;
  options.user_priorities = false;
  return run_propagation(m, options, context);
}

inline Result<bool> propagate_all_priorities_at_once(Module& m, const OptionValues& values,
                                                     const PassContext& context) {
  PropagateOptions options = propagate_options(values);
  options.user_priorities = false;
  return run_propagation(m, options, context);
}

inline Result<bool> user_priority_propagate(Module& m, const OptionValues& values,
                                            const PassContext& context) {
  return run_propagation(m, propagate_options(values), context);
}

inline Result<bool> populate_op_sharding_rules(Module& m, const OptionValues& values,
                                               const PassContext& context) {
  return populate_sharding_rules(m, context.ops, values.flag("conservative-propagation")) > 0;
}

}  // namespace detail

inline constexpr std::array kPropagationPasses = {
    pass_row<detail::basic_propagate>("basic-propagate",
                                      "propagates what all tensors of an operation agree on",
                                      detail::kBasicOptions),
    pass_row<detail::propagate_all_priorities_at_once>(
        "aggressive-propagate", "propagates and resolves conflicts between factors",
        detail::kAggressiveOptions),
    pass_row<detail::propagate_all_priorities_at_once>(
        "op-priority-propagate", "propagates in rounds, element-wise operations first",
        detail::kOpPriorityOptions),
    pass_row<detail::user_priority_propagate>(
        "user-priority-propagate",
        "propagates by the user's priorities, in rounds by operation for each",
        detail::kOpPriorityOptions),
    pass_row<detail::populate_op_sharding_rules>(
        "populate-op-sharding-rules",
        "gives each operation the sharding rule that propagation would use",
        detail::kPopulateOptions),
};

}  // namespace shardprop
