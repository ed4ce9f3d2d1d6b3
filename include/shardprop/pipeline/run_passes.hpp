// Runs passes and pipelines one after the other: checks their names and options first, times each
// pass, and can verify the module or show it to the caller between them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/pipeline/pipeline_report.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// The table of all passes and pipelines.
SHARDPROP_INLINE PassTable standard_passes();

struct RunOptions {
  PassTable passes = standard_passes();
  bool verify_each = false;  // verify the module after every pass
  PropagationMeans propagation = {};
  // Called before the first pass (with "input") and after each (with its name); `number` counts
  // from 0.
  std::function<void(const Module&, std::size_t number, const std::string& point)> observe = {};
};

// Runs `calls` on `m`. On failure the diagnostics are those of the first pass that failed, and `m`
// is as the passes before it left it; an unknown pass or option fails before anything runs.
SHARDPROP_INLINE Result<PipelineReport> run_passes(Module& m, const OpTable& ops,
                                                   std::span<const PassCall> calls,
                                                   const RunOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/pipeline/run_passes_inl.hpp"
#endif
