// A training program: 100 steps, whose numbers come from NumPy (tests/data/run), and one step on
// eight devices.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "shardprop/run/machine/local_program.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "tests/run/run_case.hpp"

namespace shardprop::test::training_cases {

constexpr const char* kProgram = SHARDPROP_SOURCE_DIR "/examples/jax_mlp.mlir";
constexpr const char* kLocal = SHARDPROP_SOURCE_DIR "/tests/data/run/jax_mlp_local.mlir";
constexpr const char* kExpected = SHARDPROP_SOURCE_DIR "/tests/data/run/mlp_training.txt";

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Argument number k, as the script makes it.
Tensor made_argument(std::size_t k, const Shape& shape) {
  const double scale = k < 4 ? 0.1 : 2.0;
  return detail::made_tensor(
      Element::kF32, shape,
      [&](std::size_t i) {
        return (static_cast<double>((7919 * i + 104729 * k) % 1009) / 1009 - 0.5) * scale;
      },
      [](std::size_t) { return std::uint64_t{0}; });
}

void check_near(double actual, double expected) {
  CHECK(std::fabs(actual - expected) <= 1e-4 * std::max(1e-2, std::fabs(expected)));
}

TEST_CASE("100 steps of training give the numbers of NumPy, and the loss falls", "[run]") {
  const Module m = program(text_of_file(kProgram));
  const EvalTable table = standard_evaluators();
  const FuncId func = find_func(m, "main");
  Tensors arguments;
  for (ValueId value : m.blocks[m.funcs[func].body].arguments)
    arguments.push_back(made_argument(arguments.size(), detail::shape_copy(m, type_of(m, value))));
  std::istringstream expected(text_of_file(kExpected));
  double last = INFINITY;
  for (int step = 0; step < 100; ++step) {
    Result<Tensors> out = evaluate(m, table, func, arguments);
    REQUIRE(out);
    std::string name;
    double loss = 0;
    REQUIRE(expected >> name >> loss);
    INFO("step " << step);
    const double actual = numbers_of<double>((*out)[4])[0];
    check_near(actual, loss);
    CHECK(actual < last);
    last = actual;
    for (std::size_t i = 0; i < 4; ++i) arguments[i] = std::move((*out)[i]);
  }
  for (const Tensor& weights : {arguments[0], arguments[1], arguments[2], arguments[3]}) {
    std::string name;
    double sum = 0;
    double squares = 0;
    REQUIRE(expected >> name >> sum >> squares);
    INFO(name);
    double actual_sum = 0;
    double actual_squares = 0;
    for (double number : numbers_of<double>(weights)) {
      actual_sum += number;
      actual_squares += number * number;
    }
    check_near(actual_sum, sum);
    check_near(actual_squares, squares);
  }
}

// The local program is what `propagate --collectives` and `convert-global-to-local` make of it.
TEST_CASE("a step on eight devices gives what it gives on one, exactly", "[run]") {
  const EvalTable table = standard_evaluators();
  const Module whole = program(text_of_file(kProgram));
  const Module local = program(text_of_file(kLocal));
  const FuncId func = find_func(local, "main");
  EvalOptions options;
  options.exact = true;
  Tensors arguments;
  for (ValueId value : whole.blocks[whole.funcs[find_func(whole, "main")].body].arguments) {
    arguments.push_back(random_tensor(
        Element::kExact, detail::shape_copy(whole, type_of(whole, value)), arguments.size()));
  }
  const auto expected = evaluate(whole, table, find_func(whole, "main"), arguments, options);
  const auto found = run_on_devices(Runnable(local, table), func,
                                    shards_of_arguments(local, func, arguments, 8), options);
  REQUIRE(expected);
  REQUIRE(found);
  for (std::size_t i = 0; i < expected->size(); ++i) {
    Tensors shards;
    for (const Tensors& of_device : *found) shards.push_back(of_device[i]);
    const auto result = global_result(local, func, i, shards);
    REQUIRE(result);
    CHECK(numbers_of<std::uint64_t>(*result) == numbers_of<std::uint64_t>((*expected)[i]));
  }
}

}  // namespace shardprop::test::training_cases
