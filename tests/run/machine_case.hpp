// Small local programs for a machine of several processes, as rows: a title, the grid, the type of
// the argument %a, the operations of @main, and what each process returns. The argument of process
// number n is 10 n, 10 n + 1, 10 n + 2, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/run/machine/run_on_devices.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "tests/run/run_case.hpp"

namespace shardprop::test {

struct MachineCase {
  std::string_view title;
  ProcessGrid grid;
  std::string_view argument;  // type of %a
  std::string_view body;
  std::string_view expected;  // results of each process, or the code and the message of the error
};

// The elements of a tensor without its type.
inline std::string elements_text(const Tensor& tensor) {
  const std::string text = to_string(tensor);
  return text.substr(0, text.find(" :"));
}

// What each process returns, one process after the other, `code: message` of an error.
inline std::string text_of_results(const Result<std::vector<Tensors>>& results) {
  if (!results) return fmt::format("{}: {}", results.errors()[0].code, results.errors()[0].message);
  std::string out;
  for (const Tensors& of_process : *results) {
    std::string line;
    for (const Tensor& tensor : of_process)
      line += (line.empty() ? "" : ", ") + elements_text(tensor);
    out += (out.empty() ? "" : "; ") + line;
  }
  return out;
}

inline std::string machine_case_text(std::string_view argument, std::string_view body) {
  const std::size_t colon = body.find(':', body.rfind("return"));
  const std::string_view types =
      colon == std::string_view::npos ? std::string_view() : body.substr(colon + 1);
  return fmt::format("func.func @main(%a: {}) -> ({}) {{\n{}\n}}\n", argument, types, body);
}

inline std::vector<Tensors> numbered_arguments(const Module& m, FuncId func, std::size_t count,
                                               const EvalOptions& options = {}) {
  std::vector<Tensors> out(count);
  for (ValueId value : m.blocks[m.funcs[func].body].arguments) {
    const TypeId type = type_of(m, value);
    const Element element = element_of(m, type, options);
    for (std::size_t i = 0; i < count; ++i) {
      out[i].push_back(detail::made_tensor(
          element, detail::shape_copy(m, type),
          [&](std::size_t k) { return static_cast<double>(10 * i + k); },
          [&](std::size_t k) { return std::uint64_t{10 * i + k}; }));
    }
  }
  return out;
}

inline std::string outcome_of(const MachineCase& c) {
  static const EvalTable table = standard_evaluators();
  const Module m = program(machine_case_text(c.argument, c.body));
  const FuncId func = find_func(m, "main");
  return text_of_results(
      run_on_grid(Runnable(m, table), func, numbered_arguments(m, func, c.grid.size()), c.grid));
}

inline void check_machine_case(const MachineCase& c) {
  INFO(c.title);
  CHECK(outcome_of(c) == c.expected);
}

}  // namespace shardprop::test
