// shardprop_conformance: holds the library against the outcomes that the reference gave; see
// docs/conformance.md.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ops/standard_ops.hpp"
#include "tests/conformance/case_file.hpp"
#include "tests/conformance/case_text.hpp"
#include "tests/conformance/compare.hpp"
#include "tests/conformance/counts.hpp"
#include "tests/conformance/listed.hpp"
#include "tests/conformance/mismatch_view.hpp"
#include "tests/conformance/options.hpp"
#include "tests/conformance/pattern.hpp"
#include "tests/conformance/run_case.hpp"
#include "tests/conformance/workers.hpp"

#ifndef SHARDPROP_SOURCE_DIR
#define SHARDPROP_SOURCE_DIR "."
#endif

namespace shardprop::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSample = "sample/";  // the groups of tests/data/conformance
constexpr int kSkipped = 77;  // the status that ctest is told to show as "skipped"

int compare_files(const Options& options) {
  Json graphs[2];
  for (std::size_t i = 0; i < 2; ++i) {
    std::ifstream in(options.compare[i], std::ios::binary);
    graphs[i] = Json::parse(in, nullptr, false);
    if (graphs[i].is_discarded()) {
      fmt::print(stderr, "{}: no JSON\n", options.compare[i]);
      return 2;
    }
  }
  const Comparison comparison = compare(graphs[0], graphs[1]);
  for (const Difference& d : comparison.differences) {
    fmt::print("{}\n  expected {}\n  actual   {}\n", d.path, show(d.expected), show(d.actual));
  }
  for (const FunctionMatch& f : comparison.functions)
    fmt::print("@{}: {}/{} ops equal\n", f.name, f.equal_ops, f.ops);
  return comparison.agrees() ? 0 : 1;
}

std::vector<std::size_t> select(const std::vector<Case>& cases, const Options& options) {
  const Pattern pattern(options.filter);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    if (!options.case_name.empty() && c.name != options.case_name) continue;
    if (options.texts && !text_of(c, *options.texts)) continue;
    if (pattern.matches(c.group) || pattern.matches(pass_list(c)) || pattern.matches(c.name)) {
      out.push_back(i);
    }
  }
  return out;
}

// A result as text, for the way from a worker to the parent.
std::string pack(const CaseResult& r) {
  return fmt::format("{} {} {} {}\n{}", static_cast<int>(r.outcome), r.agreeing_functions,
                     r.functions, r.refused_early ? 1 : 0, r.report);
}

CaseResult unpack(const TaskResult& task) {
  CaseResult out;
  int outcome = 0;
  int early = 0;
  int length = 0;
  if (!task.death.empty() ||
      std::sscanf(task.output.c_str(), "%d %zu %zu %d%n", &outcome, &out.agreeing_functions,
                  &out.functions, &early, &length) != 4) {
    return {.outcome = Outcome::kCrashed,
            .functions = 1,
            .report = fmt::format("    CRASHED: {}\n", task.death)};
  }
  out.outcome = static_cast<Outcome>(outcome);
  out.refused_early = early != 0;
  out.report = task.output.substr(static_cast<std::size_t>(length) + 1);
  return out;
}

// The results of the cases that `selected` names, in its order. The largest cases are begun first.
std::vector<CaseResult> run_cases(const std::vector<Case>& cases,
                                  const std::vector<std::size_t>& selected,
                                  const Options& options) {
  const OpTable ops = standard_ops();
  RunSettings settings{.dump_folder = options.dump, .no_memo = options.no_memo};
  if (!options.case_name.empty())
    settings.shown_differences = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> order(selected.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cases[selected[a]].input.size() > cases[selected[b]].input.size();
  });
  const std::function<std::string(std::size_t)> run = [&](std::size_t i) {
    const Case& c = cases[selected[i]];
    return pack(options.texts ? check_text(c, *options.texts) : run_case(ops, c, settings));
  };
  const std::vector<TaskResult> done = run_in_workers(order, run, {options.jobs, options.timeout});
  std::vector<CaseResult> out(selected.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = unpack(done[i]);
  return out;
}

std::size_t functions_of(const Case& c) {
  const Json expected = Json::parse(c.expected, nullptr, false);
  return expected.is_object() ? member(expected, "functions").size() : 1;
}

struct Summary {
  CountsByName groups;
  CountsByName passes;
  CountsByName sample;  // apart where the shared cases were run, which hold the sample's cases too
};

void print_mismatch(const Case& c, const CaseResult& r) {
  fmt::print("{}: {} [{}]{}\n{}\n", c.group, c.name, pass_list(c),
             c.source.empty() ? "" : "  " + c.source, r.report);
}

// Prints the first mismatches of each group on the way.
Summary summarise(const std::vector<Case>& cases, const std::vector<std::size_t>& selected,
                  std::vector<CaseResult>& results, const Options& options) {
  Summary out;
  std::map<std::string, std::size_t> shown;
  const bool apart = std::any_of(selected.begin(), selected.end(), [&](std::size_t i) {
    return !cases[i].group.starts_with(kSample);
  });
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Case& c = cases[selected[i]];
    CaseResult& r = results[i];
    if (r.outcome == Outcome::kCrashed) r.functions = functions_of(c);
    if (apart && c.group.starts_with(kSample)) {
      out.sample[c.group].add(r);
    } else {
      out.groups[c.group].add(r);
      out.passes[pass_list(c)].add(r);
    }
    const bool failed = r.outcome == Outcome::kDiffers || r.outcome == Outcome::kCrashed;
    if (failed && (shown[c.group]++ < options.show || !options.case_name.empty()))
      print_mismatch(c, r);
  }
  return out;
}

Counts total(const CountsByName& counts) {
  Counts all;
  for (const auto& [name, c] : counts) all.add(c);
  return all;
}

// Loads what the options name. Sets `shared_missing` where the default folder is not there.
CaseSet load(const Options& options, bool& shared_missing) {
  CaseSet set;
  std::vector<fs::path> paths(options.paths.begin(), options.paths.end());
  if (paths.empty()) {
    const fs::path shared = fs::path(options.shared) / "conformance";
    shared_missing = !fs::is_directory(shared);
    if (shared_missing) {
      fmt::print(
          "The shared cases are missing: no folder {}.\nRunning only the sample in the project; "
          "name the "
          "folder with --shared, or SHARDPROP_SHARED when configuring.\n\n",
          shared.string());
    } else {
      paths.push_back(shared);
    }
    paths.push_back(fs::path(SHARDPROP_SOURCE_DIR) / "tests/data/conformance");
  }
  for (const fs::path& path : paths) {
    if (!load_cases(path, set)) break;
  }
  return set;
}

// The exit status, after checking or writing the expected numbers.
int conclude(const Summary& summary, const Options& options, bool shared_missing) {
  CountsByName groups = summary.groups;
  groups.insert(summary.sample.begin(), summary.sample.end());
  const Counts all = total(groups);
  bool worse = options.expect.empty() && options.update.empty() &&
               all.agreeing_cases + all.listed < all.cases;
  if (!options.update.empty()) fmt::print("\n{}", update_expected(options.update, groups, worse));
  if (!options.expect.empty()) fmt::print("\n{}", check_expected(options.expect, groups, worse));
  if (worse) return 1;
  return shared_missing ? kSkipped : 0;
}

int run(const Options& options) {
  if (!options.compare.empty()) return compare_files(options);
  if (options.texts && options.texts->empty()) {
    fmt::print(
        "No copy of the reference's repository was given, so its programs were not read as text. "
        "Name "
        "one with SHARDPROP_REFERENCE when configuring, or with --texts.\n");
    return kSkipped;
  }
  const auto start = std::chrono::steady_clock::now();
  bool shared_missing = false;
  const CaseSet set = load(options, shared_missing);
  if (!set.error.empty()) {
    fmt::print(stderr, "{}\n", set.error);
    return 2;
  }
  const std::vector<std::size_t> selected = select(set.cases, options);
  if (selected.empty()) {
    fmt::print(stderr, "no case is selected\n");
    return 2;
  }
  std::vector<CaseResult> results = run_cases(set.cases, selected, options);
  std::string stale;
  if (!options.texts && !options.no_memo)
    stale = mark_listed(SHARDPROP_SOURCE_DIR "/tests/conformance/listed.txt", set.cases, selected,
                        results);
  const Summary summary = summarise(set.cases, selected, results, options);
  fmt::print("{}\n{}", table_of("passes", summary.passes), table_of("group", summary.groups));
  if (const std::size_t early = total(summary.groups).refused_early; early > 0) {
    fmt::print(
        "{} cases that a pass of the reference refuses were refused by our reader or verifier\n",
        early);
  }
  if (!summary.sample.empty()) {
    const Counts sample = total(summary.sample);
    fmt::print("the sample in the project: {}/{} functions agree\n", sample.agreeing_functions,
               sample.functions);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} cases in {:.1f} s\n", selected.size(), seconds.count());
  fmt::print("{}", stale);
  return stale.empty() ? conclude(summary, options, shared_missing) : 1;
}

}  // namespace
}  // namespace shardprop::conformance

int main(int argc, char** argv) {
  using namespace shardprop::conformance;
  Options options;
  const std::string wrong = parse_options({argv + 1, argv + argc}, options);
  if (!wrong.empty()) {
    fmt::print(stderr, "{}\n\n{}", wrong, usage());
    return 2;
  }
  if (options.help) {
    fmt::print("{}", usage());
    return 0;
  }
  return run(options);
}
