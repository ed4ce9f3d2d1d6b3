#include "tests/conformance/run_case.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/conformance/compare.hpp"
#include "tests/conformance/dump.hpp"
#include "tests/conformance/mismatch_view.hpp"
#include "tests/conformance/rule_of.hpp"

namespace shardprop::conformance {

namespace {

// Why the library did not give a graph, and who said so: the reader, the verifier or a pass.
struct Refusal {
  std::string_view by;
  Diagnostics errors;
};

struct Run {
  std::optional<Module> module;  // none when the input could not be read
  std::optional<Refusal> refusal;
};

std::vector<PassCall> pass_calls(const Case& c) {
  std::vector<PassCall> calls;
  for (const Json& pass : c.passes) {
    PassCall& call = calls.emplace_back(PassCall{pass.at("pass").get<std::string>(), {}});
    for (const auto& option : member(pass, "options").items()) {
      const Json& value = option.value();
      call.options.emplace_back(option.key(),
                                value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return calls;
}

// The passes, options and values of options that do not exist, in words; empty when all do.
std::string not_built(const std::vector<PassCall>& calls) {
  std::string out;
  for (const Diagnostic& error : check_calls(RunOptions().passes, calls)) {
    out += (out.empty() ? "" : ", ") + error.message;
  }
  return out;
}

Run run(const OpTable& ops, std::string_view input, const std::vector<PassCall>& calls,
        const RunOptions& running) {
  ReadOptions reading;
  reading.infer_types = [&ops](Module& m, OpId op, Diagnostics& out) {
    return infer_types(ops, m, op, out);
  };
  Result<Module> read = read_json(input, reading);
  if (!read) return {std::nullopt, Refusal{"reader", std::move(read.errors())}};
  Run out{std::move(*read), std::nullopt};
  Diagnostics errors;
  verify_module(ops, *out.module, errors);
  if (has_errors(errors)) {
    out.refusal = Refusal{"verifier", std::move(errors)};
    return out;
  }
  auto report = run_passes(*out.module, ops, calls, running);
  if (!report) out.refusal = Refusal{"passes", std::move(report.errors())};
  return out;
}

std::string describe(const Refusal& refusal) {
  constexpr std::size_t kShown = 3;
  std::string out = fmt::format("    refused by the {}\n", refusal.by);
  for (std::size_t i = 0; i < std::min(kShown, refusal.errors.size()); ++i) {
    out += fmt::format("      {}\n", to_string(refusal.errors[i]));
  }
  if (refusal.errors.size() > kShown)
    out += fmt::format("      and {} more\n", refusal.errors.size() - kShown);
  return out;
}

CaseResult judge_refusal(const Case& c, const Run& run) {
  CaseResult out{.functions = 1};
  if (!run.refusal) {
    out.report = fmt::format("    should be refused: {}\n", *c.expected_error);
    return out;
  }
  out.outcome = Outcome::kAgrees;
  out.agreeing_functions = 1;
  out.refused_early = !c.passes.empty() && !c.unverified_input && run.refusal->by != "passes";
  return out;
}

bool is_conservative(const Case& c) {
  return std::any_of(c.passes.begin(), c.passes.end(), [](const Json& pass) {
    return is_set(member(member(pass, "options"), "conservative-propagation"));
  });
}

struct Graphs {
  Json expected;
  Json actual;
};

// `rule` gives the text of the sharding rule of the operation that differs.
template <class RuleText>
std::string describe(const Comparison& comparison, const Graphs& graphs, std::size_t limit,
                     RuleText&& rule) {
  std::string out;
  for (const FunctionMatch& f : comparison.functions) {
    if (!f.agrees)
      out += fmt::format("    @{}: {}/{} operations agree\n", f.name, f.equal_ops, f.ops);
  }
  const std::size_t shown = std::min(limit, comparison.differences.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Difference& d = comparison.differences[i];
    out += view_difference(d, graphs.expected, graphs.actual, rule(d));
  }
  if (comparison.differences.size() > shown) {
    out += fmt::format("    and {} more differences\n", comparison.differences.size() - shown);
  }
  return out;
}

CaseResult judge_graph(const OpTable& ops, const Case& c, Run& run, const RunSettings& settings) {
  Json expected = Json::parse(c.expected);
  CaseResult out;
  if (run.refusal) {
    out.functions = member(expected, "functions").size();
    out.report = describe(*run.refusal);
    dump_graphs(settings.dump_folder, c, "");
    return out;
  }
  const std::string text = write_json(*run.module, {.compact = true});
  const Graphs graphs{std::move(expected), Json::parse(text)};
  const Comparison comparison = compare(graphs.expected, graphs.actual);
  out.functions = comparison.functions.size();
  out.agreeing_functions = comparison.agreeing_functions();
  if (comparison.agrees()) {
    out.outcome = Outcome::kAgrees;
    return out;
  }
  out.report = describe(comparison, graphs, settings.shown_differences, [&](const Difference& d) {
    return rule_of(ops, *run.module, d, is_conservative(c));
  });
  dump_graphs(settings.dump_folder, c, text);
  return out;
}

RunOptions verified_run() {
  RunOptions running;
  running.verify_each = true;
  return running;
}

// The bytes that a run gives, or the errors.
std::string outcome_text(const Run& run) {
  std::string out = run.module ? write_json(*run.module) : std::string();
  return run.refusal ? out + to_string(run.refusal->errors) : out;
}

// Whether the case gives the same bytes without the memo, and also without passing settled
// operations by.
CaseResult judge_memo(const OpTable& ops, const Case& c, const std::vector<PassCall>& calls) {
  RunOptions running;
  const std::string expected = outcome_text(run(ops, c.input, calls, running));
  CaseResult out{.outcome = Outcome::kAgrees, .functions = 1};
  running.propagation.memoise = false;
  for (const bool skip_settled : {true, false}) {
    running.propagation.skip_settled = skip_settled;
    if (outcome_text(run(ops, c.input, calls, running)) == expected) continue;
    out.outcome = Outcome::kDiffers;
    out.report += fmt::format("    without the memo{} the bytes are others\n",
                              skip_settled ? "" : " and without passing settled operations by");
  }
  out.agreeing_functions = out.outcome == Outcome::kAgrees ? 1 : 0;
  return out;
}

CaseResult run_built_case(const OpTable& ops, const Case& c, const RunSettings& settings) {
  const std::vector<PassCall> calls = pass_calls(c);
  if (std::string missing = not_built(calls); !missing.empty()) {
    return {.outcome = Outcome::kNotBuilt, .report = std::move(missing)};
  }
  if (settings.no_memo) return judge_memo(ops, c, calls);
  Run outcome = run(ops, c.input, calls, verified_run());
  if (c.expected_error) return judge_refusal(c, outcome);
  if (!c.expected.empty()) return judge_graph(ops, c, outcome, settings);
  if (outcome.refusal) return {.functions = 1, .report = describe(*outcome.refusal)};
  return {.outcome = Outcome::kAgrees, .agreeing_functions = 1, .functions = 1};
}

}  // namespace

CaseResult run_case(const OpTable& ops, const Case& c, const RunSettings& settings) {
  if (c.left_out && !settings.no_memo) return {.outcome = Outcome::kLeftOut};
  try {
    return run_built_case(ops, c, settings);
  } catch (const std::exception& error) {
    return {.functions = 1,
            .report = fmt::format("    the case or our JSON cannot be read: {}\n", error.what())};
  }
}

}  // namespace shardprop::conformance
