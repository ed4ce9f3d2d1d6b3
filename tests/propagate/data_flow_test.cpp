// Propagation through regions: data-flow edges of built-in operations and of a caller's own.
#include <optional>
#include <vector>

#include "shardprop/ir/place.hpp"
#include "shardprop/ir/print.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
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

TEST_CASE("while with two regions: operand, body, condition and result are sharded alike") {
  Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %r, %n = stablehlo.while(%b = %a, %bi = %i) : tensor<8xf32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %bi, %bi : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %t = stablehlo.tanh %b : tensor<8xf32>
    stablehlo.return %t, %bi : tensor<8xf32>, tensor<i32>
  }
  return %r : tensor<8xf32>
})"));
  run_pipeline(m, kWithEdges);
  for (const char* name : {"%a", "%t", "%r"}) CHECK(sharding(m, name) == R"(<@mesh, [{"x", ?}]>)");
  CHECK(sharding(m, "%n") == "<@mesh, []>");  // results have shardings together or not at all
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x", ?}]>)");
}

TEST_CASE("case: the branches' returned values and the result") {
  Module m = program(on_mesh(R"(
func.func @main(%i: tensor<i32>, %a: tensor<8xf32>)
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %r = "stablehlo.case"(%i) ({
    %t = stablehlo.tanh %a : tensor<8xf32>
    stablehlo.return %t : tensor<8xf32>
  }, {
    %s = stablehlo.sine %a : tensor<8xf32>
    stablehlo.return %s : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
})"));
  run_pipeline(m, kWithEdges);
  for (const char* name : {"%a", "%t", "%s", "%r"})
    CHECK(sharding(m, name) == R"(<@mesh, [{"y", ?}]>)");
}

constexpr std::string_view kBarrier = R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %r = stablehlo.optimization_barrier %a : tensor<8xf32>
  return %r : tensor<8xf32>
})";

TEST_CASE("optimization_barrier: each operand with its result") {
  Module m = program(on_mesh(kBarrier));
  run_pipeline(m, kWithEdges);
  CHECK(sharding(m, "%r") == R"(<@mesh, [{"x", ?}]>)");
}

TEST_CASE("manual_computation: only free axes pass; the body sees local shapes") {
  Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>})
    -> tensor<8x8xf32> {
  %r = sdy.manual_computation(%a)
      in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>]
      manual_axes={"x"} (%l: tensor<4x8xf32>) {
    %t = stablehlo.tanh %l : tensor<4x8xf32>
    sdy.return %t : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
})"));
  run_pipeline(m, kWithEdges);
  CHECK(sharding(m, "%t") == R"(<@mesh, [{?}, {"y", ?}]>)");
  CHECK(write_stablehlo_text(m)->find(R"(out_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>])") !=
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
  REQUIRE(ops.add(std::move(custom)).empty());
  return ops;
}

// A manual computation of `count` operands, all sharded along x outside; inside, y comes from the
// first of them, along a chain of sums.
std::string wide_manual(std::size_t count) {
  std::string arguments, operands, in, out, types, parameters, locals, sums, made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    const std::string comma = i == 0 ? "" : ", ";
    arguments += comma + "%a" + n + ": tensor<8xf32>";
    operands += comma + "%a" + n;
    in += comma + (i == 0 ? R"(<@mesh, [{"x", "y", ?}]>)" : R"(<@mesh, [{"x", ?}]>)");
    out += comma + R"(<@mesh, [{"x", ?}]>)";
    types += comma + "tensor<8xf32>";
    parameters += comma + "%b" + n + ": tensor<4xf32>";
    locals += comma + "tensor<4xf32>";
    sums += "    %s" + n + " = stablehlo.add %b" + n + ", %b" + std::to_string(i == 0 ? 0 : i - 1) +
            " : tensor<4xf32>\n";
    made += comma + "%s" + n;
  }
  return with({{"$arguments", arguments},
               {"$operands", operands},
               {"$in", in},
               {"$out", out},
               {"$types", types},
               {"$parameters", parameters},
               {"$locals", locals},
               {"$sums", sums},
               {"$made", made},
               {"$count", std::to_string(count)}},
              on_mesh(R"(
func.func @main($arguments) -> tensor<8xf32> {
  %r:$count = sdy.manual_computation($operands)
      in_shardings=[$in] out_shardings=[$out] manual_axes={"x"} ($parameters) {
$sums
    sdy.return $made : $locals
  } : ($types) -> ($types)
  return %r#0 : tensor<8xf32>
})"));
}

TEST_CASE("without data-flow edges the lists of a manual computation are written once") {
  for (const std::size_t count : {std::size_t{4}, std::size_t{40}}) {
    Module m = program(wide_manual(count));
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
  Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>})
    -> (tensor<8xf32>, tensor<8xf32>) {
  %r, %s = "custom_op"(%a, %b) ({
  ^bb0(%c: tensor<8xf32>, %d: tensor<8xf32>):
    %e = stablehlo.add %c, %d : tensor<8xf32>
    stablehlo.return %e, %d : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %r, %s : tensor<8xf32>, tensor<8xf32>
})"),
                     ops);
  run_pipeline(m, kWithEdges, ops);
  for (const char* name : {"%a", "%b", "%e", "%r", "%s"})
    CHECK(sharding(m, name) == R"(<@mesh, [{"y", ?}]>)");
}

TEST_CASE("during propagation the edge carries the sharding of all its targets") {
  Module m = program(on_mesh(kBarrier));
  run_pipeline(m, kEdgesOnly);
  CHECK(sharding(m, "%r") == "none");
  CHECK(to_string(m).find(R"(sdy.data_flow_edge(%r) : tensor<8xf32> <@mesh, [{"x", ?}]>)") !=
        std::string::npos);
}

// Values in regions of all kinds, with shardings of their own.
constexpr std::string_view kRegions = R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %i: tensor<i32>,
                %f: tensor<f32>) -> tensor<8xf32> {
  %r, %n = stablehlo.while(%b = %a, %bi = %i)
      : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, []>]>}
  cond {
    %p = stablehlo.compare LT, %bi, %bi : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %b, %bi : tensor<8xf32>, tensor<i32>
  }
  %m = sdy.manual_computation(%r) in_shardings=[<@mesh, [{"x", ?}], replicated={"y"}>]
      out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
    sdy.return %c : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %s = "stablehlo.reduce"(%m, %f) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %o = stablehlo.optimization_barrier %m : tensor<8xf32>
  return %o : tensor<8xf32>
})";

// Compares, for each value of the program after `passes`, the two answers to where its sharding is.
void check_answers(std::string_view text, std::string_view passes) {
  INFO(passes);
  const OpTable ops = standard_ops();
  Module m = program(text);
  if (!passes.empty()) run_pipeline(m, passes);
  std::vector<std::optional<TensorSharding>> of_one;
  for (ValueId v : m.values.ids()) of_one.push_back(tensor_sharding_of(m, v));
  OpRows rows(ops, m);
  const ShardingStore store(m, rows);
  for (ValueId v : m.values.ids()) {
    if (!m.values[v].is_argument && is_erased(m, defining_op(m, v))) continue;
    INFO(name_of(m, v));
    const ShardingId of_all = store.get(v);
    CHECK(of_one[v.index] == (of_all.valid() ? std::optional(m.shardings[of_all]) : std::nullopt));
  }
}

TEST_CASE("the sharding of one value is that of the store of a propagation") {
  check_answers(on_mesh(kRegions), "");
  check_answers(on_mesh(kRegions), "add-data-flow-edges");
  check_answers(on_mesh(kRegions), kEdgesOnly);
  check_answers(on_mesh(kRegions), kWithEdges);
}

}  // namespace
}  // namespace shardprop::test::data_flow_cases
