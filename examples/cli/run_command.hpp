// `shardprop run IN` and `shardprop passes`: passes by name. What running passes and writing the
// outcome is for `propagate`, too, stands here.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/shardings.hpp"
#include "fmt/core.h"
#include "shardprop/pipeline/run_passes.hpp"

namespace shardprop::cli {

inline constexpr std::array kPassRunOptions = {
    kOutput,
    Option{"--report", "", "say on standard error what propagation did and could not do"},
    Option{"--timing", "", "print the time of each pass on standard error"},
    Option{"--verify-each", "", "verify the program after each pass"},
    Option{"--dump-dir", "DIR", "write the program before and after each pass"},
};

// Writes the module at each point of a pipeline as DIR/00-input.json, DIR/01-name.json, ...; as
// .mlir where that is the format. The first failure ends it.
class Dumper {
 public:
  // False, after a message, where the folder cannot be made.
  bool open(const std::string& dir, Format format) {
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (!error && !std::filesystem::is_directory(dir))
      error = std::make_error_code(std::errc::not_a_directory);
    if (error) print_error(fmt::format("cannot make the folder {}: {}", dir, error.message()));
    dir_ = dir;
    format_ = format;
    return !error;
  }
  void write(const Module& m, std::size_t number, const std::string& point) {
    if (failed_) return;
    const std::string_view extension = format_ == Format::kJson ? "json" : "mlir";
    const std::string path = fmt::format("{}/{:02}-{}.{}", dir_, number, point, extension);
    failed_ = save(m, path, format_) != kOk;
  }
  bool failed() const { return failed_; }

 private:
  std::string dir_;
  Format format_ = Format::kJson;
  bool failed_ = false;
};

// Runs `run(module, options)` on the input, reports as the options say, and saves. Returns an exit
// code.
template <class Run>
int run_and_save(const Arguments& arguments, Input& input, Run run) {
  const Format format = format_of_name(arguments.get("-o")).value_or(input.format);
  RunOptions options;
  options.verify_each = arguments.has("--verify-each");
  Dumper dumper;
  if (arguments.has("--dump-dir")) {
    if (!dumper.open(arguments.get("--dump-dir"), format)) return kBadInput;
    options.observe = [&](const Module& m, std::size_t number, const std::string& point) {
      dumper.write(m, number, point);
    };
  }
  const Result<PipelineReport> report = [&] {
    const Progress progress("running passes");
    return run(input.m, options);
  }();
  if (!report) {
    print_diagnostics(report.errors(), input.texts());
    return kBadInput;
  }
  print_warnings(*report, input.texts());
  if (arguments.has("--timing")) {
    for (const PassTiming& pass : report->passes)
      fmt::print(stderr, "{} {:.4f} s\n", pass.name, pass.seconds);
  }
  for (const PropagationReport& r : report->propagations) {
    if (arguments.has("--report")) print_report(r);
  }
  const int saved = save(input.m, arguments.get("-o"), format);
  return dumper.failed() ? kBadInput : saved;
}

inline constexpr std::array kRunOptions =
    std::array{
        Option{"--passes", "PASSES",
               "as name{option=value option=value},name; none: read, infer, verify and write"}} +
    kPassRunOptions + kShardingOptions;

inline int run_command(const Arguments& arguments) {
  std::vector<PassCall> calls;
  if (const std::string text = arguments.get("--passes"); !text.empty()) {
    Result<std::vector<PassCall>> parsed = parse_pipeline(text);
    const Diagnostics errors = parsed ? check_calls(standard_passes(), *parsed) : parsed.errors();
    if (!errors.empty()) {
      print_diagnostics(errors);
      return kBadUsage;
    }
    calls = *std::move(parsed);
  }
  const OpTable ops = standard_ops();
  GivenShardings given;
  if (const int code = read_shardings(arguments, given); code != kOk) return code;
  std::optional<Input> input = load(arguments.positional[0], ops);
  if (!input || (!given.empty() && !apply_shardings(*input, given))) return kBadInput;
  return run_and_save(arguments, *input, [&](Module& m, const RunOptions& options) {
    return run_passes(m, ops, calls, options);
  });
}

inline int passes_command(const Arguments&) {
  std::string out;
  const PassTable table = standard_passes();
  for (const PassDef& pass : table.passes()) {
    out += fmt::format("{}\n    {}\n", pass.name, pass.summary);
    for (const PassOption& option : pass.options) {
      const std::string_view values =
          option.kind == OptionKind::kFlag ? "true|false" : option.choices;
      out += fmt::format("    {}={}  {} (default: {})\n", option.name,
                         values.empty() ? "TEXT" : values, option.summary, option.default_value);
    }
  }
  return print_text(out);
}

}  // namespace shardprop::cli
