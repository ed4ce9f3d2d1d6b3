// Propagation through regions: data-flow edges of built-in operations and of a caller's own.
#include "shardprop/pipeline/run.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::data_flow_cases {
namespace {

void run_pipeline(Module& m, std::string_view text, const OpTable& ops = standard_ops()) {
  const Result<std::vector<PassCall>> calls = parse_pipeline(text);
  REQUIRE(calls);
  const Result<PipelineReport> report = run_passes(m, ops, *calls);
  if (!report) FAIL(to_string(report.errors()));
}

constexpr std::string_view kWithEdges =
    "add-data-flow-edges,user-priority-propagate,sink-data-flow-edges";
constexpr std::string_view kEdgesOnly = "add-data-flow-edges,user-priority-propagate";
constexpr std::string_view kShardedArgument =
    R"({"name": "%a", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\", ?}]>"})";
constexpr std::string_view kResultOf8 = R"({"shape": [8], "dtype": "f32"})";

TEST_CASE("while with two regions: operand, body, condition and result are sharded alike") {
  Module m = read(program(kMeshXY, kShardedArgument, kResultOf8, R"(
      {"op": "stablehlo.constant", "results": [{"name": "%i", "shape": [], "dtype": "i32"}], "attributes": {"value": 0}},
      {"op": "stablehlo.while", "operands": ["%a", "%i"], "results": [{"name": "%r"}, {"name": "%n"}], "blocks": [
        {"arguments": [{"name": "%c", "shape": [8], "dtype": "f32"}, {"name": "%ci", "shape": [], "dtype": "i32"}],
         "ops": [{"op": "stablehlo.compare", "operands": ["%ci", "%ci"], "results": [{"name": "%p"}],
                  "attributes": {"comparison_direction": "LT"}},
                 {"op": "stablehlo.return", "operands": ["%p"]}]},
        {"arguments": [{"name": "%b", "shape": [8], "dtype": "f32"}, {"name": "%bi", "shape": [], "dtype": "i32"}],
         "ops": [{"op": "stablehlo.tanh", "operands": ["%b"], "results": [{"name": "%t"}]},
                 {"op": "stablehlo.return", "operands": ["%t", "%bi"]}]}]},
      {"op": "func.return", "operands": ["%r"]})"));
  run_pipeline(m, kWithEdges);
  for (const char* name : {"%a", "%t", "%r"}) CHECK(sharding(m, name) == R"(<@mesh, [{"x", ?}]>)");
  CHECK(sharding(m, "%n") == "<@mesh, []>");  // results have shardings together or not at all
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x", ?}]>)");
}

TEST_CASE("case: the branches' returned values and the result") {
  Module m = read(program(
      kMeshXY,
      R"({"name": "%i", "shape": [], "dtype": "i32"}, {"name": "%a", "shape": [8], "dtype": "f32"})",
      R"({"shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"y\"}]>"})", R"(
      {"op": "stablehlo.case", "operands": ["%i"], "results": [{"name": "%r"}], "blocks": [
        {"ops": [{"op": "stablehlo.tanh", "operands": ["%a"], "results": [{"name": "%t"}]},
                 {"op": "stablehlo.return", "operands": ["%t"]}]},
        {"ops": [{"op": "stablehlo.sine", "operands": ["%a"], "results": [{"name": "%s"}]},
                 {"op": "stablehlo.return", "operands": ["%s"]}]}]},
      {"op": "func.return", "operands": ["%r"]})"));
  run_pipeline(m, kWithEdges);
  for (const char* name : {"%a", "%t", "%s", "%r"})
    CHECK(sharding(m, name) == R"(<@mesh, [{"y", ?}]>)");
}

TEST_CASE("optimization_barrier: each operand with its result") {
  Module m = read(program(kMeshXY, kShardedArgument, kResultOf8, R"(
      {"op": "stablehlo.optimization_barrier", "operands": ["%a"], "results": [{"name": "%r"}]},
      {"op": "func.return", "operands": ["%r"]})"));
  run_pipeline(m, kWithEdges);
  CHECK(sharding(m, "%r") == R"(<@mesh, [{"x", ?}]>)");
}

TEST_CASE("manual_computation: only free axes pass; the body sees local shapes") {
  Module m = read(program(
      kMeshXY,
      R"({"name": "%a", "shape": [8, 8], "dtype": "f32", "sharding": "<@mesh, [{\"x\", ?}, {\"y\", ?}]>"})",
      R"({"shape": [8, 8], "dtype": "f32"})", R"(
      {"op": "sdy.manual_computation", "operands": ["%a"], "results": [{"name": "%r", "shape": [8, 8], "dtype": "f32"}],
       "attributes": {"manual_axes": ["x"], "in_shardings": ["<@mesh, [{\"x\", ?}, {?}]>"],
                      "out_shardings": ["<@mesh, [{\"x\", ?}, {?}]>"]},
       "blocks": [{"arguments": [{"name": "%l", "shape": [4, 8], "dtype": "f32"}],
                   "ops": [{"op": "stablehlo.tanh", "operands": ["%l"], "results": [{"name": "%t"}]},
                           {"op": "sdy.return", "operands": ["%t"]}]}]},
      {"op": "func.return", "operands": ["%r"]})"));
  run_pipeline(m, kWithEdges);
  CHECK(sharding(m, "%t") == R"(<@mesh, [{?}, {"y", ?}]>)");
  const std::string text = write_json(m);
  CHECK(
      text.find(
          R"("out_shardings": [{"mesh": "mesh", "dims": [{"axes": ["x"], "open": true}, {"axes": ["y"], "open": true}]}])") !=
      std::string::npos);
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x", ?}, {"y", ?}]>)");
}

OpTable table_with_region_op() {
  OpTable ops = standard_ops();
  CustomOp custom{.name = "custom_op"};
  custom.data_flow.edges = [](const Module& m, OpId op, std::vector<DataFlowEdge>& edges) {
    const BlockId body = block_of(m, op, 0);
    for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
      DataFlowEdge edge;
      edge.owner = result(m, op, i);
      edge.sources = {operand_uses(m, op)[i], operand_uses(m, terminator(m, body))[i]};
      edge.targets = {m.blocks[body].arguments[i]};
      edges.push_back(edge);
    }
  };
  ops.add(std::move(custom));
  return ops;
}

TEST_CASE("custom_op with region works by registration alone") {
  const OpTable ops = table_with_region_op();
  Module m = read(
      program(
          kMeshXY,
          R"({"name": "%a", "shape": [8], "dtype": "f32"}, {"name": "%b", "shape": [8], "dtype": "f32",
                                       "sharding": "<@mesh, [{\"y\", ?}]>"})",
          R"({"shape": [8], "dtype": "f32"}, {"shape": [8], "dtype": "f32"})", R"(
      {"op": "custom_op", "operands": ["%a", "%b"],
       "results": [{"name": "%r", "shape": [8], "dtype": "f32"}, {"name": "%s", "shape": [8], "dtype": "f32"}],
       "blocks": [{"arguments": [{"name": "%c", "shape": [8], "dtype": "f32"}, {"name": "%d", "shape": [8], "dtype": "f32"}],
                   "ops": [{"op": "stablehlo.add", "operands": ["%c", "%d"], "results": [{"name": "%e"}]},
                           {"op": "stablehlo.return", "operands": ["%e", "%d"]}]}]},
      {"op": "func.return", "operands": ["%r", "%s"]})"),
      ops);
  run_pipeline(m, kWithEdges, ops);
  for (const char* name : {"%a", "%b", "%e", "%r", "%s"})
    CHECK(sharding(m, name) == R"(<@mesh, [{"y", ?}]>)");
}

TEST_CASE("during propagation the edge carries the sharding of all its targets") {
  Module m = read(program(kMeshXY, kShardedArgument, kResultOf8, R"(
      {"op": "stablehlo.optimization_barrier", "operands": ["%a"], "results": [{"name": "%r"}]},
      {"op": "func.return", "operands": ["%r"]})"));
  run_pipeline(m, kEdgesOnly);
  CHECK(sharding(m, "%r") == "none");
  CHECK(to_string(m).find(R"(sdy.data_flow_edge(%r) : tensor<8xf32> <@mesh, [{"x", ?}]>)") !=
        std::string::npos);
}

}  // namespace
}  // namespace shardprop::test::data_flow_cases
