// How the commands propagate: all through `run_propagation`, so that they tell of the same run.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/diagnostics.hpp"
#include "fmt/core.h"
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/pipeline/run_passes.hpp"

namespace shardprop::cli {

struct PropagationSetup {
  std::string strategy;  // empty: the default
  bool conservative = false;
  bool keep_sharding_rules = false;
  bool collectives = false;  // go on to explicit collectives; the default strategy and rules only
  bool copy_functions = true;
};

namespace detail {

inline PropagateProgramOptions program_options(const PropagationSetup& setup) {
  PropagateProgramOptions options;
  options.verify = false;  // the program was verified when it was loaded
  options.copy_functions = setup.copy_functions;
  PropagateOptions& propagation = options.propagation;
  if (setup.strategy == "basic") propagation.strategies = Strategies::kBasic;
  if (setup.strategy == "basic-then-aggressive")
    propagation.strategies = Strategies::kBasicThenAggressive;
  propagation.conservative = setup.conservative;
  propagation.keep_sharding_rules = setup.keep_sharding_rules;
  return options;
}

// Times the steps of a run, verifies after each, and hands them to `options.observe`.
class StepObserver {
 public:
  StepObserver(const OpTable& ops, const RunOptions& options) : ops_(ops), options_(options) {}

  void operator()(const Module& m, std::string_view step) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> seconds = now - since_;
    passes.push_back({std::string(step), seconds.count(), true});
    if (options_.observe) options_.observe(m, passes.size(), std::string(step));
    if (options_.verify_each && !has_errors(errors)) {
      verify_module(ops_, m, errors);
      for (Diagnostic& error : errors) error.message += fmt::format(" (after pass {})", step);
    }
    since_ = std::chrono::steady_clock::now();
  }

  std::vector<PassTiming> passes;
  Diagnostics errors;

 private:
  const OpTable& ops_;
  const RunOptions& options_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace detail

// Propagates as the reference's pipeline does. The operations of the program stay as they are, apart
// from copies of functions, unless `collectives` is set.
inline Result<PipelineReport> run_propagation(Module& m, const OpTable& ops,
                                              const PropagationSetup& setup,
                                              const RunOptions& options = {}) {
  if (setup.collectives) {
    return run_passes(
        m, ops, *parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}"),
        options);
  }
  if (options.observe) options.observe(m, 0, "input");
  detail::StepObserver observer(ops, options);
  PropagateProgramOptions program = detail::program_options(setup);
  program.observe = [&](const Module& copy, std::string_view step) { observer(copy, step); };
  Result<PropagationReport> report = propagate_program(m, ops, program);
  if (!report) return std::move(report.errors());
  if (has_errors(observer.errors)) return std::move(observer.errors);
  PipelineReport out;
  out.passes = std::move(observer.passes);
  out.propagations.push_back(*std::move(report));
  return out;
}

// A propagation with its trace: `copy` is what it worked on, for those who ask how an axis came to
// a value.
struct TracedPropagation {
  PropagatedCopy copy;
  PipelineReport report;
};

// As `run_propagation` with its default setup, with a trace.
inline Result<TracedPropagation> run_traced(Module& m, const OpTable& ops) {
  PropagateProgramOptions options = detail::program_options({});
  options.propagation.trace = true;
  Result<PropagatedCopy> copy = propagate_copy(m, ops, options);
  if (!copy) return std::move(copy.errors());
  TracedPropagation out{*copy, {}};
  Result<PropagationReport> report = write_outcome(m, *std::move(copy), ops, options);
  if (!report) return std::move(report.errors());
  out.report.propagations.push_back(*std::move(report));
  return out;
}

// Warnings of a run, whether a report was asked for or not.
inline void print_warnings(const PipelineReport& report, const SourceTexts& sources) {
  print_diagnostics(report.warnings, sources);
  for (const PropagationReport& r : report.propagations) {
    for (const Diagnostic& d : r.diagnostics) {
      if (d.severity != Severity::kNote) print_diagnostics({d}, sources);
    }
  }
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
  for (const Diagnostic& d : report.diagnostics) {
    if (d.severity == Severity::kNote) fmt::print(stderr, "{}\n", to_string(d));
  }
  for (const Unresolved& u : report.unresolved) {
    fmt::print(stderr, "note: {} x {}: {}; the first is {}\n", u.count, u.first.operation,
               u.message, to_string(u.first));
  }
}

}  // namespace shardprop::cli
