// Definitions of run_passes.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/verify.hpp"
#include "shardprop/pipeline/export_passes.hpp"
#include "shardprop/pipeline/import_passes.hpp"
#include "shardprop/pipeline/partition_passes.hpp"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/pipeline/pipeline_report.hpp"
#include "shardprop/pipeline/pipelines.hpp"
#include "shardprop/pipeline/propagation_passes.hpp"
#include "shardprop/pipeline/run_passes.hpp"

namespace shardprop {

SHARDPROP_INLINE PassTable standard_passes() {
  PassTable table(kPropagationPasses);
  for (std::span<const PassDef> rows :
       {std::span<const PassDef>(kImportPasses), std::span<const PassDef>(kExportPasses),
        std::span<const PassDef>(kPartitionPasses), std::span<const PassDef>(kPipelines)}) {
    for (const PassDef& def : rows) table.add(def);
  }
  return table;
}

namespace detail {

inline Diagnostics verify_after(Module& m, const OpTable& ops, const std::string& pass) {
  Diagnostics errors;
  verify_module(ops, m, errors);
  for (Diagnostic& error : errors) error.message += fmt::format(" (after pass {})", pass);
  return errors;
}

}  // namespace detail

SHARDPROP_INLINE Result<PipelineReport> run_passes(Module& m, const OpTable& ops,
                                                   std::span<const PassCall> calls,
                                                   const RunOptions& options) {
  const Result<std::vector<PassCall>> expanded = expand_calls(options.passes, calls);
  if (!expanded) return expanded.errors();
  PipelineReport report;
  if (options.observe) options.observe(m, 0, "input");
  for (const PassCall& call : *expanded) {
    const PassDef& def = *options.passes.find(call.name);
    const auto start = std::chrono::steady_clock::now();
    Result<bool> changed =
        def.run(m, OptionValues(def.options, call),
                {ops, report.propagations, report.warnings, options.propagation});
    if (!changed) return changed.errors();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    report.passes.push_back({call.name, seconds.count(), *changed});
    if (options.observe) options.observe(m, report.passes.size(), call.name);
    if (!options.verify_each) continue;
    if (Diagnostics errors = detail::verify_after(m, ops, call.name); !errors.empty())
      return errors;
  }
  return report;
}

}  // namespace shardprop
