#include "tests/conformance/counts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace shardprop::conformance {

namespace {

struct Expected {
  std::size_t agreeing_functions = 0;
  std::size_t functions = 0;
  std::size_t agreeing_cases = 0;
  std::size_t cases = 0;
};
using ExpectedByGroup = std::map<std::string, Expected>;

constexpr const char* kHeader =
    "# What agrees with the reference, a group a line: functions, of how many; whole cases, of how "
    "many.\n# The numbers that agree may only grow. Written by `shardprop_conformance --update`, "
    "checked with `--expect`;\n# see docs/conformance.md.\n";

// None when the file cannot be read; a line that cannot be read is put in `error`.
std::optional<ExpectedByGroup> read_expected(const std::string& file, std::string& error) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  ExpectedByGroup out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string group;
    Expected numbers;
    if (words >> group >> numbers.agreeing_functions >> numbers.functions >>
        numbers.agreeing_cases >> numbers.cases) {
      out[group] = numbers;
    } else {
      error += fmt::format("{}: cannot read '{}'\n", file, line);
    }
  }
  return out;
}

bool is_worse(const Counts& found, const Expected& expected) {
  return found.agreeing_functions < expected.agreeing_functions ||
         found.agreeing_cases < expected.agreeing_cases;
}

bool is_better(const Counts& found, const Expected& expected) {
  return !is_worse(found, expected) && (found.agreeing_functions > expected.agreeing_functions ||
                                        found.agreeing_cases > expected.agreeing_cases);
}

std::string describe(const char* word, const std::string& group, const Counts& found,
                     const Expected& expected) {
  return fmt::format("{} {}: {} of {} functions and {} of {} cases agree, expected {} and {}\n",
                     word, group, found.agreeing_functions, found.functions, found.agreeing_cases,
                     found.cases, expected.agreeing_functions, expected.agreeing_cases);
}

std::string ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? "-" : fmt::format("{}/{}", part, whole);
}

std::string percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return "";
  // Rounded down, so that only all of them are 100 %.
  const std::size_t tenths = part * 1000 / whole;
  return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

// A name that is wider than its column stands on a line of its own.
std::string row(const std::string& name, std::size_t width, const Counts& c) {
  const bool wide = name.size() > width;
  return fmt::format("{}{:<{}} {:>13} {:>8} {:>13} {:>8} {:>8} {:>10} {:>9}\n",
                     wide ? name + "\n" : "", wide ? "" : name, width,
                     ratio(c.agreeing_functions, c.functions),
                     percent(c.agreeing_functions, c.functions), ratio(c.agreeing_cases, c.cases),
                     c.listed, c.crashed, c.not_built, c.left_out);
}

}  // namespace

void Counts::add(const CaseResult& result) {
  if (result.outcome == Outcome::kNotBuilt) {
    ++not_built;
  } else if (result.outcome == Outcome::kLeftOut) {
    ++left_out;
  } else {
    ++cases;
    agreeing_functions += result.agreeing_functions;
    functions += result.functions;
    if (result.outcome == Outcome::kAgrees) ++agreeing_cases;
    if (result.outcome == Outcome::kListed) ++listed;
    if (result.outcome == Outcome::kCrashed) ++crashed;
    if (result.refused_early) ++refused_early;
  }
}

void Counts::add(const Counts& other) {
  agreeing_functions += other.agreeing_functions;
  functions += other.functions;
  agreeing_cases += other.agreeing_cases;
  cases += other.cases;
  listed += other.listed;
  crashed += other.crashed;
  not_built += other.not_built;
  left_out += other.left_out;
  refused_early += other.refused_early;
}

std::string table_of(const std::string& title, const CountsByName& counts) {
  constexpr std::size_t kMaxName = 60;
  std::size_t width = title.size();
  for (const auto& [name, c] : counts) {
    if (name.size() <= kMaxName) width = std::max(width, name.size());
  }
  std::string out =
      fmt::format("{:<{}} {:>13} {:>8} {:>13} {:>8} {:>8} {:>10} {:>9}\n", title, width,
                  "functions", "", "cases", "listed", "crashed", "not built", "left out");
  Counts all;
  for (const auto& [name, c] : counts) {
    out += row(name, width, c);
    all.add(c);
  }
  return out + row("all", width, all);
}

std::string check_expected(const std::string& file, const CountsByName& groups, bool& worse) {
  std::string out;
  const auto expected = read_expected(file, out);
  if (!expected || !out.empty()) {
    worse = true;
    return expected ? out : fmt::format("cannot read {}\n", file);
  }
  std::size_t better = 0;
  std::size_t run = 0;
  for (const auto& [group, c] : groups) {
    const auto known = expected->find(group);
    if (known != expected->end()) ++run;
    const Expected numbers = known == expected->end() ? Expected() : known->second;
    if (is_worse(c, numbers)) {
      worse = true;
      out += describe("WORSE ", group, c, numbers);
    } else if (is_better(c, numbers)) {
      ++better;
      out += describe("better", group, c, numbers);
    }
  }
  if (better > 0) {
    out += fmt::format("{} groups agree more than {} says: write the new numbers with --update\n",
                       better, file);
  }
  if (run < expected->size()) {
    out += fmt::format("{} groups of {} were not run\n", expected->size() - run, file);
  }
  if (!worse) out += fmt::format("as much agrees as {} says, or more\n", file);
  return out;
}

std::string update_expected(const std::string& file, const CountsByName& groups, bool& worse) {
  std::string out;
  ExpectedByGroup numbers = read_expected(file, out).value_or(ExpectedByGroup());
  if (!out.empty()) {
    worse = true;
    return out;
  }
  for (const auto& [group, c] : groups) {
    if (c.cases == 0 && !numbers.contains(group)) continue;
    Expected& line = numbers[group];
    if (is_worse(c, line)) {
      worse = true;
      out += describe("WORSE, kept", group, c, line);
    } else {
      line = {c.agreeing_functions, c.functions, c.agreeing_cases, c.cases};
    }
  }
  std::ofstream to(file);
  to << kHeader;
  for (const auto& [group, line] : numbers) {
    to << fmt::format("{} {} {} {} {}\n", group, line.agreeing_functions, line.functions,
                      line.agreeing_cases, line.cases);
  }
  if (!to.flush()) {
    worse = true;
    return fmt::format("cannot write {}\n", file);
  }
  return out + fmt::format("wrote {}\n", file);
}

}  // namespace shardprop::conformance
