// `shardprop report IN`: what a program costs and why, worst first, and what a change would save.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "examples/cli/arguments.hpp"
#include "examples/cli/cost_command.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/report_json.hpp"
#include "examples/cli/report_text.hpp"
#include "examples/cli/shardings.hpp"
#include "shardprop/analysis/report/report.hpp"

namespace shardprop::cli {

inline constexpr Option kTries{"--tries", "N", "try at most so many changes (24)"};
inline constexpr std::array kReportOptions =
    std::array{Option{"--json", "", "as JSON"}, Option{"--all", "", "every row"}, kTries} +
    kShardingOptions;

inline constexpr std::string_view kReportDetails =
    "The bytes of the collectives sum up to the total of `cost`. A program that has collectives is "
    "not\npropagated, and nothing is tried on it.";

namespace detail {

// Reads `--tries`. Prints what is wrong with it; then the answer is false.
inline bool read_tries(const Arguments& arguments, ReportOptions& options) {
  const std::string tries = arguments.get("--tries", "24");
  if (tries.empty() || tries.size() > 6 || tries.find_first_not_of("0123456789") != tries.npos) {
    print_error(fmt::format("--tries needs a number, not '{}'", tries));
    return false;
  }
  options.max_trials = std::stoul(tries);
  return true;
}

}  // namespace detail

inline int report_command(const Arguments& arguments) {
  constexpr std::size_t kRows = 20;
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  ReportOptions options;
  options.is_explicit = detail::has_collectives(input->m);
  if (!detail::read_tries(arguments, options)) return kBadUsage;
  const Result<Report> report = make_report(input->m, ops, options);
  if (!report) {
    print_diagnostics(report.errors(), input->texts());
    return kBadInput;
  }
  if (arguments.has("--json")) return print_text(report_json(input->m, *report).dump(2) + "\n");
  return print_text(report_text(input->m, *report, arguments.has("--all") ? 0 : kRows));
}

}  // namespace shardprop::cli
