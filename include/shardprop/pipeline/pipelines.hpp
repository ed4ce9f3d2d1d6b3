// Named pipelines as rows: a name in `--passes` that stands for a sequence of passes. Each row's
// function writes out the calls; they may name other pipelines. `import-pipeline` prepares a
// program for propagation, `export-pipeline` makes of a propagated program one that a partitioner
// takes, and `propagation-pipeline` is the whole way.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/pipeline/propagation_passes.hpp"

namespace shardprop {

namespace detail {

inline constexpr PassOption kDedupFunctionsFully = {
    "dedup-functions-fully",
    "propagate through calls with one function, instead of a copy for each call"};
inline constexpr PassOption kExplicitBatching = {
    "enable-explicit-gather-scatter-batching",
    "make batching dimensions of gathers and scatters explicit"};

inline constexpr std::array kImportPipelineOptions = {kDedupFunctionsFully, kExplicitBatching};

inline void append(std::vector<PassCall>& to, std::vector<PassCall> calls) {
  for (PassCall& call : calls) to.push_back(std::move(call));
}

// Before propagation: meshes, constants and manual axes in the form that it wants, and data-flow
// edges.
inline std::vector<PassCall> import_pipeline(const OptionValues& values) {
  std::vector<PassCall> calls = {{"symbol-dce", {}},
                                 {"lift-inlined-meshes", {}},
                                 {"remove-size-one-axes", {}},
                                 {"propagate-sharding-from-func-to-call", {}},
                                 {"constant-or-scalar-splitter", {}}};
  if (values.flag("enable-explicit-gather-scatter-batching")) {
    calls.push_back({"explicit-gather-scatter-batching", {}});
  }
  append(calls, {{"symbol-dce", {}}, {"manual-axes-cleanup", {}}, {"add-data-flow-edges", {}}});
  if (values.flag("dedup-functions-fully")) {
    append(calls, {{"apply-sharding-constraints", {}}, {"sharding-group-import", {}}});
  }
  return calls;
}

// Import and propagation, up to the passes that remove the edges and the inlined functions.
inline std::vector<PassCall> import_and_propagate(const OptionValues& values) {
  std::vector<PassCall> calls = import_pipeline(values);
  if (values.flag("dedup-functions-fully")) {
    calls.push_back({"add-func-data-flow-edges", {}});
  } else {
    append(calls, {{"flatten-call-graph", {}},
                   {"symbol-dce", {}},
                   {"import-func-calls", {}},
                   {"symbol-dce", {}},
                   {"apply-sharding-constraints", {}},
                   {"sharding-group-import", {}}});
  }
  append(calls,
         {{"pre-order-funcs", {}}, {"user-priority-propagate", {{"keep-sharding-rules", "true"}}}});
  return calls;
}

inline constexpr PassOption kAvoidExport = {
    "avoid-export-for-partitioning",
    "leave constraints, groups and open dimensions as they are for "
    "another round of propagation"};
inline constexpr PassOption kExplicitCollectives = {"enable-insert-explicit-collectives",
                                                    "make all communication explicit collectives"};
inline constexpr PassOption kForCollectiveMatmul = {
    "remove-all-gather-reduce-scatter-for-cmv1",
    "remove collectives next to matrix products, which the backend fuses"};
inline constexpr PassOption kUpdateNonDivisible = {
    "update-non-divisible-input-output-shardings",
    "cut the shardings of inputs and outputs to what divides them evenly", "true"};

constexpr PassOption inline_meshes_option(std::string_view default_value) {
  return {"inline-meshes", "write the mesh into each sharding, in place of its name",
          default_value};
}

inline constexpr std::array kExportPipelineOptions = {
    kAvoidExport,
    kExplicitCollectives,
    kForCollectiveMatmul,
    kKeepRules,
    kUpdateNonDivisible,
    inline_meshes_option("true"),
    PassOption{"dump-sharding-origins",
               "move the origins of axes from edges to operations, then "
               "drop them"},
    PassOption{"dump-propagation-edges",
               "move the steps of propagation from edges to operations, "
               "then drop them"}};

inline constexpr std::array kPropagationPipelineOptions = {kDedupFunctionsFully,
                                                           kExplicitBatching,
                                                           kConservative,
                                                           kTraceOrigins,
                                                           kTraceEdges,
                                                           kAvoidExport,
                                                           kExplicitCollectives,
                                                           kForCollectiveMatmul,
                                                           kKeepRules,
                                                           kUpdateNonDivisible,
                                                           inline_meshes_option("false")};

inline std::pair<std::string, std::string> flag_as(const OptionValues& values,
                                                   std::string_view from, std::string_view to) {
  return {std::string(to), values.flag(from) ? "true" : "false"};
}
inline std::pair<std::string, std::string> same_flag(const OptionValues& values,
                                                     std::string_view name) {
  return flag_as(values, name, name);
}

// From shardings to reshards or collectives.
inline std::vector<PassCall> partitioner_calls(const OptionValues& values) {
  const bool collectives = values.flag("enable-insert-explicit-collectives");
  std::vector<PassCall> calls = {
      {"verify-unreduced-axes", {}},
      {"insert-explicit-reshards",
       {flag_as(values, "enable-insert-explicit-collectives", "enable-full-version")}},
      // After the reshards: the reference erases what only groups used in its canonicalisation, and
      // so keeps the collectives that were inserted for it.
      {"remove-sharding-groups", {}}};
  if (collectives) {
    append(calls, {{"canonicalize", {{"enabled-patterns", "sdy-reshard"}}},
                   {"reshard-to-collectives", {}}});
  }
  // Here an all-slice after an all-reduce becomes a reduce-scatter.
  calls.push_back({"canonicalize", {{"enabled-patterns", "sdy-collective"}}});
  if (collectives && values.flag("remove-all-gather-reduce-scatter-for-cmv1")) {
    calls.push_back({"remove-all-gather-reduce-scatter-for-cmv1", {}});
  }
  return calls;
}

inline std::vector<PassCall> export_pipeline(const OptionValues& values) {
  const bool partition = !values.flag("avoid-export-for-partitioning");
  std::vector<PassCall> calls = {
      {"constant-or-scalar-merger", {}},
      {"sink-data-flow-edges",
       {flag_as(values, "dump-sharding-origins", "sink-debug-sharding-origins"),
        flag_as(values, "dump-propagation-edges", "sink-debug-propagation-edge-sharding")}}};
  if (partition) calls.push_back({"sharding-constraint-to-reshard", {}});
  if (values.flag("update-non-divisible-input-output-shardings")) {
    append(calls, {{"update-non-divisible-input-output-shardings", {}},
                   {"remove-sub-axes-in-input-output-shardings", {}}});
  }
  calls.push_back({"close-shardings", {}});
  if (partition) append(calls, partitioner_calls(values));
  if (values.flag("dump-sharding-origins") || values.flag("dump-propagation-edges")) {
    calls.push_back({"remove-propagation-debug-info", {}});
  }
  if (!values.flag("keep-sharding-rules")) calls.push_back({"drop-sharding-rules", {}});
  if (partition && values.flag("inline-meshes")) calls.push_back({"inline-meshes", {}});
  return calls;
}

inline void add_options(std::vector<PassCall>& calls, std::string_view name,
                        const std::vector<std::pair<std::string, std::string>>& options) {
  for (PassCall& call : calls) {
    if (call.name != name) continue;
    call.options.insert(call.options.end(), options.begin(), options.end());
  }
}

inline std::vector<PassCall> propagation_pipeline(const OptionValues& values) {
  std::vector<PassCall> calls = import_and_propagate(values);
  const std::pair<std::string, std::string> origins = same_flag(values, "debug-sharding-origins");
  const std::pair<std::string, std::string> edges =
      same_flag(values, "debug-propagation-edge-sharding");
  add_options(calls, "apply-sharding-constraints", {origins, edges});
  add_options(calls, "user-priority-propagate",
              {origins, edges, same_flag(values, "conservative-propagation")});
  if (values.flag("dedup-functions-fully")) {
    append(calls, {{"propagate-to-func-results", {}}, {"sink-func-data-flow-edges", {}}});
  } else {
    append(calls, {{"export-named-computations", {}}, {"propagate-to-func-results", {}}});
  }
  append(calls, {{"unflatten-call-graph", {}},
                 {"symbol-dce", {}},
                 {"insert-func-call-reshards", {}},
                 {"export-pipeline",
                  {same_flag(values, "avoid-export-for-partitioning"),
                   same_flag(values, "enable-insert-explicit-collectives"),
                   same_flag(values, "remove-all-gather-reduce-scatter-for-cmv1"),
                   same_flag(values, "keep-sharding-rules"),
                   same_flag(values, "update-non-divisible-input-output-shardings"),
                   same_flag(values, "inline-meshes"),
                   flag_as(values, "debug-sharding-origins", "dump-sharding-origins"),
                   flag_as(values, "debug-propagation-edge-sharding", "dump-propagation-edges")}}});
  return calls;
}

}  // namespace detail

inline constexpr std::array kPipelines = {
    PassDef{.name = "import-pipeline",
            .summary = "all passes that prepare a program for propagation",
            .options = detail::kImportPipelineOptions,
            .expand = detail::import_pipeline},
    PassDef{.name = "export-pipeline",
            .summary = "all passes that come after propagation",
            .options = detail::kExportPipelineOptions,
            .expand = detail::export_pipeline},
    PassDef{.name = "propagation-pipeline",
            .summary = "import, propagation and export",
            .options = detail::kPropagationPipelineOptions,
            .expand = detail::propagation_pipeline},
};

}  // namespace shardprop
