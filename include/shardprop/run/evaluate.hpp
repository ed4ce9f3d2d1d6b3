// Runs a program: tensors in, tensors out.
//
//   const EvalTable table = standard_evaluators();
//   Result<Tensors> out = evaluate(m, table, find_func(m, "main"), arguments);
//
// The module must verify. Costs what the operations cost; a value is freed after its last use.
#pragma once

#include <cstddef>
#include <utility>

#include "fmt/core.h"
#include "shardprop/run/process.hpp"
#include "shardprop/run/standard_evaluators.hpp"

namespace shardprop {

// Whether `arguments` are what `func` takes: `run.arguments` says what is wrong.
inline Diagnostics check_arguments(const Module& m, FuncId func, const Tensors& arguments,
                                   const EvalOptions& options) {
  const auto parameters = m.blocks.get(m.funcs[func].body).arguments;
  const std::string name(m.strings[m.funcs[func].name]);
  if (parameters.size() != arguments.size()) {
    return {{"run.arguments", fmt::format("@{} takes {} arguments, found {}", name,
                                          parameters.size(), arguments.size())}};
  }
  Diagnostics errors;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId type = type_of(m, parameters[i]);
    const bool same_elements = element_of(m, type, options) == arguments[i].element();
    if (same_elements && compatible_shapes(m.types.shape(type), arguments[i].shape())) continue;
    errors.push_back(
        {"run.arguments",
         fmt::format("argument {} of @{} must be {}, found {} of {}", i, name, to_string(m, type),
                     to_string(arguments[i].shape()), row_of(arguments[i].element()).name)});
  }
  return errors;
}

// What `func` returns. Errors: `run.arguments`, `run.unsupported` names an operation that cannot be
// run, `run.check_failed` a check of the program that does not hold, `run.*` what else went wrong.
inline Result<Tensors> evaluate(const Module& m, const EvalTable& table, FuncId func,
                                Tensors arguments, const EvalOptions& options = {}) {
  if (!func.valid()) return Diagnostic{"run.no_function", "there is no such function"};
  if (Diagnostics errors = check_arguments(m, func, arguments, options); !errors.empty())
    return errors;
  const Runnable program(m, table);
  Process process(program, func, std::move(arguments), options);
  switch (process.run()) {
    case ProcessState::kDone:
      return process.take_results();
    case ProcessState::kWaits:
      return eval_error(m, process.waits_at(), "unsupported",
                        fmt::format("{} needs several processes", op_name(m, process.waits_at())));
    default:
      return process.errors();
  }
}

}  // namespace shardprop
