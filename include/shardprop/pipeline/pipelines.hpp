// Named pipelines as rows: a name in `--passes` that stands for a sequence of passes. Each row's
// function writes out the calls; they may name other pipelines.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/pass_table.hpp"

namespace shardprop {

namespace detail {

inline constexpr PassOption kDedupFunctionsFully = {
    "dedup-functions-fully",
    "propagate through calls, each function once, instead of a copy of it for each call"};
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

// Import and propagation, up to what takes the edges and the inlined functions back.
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

}  // namespace detail

inline constexpr std::array kPipelines = {
    PassDef{.name = "import-pipeline",
            .summary = "all passes that prepare a program for propagation",
            .options = detail::kImportPipelineOptions,
            .expand = detail::import_pipeline},
};

}  // namespace shardprop
