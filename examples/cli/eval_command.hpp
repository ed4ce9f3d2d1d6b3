// `shardprop eval IN`: runs a program on the arguments that are given, on one device or on all that
// it is for, and shows or writes what it returns.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "fmt/core.h"
#include "shardprop/io/npy.hpp"
#include "shardprop/run/evaluate.hpp"
#include "shardprop/run/machine/local_program.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "shardprop/run/tensor_text.hpp"

namespace shardprop::cli {

inline constexpr std::array kEvalOptions = {
    Option{"--arg", "N=VALUE",
           "argument number N: a file FILE.npy, random, or iota (0, 1, 2, ...); may repeat"},
    Option{"--function", "NAME", "the function to run; default: main, or all that take nothing"},
    Option{"--devices", "",
           "run on all devices of the program: collectives move data between them"},
    Option{"--exact", "", "compute with 64-bit integers that wrap around in place of floats"},
    Option{"-o", "FILE", "write the results there: .npz for NumPy, else as text"}};

inline constexpr std::string_view kEvalDetails =
    "N is a number from 0, the name of the argument, or * for all that are not named. A check of "
    "the\n"
    "program that does not hold ends the run; the exit code is then 1.\n"
    "With --devices, a local program (one with collectives of StableHLO) runs on each device; "
    "where\n"
    "its arguments and results have shardings, those given and shown are the global ones. In a "
    "global\n"
    "program the collectives of sdy move the shards that the devices have.";

namespace detail {

// What --arg says, by what stands before the first `=`.
using GivenArguments = std::map<std::string, std::string, std::less<>>;

// Empty where a word is not `N=VALUE`, after an error.
inline std::optional<GivenArguments> given_arguments(const Arguments& arguments) {
  GivenArguments given;
  for (const std::string& word : arguments.all("--arg")) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      print_error(fmt::format("--arg takes N=FILE.npy, N=random or N=iota, not '{}'", word));
      return std::nullopt;
    }
    given[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return given;
}

// How a program is run.
struct Run {
  EvalOptions options;
  std::optional<ProcessGrid> grid;  // of a local program
};

inline Result<Tensor> argument_value(const Module& m, ValueId parameter, std::size_t number,
                                     const std::string& source, const Run& run) {
  const TypeId type = type_of(m, parameter);
  const Element element = element_of(m, type, run.options);
  if (element == Element::kNone || !m.types.is_static_tensor(type)) {
    return Diagnostic{"run.arguments", fmt::format("a value of type {} cannot be given",
                                                   shardprop::to_string(m, type))};
  }
  Shape shape = shardprop::detail::shape_copy(m, type);
  if (run.grid) shape = global_shape(m, std::move(shape), tensor_sharding_of(m, parameter));
  if (source == "iota") return counted(element, std::move(shape));
  if (source == "random") return random_tensor(element, std::move(shape), number);
  const Result<std::string> file = shardprop::detail::read_file(source);
  if (!file) return file.errors();
  return read_npy(*file, element);
}

inline std::optional<Tensors> arguments_of(const Module& m, FuncId func,
                                           const GivenArguments& given, const Run& run) {
  const auto parameters = m.blocks[m.funcs[func].body].arguments;
  Tensors out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = name_of(m, parameters[i]);
    auto at = given.find(std::to_string(i));
    if (at == given.end()) at = given.find(name);
    used += at == given.end() ? 0 : 1;
    if (at == given.end()) at = given.find("*");
    if (at == given.end()) {
      print_error(fmt::format("argument {} ({}: {}) is not given; for example --arg {}=random", i,
                              name, shardprop::to_string(m, type_of(m, parameters[i])), i));
      return std::nullopt;
    }
    Result<Tensor> value = argument_value(m, parameters[i], i, at->second, run);
    if (!value) {
      print_diagnostics(value.errors(), {{at->second, {}}});
      return std::nullopt;
    }
    out.push_back(*std::move(value));
  }
  if (used + given.count("*") != given.size()) {
    print_error(fmt::format("--arg names an argument that the function does not have; it has {}",
                            parameters.size()));
    return std::nullopt;
  }
  return out;
}

// Larger results are shown by their type alone.
inline constexpr std::size_t kMostShown = 1000;

inline std::string results_text(const std::vector<NamedTensor>& results, std::size_t most) {
  std::string out;
  for (const NamedTensor& r : results) {
    out += fmt::format(
        "{} = {}\n", r.name,
        r.tensor.count() <= most ? shardprop::to_string(r.tensor) : "... : " + type_text(r.tensor));
  }
  return out;
}

inline int write_results(const std::vector<NamedTensor>& results, const std::string& path) {
  if (path.empty() || path == "-") return print_text(results_text(results, kMostShown));
  std::string file =
      path.ends_with(".npz") ? std::string() : results_text(results, std::string::npos);
  if (path.ends_with(".npz")) {
    Result<std::string> npz = write_npz(results);
    if (!npz) return print_diagnostics(npz.errors()), kBadInput;
    file = *std::move(npz);
  }
  const InterruptGuard guard;
  const auto write = [](void* state, std::FILE* to) {
    return write_all(to, *static_cast<std::string*>(state));
  };
  const Diagnostics errors = shardprop::detail::replace_file(path, {write, &file});
  if (interrupted_by == 0) print_diagnostics(errors);
  return errors.empty() ? kOk : kBadInput;
}

// The function of that name; `main`; or all public functions that take nothing.
inline std::vector<FuncId> functions_to_run(const Module& m, const std::string& name) {
  const FuncId func = find_func(m, name.empty() ? "main" : name);
  if (func.valid()) return {func};
  std::vector<FuncId> out;
  for (FuncId f : m.func_order) {
    const bool takes_nothing = m.blocks[m.funcs[f].body].arguments.empty();
    if (name.empty() && takes_nothing && !m.funcs[f].is_private) out.push_back(f);
  }
  return out;
}

// How the arguments say to run the program; empty after an error.
inline std::optional<Run> run_of(const Arguments& arguments, const Module& m,
                                 const EvalTable& table) {
  Run run;
  run.options.exact = arguments.has("--exact");
  run.options.move_shards = arguments.has("--devices");
  if (!arguments.has("--devices") || !is_local_program(m, table)) return run;
  run.grid = grid_of(m);
  if (run.grid) return run;
  print_error(
      "the program does not say how many devices it is for: it has neither a mesh nor the "
      "attribute "
      "mhlo.num_partitions");
  return std::nullopt;
}

// The results of a local program by name: the global tensors, or, where they are not known and the
// devices have different ones, that of each device.
inline std::vector<NamedTensor> results_of_devices(const Module& m, FuncId func,
                                                   const std::vector<Tensors>& results) {
  std::vector<NamedTensor> named;
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    Tensors shards;
    for (const Tensors& of_device : results) shards.push_back(of_device[i]);
    if (auto whole = global_result(m, func, i, shards)) {
      named.push_back({fmt::format("result{}", i), *std::move(whole)});
      continue;
    }
    for (std::size_t device = 0; device < shards.size(); ++device)
      named.push_back({fmt::format("result{}.device{}", i, device), shards[device]});
  }
  return named;
}

inline Result<std::vector<NamedTensor>> named_results(const Runnable& program, FuncId func,
                                                      Tensors arguments, const Run& run) {
  const Module& m = program.module();
  if (run.grid) {
    auto results =
        run_on_grid(program, func, shards_of_arguments(m, func, arguments, run.grid->size()),
                    *run.grid, run.options);
    if (!results) return std::move(results.errors());
    return results_of_devices(m, func, *results);
  }
  Result<Tensors> results = evaluate(m, program.table(), func, std::move(arguments), run.options);
  if (!results) return std::move(results.errors());
  std::vector<NamedTensor> named;
  for (std::size_t i = 0; i < results->size(); ++i)
    named.push_back({fmt::format("result{}", i), std::move((*results)[i])});
  return named;
}

}  // namespace detail

inline int eval_command(const Arguments& arguments) {
  const auto given = detail::given_arguments(arguments);
  if (!given) return kBadUsage;
  const std::optional<Input> input = load(arguments.positional[0], standard_ops());
  if (!input) return kBadInput;
  const Module& m = input->m;
  const std::vector<FuncId> functions = detail::functions_to_run(m, arguments.get("--function"));
  if (functions.empty()) {
    print_error(arguments.has("--function")
                    ? fmt::format("the program has no function '{}'", arguments.get("--function"))
                    : "the program has no function 'main'; name one with --function");
    return kBadUsage;
  }
  const EvalTable table = standard_evaluators();
  const std::optional<detail::Run> run = detail::run_of(arguments, m, table);
  if (!run) return kBadInput;
  const Runnable program(m, table);
  std::vector<NamedTensor> named;
  for (FuncId func : functions) {
    std::optional<Tensors> values = detail::arguments_of(m, func, *given, *run);
    if (!values) return kBadInput;
    auto results = detail::named_results(program, func, *std::move(values), *run);
    if (!results) {
      print_diagnostics(results.errors(), input->texts());
      return kBadInput;
    }
    for (NamedTensor& result : *results) {
      if (functions.size() > 1)
        result.name = fmt::format("{}.{}", m.strings[m.funcs[func].name], result.name);
      named.push_back(std::move(result));
    }
  }
  return detail::write_results(named, arguments.get("-o"));
}

}  // namespace shardprop::cli
