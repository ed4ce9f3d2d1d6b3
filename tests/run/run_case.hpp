// Small programs for the evaluator, as rows: a title, the operations of @main, and what it returns
// as text. The last operation is the return; its types are the function's.
#pragma once

#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/run/evaluate.hpp"
#include "shardprop/run/tensor_text.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test {

struct RunCase {
  std::string_view title;
  std::string_view body;
  std::string_view expected;  // results, or the code and the message of the error
};

// The results of `func`, one a line, or `code: message`.
inline std::string outcome_of(const Module& m, std::string_view func = "main",
                              const EvalOptions& options = {}, Tensors arguments = {}) {
  static const EvalTable table = standard_evaluators();
  const Result<Tensors> results =
      evaluate(m, table, find_func(m, func), std::move(arguments), options);
  if (!results) return fmt::format("{}: {}", results.errors()[0].code, results.errors()[0].message);
  std::string out;
  for (const Tensor& tensor : *results) out += (out.empty() ? "" : "\n") + to_string(tensor);
  return out;
}

// The program of a row. `functions` are other functions that it calls.
inline std::string run_case_text(std::string_view body, std::string_view functions = "") {
  const std::size_t last = body.rfind("return");
  const std::size_t colon = body.find(':', last);
  const std::string_view types =
      colon == std::string_view::npos ? std::string_view() : body.substr(colon + 1);
  return fmt::format("func.func @main() -> ({}) {{\n{}\n}}\n{}", types, body, functions);
}

inline void check_run_case(const RunCase& c, const EvalOptions& options = {}) {
  INFO(c.title);
  CHECK(outcome_of(program(run_case_text(c.body)), "main", options) == c.expected);
}

}  // namespace shardprop::test
