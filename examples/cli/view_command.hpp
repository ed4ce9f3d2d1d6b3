// `shardprop view IN`: a page that shows a plan, in one file that needs no network.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/report_command.hpp"
#include "examples/cli/shardings.hpp"
#include "examples/cli/view_data.hpp"

namespace shardprop::cli {

// Made by CMake of the files in examples/view/: pieces, and a null at the end.
extern const char* const kViewPage[];

inline constexpr std::array kViewOptions =
    std::array{kOutput, Option{"--compare", "OTHER", "a second program, to see what differs"},
               kTries} +
    kShardingOptions;

namespace detail {

// Propagates `input` and notes the stages. Prints what is wrong; then there is nothing.
inline std::optional<ViewPlan> make_view_plan(const Input& input, const OpTable& ops,
                                              ReportOptions options) {
  ViewPlan plan;
  plan.title = input.path;
  plan.stages.push_back({"as given", input.m});
  start_lineage(plan.stages[0].m);
  options.is_explicit = has_collectives(input.m);
  if (!options.is_explicit) {
    PropagateProgramOptions traced = program_options({});
    traced.propagation.trace = true;
    Result<PropagatedCopy> copy = propagate_copy(input.m, ops, traced);
    if (copy) {
      plan.stages.push_back({"propagated", copy->module});
      plan.traced = *std::move(copy);
    }
    Module made = plan.stages[0].m;
    RunOptions observed;
    observed.observe = [&](const Module& m, std::size_t, const std::string& point) {
      if (point == "insert-explicit-reshards") plan.stages.push_back({"with reshards", m});
    };
    PropagationSetup setup;
    setup.collectives = true;
    const Result<PipelineReport> run = run_propagation(made, ops, setup, observed);
    if (!run) {
      print_diagnostics(run.errors(), input.texts());
      return std::nullopt;
    }
    print_warnings(*run, input.texts());
    plan.stages.push_back({"with collectives", std::move(made)});
  }
  const Module& made = plan.stages.back().m;
  for_each_collective(made, [&](const CollectiveCost& cost) { plan.collectives.push_back(cost); });
  Result<Report> report = make_report(input.m, ops, options);
  if (!report) {
    print_diagnostics(report.errors(), input.texts());
    return std::nullopt;
  }
  plan.report = *std::move(report);
  return plan;
}

// JSON for a script element: no text of it ends the element or begins a comment.
inline std::string script_text(const nlohmann::ordered_json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

inline std::string view_page(const nlohmann::ordered_json& plans) {
  std::string page;
  for (const char* const* piece = kViewPage; *piece; ++piece) page += *piece;
  constexpr std::string_view kMark = "{{plans}}";
  const std::size_t at = page.find(kMark);
  return std::string(page.substr(0, at)) + script_text(plans) +
         std::string(page.substr(at + kMark.size()));
}

}  // namespace detail

inline int view_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  ReportOptions options;
  if (!detail::read_tries(arguments, options)) return kBadUsage;
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  std::vector<std::string> paths = {arguments.positional[0]};
  if (arguments.has("--compare")) paths.push_back(arguments.get("--compare"));
  for (const std::string& path : paths) {
    Arguments of_path = arguments;
    of_path.positional[0] = path;
    std::optional<Input> input;
    if (const int code = load_to_propagate(of_path, ops, input); code != kOk) return code;
    std::optional<ViewPlan> plan = detail::make_view_plan(*input, ops, options);
    if (!plan) return kBadInput;
    plans.push_back(view_json(*plan, ops));
  }
  const std::string page = detail::view_page(plans);
  const std::string out = arguments.get("-o");
  if (out.empty() || out == "-") return print_text(page);
  const Result<std::size_t> written = shardprop::detail::replace_file(out, page);
  if (!written) print_diagnostics(written.errors());
  return written ? kOk : kBadInput;
}

}  // namespace shardprop::cli
