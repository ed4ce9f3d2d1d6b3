// How the commands propagate. `run_propagation` is the one place that says which passes a
// propagation is made of.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/diagnostics.hpp"
#include "fmt/core.h"
#include "shardprop/pipeline/run_passes.hpp"

namespace shardprop::cli {

struct PropagationSetup {
  std::string strategy;  // empty: the default
  bool conservative = false;
  bool keep_sharding_rules = false;
  bool collectives = false;  // go on to explicit collectives; the default strategy and rules only
  bool trace = false;        // keep where axes came from; data-flow edges stay in the module then
};

// Propagates through regions and calls. The operations of the program stay as they are, unless
// `collectives` or `trace` is set.
inline Result<PipelineReport> run_propagation(Module& m, const OpTable& ops,
                                              const PropagationSetup& setup,
                                              const RunOptions& options = {}) {
  if (setup.collectives) {
    return run_passes(
        m, ops, *parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}"),
        options);
  }
  std::vector<PassCall> calls = *parse_pipeline(
      "add-data-flow-edges,add-func-data-flow-edges,apply-sharding-constraints,"
      "sharding-group-import");
  PassCall propagate{"user-priority-propagate", {}};
  const auto set = [&](bool given, std::string name, std::string value) {
    if (given) propagate.options.emplace_back(std::move(name), std::move(value));
  };
  set(!setup.strategy.empty(), "propagation-strategy", setup.strategy);
  set(setup.conservative, "conservative-propagation", "true");
  set(setup.keep_sharding_rules, "keep-sharding-rules", "true");
  set(setup.trace, "debug-sharding-origins", "true");
  set(setup.trace, "debug-propagation-edge-sharding", "true");
  calls.push_back(std::move(propagate));
  if (!setup.trace) {
    for (PassCall& after : *parse_pipeline(
             "propagate-to-func-results,sink-func-data-flow-edges,sink-data-flow-edges")) {
      calls.push_back(std::move(after));
    }
  }
  return run_passes(m, ops, calls, options);
}

// Warnings of a run, whether a report was asked for or not.
inline void print_warnings(const PipelineReport& report, const SourceTexts& sources) {
  print_diagnostics(report.warnings, sources);
  for (const PropagationReport& r : report.propagations) print_diagnostics(r.diagnostics, sources);
}

inline void print_without_rule(const PropagationReport& report) {
  for (const OpWithoutRule& op : report.without_rule) {
    fmt::print(stderr,
               "note: shardings do not pass {} x {}, which has no sharding rule; the first is {}\n",
               op.count, op.name, to_string(op.first));
  }
}

// What a reader of the answer should know: how much was done, and where shardings do not pass.
inline void print_report(const PropagationReport& report) {
  fmt::print(stderr,
             "{} operations, {} runs, {} visits ({} steps, {} from memory), {} changes, {:.4f} s\n",
             report.operations, report.runs, report.visits, report.steps, report.memo_hits,
             report.changes, report.seconds);
  print_without_rule(report);
  for (const Unresolved& u : report.unresolved) {
    fmt::print(stderr, "note: {} x {}: {}; the first is {}\n", u.count, u.first.operation,
               u.message, to_string(u.first));
  }
}

}  // namespace shardprop::cli
