// apply-sharding-constraints, manual-axes-cleanup and sharding-group-import.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::import_cases {
namespace {

std::string constraint(std::string_view result, std::string_view operand, std::string_view dims) {
  return fmt::format(R"({{"op": "sdy.sharding_constraint", "operands": ["{}"],
                          "results": [{{"name": "{}"}}], "attributes": {{"sharding": "<@mesh, [{}]>"}}}},)",
                     operand, result, dims);
}
std::string negate(std::string_view result, std::string_view operand, std::string_view dims = "") {
  return fmt::format(
      R"({{"op": "stablehlo.negate", "operands": ["{}"], "results": [{{"name": "{}", "shape": [8], "dtype": "f32"{}}}]}},)",
      operand, result, dims.empty() ? "" : fmt::format(R"(, "sharding": "<@mesh, [{}]>")", dims));
}
std::string returns(std::string_view value) {
  return fmt::format(R"({{"op": "func.return", "operands": ["{}"]}})", value);
}
std::string constrained_main(std::string_view ops) { return program(kMeshXY, kA, kF32x8, ops); }

constexpr std::string_view kX = R"({\"x\"})";
constexpr std::string_view kY = R"({\"y\"})";

std::string sharding_after(std::string_view ops, std::string_view value) {
  Module m = read(constrained_main(ops));
  REQUIRE(run_text(m, "apply-sharding-constraints"));
  return sharding(m, value);
}

TEST_CASE("apply-sharding-constraints gives a tensor the sharding of a closed constraint on it") {
  const std::string x = R"(<@mesh, [{"x"}]>)";
  const std::string end = negate("%d", "%c") + returns("%d");
  CHECK(sharding_after(negate("%b", "%a") + constraint("%c", "%b", kX) + end, "%b") == x);
  CHECK(sharding_after(constraint("%c", "%a", kX) + end, "%a") == x);
  // An open constraint, another sharding, or another constraint are against it.
  CHECK(sharding_after(negate("%b", "%a") + constraint("%c", "%b", R"({\"x\", ?})") + end, "%b") ==
        "none");
  CHECK(sharding_after(negate("%b", "%a", kY) + constraint("%c", "%b", kX) + end, "%b") ==
        R"(<@mesh, [{"y"}]>)");
  CHECK(sharding_after(
            negate("%b", "%a") + constraint("%c", "%b", kX) + constraint("%c2", "%b", kY) + end,
            "%b") == "none");
}

TEST_CASE("a chain of constraints lets later users use its end") {
  const std::string head = negate("%b", "%a") + negate("%before", "%b") +
                           constraint("%c", "%b", kX) + constraint("%d", "%c", kY);
  Module m = read(constrained_main(head + negate("%after", "%b") + returns("%b")));
  REQUIRE(run_text(m, "apply-sharding-constraints"));
  const auto operand_of = [&](std::string_view name) {
    return name_of(m, operand(m, defining_op(m, value(m, name)), 0));
  };
  CHECK(operand_of("%after") == "%d");
  CHECK(operand_of("%before") == "%b");
  CHECK(name_of(m, operand(m, terminator(m, m.funcs[m.func_order[0]].body), 0)) == "%b");
}

TEST_CASE("a constraint on the target of a data-flow edge stands before its other users") {
  const std::string barrier = R"(
      {"op": "stablehlo.optimization_barrier", "operands": ["%a"], "results": [{"name": "%b", "shape": [8], "dtype": "f32"}]},)";
  const std::string edge =
      R"({"op": "sdy.data_flow_edge", "operands": ["%b"], "results": [{"name": "%e"}]},)";
  check_golden(
      "add-data-flow-edges,apply-sharding-constraints",
      constrained_main(barrier + negate("%n", "%b") + constraint("%c", "%b", kX) + returns("%n")),
      constrained_main(barrier + edge + constraint("%c", "%e", kX) + negate("%n", "%c") +
                       returns("%n")));
}

std::string manual(std::string_view in, std::string_view axes, std::string_view out) {
  return constrained_main(fmt::format(R"(
      {{"op": "sdy.manual_computation", "operands": ["%a"], "results": [{{"name": "%m", "shape": [8], "dtype": "f32"}}],
        "attributes": {{"in_shardings": [{}], "manual_axes": [{}], "out_shardings": [{}]}},
        "blocks": [{{"arguments": [{{"name": "%l", "shape": [4], "dtype": "f32"}}],
                     "ops": [{{"op": "sdy.return", "operands": ["%l"]}}]}}]}},
      {{"op": "func.return", "operands": ["%m"]}})",
                                      in, axes, out));
}

TEST_CASE("manual-axes-cleanup sorts manual axes and notes the unused ones") {
  const std::string_view x = R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})";
  const std::string_view x_y =
      R"({"mesh": "mesh", "dims": [{"axes": ["x"]}], "replicated": ["y"]})";
  check_golden("manual-axes-cleanup", manual(x, R"("y", "x")", x_y),
               manual(x_y, R"("x", "y")", x_y));
  check_unchanged("manual-axes-cleanup", manual(x, R"("x")", x));
}

TEST_CASE("manual-axes-cleanup refuses manual axes without inputs and outputs") {
  check_refused("manual-axes-cleanup", constrained_main(R"(
      {"op": "sdy.manual_computation", "attributes": {"in_shardings": [], "manual_axes": ["x"], "out_shardings": []},
        "blocks": [{"arguments": [], "ops": [
          {"op": "stablehlo.constant", "results": [{"name": "%0", "shape": [4], "dtype": "f32"}], "attributes": {"value": 1.0}},
          {"op": "sdy.return"}]}]},
      {"op": "func.return", "operands": ["%a"]})"),
                "manual_axes_cleanup.no_shardings");
}

std::string groups(std::initializer_list<std::pair<std::string_view, int>> members) {
  std::string ops;
  for (const auto& [value, id] : members) {
    ops += fmt::format(
        R"({{"op": "sdy.sharding_group", "operands": ["{}"], "attributes": {{"group_id": {}}}}},)",
        value, id);
  }
  return program(
      "",
      R"({"name": "%a", "shape": [8], "dtype": "f32"}, {"name": "%b", "shape": [8], "dtype": "f32"},
                    {"name": "%c", "shape": [8], "dtype": "f32"}, {"name": "%d", "shape": [4], "dtype": "f32"})",
      "", ops + R"({"op": "func.return"})");
}

TEST_CASE("sharding-group-import joins groups of a value and counts from 0") {
  constexpr std::string_view kPass = "sharding-group-import";
  check_golden(kPass, groups({{"%a", 567}, {"%a", 23}, {"%b", 2}, {"%c", 23}}),
               groups({{"%a", 0}, {"%b", 1}, {"%c", 0}}));
  // The class of 9 and 4 is led by 4, which is first seen after 9 and 7.
  check_golden(kPass, groups({{"%a", 9}, {"%b", 7}, {"%c", 4}, {"%c", 9}}),
               groups({{"%a", 1}, {"%b", 0}, {"%c", 1}}));
  check_unchanged(kPass, groups({{"%a", 0}, {"%b", 0}, {"%c", 1}}));
}

TEST_CASE("sharding-group-import refuses groups that cannot be sharded alike") {
  check_refused("sharding-group-import", groups({{"%a", 1}, {"%d", 1}}), "sharding_group.shape");
  std::string crossing = manual(R"("<@mesh, [{\"x\"}]>")", R"("x")", R"("<@mesh, [{\"x\"}]>")");
  const auto insert = [&](std::string_view before, std::string_view value) {
    crossing.insert(
        crossing.find(before),
        fmt::format(
            R"({{"op": "sdy.sharding_group", "operands": ["{}"], "attributes": {{"group_id": 1}}}}, )",
            value));
  };
  insert(R"({"op": "sdy.return")", "%l");
  insert(R"({"op": "func.return")", "%m");
  check_refused("sharding-group-import", crossing, "sharding_group.manual_computation");
}

}  // namespace
}  // namespace shardprop::test::import_cases
