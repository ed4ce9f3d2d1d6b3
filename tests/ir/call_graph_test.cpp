// Which function calls which.
#include "shardprop/ir/call_graph.hpp"

#include <string>

#include "shardprop/io/stablehlo_text.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::call_graph_cases {
namespace {

TEST_CASE("the call graph lists the calls in a function and the calls of a function") {
  const Result<Module> m = read_stablehlo_text(owned_text(std::string(R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = func.call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = func.call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
      %3 = func.call @missing(%2) : (tensor<8xf32>) -> tensor<8xf32>
      return %3 : tensor<8xf32>
    }
    func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = func.call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      return %a : tensor<8xf32>
    })")));
  REQUIRE(m);
  const FuncId main = find_func(*m, "main");
  const FuncId f = find_func(*m, "f");
  const FuncId g = find_func(*m, "g");
  const CallGraph graph = call_graph(*m, Symbols(*m));

  REQUIRE(graph.calls[main].size() == 4);
  CHECK(graph.calls[main][0].callee == f);
  CHECK(graph.calls[main][1].callee == g);
  CHECK(graph.calls[main][2].callee == f);
  CHECK_FALSE(graph.calls[main][3].callee.valid());
  CHECK(graph.calls[g].empty());

  CHECK(graph.callers[f] == std::vector<OpId>{graph.calls[main][0].op, graph.calls[main][2].op});
  CHECK(graph.callers[g] == std::vector<OpId>{graph.calls[main][1].op, graph.calls[f][0].op});
  CHECK(graph.callers[main].empty());

  CHECK(graph.callee(graph.calls[f][0].op) == g);
  CHECK_FALSE(graph.callee(graph.calls[main][3].op).valid());
}

}  // namespace
}  // namespace shardprop::test::call_graph_cases
