// Golden cases of passes: a program in, the program that must come out, both as StableHLO text.
// Names of values do not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test {

inline Result<PipelineReport> run_text(Module& m, std::string_view passes,
                                       const OpTable& ops = standard_ops()) {
  const Result<std::vector<PassCall>> calls = parse_pipeline(passes);
  if (!calls) FAIL(to_string(calls.errors()));
  return run_passes(m, ops, *calls);
}

inline std::string written(const Module& m) {
  const Result<std::string> text = write_stablehlo_text(m);
  if (!text) FAIL(to_string(text.errors()));
  return *text;
}

// The module as text, values named by their order. What a pass makes has no types of attributes, so
// the text is read and written once more.
inline std::string normal_form(Module m) {
  for (ValueId v : m.values.ids()) m.value_names[v] = ValueName();
  return written(unverified(written(m)));
}

// Runs `passes`, which must succeed and leave a module that verifies.
inline PipelineReport run_well(Module& m, std::string_view passes,
                               const OpTable& ops = standard_ops()) {
  Result<PipelineReport> report = run_text(m, passes, ops);
  if (!report) FAIL(to_string(report.errors()));
  Diagnostics errors;
  verify_module(ops, m, errors);
  CHECK(to_string(errors) == "");
  return *std::move(report);
}

// Checks what `passes` make of `input`, and that the outcome verifies.
inline void check_golden(std::string_view passes, std::string_view input, std::string_view expected,
                         const OpTable& ops = standard_ops()) {
  INFO(passes);
  Module m = program(input, ops);
  run_well(m, passes, ops);
  CHECK(normal_form(std::move(m)) == normal_form(program(expected, ops)));
}

// Checks that `passes` change nothing, and say so.
inline void check_unchanged(std::string_view passes, std::string_view input) {
  INFO(passes);
  Module m = program(input);
  const std::string before = written(m);
  const PipelineReport report = run_well(m, passes);
  CHECK(written(m) == before);
  for (const PassTiming& pass : report.passes) CHECK_FALSE(pass.changed);
}

// Checks that `pass` refuses `input`, which need not verify, with `code`, and leaves it as it is.
inline void check_refused(std::string_view pass, std::string_view input, std::string_view code) {
  INFO(pass);
  Module m = unverified(input);
  const std::string before = written(m);
  const Result<PipelineReport> report = run_text(m, pass);
  REQUIRE_FALSE(report);
  CHECK(report.errors()[0].code == code);
  CHECK(written(m) == before);
}

}  // namespace shardprop::test
