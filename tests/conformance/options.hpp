// The command line of the conformance runner.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace shardprop::conformance {

struct Options {
  std::vector<std::string> paths;  // case files or folders
  std::string shared;              // the folder with conformance/, used when there are no paths
  std::string filter;              // a regular expression; empty: all cases
  std::string case_name;           // only the cases of this name, with all their differences
  std::string dump;                // folder for the graphs of cases that differ
  std::string expect;              // file with the expected numbers
  std::string update;              // the same file, to be written
  // A copy of the reference's repository, whose programs are read instead of running passes; empty:
  // asked for, but not given.
  std::optional<std::string> texts;
  std::vector<std::string> compare;  // two graphs to compare instead of running cases
  std::size_t jobs = 1;
  std::size_t show = 3;  // mismatches shown of a group
  unsigned timeout = 120;
  bool no_memo = false;  // hold each case against itself without the memo
  bool help = false;
};

std::string usage();

// Returns what is wrong with the arguments, or nothing.
std::string parse_options(const std::vector<std::string>& arguments, Options& options);

}  // namespace shardprop::conformance
