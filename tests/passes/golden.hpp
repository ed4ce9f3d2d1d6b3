// Golden cases of passes: a program in, the program that must come out, both as JSON text. Names of
// values do not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test {

inline Result<PipelineReport> run_text(Module& m, std::string_view passes,
                                       const OpTable& ops = standard_ops()) {
  const Result<std::vector<PassCall>> calls = parse_pipeline(passes);
  if (!calls) FAIL(to_string(calls.errors()));
  return run_passes(m, ops, *calls);
}

// The module as text, values named by their order.
inline std::string unnamed_text(Module m) {
  for (ValueId v : m.values.ids()) m.value_names[v] = ValueName();
  return write_json(m);
}

// Checks what `passes` make of `input`, and that the outcome is well-formed.
inline void check_golden(std::string_view passes, std::string_view input, std::string_view expected,
                         const OpTable& ops = standard_ops()) {
  INFO(passes);
  Module m = read(input, ops);
  const Result<PipelineReport> report = run_text(m, passes, ops);
  if (!report) FAIL(to_string(report.errors()));
  CHECK(unnamed_text(m) == unnamed_text(read(expected, ops)));
  Diagnostics errors;
  verify_module(ops, m, errors);
  CHECK(to_string(errors) == "");
}

// Checks that `passes` change nothing, and say so.
inline void check_unchanged(std::string_view passes, std::string_view input) {
  INFO(passes);
  Module m = read(input);
  const std::string before = write_json(m);
  const Result<PipelineReport> report = run_text(m, passes);
  if (!report) FAIL(to_string(report.errors()));
  CHECK(write_json(m) == before);
  for (const PassTiming& pass : report->passes) CHECK_FALSE(pass.changed);
}

// Checks that `pass` refuses `input`, which need not verify, with `code`, and leaves it as it is.
inline void check_refused(std::string_view pass, std::string_view input, std::string_view code) {
  INFO(pass);
  Result<Module> m = read_json(input);
  if (!m) FAIL(to_string(m.errors()));
  const std::string before = write_json(*m);
  const Result<PipelineReport> report = run_text(*m, pass);
  REQUIRE_FALSE(report);
  CHECK(report.errors()[0].code == code);
  CHECK(write_json(*m) == before);
}

// A function as JSON text.
inline std::string func(std::string_view name, std::string_view arguments, std::string_view results,
                        std::string_view ops, std::string_view more = "") {
  return fmt::format(R"({{"name": "{}", {}"arguments": [{}], "results": [{}], "ops": [{}]}})", name,
                     more, arguments, results, ops);
}

// A module of `functions` on the meshes of `meshes`.
inline std::string module_of(std::string_view meshes,
                             std::initializer_list<std::string> functions) {
  std::string list;
  for (const std::string& f : functions) list += (list.empty() ? "" : ", ") + f;
  return fmt::format(R"({{"meshes": [{}], "functions": [{}]}})", meshes, list);
}

inline constexpr std::string_view kPrivate = R"("private": true, )";
// The argument %a and a result of the same type.
inline constexpr std::string_view kA = R"({"name": "%a", "shape": [8], "dtype": "f32"})";
inline constexpr std::string_view kF32x8 = R"({"shape": [8], "dtype": "f32"})";

}  // namespace shardprop::test
