// Passes on functions and calls.
#include <vector>

#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::calls_cases {
namespace {

std::string names(const Module& m) {
  std::string all;
  for (FuncId f : m.func_order) all += std::string(m.strings[m.funcs[f].name]) + " ";
  return all;
}

std::string run_names(std::string_view passes, std::string_view input) {
  Module m = read(input);
  const auto report = run_text(m, passes);
  if (!report) FAIL(to_string(report.errors()));
  return names(m);
}

std::string call(std::string_view result, std::string_view callee, std::string_view operand) {
  return fmt::format(
      R"({{"op": "func.call", "operands": ["{}"], "results": [{{"name": "{}", "shape": [8], "dtype": "f32"}}],
          "attributes": {{"callee": "{}"}}}})",
      operand, result, callee);
}

// A function that calls others one after the other.
std::string calls(std::string_view name, const std::vector<std::string>& callees,
                  std::string_view more = kPrivate) {
  std::string ops;
  std::string value = "%a";
  for (std::size_t i = 0; i < callees.size(); ++i) {
    const std::string result = fmt::format("%{}", i);
    ops += call(result, callees[i], value) + ", ";
    value = result;
  }
  ops += fmt::format(R"({{"op": "func.return", "operands": ["{}"]}})", value);
  return func(name, kA, kF32x8, ops, more);
}

TEST_CASE("symbol-dce erases private functions that no public one reaches") {
  const std::string input =
      module_of("", {calls("main", {"f"}, ""), calls("f", {"g"}), calls("g", {}),
                     calls("unused", {"also"}), calls("also", {})});
  CHECK(run_names("symbol-dce", input) == "main f g ");
  check_unchanged("symbol-dce", module_of("", {calls("main", {"f"}, ""), calls("f", {})}));
}

TEST_CASE("pre-order-funcs puts callers first") {
  const auto ordered = [](std::initializer_list<std::string> functions) {
    return run_names("pre-order-funcs", module_of("", functions));
  };
  CHECK(ordered({calls("f2", {}), calls("f1", {"f2"}), calls("main", {"f1"}, "")}) ==
        "main f1 f2 ");
  // Of two functions that are called, the one that is called last comes first.
  CHECK(ordered({calls("main", {"f", "g"}, ""), calls("f", {"h"}), calls("g", {}),
                 calls("h", {})}) == "main g f h ");
  CHECK(ordered({calls("a", {}, ""), calls("b", {}, "")}) == "b a ");
}

TEST_CASE("propagate-sharding-from-func-to-call") {
  const std::string callee =
      func("f", kA, R"({"shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}]>"})",
           R"({"op": "func.return", "operands": ["%a"]})", kPrivate);
  const auto main_func = [](std::string_view sharding) {
    return func("main", kA, kF32x8,
                fmt::format(
                    R"({{"op": "func.call", "operands": ["%a"], "attributes": {{"callee": "f"}},
                        "results": [{{"name": "%0", "shape": [8], "dtype": "f32"{}}}]}},
                       {{"op": "func.return", "operands": ["%0"]}})",
                    sharding));
  };
  const auto with = [](std::string_view text) {
    return fmt::format(R"(, "sharding": "<@mesh, [{}]>")", text);
  };
  check_golden("propagate-sharding-from-func-to-call", module_of(kMeshXY, {main_func(""), callee}),
               module_of(kMeshXY, {main_func(with(R"({\"x\"})")), callee}));
  // A call that has shardings keeps them.
  check_unchanged("propagate-sharding-from-func-to-call",
                  module_of(kMeshXY, {main_func(with(R"({\"y\"})")), callee}));
}

TEST_CASE("flatten-call-graph gives each call functions of its own") {
  const std::string input = module_of(
      "", {calls("main", {"foo", "foo"}, ""), calls("foo", {"bar", "bar"}), calls("bar", {})});
  Module m = read(input);
  REQUIRE(run_text(m, "flatten-call-graph"));
  CHECK(names(m) == "main foo bar bar_0 bar_1 bar_0_2 foo_3 ");
  const FuncId copy = m.func_order.back();
  CHECK(m.strings[original_name(m, copy)] == "foo");
  const Symbols symbols(m);
  std::string callees;
  walk_ops(m, [&](OpId op) {
    if (op_name(m, op) != "func.call") return;
    callees += std::string(m.strings[m.funcs[symbols.callee(m, op)].name]) + " ";
  });
  CHECK(callees == "foo foo_3 bar bar_0 bar_1 bar_0_2 ");
  check_unchanged("flatten-call-graph",
                  module_of("", {calls("main", {"f"}, ""), calls("f", {"g"}), calls("g", {})}));
}

TEST_CASE("import-func-calls inlines functions as named computations") {
  const std::string callee = func(
      "f",
      R"({"name": "%a", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}]>"}, {"name": "%b", "shape": [8], "dtype": "f32"})",
      kF32x8,
      R"({"op": "stablehlo.add", "operands": ["%a", "%b"], "results": [{"name": "%c"}]}, {"op": "func.return", "operands": ["%c"]})",
      kPrivate);
  const std::string main_func = func(
      "main", kA, kF32x8,
      R"({"op": "func.call", "operands": ["%a", "%a"], "attributes": {"callee": "f", "mine": 7},
          "results": [{"name": "%0", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"y\"}]>"}]},
         {"op": "func.call", "operands": ["%0", "%a"], "attributes": {"callee": "f"},
          "results": [{"name": "%1", "shape": [8], "dtype": "f32"}]},
         {"op": "func.return", "operands": ["%1"]})");
  const auto computation = [](std::string_view operands, std::string_view name,
                              std::string_view attributes) {
    return fmt::format(
        R"({{"op": "sdy.named_computation", "operands": [{}], "attributes": {{{}
              "in_shardings": [{{"mesh": "mesh", "dims": [{{"axes": ["x"]}}]}},
                               {{"mesh": "mesh", "dims": [{{"axes": [], "open": true}}]}}]}},
            "results": [{{"name": "{}", "shape": [8], "dtype": "f32"}}],
            "blocks": [{{"arguments": [{{"name": "{}a", "shape": [8], "dtype": "f32"}}, {{"name": "{}b", "shape": [8], "dtype": "f32"}}],
                        "ops": [{{"op": "stablehlo.add", "operands": ["{}a", "{}b"], "results": [{{"name": "{}c"}}]}},
                                {{"op": "sdy.return", "operands": ["{}c"]}}]}}]}},)",
        operands, attributes, name, name, name, name, name, name, name);
  };
  const std::string expected =
      computation(
          R"("%a", "%a")", "%0",
          R"("mine": 7, "name": "f", "out_shardings": [{"mesh": "mesh", "dims": [{"axes": ["y"]}]}],)") +
      computation(R"("%0", "%a")", "%1", R"("name": "f", )") +
      R"({"op": "func.return", "operands": ["%1"]})";
  const std::string input = module_of(kMeshXY, {main_func, callee});
  check_golden("import-func-calls{add-data-flow-edges-on-named-computations=false}", input,
               module_of(kMeshXY, {func("main", kA, kF32x8, expected)}));

  Module m = read(input);
  REQUIRE(run_text(m, "import-func-calls"));
  std::size_t edges = 0;
  walk_ops(m, [&](OpId op) { edges += op_name(m, op) == "sdy.data_flow_edge" ? 1 : 0; });
  CHECK(edges == 6);  // two arguments and one result of both
}

TEST_CASE("passes that follow calls refuse those that they cannot follow") {
  const std::string unknown = module_of("", {calls("main", {"missing"}, "")});
  const std::string recursive =
      module_of("", {calls("main", {"f", "f"}, ""), calls("f", {"g"}), calls("g", {"f"})});
  const std::string signature = module_of(
      "",
      {calls("main", {"f", "f"}, ""),
       func(
           "f", "", kF32x8,
           R"({"op": "stablehlo.constant", "results": [{"name": "%0", "shape": [8], "dtype": "f32"}],
                    "attributes": {"value": 1}}, {"op": "func.return", "operands": ["%0"]})")});
  for (const char* pass :
       {"flatten-call-graph", "import-func-calls", "constant-or-scalar-splitter"}) {
    check_refused(pass, unknown, "calls.unknown_callee");
    check_refused(pass, recursive, "calls.recursive");
    check_refused(pass, signature, "calls.signature");
  }
}

}  // namespace
}  // namespace shardprop::test::calls_cases
