// Propagation through regions: data-flow edges of built-in operations and of a caller's own.
#include <vector>

#include "fmt/core.h"
#include "shardprop/pipeline/run_passes.hpp"
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

// A manual computation of `count` operands, all sharded along x outside; inside, y comes from the
// first of them, along a chain of sums.
std::string wide_manual(std::size_t count) {
  std::string arguments, operands, in, out, types, ops, made;
  for (std::size_t i = 0; i < count; ++i) {
    const char* comma = i == 0 ? "" : ", ";
    const char* dim = i == 0 ? R"({\"x\", \"y\", ?})" : R"({\"x\", ?})";
    arguments += fmt::format(R"({}{{"name": "%a{}", "shape": [8], "dtype": "f32"}})", comma, i);
    operands += fmt::format(R"({}"%a{}")", comma, i);
    in += fmt::format(R"({}"<@mesh, [{}]>")", comma, dim);
    out += fmt::format(R"({}"<@mesh, [{{\"x\", ?}}]>")", comma);
    types += fmt::format(R"({}{{"name": "%r{}", "shape": [8], "dtype": "f32"}})", comma, i);
    ops += fmt::format(
        R"({{"op": "stablehlo.add", "operands": ["%b{}", "%b{}"], "results": [{{"name": "%s{}"}}]}},)",
        i, i == 0 ? 0 : i - 1, i);
    made += fmt::format(R"({}"%s{}")", comma, i);
  }
  std::string body = arguments;
  for (std::size_t at = 0; (at = body.find("%a", at)) != std::string::npos; ++at)
    body.replace(at, 2, "%b");
  for (std::size_t at = 0; (at = body.find("[8]", at)) != std::string::npos; ++at)
    body.replace(at, 3, "[4]");
  return program(kMeshXY, arguments, R"({"shape": [8], "dtype": "f32"})",
                 fmt::format(R"({{"op": "sdy.manual_computation", "operands": [{}], "results": [{}],
      "attributes": {{"in_shardings": [{}], "out_shardings": [{}], "manual_axes": ["x"]}},
      "blocks": [{{"arguments": [{}], "ops": [{} {{"op": "sdy.return", "operands": [{}]}}]}}]}},
      {{"op": "func.return", "operands": ["%r0"]}})",
                             operands, types, in, out, body, ops, made));
}

TEST_CASE("without data-flow edges the lists of a manual computation are written once") {
  for (const std::size_t count : {std::size_t{4}, std::size_t{40}}) {
    Module m = read(wide_manual(count));
    const std::size_t attributes = m.attrs.size();
    run_pipeline(m, "user-priority-propagate");
    // A list and an element, whatever the number of operands.
    CHECK(m.attrs.size() - attributes <= 6);
    OpId manual;
    walk_ops(m, [&](OpId op) {
      if (op_name(m, op) == "sdy.manual_computation") manual = op;
    });
    const auto in = sharding_list(m, manual, kInShardings);
    REQUIRE(in);
    REQUIRE(in->size() == count);
    for (ShardingId id : *in) CHECK(text_of(m, id) == R"(<@mesh, [{"x", "y", ?}]>)");
  }
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
