// The project's own table of operation tests: one line for each case, by family in the headers of
// this folder. `check_op_cases` of tests/ops/check_op_cases.hpp runs a table and says how `json` is
// read.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/text.hpp"

struct OpCase {
  std::string op;    // stablehlo.dot_general
  std::string what;  // "ok", "infer", or the constraint that must be reported: "c9", or a whole
                     // code "op.operand_count"
  std::string json;  // the program: StableHLO text, or short, in JSON
};

// Cases of `op`, each as `what` and `json`, for rows that several operations share.
inline std::vector<OpCase> cases_of(
    std::string_view op, shardprop::test::Replacements replacements,
    std::initializer_list<std::pair<std::string_view, std::string_view>> rows) {
  std::vector<OpCase> cases;
  for (const auto& [what, json] : rows)
    cases.push_back(
        {std::string(op), std::string(what), shardprop::test::with(replacements, json)});
  return cases;
}

inline std::vector<OpCase> joined(std::initializer_list<std::vector<OpCase>> lists) {
  std::vector<OpCase> all;
  for (const std::vector<OpCase>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}
