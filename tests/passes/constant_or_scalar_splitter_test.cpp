// constant-or-scalar-splitter, and the hoisting of constants.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::constant_or_scalar_splitter_cases {
namespace {

std::string main_with(std::string_view ops) { return program("", kA, kF32x8, ops); }

constexpr std::string_view kSplitter = "constant-or-scalar-splitter";

TEST_CASE("constant-or-scalar-splitter copies constant expressions for each use") {
  check_golden(kSplitter, main_with(R"(
        {"op": "stablehlo.constant", "results": [{"name": "%c", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "stablehlo.exponential", "operands": ["%c"], "results": [{"name": "%e"}]},
        {"op": "stablehlo.add", "operands": ["%a", "%e"], "results": [{"name": "%x"}]},
        {"op": "stablehlo.add", "operands": ["%x", "%e"], "results": [{"name": "%y"}]},
        {"op": "func.return", "operands": ["%y"]})"),
               main_with(R"(
        {"op": "sdy.constant", "results": [{"name": "%c0", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "sdy.constant", "results": [{"name": "%c1", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "stablehlo.exponential", "operands": ["%c0"], "results": [{"name": "%e0"}]},
        {"op": "stablehlo.exponential", "operands": ["%c1"], "results": [{"name": "%e1"}]},
        {"op": "stablehlo.add", "operands": ["%a", "%e0"], "results": [{"name": "%x"}]},
        {"op": "stablehlo.add", "operands": ["%x", "%e1"], "results": [{"name": "%y"}]},
        {"op": "func.return", "operands": ["%y"]})"));
}

TEST_CASE("constant-or-scalar-splitter copies broadcasts of scalars, but no scalars") {
  const auto input = [](std::string_view constant, std::string_view broadcasts) {
    return program(
        "",
        R"({"name": "%a", "shape": [8], "dtype": "f32"}, {"name": "%s", "shape": [], "dtype": "f32"})",
        kF32x8,
        fmt::format(R"(
        {{"op": "{}", "results": [{{"name": "%c", "shape": [], "dtype": "f32"}}], "attributes": {{"value": 1.0}}}},
        {{"op": "stablehlo.add", "operands": ["%s", "%c"], "results": [{{"name": "%t"}}]}},
        {{"op": "stablehlo.add", "operands": ["%t", "%c"], "results": [{{"name": "%u"}}]}},
        {}
        {{"op": "stablehlo.add", "operands": ["%a", "%b0"], "results": [{{"name": "%x"}}]}},
        {{"op": "stablehlo.add", "operands": ["%x", "%b1"], "results": [{{"name": "%y"}}]}},
        {{"op": "func.return", "operands": ["%y"]}})",
                    constant, broadcasts));
  };
  const auto broadcast = [](std::string_view name) {
    return fmt::format(
        R"({{"op": "stablehlo.broadcast_in_dim", "operands": ["%u"], "attributes": {{"broadcast_dimensions": []}},
                           "results": [{{"name": "{}", "shape": [8], "dtype": "f32"}}]}},)",
        name);
  };
  std::string shared = input("stablehlo.constant", broadcast("%b0"));
  shared.replace(shared.find("%b1"), 3, "%b0");
  check_golden(kSplitter, shared, input("sdy.constant", broadcast("%b0") + broadcast("%b1")));
}

TEST_CASE("constant-or-scalar-splitter copies sharding groups along") {
  check_golden(kSplitter, main_with(R"(
        {"op": "stablehlo.iota", "results": [{"name": "%c", "shape": [8], "dtype": "f32"}], "attributes": {"iota_dimension": 0}},
        {"op": "sdy.sharding_group", "operands": ["%c"], "attributes": {"group_id": 3}},
        {"op": "stablehlo.add", "operands": ["%a", "%c"], "results": [{"name": "%x"}]},
        {"op": "func.return", "operands": ["%x"]})"),
               main_with(R"(
        {"op": "stablehlo.iota", "results": [{"name": "%c", "shape": [8], "dtype": "f32"}], "attributes": {"iota_dimension": 0}},
        {"op": "sdy.sharding_group", "operands": ["%c"], "attributes": {"group_id": 3}},
        {"op": "stablehlo.add", "operands": ["%a", "%c"], "results": [{"name": "%x"}]},
        {"op": "func.return", "operands": ["%x"]})"));
}

TEST_CASE("constant-or-scalar-splitter keeps names and what nobody uses") {
  Module m = read(main_with(R"(
        {"op": "stablehlo.constant", "results": [{"name": "%unused", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "stablehlo.constant", "results": [{"name": "%c", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "stablehlo.add", "operands": ["%a", "%c"], "results": [{"name": "%x"}]},
        {"op": "func.return", "operands": ["%x"]})"));
  const Result<PipelineReport> report = run_text(m, "constant-splitter");
  REQUIRE(report);
  const std::string text = write_json(m);
  CHECK(text.find("%unused") != std::string::npos);
  CHECK(text.find("\"%c\"") != std::string::npos);
}

TEST_CASE("a call is constant where its function holds constants only") {
  const auto with_callee = [](std::string_view body) {
    return module_of("", {func("main", kA, kF32x8, R"(
        {"op": "func.call", "attributes": {"callee": "f"}, "results": [{"name": "%c", "shape": [8], "dtype": "f32"}]},
        {"op": "stablehlo.add", "operands": ["%a", "%c"], "results": [{"name": "%x"}]},
        {"op": "stablehlo.add", "operands": ["%x", "%c"], "results": [{"name": "%y"}]},
        {"op": "func.return", "operands": ["%y"]})"),
                          func("f", "", kF32x8, body, kPrivate)});
  };
  Module constant = read(with_callee(R"(
        {"op": "stablehlo.constant", "results": [{"name": "%0", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "func.return", "operands": ["%0"]})"));
  REQUIRE(run_text(constant, kSplitter));
  CHECK(constant.func_order.size() == 4);  // main, f and a copy for each of the two uses
  // A reduction is no constant expression.
  Module other = read(with_callee(R"(
        {"op": "stablehlo.constant", "results": [{"name": "%0", "shape": [8], "dtype": "f32"}], "attributes": {"value": 1.0}},
        {"op": "stablehlo.reverse", "operands": ["%0"], "results": [{"name": "%1"}], "attributes": {"dimensions": [0]}},
        {"op": "func.return", "operands": ["%1"]})"));
  REQUIRE(run_text(other, kSplitter));
  CHECK(other.func_order.size() == 2);
}

TEST_CASE("the traits of a user's own operations decide what is constant") {
  OpTable ops = standard_ops();
  REQUIRE(ops.add({.name = "my.constant", .traits = kConstantLike | kPure}).empty());
  REQUIRE(ops.add({.name = "my.map", .traits = kElementwise | kPure}).empty());
  REQUIRE(ops.add({.name = "my.random", .traits = kElementwise}).empty());
  const auto count_after = [&](std::string_view first, std::string_view second) {
    Module m = read(main_with(fmt::format(R"(
        {{"op": "{}", "results": [{{"name": "%c", "shape": [8], "dtype": "f32"}}]}},
        {{"op": "{}", "operands": ["%c"], "results": [{{"name": "%d", "shape": [8], "dtype": "f32"}}]}},
        {{"op": "stablehlo.add", "operands": ["%a", "%d"], "results": [{{"name": "%x"}}]}},
        {{"op": "stablehlo.add", "operands": ["%x", "%d"], "results": [{{"name": "%y"}}]}},
        {{"op": "func.return", "operands": ["%y"]}})",
                                          first, second)),
                    ops);
    REQUIRE(run_text(m, kSplitter, ops));
    return preorder(m).size();
  };
  CHECK(count_after("my.constant", "my.map") == 7);
  CHECK(count_after("my.constant", "my.random") == 5);
  CHECK(count_after("my.random", "my.map") == 5);
}

TEST_CASE("constants that are hoisted stand in front, equal ones once") {
  const auto constant = [](std::string_view name, int value) {
    return fmt::format(
        R"({{"op": "stablehlo.constant", "results": [{{"name": "{}", "shape": [8], "dtype": "f32"}}],
                           "attributes": {{"value": {}}}}},)",
        name, value);
  };
  const auto add = [](std::string_view result, std::string_view lhs, std::string_view rhs) {
    return fmt::format(
        R"({{"op": "stablehlo.add", "operands": ["{}", "{}"], "results": [{{"name": "{}"}}]}},)",
        lhs, rhs, result);
  };
  const std::string end = R"({"op": "func.return", "operands": ["%z"]})";
  check_golden(
      "explicit-gather-scatter-batching",
      main_with(add("%x", "%a", "%a") + constant("%c", 1) + add("%y", "%x", "%c") +
                constant("%d", 2) + constant("%e", 1) + add("%w", "%d", "%e") +
                add("%z", "%y", "%w") + end),
      main_with(constant("%d", 2) + constant("%c", 1) + add("%x", "%a", "%a") +
                add("%y", "%x", "%c") + add("%w", "%d", "%c") + add("%z", "%y", "%w") + end));
}

}  // namespace
}  // namespace shardprop::test::constant_or_scalar_splitter_cases
