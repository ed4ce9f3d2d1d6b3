// The text form of a module for people.
#include "shardprop/ir/print.hpp"

#include "tests/support/program.hpp"

namespace shardprop::test::print_cases {
namespace {

TEST_CASE("a module prints with meshes, shardings, rules and regions") {
  const Module m = read(program(
      kMeshXY,
      R"({"name": "%a", "shape": [8, 4], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}, {?}]>"})",
      R"({"shape": [8], "dtype": "f32"})",
      R"({"op": "stablehlo.constant", "results": [{"name": "%0", "shape": [], "dtype": "f32"}], "attributes": {"value": 0.0}},
         {"op": "stablehlo.reduce", "operands": ["%a", "%0"], "results": [{"name": "%1"}], "attributes": {"dimensions": [1]},
          "sharding_rule": "([i, j], [])->([i]) {i=8, j=4} reduction={j}",
          "blocks": [{"arguments": [{"name": "%x", "shape": [], "dtype": "f32"}, {"name": "%y", "shape": [], "dtype": "f32"}],
                      "ops": [{"op": "stablehlo.add", "operands": ["%x", "%y"], "results": [{"name": "%2"}]},
                              {"op": "stablehlo.return", "operands": ["%2"]}]}]},
         {"op": "func.return", "operands": ["%1"]})"));
  const char* expected = R"(mesh @mesh = <["x"=2, "y"=4]>
func @main(%a: tensor<8x4xf32> <@mesh, [{"x"}, {?}]>) -> (tensor<8xf32>) {
  %0 = stablehlo.constant() : tensor<f32>
  %1 = stablehlo.reduce(%a, %0) : tensor<8xf32> rule ([i, j], [])->([i]) {i=8, j=4} reduction={j} (%x: tensor<f32>, %y: tensor<f32>) {
    %2 = stablehlo.add(%x, %y) : tensor<f32>
    stablehlo.return(%2)
  }
  func.return(%1)
}
)";
  CHECK(to_string(m) == expected);
  CHECK(to_string(m) == to_string(Module(m)));
}

}  // namespace
}  // namespace shardprop::test::print_cases
