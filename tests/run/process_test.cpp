// Control flow, calls, the life of values, errors, and processes that do an operation together.
#include "tests/run/run_case.hpp"

namespace shardprop::test::process_cases {

constexpr RunCase kControl[] = {
    {"a loop carries values and sees those around it", R"(
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %s = %one) : tensor<i32>, tensor<i32>
   cond {
    %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.multiply %s, %n : tensor<i32>
    stablehlo.return %n, %t : tensor<i32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<i32>)",
     "5 : tensor<i32>\n120 : tensor<i32>"},
    {"a case of no region runs the last one", R"(
  %k = stablehlo.constant dense<-3> : tensor<i32>
  %a = stablehlo.constant dense<7> : tensor<i32>
  %r = "stablehlo.case"(%k) ({
    stablehlo.return %k : tensor<i32>
  }, {
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>)",
     "7 : tensor<i32>"},
    {"tuples and tokens", R"(
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2.5> : tensor<f32>
  %k = stablehlo.create_token : !stablehlo.token
  %t = stablehlo.tuple %a, %b, %k : tuple<tensor<i32>, tensor<f32>, !stablehlo.token>
  %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<f32>, !stablehlo.token>) -> tensor<f32>
  return %r : tensor<f32>)",
     "2.5 : tensor<f32>"},
};

TEST_CASE("control flow", "[run]") {
  for (const RunCase& c : kControl) check_run_case(c);
}

constexpr std::string_view kFactorial = R"(
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %r = func.call @factorial(%n) : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
}
func.func private @factorial(%n: tensor<i64>) -> tensor<i64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %p = stablehlo.compare LE, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %one : tensor<i64>
  }, {
    %m = stablehlo.subtract %n, %one : tensor<i64>
    %f = func.call @factorial(%m) : (tensor<i64>) -> tensor<i64>
    %s = stablehlo.multiply %n, %f : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>
}
)";

Tensor number(std::int64_t value) {
  return tensor_of(Element::kI64, {}, std::vector<std::int64_t>{value});
}

TEST_CASE("a function may call itself, and calls without end are an error", "[run]") {
  const Module m = program(kFactorial);
  CHECK(outcome_of(m, "main", {}, {number(10)}) == "3628800 : tensor<i64>");
  CHECK(outcome_of(m, "main", {}, {number(1000000)}) ==
        "run.too_deep: calls are nested too deeply");
}

TEST_CASE("arguments must be what the function takes", "[run]") {
  const Module m = program(kFactorial);
  CHECK(outcome_of(m) == "run.arguments: @main takes 1 arguments, found 0");
  CHECK(outcome_of(m, "main", {}, {tensor_of(Element::kI32, {}, std::vector<std::int64_t>{1})}) ==
        "run.arguments: argument 0 of @main must be tensor<i64>, found [] of i32");
  CHECK(outcome_of(m, "other") == "run.no_function: there is no such function");
}

TEST_CASE("a run may be bounded", "[run]") {
  const Module m = program(run_case_text(R"(
  %p = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%i = %p) : tensor<i1>
   cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return %r : tensor<i1>)"));
  EvalOptions options;
  options.max_operations = 1000;
  CHECK(outcome_of(m, "main", options) == "run.too_long: the run takes more than 1000 operations");
}

TEST_CASE("a check that does not hold names the element and both values", "[run]") {
  constexpr RunCase kChecks[] = {
      {"equal", R"(
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[[1, 2], [5, 6]]> : tensor<2x2xi32>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
  return %a : tensor<2x2xi32>)",
       "run.check_failed: element [1, 0] is 3, expected 5"},
      {"0 equals -0, NaN equals nothing", R"(
  %a = stablehlo.constant dense<[0.0, 0x7FC00000]> : tensor<2xf32>
  %b = stablehlo.constant dense<[-0.0, 0x7FC00000]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %a : tensor<2xf32>)",
       "run.check_failed: element [1] is nan, expected nan"},
      {"three units in the last place are close, four are not", R"(
  %a = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[0x3F800003, 0x3F800004]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %a : tensor<2xf32>)",
       "run.check_failed: element [1] is 1, expected 1.0000005"},
      {"numbers of different signs are as far apart as both from 0", R"(
  %a = stablehlo.constant dense<0x00000002> : tensor<f32>
  %b = stablehlo.constant dense<0x80000002> : tensor<f32>
  stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  return %a : tensor<f32>)",
       "run.check_failed: element [] is 3e-45, expected -3e-45"},
      {"a NaN is close to a NaN only", R"(
  %a = stablehlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %b = stablehlo.constant dense<[0x7FC00001, 1.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %a : tensor<2xf32>)",
       "run.check_failed: element [1] is nan, expected 1"},
      {"a constant expected value with a tolerance", R"(
  %a = stablehlo.constant dense<(1.0, 1.0002)> : tensor<complex<f64>>
  "check.expect_almost_eq_const"(%a) <{value = dense<(1.0, 1.0)> : tensor<complex<f64>>}> : (tensor<complex<f64>>) -> ()
  return %a : tensor<complex<f64>>)",
       "run.check_failed: element [] is (1, 1.0002), expected (1, 1)"},
  };
  for (const RunCase& c : kChecks) check_run_case(c);
}

TEST_CASE("shapes that only the run shows are checked", "[run]") {
  constexpr RunCase kRows[] = {
      {"a slice out of range", R"(
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %s = stablehlo.constant dense<1> : tensor<1xi64>
  %l = stablehlo.constant dense<4> : tensor<1xi64>
  %r = stablehlo.real_dynamic_slice %a, %s, %l, %s : (tensor<3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  return %r : tensor<?xi32>)",
       "run.shape: a slice from 1 to 4 by 1 does not fit dimension 0 of tensor<3xi32>"},
      {"padding of a negative number between elements", R"(
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.constant dense<0> : tensor<1xi64>
  %o = stablehlo.constant dense<1> : tensor<1xi64>
  %n = stablehlo.negate %o : tensor<1xi64>
  %r = stablehlo.dynamic_pad %a, %z, %p, %p, %n : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  return %r : tensor<?xi32>)",
       "run.too_large: a value of the shape [-1] is too large"},
      {"a shape that is not the declared one", R"(
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<3x?xi64>
  %h = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
  %t = stablehlo.add %h, %h : tensor<2xi64>
  %u = stablehlo.dynamic_reshape %r, %t : (tensor<3x?xi64>, tensor<2xi64>) -> tensor<3x?xi64>
  return %u : tensor<3x?xi64>)",
       "run.shape: the result has the shape [2, 6], declared [3, ?]"},
      {"operands that do not fit each other", R"(
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  %t = stablehlo.constant dense<4> : tensor<1xi64>
  %a = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi64>
  %b = stablehlo.dynamic_iota %t, dim = 0 : (tensor<1xi64>) -> tensor<?xi64>
  %r = stablehlo.add %a, %b : tensor<?xi64>
  return %r : tensor<?xi64>)",
       "run.shape: operands have the shapes [3] and [4]"},
      {"a value beyond the limit", R"(
  %a = stablehlo.iota dim = 0 : tensor<1000000x1000000xf32>
  return %a : tensor<1000000x1000000xf32>)",
       "run.too_large: values of type tensor<1000000x1000000xf32> are too large"},
  };
  for (const RunCase& c : kRows) check_run_case(c);
}

TEST_CASE("what cannot be run is named", "[run]") {
  constexpr RunCase kRows[] = {
      {"an operation without a row", R"(
  %a = "other.thing"() : () -> tensor<f32>
  return %a : tensor<f32>)",
       "run.unsupported: other.thing cannot be run"},
      {"a call of an unknown target", R"(
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.custom_call @foo(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>)",
       "run.unsupported: stablehlo.custom_call @foo cannot be run"},
      {"elements of a type that tensors cannot have", R"(
  %a = stablehlo.iota dim = 0 : tensor<4xi128>
  return %a : tensor<4xi128>)",
       "run.unsupported: values of type tensor<4xi128> cannot be held"},
  };
  for (const RunCase& c : kRows) {
    INFO(c.title);
    CHECK(outcome_of(unverified(run_case_text(c.body))) == c.expected);
  }
}

TEST_CASE("a caller adds rows of its own, and constants whose data was left out are an error",
          "[run]") {
  const Module m = unverified(run_case_text(R"(
  %a = stablehlo.constant dense<4.0> : tensor<f32>
  %b = "mine.half"(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>)"));
  EvalTable table = standard_evaluators();
  EvalRow row;
  row.evaluate = [](EvalInput& in) -> Result<Tensors> {
    const auto numbers = numbers_of<double>(in.operands[0]);
    return one_result(tensor_of(Element::kF32, {}, std::vector<double>{numbers[0] / 2}));
  };
  table.add("mine.half", std::move(row));
  const Result<Tensors> results = evaluate(m, table, find_func(m, "main"), {});
  REQUIRE(results);
  CHECK(to_string((*results)[0]) == "2 : tensor<f32>");
  CHECK(outcome_of(program(run_case_text(R"(
  %a = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>
  return %a : tensor<4xf32>)"))) ==
        "run.constant: the elements of this tensor<4xf32> are not known");
}

// The address of the elements that each `test.see` gets.
TEST_CASE("an operation gets a value that it uses last as its own, also in loops", "[run]") {
  const Module m = unverified(R"(
func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
  %u = stablehlo.constant dense<5.0> : tensor<1xf32>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<10> : tensor<i64>
  %r:2 = stablehlo.while(%i = %z, %s = %a) : tensor<i64>, tensor<1000xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.dynamic_update_slice %s, %u, %i : (tensor<1000xf32>, tensor<1xf32>, tensor<i64>) -> tensor<1000xf32>
    %c = "test.see"(%b) : (tensor<1000xf32>) -> tensor<1000xf32>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %c : tensor<i64>, tensor<1000xf32>
  }
  return %r#1 : tensor<1000xf32>
}
)");
  std::vector<const std::byte*> seen;
  EvalTable table = standard_evaluators();
  EvalRow row;
  row.evaluate = [&](EvalInput& in) -> Result<Tensors> {
    seen.push_back(in.operands[0].read());
    return one_result(std::move(in.operands[0]));
  };
  table.add("test.see", std::move(row));
  Tensors arguments;
  arguments.emplace_back(Element::kF32, Shape{1000});
  const std::byte* const given = arguments[0].read();
  REQUIRE(evaluate(m, table, find_func(m, "main"), std::move(arguments)));
  CHECK(seen == std::vector<const std::byte*>(10, given));
}

TEST_CASE("a process waits at an operation that several do together", "[run]") {
  const Module m = unverified(R"(
func.func @main(%a: tensor<i64>) -> tensor<i64> {
  %b = "test.sum_of_all"(%a) : (tensor<i64>) -> tensor<i64>
  %c = stablehlo.add %b, %a : tensor<i64>
  return %c : tensor<i64>
}
)");
  EvalTable table = standard_evaluators();
  table.add("test.sum_of_all", EvalRow{nullptr, {}, Control::kTogether});
  const Runnable runnable(m, table);
  std::vector<Process> processes;
  for (std::int64_t i = 1; i <= 3; ++i)
    processes.emplace_back(runnable, find_func(m, "main"), Tensors{number(i)});
  std::int64_t sum = 0;
  for (Process& process : processes) {
    REQUIRE(process.run() == ProcessState::kWaits);
    CHECK(op_name(m, process.waits_at()) == "test.sum_of_all");
    sum += integers_of(process.operands()[0])[0];
  }
  std::string results;
  for (Process& process : processes) {
    process.resume({number(sum)});
    REQUIRE(process.run() == ProcessState::kDone);
    results += to_string(process.take_results()[0]) + "; ";
  }
  CHECK(results == "7 : tensor<i64>; 8 : tensor<i64>; 9 : tensor<i64>; ");
  const Result<Tensors> alone = evaluate(m, table, find_func(m, "main"), {number(1)});
  REQUIRE_FALSE(alone);
  CHECK(alone.errors()[0].code == "run.unsupported");
}

}  // namespace shardprop::test::process_cases
