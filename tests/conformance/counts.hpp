// Counts by group, and the file that says how many functions must agree.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tests/conformance/run_case.hpp"

namespace shardprop::conformance {

// Of the cases that were run; the others are counted apart.
struct Counts {
  std::size_t agreeing_functions = 0;
  std::size_t functions = 0;
  std::size_t agreeing_cases = 0;
  std::size_t cases = 0;
  std::size_t listed = 0;  // of those that do not agree: they differ on purpose
  std::size_t crashed = 0;
  std::size_t not_built = 0;
  std::size_t left_out = 0;
  std::size_t refused_early = 0;

  void add(const CaseResult& result);
  void add(const Counts& other);
};

using CountsByName = std::map<std::string, Counts>;

// A table with one line for each name and one for all.
std::string table_of(const std::string& title, const CountsByName& counts);

// Holds `groups` against the file, which has one line for each group: its name, agreeing functions,
// functions, agreeing cases, cases; `#` begins a comment. Returns what to print, and sets `worse` when less of
// a group agrees than the file says. Groups that were not run, or are new, are not.
std::string check_expected(const std::string& file, const CountsByName& groups, bool& worse);

// Writes the numbers of `groups` into the file and keeps its other groups. The line of a group of
// which less agrees than before is kept and reported, and sets `worse`.
std::string update_expected(const std::string& file, const CountsByName& groups, bool& worse);

}  // namespace shardprop::conformance
