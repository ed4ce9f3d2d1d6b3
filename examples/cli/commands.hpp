// What each subcommand does.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/convert_command.hpp"
#include "examples/cli/cost_command.hpp"
#include "examples/cli/demo_table.hpp"
#include "examples/cli/files.hpp"
#include "fmt/core.h"
#include "shardprop/passes/import/import_round_trip_shardings.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/trace/explain.hpp"
#include "shardprop/sharding/rule_text.hpp"

namespace shardprop::cli {

// What a reader of the answer should know: how much was done, and where shardings do not pass.
inline void print_report(const PropagationReport& report) {
  fmt::print(stderr,
             "{} operations, {} runs, {} visits ({} steps, {} from memory), {} changes, {:.4f} s\n",
             report.operations, report.runs, report.visits, report.steps, report.memo_hits,
             report.changes, report.seconds);
  for (const OpWithoutRule& op : report.without_rule) {
    fmt::print(stderr,
               "note: shardings do not pass {} x {}, which has no sharding rule; the first is {}\n",
               op.count, op.name, to_string(op.first));
  }
  for (const Unresolved& u : report.unresolved) {
    fmt::print(stderr, "note: {} x {}: {}; the first is {}\n", u.count, u.first.operation,
               u.message, to_string(u.first));
  }
  print_diagnostics(report.diagnostics);
}

inline void print_timing(const PipelineReport& report) {
  for (const PassTiming& pass : report.passes)
    fmt::print(stderr, "{} {:.4f} s\n", pass.name, pass.seconds);
}

// Writes the module at each point of a pipeline as DIR/00-input.json, DIR/01-name.json, ...; as
// .mlir where that is the format.
class Dumper {
 public:
  Dumper(std::string dir, Format format) : dir_(std::move(dir)), format_(format) {}
  void operator()(const Module& m, std::size_t number, const std::string& point) {
    if (failed_) return;
    std::error_code error;
    std::filesystem::create_directories(dir_, error);
    const std::string_view extension = format_ == Format::kJson ? "json" : "mlir";
    const std::string path = fmt::format("{}/{:02}-{}.{}", dir_, number, point, extension);
    failed_ = save(m, path, format_) != kOk;
  }

 private:
  std::string dir_;
  Format format_;
  bool failed_ = false;
};

// As `load`, for a command that propagates: the shardings of a program that has them in strings
// only are taken out of these.
inline std::optional<Module> load_to_propagate(const std::string& path, const OpTable& ops,
                                               Format* format = nullptr) {
  std::optional<Module> m = load(path, ops, format);
  if (!m || !has_only_round_trip_shardings(*m)) return m;
  if (const Result<bool> imported = import_round_trip_shardings(*m); !imported) {
    print_diagnostics(imported.errors());
    return std::nullopt;
  }
  return m;
}

// Loads, runs the passes, reports and saves. Returns an exit code.
inline int run_and_save(const Arguments& arguments, const std::vector<PassCall>& calls,
                        bool propagates) {
  const OpTable ops = standard_ops();
  Format format = Format::kJson;
  const std::string& path = arguments.positional[0];
  std::optional<Module> m =
      propagates ? load_to_propagate(path, ops, &format) : load(path, ops, &format);
  if (!m) return kBadInput;
  format = format_of_name(arguments.get("-o")).value_or(format);
  RunOptions options;
  options.verify_each = arguments.has("--verify-each");
  if (arguments.has("--dump-dir")) options.observe = Dumper(arguments.get("--dump-dir"), format);
  Result<PipelineReport> report = [&] {
    const Progress progress("running passes");
    return run_passes(*m, ops, calls, options);
  }();
  if (!report) {
    print_diagnostics(report.errors());
    return kBadInput;
  }
  if (arguments.has("--timing")) print_timing(*report);
  for (const PropagationReport& r : report->propagations) {
    if (arguments.has("--report")) print_report(r);
  }
  return save(*m, arguments.get("-o"), format);
}

inline constexpr Option kReport = {"--report", "",
                                   "say on standard error what propagation did and could not do"};
inline constexpr Option kTiming = {"--timing", "", "print the time of each pass on standard error"};
inline constexpr Option kVerifyEach = {"--verify-each", "", "verify the program after each pass"};
inline constexpr Option kDumpDir = {"--dump-dir", "DIR",
                                    "write the program before and after each pass"};

inline constexpr std::array kPropagateOptions = {
    kOutput,
    kReport,
    kTiming,
    kVerifyEach,
    kDumpDir,
    Option{"--strategy", "NAME", "basic, aggressive (default) or basic-then-aggressive"},
    Option{"--conservative", "", "no sub-axes, no shardings that need padding or communication"},
    Option{"--keep-sharding-rules", "", "leave the rules that were used on the operations"},
    Option{"--collectives", "", "go on to the program with explicit collectives"},
};

// Propagation through regions and calls that leaves the program's operations as they are: edges
// come and go.
inline constexpr std::string_view kBeforePropagation =
    "add-data-flow-edges,add-func-data-flow-edges,apply-sharding-constraints,sharding-group-import";
inline constexpr std::string_view kAfterPropagation =
    "propagate-to-func-results,sink-func-data-flow-edges,sink-data-flow-edges";

inline constexpr std::string_view kToCollectives =
    "propagation-pipeline{enable-insert-explicit-collectives=true}";

// The passes of a propagation, with the options of `call`.
inline std::vector<PassCall> propagation_calls(PassCall call) {
  std::vector<PassCall> calls = *parse_pipeline(kBeforePropagation);
  calls.push_back(std::move(call));
  for (PassCall& after : *parse_pipeline(kAfterPropagation)) calls.push_back(std::move(after));
  return calls;
}

inline int propagate_command(const Arguments& arguments) {
  PassCall call{"user-priority-propagate", {}};
  if (arguments.has("--strategy"))
    call.options.emplace_back("propagation-strategy", arguments.get("--strategy"));
  if (arguments.has("--conservative"))
    call.options.emplace_back("conservative-propagation", "true");
  if (arguments.has("--keep-sharding-rules"))
    call.options.emplace_back("keep-sharding-rules", "true");
  if (const Diagnostics errors = check_calls(standard_passes(), std::span(&call, 1));
      !errors.empty()) {
    print_diagnostics(errors);
    return kBadUsage;
  }
  if (!arguments.has("--collectives")) {
    return run_and_save(arguments, propagation_calls(std::move(call)), true);
  }
  if (!call.options.empty()) {
    fmt::print(stderr, "error: --collectives goes with the default strategy and rules only\n");
    return kBadUsage;
  }
  return run_and_save(arguments, *parse_pipeline(kToCollectives), true);
}

inline constexpr std::array kRunOptions = {
    Option{"--passes", "PASSES",
           "as name{option=value option=value},name; none: read, infer, verify and write"},
    kOutput,
    kReport,
    kTiming,
    kVerifyEach,
    kDumpDir,
};

inline int run_command(const Arguments& arguments) {
  std::vector<PassCall> calls;
  if (const std::string text = arguments.get("--passes"); !text.empty()) {
    Result<std::vector<PassCall>> parsed = parse_pipeline(text);
    const Diagnostics errors = parsed ? check_calls(standard_passes(), *parsed) : parsed.errors();
    if (!errors.empty()) {
      print_diagnostics(errors);
      return kBadUsage;
    }
    calls = std::move(*parsed);
  }
  return run_and_save(arguments, calls, false);
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
  return print_text(out) ? kOk : kBadInput;
}

inline constexpr std::array kRulesOptions = {
    Option{"--conservative", "", "the rules of conservative propagation"}};

inline int rules_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Module> m = load(arguments.positional[0], ops);
  if (!m) return kBadInput;
  populate_sharding_rules(*m, ops, arguments.has("--conservative"));
  std::string out;
  for (FuncId f : m->func_order) {
    out += fmt::format("@{}\n", m->strings[m->funcs[f].name]);
    walk_block(*m, m->funcs[f].body, [&](OpId op) {
      const RuleId rule = m->ops[op].rule;
      const std::string value = m->ops[op].result_count > 0 ? name_of(*m, result(*m, op, 0)) : "";
      out += fmt::format("  {:<8} {:<28} {}\n", value, op_name(*m, op),
                         rule.valid() ? to_string(m->rules[rule]) : "-");
    });
  }
  return print_text(out) ? kOk : kBadInput;
}

inline int check_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  const std::optional<Module> m = load(arguments.positional[0], ops);
  if (!m) return kBadInput;
  std::size_t operations = 0;
  walk_ops(*m, [&](OpId) { ++operations; });
  fmt::print(stderr, "{}: {} functions, {} operations, no errors\n", arguments.positional[0],
             m->func_order.size(), operations);
  return kOk;
}

inline int show_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  const std::optional<Module> before = load_to_propagate(arguments.positional[0], ops);
  if (!before) return kBadInput;
  Module after = *before;
  const Result<PipelineReport> report =
      run_passes(after, ops, propagation_calls({"user-priority-propagate", {}}));
  if (!report) {
    print_diagnostics(report.errors());
    return kBadInput;
  }
  const bool colour = isatty(STDOUT_FILENO) != 0;
  return print_text(demo_table(*before, after, report->propagations[0], colour)) ? kOk : kBadInput;
}

inline ValueId find_value(const Module& m, std::string_view name) {
  for (ValueId value : m.values.ids()) {
    if (name_of(m, value) == name) return value;
  }
  return ValueId();
}

// The sharding of a value that owns a data-flow edge is that of the edge.
inline ValueId carrier(const Module& m, ValueId value) {
  const OpId edge = shardprop::detail::edge_on(m, value);
  return edge.valid() ? result(m, edge, 0) : value;
}

inline int explain_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Module> m = load_to_propagate(arguments.positional[0], ops);
  if (!m) return kBadInput;
  std::vector<PassCall> calls = *parse_pipeline(kBeforePropagation);
  calls.push_back(
      {"user-priority-propagate",
       {{"debug-sharding-origins", "true"}, {"debug-propagation-edge-sharding", "true"}}});
  const Result<PipelineReport> report = run_passes(*m, ops, calls);
  if (!report) {
    print_diagnostics(report.errors());
    return kBadInput;
  }
  std::string out;
  for (const std::string& name : std::span(arguments.positional).subspan(1)) {
    const ValueId named = find_value(*m, name);
    if (!named.valid()) {
      fmt::print(stderr, "error: the program has no value '{}'\n", name);
      return kBadInput;
    }
    const ValueId value = carrier(*m, named);
    const ShardingId sharding = m->value_shardings[value];
    out += fmt::format(
        "{} {}\n", name,
        sharding.valid() ? to_string(m->shardings[sharding], m->meshes) : "no sharding");
    for (const AxisExplanation& e : explain(*m, *report->propagations[0].trace, value)) {
      out += to_string(*m, e);
    }
  }
  return print_text(out) ? kOk : kBadInput;
}

inline constexpr std::array kCostOptions = {Option{"--json", "", "as JSON instead of a table"}};

inline constexpr std::array kCommands = {
    Command{"propagate", "IN", "Finds the shardings of all values from those that are given.",
            "shardprop propagate model.json -o sharded.json --report", kPropagateOptions, 1, 1,
            propagate_command},
    Command{"convert", "IN", "Writes a program in the other format: MLIR text or JSON.",
            "shardprop convert model.mlir -o model.json", kConvertOptions, 1, 1, convert_command},
    Command{"show",
            "IN",
            "Propagates and shows arguments, results and key values as a table.",
            "shardprop show examples/decoder_8b.json",
            {},
            1,
            1,
            show_command},
    Command{"cost", "IN", "Sums up the communication of a program with explicit collectives.",
            "shardprop propagate --collectives model.json | shardprop cost -", kCostOptions, 1, 1,
            cost_command},
    Command{"explain",
            "IN VALUE...",
            "Propagates and tells how each axis came to the values.",
            "shardprop explain model.json %12",
            {},
            2,
            1000,
            explain_command},
    Command{"run", "IN",
            "Runs passes by name; without any, reads, infers types, verifies and writes.",
            "shardprop run --passes='user-priority-propagate{keep-sharding-rules=true}' model.json "
            "-o out.json",
            kRunOptions, 1, 1, run_command},
    Command{"passes",
            "",
            "Lists the passes with their options.",
            "shardprop passes",
            {},
            0,
            0,
            passes_command},
    Command{"rules", "IN", "Prints each operation's sharding rule.", "shardprop rules model.json",
            kRulesOptions, 1, 1, rules_command},
    Command{"check",
            "IN",
            "Verifies a program and prints every error.",
            "shardprop check model.json",
            {},
            1,
            1,
            check_command},
};

}  // namespace shardprop::cli
