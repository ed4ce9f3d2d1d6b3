// The data-flow edges of the built-in operations, and where their shardings live.
#include "shardprop/ops/data_flow.hpp"

#include <string>
#include <vector>

#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/computation_edges.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::op_data_flow_cases {
namespace {

OpId find_op(const Module& m, std::string_view name) {
  for (OpId op : preorder(m)) {
    if (op_name(m, op) == name) return op;
  }
  return OpId();
}

std::vector<DataFlowEdge> edges_of(const Module& m, OpId op) {
  static const OpTable table = standard_ops();
  const OpRow* row = table.find(op_name(m, op));
  REQUIRE(row);
  REQUIRE(row->def.data_flow);
  std::vector<DataFlowEdge> edges;
  row->def.data_flow->edges(m, op, edges);
  return edges;
}

// One line for each edge: `owner <- sources; targets`.
std::string to_string(const Module& m, const std::vector<DataFlowEdge>& edges) {
  std::string out;
  for (const DataFlowEdge& edge : edges) {
    out += name_of(m, edge.owner) + " <-";
    for (UseId use : edge.sources) out += " " + name_of(m, m.uses[use].value);
    out += ";";
    for (ValueId value : edge.targets) out += " " + name_of(m, value);
    out += "\n";
  }
  return out;
}

constexpr std::string_view kManual = R"(
sdy.mesh @m = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32>) {
  %r = sdy.manual_computation(%x)
      in_shardings=[<@m, [{"a", "b", ?}, {}], replicated={"c"}>] out_shardings=[<@m, [{"a"}, {?}]>]
      manual_axes={"a"} (%b: tensor<4x8xf32>) {
    %y = stablehlo.negate %b : tensor<4x8xf32>
    sdy.return %y : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
})";

TEST_CASE("a while loop has an edge for each value, owned by its result", "[ops]") {
  const Module m = unverified(R"(
func.func @main(%x: tensor<8xf32>, %i: tensor<i32>) {
  %r, %s = "stablehlo.while"(%x, %i) ({
  ^bb0(%c: tensor<8xf32>, %d: tensor<i32>):
    %p = "test.make"() : () -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%b: tensor<8xf32>, %e: tensor<i32>):
    %y = stablehlo.negate %b : tensor<8xf32>
    stablehlo.return %y, %e : tensor<8xf32>, tensor<i32>
  }) : (tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<i32>)
  return
})");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.while"))) ==
        "%r <- %x %y; %c %b\n%s <- %i %e; %d %e\n");
}

TEST_CASE("a case has an edge from what its branches return to its result", "[ops]") {
  const Module m = program(R"(
func.func @main(%x: tensor<8xf32>, %i: tensor<i32>) {
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<8xf32>
  }, {
    %y = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %y : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %s = stablehlo.optimization_barrier %r : tensor<8xf32>
  return
})");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.case"))) == "%r <- %x %y;\n");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.optimization_barrier"))) == "%s <- %r;\n");
}

TEST_CASE("a manual computation has edges in and out", "[ops]") {
  const Module m = program(kManual);
  CHECK(to_string(m, edges_of(m, find_op(m, "sdy.manual_computation"))) ==
        "%b <- %x;\n%r <- %y;\n");
}

TEST_CASE("edges of an operation that lacks what they join have fewer ends", "[ops]") {
  const Module m = unverified(R"(
func.func @main() {
  %r = "stablehlo.while"() ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : () -> tensor<8xf32>
  %s = "stablehlo.optimization_barrier"() : () -> tensor<8xf32>
  %t = "sdy.named_computation"() <{name = "n"}> : () -> tensor<8xf32>
  return
})");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.while"))) == "%r <-;\n");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.optimization_barrier"))) == "%s <-;\n");
  CHECK(to_string(m, edges_of(m, find_op(m, "sdy.named_computation"))).empty());
}

TEST_CASE("manual axes come and go", "[ops]") {
  Module m = program(kManual);
  const OpId op = find_op(m, "sdy.manual_computation");
  const std::vector<DataFlowEdge> edges = edges_of(m, op);
  const DataFlow& flow = detail::kManualFlow;
  const ValueId argument = edges[0].owner;
  const ValueId made = edges[1].owner;
  const auto text = [&](ShardingId id) { return to_string(m.shardings[id], m.meshes); };
  const auto parse = [&](const char* dims) {
    return m.shardings.intern(*parse_sharding(std::string("<@m, ") + dims + ">", m.meshes));
  };

  SECTION("an argument is sharded along free axes, a result along all") {
    CHECK(text(flow.get_sharding(m, op, argument)) == R"(<@m, [{"b", ?}, {}], replicated={"c"}>)");
    CHECK(text(flow.get_sharding(m, op, made)) == R"(<@m, [{"a"}, {?}]>)");
    CHECK(tensor_sharding_of(m, argument) == m.shardings[flow.get_sharding(m, op, argument)]);
    CHECK(tensor_sharding_of(m, made) == m.shardings[flow.get_sharding(m, op, made)]);
  }
  SECTION("a new sharding of the argument is put after the manual axes") {
    flow.set_sharding(m, op, argument, parse(R"([{"c", ?}, {"b"}])"));
    CHECK(text(listed_sharding(m, op, argument)) ==
          R"(<@m, [{"a", "c", ?}, {"b"}], replicated={"c"}>)");
    flow.set_sharding(m, op, made, parse(R"([{"a", "b"}, {}])"));
    CHECK(text(listed_sharding(m, op, made)) == R"(<@m, [{"a", "b"}, {}]>)");
  }
  SECTION("the sources see an argument with manual axes and a result without") {
    const ShardingId inside = parse(R"([{"c"}, {"b"}])");
    const ShardingId around =
        flow.transform(m, op, argument, inside, EdgeTransform::kBeforePropagation);
    CHECK(text(around) == R"(<@m, [{"a", "c"}, {"b"}], replicated={"c"}>)");
    CHECK(flow.transform(m, op, argument, parse(R"([{"a", "c"}, {"b"}])"),
                         EdgeTransform::kAfterPropagation) == inside);
    CHECK(flow.transform(m, op, made, parse(R"([{"a", "c"}, {"b"}])"),
                         EdgeTransform::kBeforePropagation) == inside);
    CHECK(text(flow.transform(m, op, made, inside, EdgeTransform::kAfterPropagation)) ==
          R"(<@m, [{"a", "c"}, {"b"}]>)");
  }
}

TEST_CASE("the first sharding of a named computation opens the others", "[ops]") {
  Module m = unverified(R"(
sdy.mesh @m = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32>, %y: tensor<8x8xf32>) {
  sdy.named_computation<"n">(%x, %y) (%a: tensor<8xf32>, %b: tensor<8x8xf32>) {
    sdy.return
  } : (tensor<8xf32>, tensor<8x8xf32>) -> ()
  return
})");
  const OpId op = find_op(m, "sdy.named_computation");
  const ValueId first = edges_of(m, op)[0].owner;
  const ValueId second = edges_of(m, op)[1].owner;
  const DataFlow& flow = detail::kNamedFlow;
  CHECK_FALSE(flow.get_sharding(m, op, first).valid());
  flow.set_sharding(m, op, first, m.shardings.intern(closed_sharding(MeshId(0), 1)));
  CHECK(m.shardings[flow.get_sharding(m, op, first)] == closed_sharding(MeshId(0), 1));
  CHECK(m.shardings[flow.get_sharding(m, op, second)] == open_sharding(MeshId(0), 2));
}

}  // namespace
}  // namespace shardprop::test::op_data_flow_cases
