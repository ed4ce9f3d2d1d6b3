// Data-flow edges: the passes that add and sink them, and what flows through them.
#include <vector>

#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::data_flow_edges_cases {
namespace {

constexpr std::string_view kSteps =
    "add-data-flow-edges,apply-sharding-constraints,sharding-group-import,"
    "user-priority-propagate,sink-data-flow-edges";

// A while loop of two values: %x goes through %body to %r0, %n counts.
std::string while_program(std::string_view result_sharding, std::string_view edges_body,
                          std::string_view edges_after, std::string_view body_value,
                          std::string_view returned) {
  return program(
      kMeshXY,
      R"({"name": "%x", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}]>"}, {"name": "%n", "shape": [], "dtype": "i32"})",
      kF32x8,
      fmt::format(R"(
        {{"op": "stablehlo.while", "operands": ["%x", "%n"],
          "results": [{{"name": "%r0", "shape": [8], "dtype": "f32"{}}}, {{"name": "%r1", "shape": [], "dtype": "i32"{}}}],
          "blocks": [
            {{"arguments": [{{"name": "%p0", "shape": [8], "dtype": "f32"}}, {{"name": "%p1", "shape": [], "dtype": "i32"}}],
              "ops": [{{"op": "stablehlo.compare", "operands": ["%p1", "%p1"], "results": [{{"name": "%c"}}],
                        "attributes": {{"comparison_direction": "LT"}}}},
                      {{"op": "stablehlo.return", "operands": ["%c"]}}]}},
            {{"arguments": [{{"name": "%body", "shape": [8], "dtype": "f32"}}, {{"name": "%b1", "shape": [], "dtype": "i32"}}],
              "ops": [{}
                      {{"op": "stablehlo.negate", "operands": ["{}"], "results": [{{"name": "%y"}}]}},
                      {{"op": "stablehlo.return", "operands": ["%y", "%b1"]}}]}}]}},
        {}
        {{"op": "func.return", "operands": ["{}"]}})",
                  result_sharding, result_sharding.empty() ? "" : R"(, "sharding": "<@mesh, []>")",
                  edges_body, body_value, edges_after, returned));
}

TEST_CASE("add-data-flow-edges puts an edge on each owner, and sinking takes it away") {
  const std::string input = while_program("", "", "", "%body", "%r0");
  const std::string edges = R"(
      {"op": "sdy.data_flow_edge", "operands": ["%r0"], "results": [{"name": "%e0"}]},
      {"op": "sdy.data_flow_edge", "operands": ["%r1"], "results": [{"name": "%e1"}]},)";
  check_golden("add-data-flow-edges", input, while_program("", "", edges, "%body", "%e0"));
  check_golden("add-data-flow-edges,sink-data-flow-edges", input, input);
}

TEST_CASE("while with two regions: operand, region arguments and result are sharded alike") {
  Module m = read(while_program("", "", "", "%body", "%r0"));
  REQUIRE(run_text(m, kSteps));
  CHECK(sharding(m, "%r0") == R"(<@mesh, [{"x", ?}]>)");
  CHECK(sharding(m, "%y") == R"(<@mesh, [{"x", ?}]>)");
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x", ?}]>)");
}

// Edges of an operation that takes values into a region and gives what the region returns: from
// each operand to its argument, and from each returned value to its result.
void custom_edges(const Module& m, OpId op, std::vector<DataFlowEdge>& out) {
  const BlockId body = block_of(m, op, 0);
  for (ValueId argument : m.blocks[body].arguments) {
    DataFlowEdge edge;
    edge.owner = argument;
    edge.sources.push_back(operand_uses(m, op)[m.values[argument].number]);
    out.push_back(edge);
  }
  const OpId end = terminator(m, body);
  for (ValueId value : results(m, op)) {
    DataFlowEdge edge;
    edge.owner = value;
    edge.sources.push_back(operand_uses(m, end)[m.values[value].number]);
    out.push_back(edge);
  }
}

TEST_CASE("custom_op with region: a user's operation flows by registration alone") {
  OpTable ops = standard_ops();
  CustomOp custom;
  custom.name = "my.custom_op";
  custom.signature = {.min_results = 0, .max_results = kVariadic, .min_blocks = 1, .max_blocks = 1};
  custom.data_flow.edges = custom_edges;
  ops.add(custom);
  const auto custom_program = [](std::string_view x, std::string_view result) {
    return program(kMeshXY,
                   fmt::format(R"({{"name": "%x", "shape": [8, 4], "dtype": "f32"{}}})", x),
                   fmt::format(R"({{"shape": [4, 8], "dtype": "f32"{}}})", result), R"(
        {"op": "my.custom_op", "operands": ["%x"], "results": [{"name": "%y", "shape": [4, 8], "dtype": "f32"}],
         "blocks": [{"arguments": [{"name": "%arg", "shape": [8, 4], "dtype": "f32"}],
                     "ops": [{"op": "stablehlo.transpose", "operands": ["%arg"], "results": [{"name": "%t"}],
                              "attributes": {"permutation": [1, 0]}},
                             {"op": "stablehlo.return", "operands": ["%t"]}]}]},
        {"op": "func.return", "operands": ["%y"]})");
  };
  SECTION("forward, from the operand through the region to the result") {
    Module m = read(custom_program(R"(, "sharding": "<@mesh, [{\"x\"}, {\"y\"}]>")", ""), ops);
    REQUIRE(run_text(m, kSteps, ops));
    CHECK(sharding(m, "%t") == R"(<@mesh, [{"y", ?}, {"x", ?}]>)");
    CHECK(sharding(m, "%y") == R"(<@mesh, [{"y", ?}, {"x", ?}]>)");
  }
  SECTION("backward, from the result through the region to the operand") {
    Module m = read(custom_program("", R"(, "sharding": "<@mesh, [{\"x\"}, {\"y\"}]>")"), ops);
    REQUIRE(run_text(m, kSteps, ops));
    CHECK(sharding(m, "%t") == R"(<@mesh, [{"x", ?}, {"y", ?}]>)");
    CHECK(sharding(m, "%x") == R"(<@mesh, [{"y", ?}, {"x", ?}]>)");
  }
}

TEST_CASE("edges between functions stand on arguments of called functions and results of calls") {
  const auto with = [](std::string_view main_edge, std::string_view main_value,
                       std::string_view func_edge, std::string_view func_value) {
    return module_of(
        "", {func("main", kA, kF32x8,
                  fmt::format(
                      R"({{"op": "func.call", "operands": ["%a"], "attributes": {{"callee": "f"}},
                                   "results": [{{"name": "%0", "shape": [8], "dtype": "f32"}}]}}, {}
                                 {{"op": "func.return", "operands": ["{}"]}})",
                      main_edge, main_value)),
             func("f", kA, kF32x8,
                  fmt::format(R"({} {{"op": "func.return", "operands": ["{}"]}})", func_edge,
                              func_value),
                  kPrivate)});
  };
  const auto edge = [](std::string_view value) {
    return fmt::format(
        R"({{"op": "sdy.func_data_flow_edge", "operands": ["{}"], "results": [{{"name": "%e"}}]}},)",
        value);
  };
  const std::string input = with("", "%0", "", "%a");
  check_golden("add-func-data-flow-edges", input, with(edge("%0"), "%e", edge("%a"), "%e"));
  check_golden("add-func-data-flow-edges,sink-func-data-flow-edges", input, input);
}

}  // namespace
}  // namespace shardprop::test::data_flow_edges_cases
