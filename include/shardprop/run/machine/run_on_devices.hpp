// Runs a function on several devices at once: a local program, as a partitioner makes it, in which
// each device has its own tensors and collectives exchange them.
//
//   const Runnable program(m, table);
//   Result<std::vector<Tensors>> out = run_on_devices(program, find_func(m, "main"), shards);
//
// The module must verify. A program that runs many times is made a `Runnable` once; a run then
// costs what its operations cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/run/machine/machine.hpp"
#include "shardprop/run/machine/placement.hpp"
#include "shardprop/run/standard_evaluators.hpp"

namespace shardprop {

// What `func` returns on each process of the grid, where process (r, p) has the number
// r * partitions + p and gets the arguments of that number. Errors: those of `evaluate`, and
// `run.diverged`, `run.groups`, `run.mismatch`, `run.deadlock`.
inline Result<std::vector<Tensors>> run_on_grid(const Runnable& program, FuncId func,
                                                std::vector<Tensors> arguments, ProcessGrid grid,
                                                const EvalOptions& options = {}) {
  if (!func.valid()) return Diagnostic{"run.no_function", "there is no such function"};
  if (arguments.size() != grid.size()) {
    return Diagnostic{"run.arguments", fmt::format("there are {} processes, and arguments of {}",
                                                   grid.size(), arguments.size())};
  }
  Machine machine(program, grid, options);
  for (Tensors& own : arguments) {
    if (Diagnostics errors = check_arguments(program.module(), func, own, options); !errors.empty())
      return errors;
    machine.add(func, std::move(own));
  }
  if (Diagnostics errors = machine.run(); !errors.empty()) return errors;
  std::vector<Tensors> out;
  for (std::size_t i = 0; i < grid.size(); ++i) out.push_back(machine.take_results(i));
  return out;
}
// The same on one replica of as many partitions as there are arguments.
inline Result<std::vector<Tensors>> run_on_devices(const Runnable& program, FuncId func,
                                                   std::vector<Tensors> arguments,
                                                   const EvalOptions& options = {}) {
  const auto partitions = static_cast<std::int64_t>(arguments.size());
  return run_on_grid(program, func, std::move(arguments), {1, partitions}, options);
}

}  // namespace shardprop
