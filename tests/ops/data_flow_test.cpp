// The data-flow edges of the built-in operations, and where their shardings live.
#include "shardprop/ops/data_flow.hpp"

#include <string>
#include <vector>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/catch.hpp"

using namespace shardprop;

namespace {

Module read(const std::string& function) {
  Result<Module> m = read_json(
      R"({"meshes": [{"name": "m", "axes": [{"name": "a", "size": 2}, {"name": "b", "size": 2}, {"name": "c", "size": 2}]}],
          "functions": [)" +
      function + "]}");
  INFO(to_string(m ? Diagnostics{} : m.errors()));
  REQUIRE(m);
  return *std::move(m);
}

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

// `owner <- sources; targets` a line.
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

constexpr const char* kManual =
    R"({"name": "main", "arguments": [{"name": "%x", "shape": [8, 8], "dtype": "f32"}],
  "ops": [{"op": "sdy.manual_computation", "operands": ["%x"], "results": [{"name": "%r", "shape": [8, 8], "dtype": "f32"}],
           "attributes": {"manual_axes": ["a"],
                          "in_shardings": [{"mesh": "m", "dims": [{"axes": ["a", "b"], "open": true}, {}], "replicated": ["c"]}],
                          "out_shardings": [{"mesh": "m", "dims": [{"axes": ["a"]}, {"open": true}]}]},
           "blocks": [{"arguments": [{"name": "%b", "shape": [4, 8], "dtype": "f32"}],
                       "ops": [{"op": "stablehlo.negate", "operands": ["%b"], "results": [{"name": "%y", "shape": [4, 8], "dtype": "f32"}]},
                               {"op": "sdy.return", "operands": ["%y"]}]}]},
          {"op": "func.return"}]})";

}  // namespace

TEST_CASE("a while loop has an edge a value, owned by its result", "[ops]") {
  const Module m = read(R"({"name": "main",
    "arguments": [{"name": "%x", "shape": [8], "dtype": "f32"}, {"name": "%i", "shape": [], "dtype": "i32"}],
    "ops": [{"op": "stablehlo.while", "operands": ["%x", "%i"],
             "results": [{"name": "%r", "shape": [8], "dtype": "f32"}, {"name": "%s", "shape": [], "dtype": "i32"}],
             "blocks": [{"arguments": [{"name": "%c", "shape": [8], "dtype": "f32"}, {"name": "%d", "shape": [], "dtype": "i32"}],
                         "ops": [{"op": "test.make", "results": [{"name": "%p", "shape": [], "dtype": "i1"}]},
                                 {"op": "stablehlo.return", "operands": ["%p"]}]},
                        {"arguments": [{"name": "%b", "shape": [8], "dtype": "f32"}, {"name": "%e", "shape": [], "dtype": "i32"}],
                         "ops": [{"op": "stablehlo.negate", "operands": ["%b"], "results": [{"name": "%y", "shape": [8], "dtype": "f32"}]},
                                 {"op": "stablehlo.return", "operands": ["%y", "%e"]}]}]},
            {"op": "func.return"}]})");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.while"))) ==
        "%r <- %x %y; %c %b\n%s <- %i %e; %d %e\n");
}

TEST_CASE("a case has an edge from what its branches return to its result", "[ops]") {
  const Module m = read(R"({"name": "main",
    "arguments": [{"name": "%x", "shape": [8], "dtype": "f32"}, {"name": "%i", "shape": [], "dtype": "i32"}],
    "ops": [{"op": "stablehlo.case", "operands": ["%i"], "results": [{"name": "%r", "shape": [8], "dtype": "f32"}],
             "blocks": [{"ops": [{"op": "stablehlo.return", "operands": ["%x"]}]},
                        {"ops": [{"op": "stablehlo.negate", "operands": ["%x"], "results": [{"name": "%y", "shape": [8], "dtype": "f32"}]},
                                 {"op": "stablehlo.return", "operands": ["%y"]}]}]},
            {"op": "stablehlo.optimization_barrier", "operands": ["%r"], "results": [{"name": "%s", "shape": [8], "dtype": "f32"}]},
            {"op": "func.return"}]})");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.case"))) == "%r <- %x %y;\n");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.optimization_barrier"))) == "%s <- %r;\n");
}

TEST_CASE("a manual computation has edges in and out", "[ops]") {
  const Module m = read(kManual);
  CHECK(to_string(m, edges_of(m, find_op(m, "sdy.manual_computation"))) ==
        "%b <- %x;\n%r <- %y;\n");
}

TEST_CASE("edges of an operation that lacks what they join have fewer ends", "[ops]") {
  Module m = read(R"({"name": "main", "ops": [
      {"op": "stablehlo.while", "results": [{"name": "%r", "shape": [8], "dtype": "f32"}],
       "blocks": [{"ops": [{"op": "stablehlo.return"}]}, {"ops": [{"op": "stablehlo.return"}]}]},
      {"op": "stablehlo.optimization_barrier", "results": [{"name": "%s", "shape": [8], "dtype": "f32"}]},
      {"op": "sdy.named_computation", "results": [{"name": "%t", "shape": [8], "dtype": "f32"}], "attributes": {"name": "n"}},
      {"op": "func.return"}]})");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.while"))) == "%r <-;\n");
  CHECK(to_string(m, edges_of(m, find_op(m, "stablehlo.optimization_barrier"))) == "%s <-;\n");
  CHECK(to_string(m, edges_of(m, find_op(m, "sdy.named_computation"))).empty());
}

TEST_CASE("manual axes come and go", "[ops]") {
  Module m = read(kManual);
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
    CHECK(sharding_of(m, argument) == m.shardings[flow.get_sharding(m, op, argument)]);
    CHECK(sharding_of(m, made) == m.shardings[flow.get_sharding(m, op, made)]);
  }
  SECTION("a new sharding of the argument is put behind the manual axes") {
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
  Module m = read(
      R"({"name": "main", "arguments": [{"name": "%x", "shape": [8], "dtype": "f32"}, {"name": "%y", "shape": [8, 8], "dtype": "f32"}],
    "ops": [{"op": "sdy.named_computation", "operands": ["%x", "%y"], "attributes": {"name": "n"},
             "blocks": [{"arguments": [{"name": "%a", "shape": [8], "dtype": "f32"}, {"name": "%b", "shape": [8, 8], "dtype": "f32"}],
                         "ops": [{"op": "sdy.return"}]}]},
            {"op": "func.return"}]})");
  const OpId op = find_op(m, "sdy.named_computation");
  const ValueId first = edges_of(m, op)[0].owner;
  const ValueId second = edges_of(m, op)[1].owner;
  const DataFlow& flow = detail::kNamedFlow;
  CHECK_FALSE(flow.get_sharding(m, op, first).valid());
  flow.set_sharding(m, op, first, m.shardings.intern(closed_sharding(MeshId(0), 1)));
  CHECK(m.shardings[flow.get_sharding(m, op, first)] == closed_sharding(MeshId(0), 1));
  CHECK(m.shardings[flow.get_sharding(m, op, second)] == open_sharding(MeshId(0), 2));
}
