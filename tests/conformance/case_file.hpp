// The cases: JSON Lines files, one case in each line. The graphs stay raw text, so that our reader
// sees every byte of an input.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/normal_form.hpp"

namespace shardprop::conformance {

struct Case {
  std::string group;  // folder and file without .jsonl: generated/linear.basic-propagate
  std::string name;
  std::string source;
  Json passes;                // [{"pass": name, "options": {...}}, ...]; empty: verify only
  std::string_view input;     // JSON text
  std::string_view expected;  // JSON text; empty: none is given
  std::optional<std::string> expected_error;
  bool unverified_input = false;  // the input itself is what must be refused
  bool left_out = false;          // the reference itself is known to be wrong
};

// The names of the passes with commas between, or `verify`.
std::string pass_list(const Case& c);

struct CaseSet {
  std::vector<Case> cases;
  std::deque<std::string>
      texts;  // the files, which the cases point into; moving a deque leaves its strings in place
  std::string error;  // why reading stopped; empty when it did not
};

// Adds the cases of a .jsonl file, or of all such files under a folder in the order of their paths.
// Returns false after setting `set.error`.
bool load_cases(const std::filesystem::path& path, CaseSet& set);

}  // namespace shardprop::conformance
