// Runs a program: tensors in, tensors out.
//
//   const EvalTable table = standard_evaluators();
//   Result<Tensors> out = evaluate(m, table, find_func(m, "main"), arguments);
//
// It runs as the only process of a machine; `run/machine/run_on_devices.hpp` runs it on several.
// The module must verify. Costs what the operations cost; a value is freed after its last use.
#pragma once

#include <utility>

#include "shardprop/run/machine/machine.hpp"
#include "shardprop/run/standard_evaluators.hpp"

namespace shardprop {

// What `func` returns. Errors: `run.arguments`, `run.unsupported` names an operation that cannot be
// run, `run.check_failed` a check of the program that does not hold, `run.*` what else went wrong.
inline Result<Tensors> evaluate(const Module& m, const EvalTable& table, FuncId func,
                                Tensors arguments, const EvalOptions& options = {}) {
  if (!func.valid()) return Diagnostic{"run.no_function", "there is no such function"};
  if (Diagnostics errors = check_arguments(m, func, arguments, options); !errors.empty())
    return errors;
  const Runnable program(m, table);
  Machine machine(program, {}, options);
  machine.add(func, std::move(arguments));
  if (Diagnostics errors = machine.run(); !errors.empty()) return errors;
  return machine.take_results(0);
}

}  // namespace shardprop
