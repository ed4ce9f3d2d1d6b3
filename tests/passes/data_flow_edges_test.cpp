// Data-flow edges: the passes that add and sink them, and what flows through them.
#include <vector>

#include "tests/passes/golden.hpp"

namespace shardprop::test::data_flow_edges_cases {
namespace {

constexpr std::string_view kSteps =
    "add-data-flow-edges,apply-sharding-constraints,sharding-group-import,"
    "user-priority-propagate,sink-data-flow-edges";

// A while loop of two values: %x goes through %body to %r0, %n counts.
constexpr std::string_view kLoop = R"(
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %n: tensor<i32>)
    -> tensor<8xf32> {
  %r0, %r1 = stablehlo.while(%body = %x, %i = %n) : tensor<8xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.negate %body : tensor<8xf32>
    stablehlo.return %y, %i : tensor<8xf32>, tensor<i32>
  }
  return %r0 : tensor<8xf32>
})";

TEST_CASE("add-data-flow-edges puts an edge on each owner, and sinking takes it away") {
  const std::string with_edges = with({{"  return %r0", R"(
  %e0 = sdy.data_flow_edge %r0 : tensor<8xf32>
  %e1 = sdy.data_flow_edge %r1 : tensor<i32>
  return %e0)"}},
                                      kLoop);
  check_golden("add-data-flow-edges", on_mesh(kLoop), on_mesh(with_edges));
  check_golden("add-data-flow-edges,sink-data-flow-edges", on_mesh(kLoop), on_mesh(kLoop));
}

TEST_CASE("while with two regions: operand, region arguments and result are sharded alike") {
  Module m = program(on_mesh(kLoop));
  run_well(m, kSteps);
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

// A function whose one operation transposes in its region what it takes.
Module transposed(const OpTable& ops, std::string_view argument, std::string_view result) {
  return program(on_mesh(with({{"$argument", argument}, {"$result", result}}, R"(
func.func @main(%x: tensor<8x4xf32> $argument) -> (tensor<4x8xf32> $result) {
  %y = "my.custom_op"(%x) ({
  ^bb0(%arg: tensor<8x4xf32>):
    %t = stablehlo.transpose %arg, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    stablehlo.return %t : tensor<4x8xf32>
  }) : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
})")),
                 ops);
}

TEST_CASE("custom_op with region: a user's operation flows by registration alone") {
  OpTable ops = standard_ops();
  CustomOp custom;
  custom.name = "my.custom_op";
  custom.signature = {.min_results = 0, .max_results = kVariadic, .min_blocks = 1, .max_blocks = 1};
  custom.data_flow.edges = custom_edges;
  REQUIRE(ops.add(custom).empty());
  const std::string_view given = R"({sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})";
  SECTION("forward, from the operand through the region to the result") {
    Module m = transposed(ops, given, "");
    run_well(m, kSteps, ops);
    CHECK(sharding(m, "%t") == R"(<@mesh, [{"y", ?}, {"x", ?}]>)");
    CHECK(sharding(m, "%y") == R"(<@mesh, [{"y", ?}, {"x", ?}]>)");
  }
  SECTION("backward, from the result through the region to the operand") {
    Module m = transposed(ops, "", given);
    run_well(m, kSteps, ops);
    CHECK(sharding(m, "%t") == R"(<@mesh, [{"x", ?}, {"y", ?}]>)");
    CHECK(sharding(m, "%x") == R"(<@mesh, [{"y", ?}, {"x", ?}]>)");
  }
}

TEST_CASE("edges between functions stand on arguments of called functions and results of calls") {
  const std::string_view input = R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
})";
  check_golden("add-func-data-flow-edges", input, R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %e = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %e : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = sdy.func_data_flow_edge %a : tensor<8xf32>
  return %e : tensor<8xf32>
})");
  check_golden("add-func-data-flow-edges,sink-func-data-flow-edges", input, input);
}

}  // namespace
}  // namespace shardprop::test::data_flow_edges_cases
