// pad-for-divisibility. What the reference does is in the conformance cases; here is what no case
// shows, mostly as programs whose numbers must not change. A slice of 8 elements of which 7 are kept
// has padding that is not 0: the eighth one.
#include <string>
#include <string_view>

#include "shardprop/run/made_tensors.hpp"
#include "tests/passes/golden.hpp"
#include "tests/run/run_case.hpp"

namespace shardprop::test::pad_for_divisibility_cases {
namespace {

std::string on_four(std::string_view function) {
  return std::string("sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n").append(function);
}

struct PaddedProgramCase {
  std::string_view title;
  std::string_view result;
  std::string_view body;  // of %a: tensor<8x3xf32> and %i: tensor<7x1xi32>
};

constexpr PaddedProgramCase kPaddedPrograms[] = {
    {"a reduction begins with its initial value", "tensor<3xf32>", R"(
  %init = stablehlo.constant dense<-1.0> : tensor<f32>
  %r = stablehlo.reduce(%s init: %init) applies stablehlo.maximum across dimensions = [0]
      : (tensor<7x3xf32>, tensor<f32>) -> tensor<3xf32>)"},
    {"a sum has no padding in it", "tensor<3xf32>", R"(
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%s init: %init) applies stablehlo.add across dimensions = [0]
      : (tensor<7x3xf32>, tensor<f32>) -> tensor<3xf32>)"},
    {"a product of matrices has no padding in it", "tensor<3x3xf32>", R"(
  %r = stablehlo.dot_general %s, %s, contracting_dims = [0] x [0]
      : (tensor<7x3xf32>, tensor<7x3xf32>) -> tensor<3x3xf32>)"},
    {"dot has no padding in it", "tensor<3x3xf32>", R"(
  %t = stablehlo.transpose %s, dims = [1, 0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>}
      : (tensor<7x3xf32>) -> tensor<3x7xf32>
  %r = stablehlo.dot %t, %s : (tensor<3x7xf32>, tensor<7x3xf32>) -> tensor<3x3xf32>)"},
    {"a pad does not see the padding of its operand", "tensor<10x3xf32>", R"(
  %c = stablehlo.constant dense<5.0> : tensor<f32>
  %p = stablehlo.pad %s, %c, low = [1, 0], high = [2, 0], interior = [0, 0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
      : (tensor<7x3xf32>, tensor<f32>) -> tensor<10x3xf32>
  %r = stablehlo.slice %p [0:10, 0:3] : (tensor<10x3xf32>) -> tensor<10x3xf32>)"},
    {"a constant of different elements keeps them", "tensor<7xf32>", R"(
  %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
      dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>
  %n = stablehlo.negate %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
      : tensor<7xf32>
  %r = stablehlo.slice %n [0:7] : (tensor<7xf32>) -> tensor<7xf32>)"},
    {"a constant of one number gets more of it", "tensor<7xf32>", R"(
  %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
      dense<2.0> : tensor<7xf32>
  %r = stablehlo.slice %c [0:7] : (tensor<7xf32>) -> tensor<7xf32>)"},
    {"an index beyond the operand gathers its last element", "tensor<7x3xf32>", R"(
  %r = "stablehlo.gather"(%s, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 3>}> : (tensor<7x3xf32>, tensor<7x1xi32>) -> tensor<7x3xf32>)"},
    {"an update beyond the operand begins so that it fits", "tensor<7x3xf32>", R"(
  %u = stablehlo.slice %a [0:2, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %at = stablehlo.constant dense<6> : tensor<i32>
  %d = stablehlo.dynamic_update_slice %s, %u, %at, %zero
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
      : (tensor<7x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
  %r = stablehlo.slice %d [0:7, 0:3] : (tensor<7x3xf32>) -> tensor<7x3xf32>)"},
    {"updates in the padding are dropped", "tensor<9x3xf32>", R"(
  %z = stablehlo.constant dense<0.0> : tensor<9x3xf32>
  %eight = stablehlo.constant dense<2> : tensor<8x1xi32>
  %j = stablehlo.slice %eight [0:7, 0:1]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
      : (tensor<8x1xi32>) -> tensor<7x1xi32>
  %r = "stablehlo.scatter"(%z, %j, %s) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}> ({
    ^bb0(%old: tensor<f32>, %new: tensor<f32>):
      %sum = stablehlo.add %old, %new : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) : (tensor<9x3xf32>, tensor<7x1xi32>, tensor<7x3xf32>) -> tensor<9x3xf32>)"},
};

TEST_CASE("padding never reaches the numbers of the program") {
  for (const PaddedProgramCase& c : kPaddedPrograms) {
    INFO(c.title);
    Module m = program(on_four(with({{"$result", c.result}, {"$body", c.body}}, R"(
func.func @main(%a: tensor<8x3xf32>, %i: tensor<7x1xi32>) -> $result {
  %s = stablehlo.slice %a [0:7, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
      : (tensor<8x3xf32>) -> tensor<7x3xf32>$body
  return %r : $result
})")));
    const Tensors arguments = {counted(Element::kF32, {8, 3}), counted(Element::kI32, {7, 1})};
    const std::string before = outcome_of(m, "main", {}, arguments);
    const PipelineReport report = run_well(m, "pad-for-divisibility");
    CHECK(report.passes[0].changed);
    CHECK(outcome_of(m, "main", {}, arguments) == before);
  }
}

TEST_CASE("the result of a propagation barrier has the size of its operand") {
  check_unchanged("pad-for-divisibility", on_four(R"(
func.func @main(%a: tensor<7xf32>) -> tensor<7xf32> {
  %0 = sdy.propagation_barrier %a allowed_direction=NONE
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<7xf32>
  return %0 : tensor<7xf32>
})"));
}

TEST_CASE("pad-for-divisibility leaves what divides as it is") {
  check_unchanged("pad-for-divisibility", on_four(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>}
      : tensor<8xf32>
  return %0 : tensor<8xf32>
})"));
}

TEST_CASE("pad-for-divisibility refuses what it cannot pad") {
  check_refused("pad-for-divisibility", on_four(R"(
func.func @main(%a: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
})"),
                "pad_for_divisibility.signature");
  // Two windows along a dimension on four devices.
  check_refused("pad-for-divisibility", on_four(R"(
func.func @main(%a: tensor<1x1x3xf32>, %k: tensor<1x1x2xf32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64,
      feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}>
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>}
      : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return
})"),
                "pad_for_divisibility.convolution");
}

}  // namespace
}  // namespace shardprop::test::pad_for_divisibility_cases
