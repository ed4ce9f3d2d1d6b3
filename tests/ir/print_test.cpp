// The text form of a module for people.
#include "shardprop/ir/print.hpp"

#include "tests/support/program.hpp"

namespace shardprop::test::print_cases {
namespace {

TEST_CASE("a module prints with meshes, shardings, rules and regions") {
  const Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%a init: %0) across dimensions = [1]
      {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i]) {i=8, j=4} reduction={j}>}
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %1 : tensor<8xf32>
})"));
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
