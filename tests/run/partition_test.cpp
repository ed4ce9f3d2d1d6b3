// Programs are partitioned and run on simulated devices: what comes out is what the program computes.
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "shardprop/ir/walk.hpp"
#include "shardprop/pipeline/partition_program.hpp"
#include "shardprop/run/verify_partition.hpp"
#include "tests/catch.hpp"
#include "tests/run/random_program.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test {
namespace {

struct Outcome {
  PartitionedProgram partitioned;
  std::string difference;  // empty: none
};

Outcome partition_and_run(const Module& m, bool exact = true, std::uint64_t seed = 0) {
  static const EvalTable table = standard_evaluators();
  auto partitioned = partition_program(m, standard_ops());
  if (!partitioned) return {{}, to_string(partitioned.errors())};
  const auto difference = verify_partition(m, *partitioned, table, {.seed = seed, .exact = exact});
  if (!difference) return {*partitioned, to_string(difference.errors())};
  if (!*difference) return {*partitioned, ""};
  const PartitionDifference& d = **difference;
  return {*partitioned, fmt::format("result {} is {} and {} on device {}; first {}", d.result,
                                    d.expected, d.found, d.device, d.first_value)};
}

std::size_t count_of(const Module& m, std::string_view name) {
  std::size_t count = 0;
  walk_ops(m, [&](OpId op) { count += op_name(m, op) == name ? 1 : 0; });
  return count;
}

// A function of %x, sharded as `sharding` says, on the mesh x=2, y=4.
Module function_of(std::string_view type, std::string_view sharding, std::string_view body,
                   std::string_view result) {
  return program(fmt::format(R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: {} {{sdy.sharding = #sdy.sharding<@mesh, {}>}}) -> {} {{
  {}
}})",
                             type, sharding, result, body));
}

TEST_CASE("a two-layer network is split as Megatron does it: one all_reduce", "[partition]") {
  const Module m = program(R"(
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %w2: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
})");
  const Outcome out = partition_and_run(m);
  CHECK(out.difference == "");
  CHECK(out.partitioned.devices == 8);
  CHECK(count_of(out.partitioned.local, "stablehlo.all_reduce") == 1);
  CHECK(count_of(out.partitioned.local, "stablehlo.all_gather") == 0);
  CHECK(partition_and_run(m, false).difference == "");
}

// Where the reference's partitioner gives wrong numbers, refuses or crashes.

TEST_CASE("a maximum over a split dimension is put together by a maximum", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<8x16xf32>", R"([{}, {"y"}])", R"(
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)",
                                                    "tensor<8xf32>"));
  CHECK(out.difference == "");
  CHECK(count_of(out.partitioned.local, "stablehlo.maximum") == 2);  // of the parts, and of these
  CHECK(count_of(out.partitioned.sharded, "sdy.all_reduce") == 1);
}

TEST_CASE("a product over a split dimension is computed after a gather", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<8x16xf32>", R"([{}, {"y"}])", R"(
  %init = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.multiply across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)",
                                                    "tensor<8xf32>"));
  CHECK(out.difference == "");
  CHECK(count_of(out.partitioned.local, "stablehlo.all_reduce") == 0);
}

TEST_CASE("the initial value of a sum over a split dimension counts once", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<8x16xf32>", R"([{}, {"y"}])", R"(
  %init = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)",
                                                    "tensor<8xf32>"));
  CHECK(out.difference == "");
  CHECK(count_of(out.partitioned.local, "stablehlo.all_reduce") == 1);
  CHECK(count_of(out.partitioned.local, "stablehlo.select") == 1);
}

TEST_CASE("a pad that shifts a split dimension keeps its value between the parts", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<8x16xf32>", R"([{}, {"y"}])", R"(
  %v = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.pad %x, %v, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>)",
                                                    "tensor<8x16xf32>"));
  CHECK(out.difference == "");
}

TEST_CASE("an update of a slice along a split dimension is at its global place", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<8x16xf32>", R"([{}, {"y"}])", R"(
  %u = stablehlo.constant dense<2.0> : tensor<8x4xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %j = stablehlo.constant dense<6> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<8x16xf32>, tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>)",
                                                    "tensor<8x16xf32>"));
  CHECK(out.difference == "");
}

TEST_CASE("a reshape whose factors do not line up is not done part by part", "[partition]") {
  const Outcome out = partition_and_run(
      function_of("tensor<4x6xf32>", R"([{"x"}, {}])", R"(
  %0 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>)",
                  "(tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})"));
  CHECK(out.difference == "");
}

TEST_CASE("sizes that do not divide keep the axes that do", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<6x9xf32>", R"([{"x"}, {"y"}])", R"(
  %0 = stablehlo.tanh %x : tensor<6x9xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [0] x [0] : (tensor<6x9xf32>, tensor<6x9xf32>) -> tensor<9x9xf32>
  return %1 : tensor<9x9xf32>)",
                                                    "tensor<9x9xf32>"));
  CHECK(out.difference == "");
  CHECK(count_of(out.partitioned.local, "stablehlo.all_reduce") == 1);
}

TEST_CASE("loops and branches carry sharded values", "[partition]") {
  const Outcome out = partition_and_run(function_of("tensor<8x16xf32>", R"([{"x"}, {"y"}])", R"(
  %i = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%k = %i, %v = %x) : tensor<i32>, tensor<8x16xf32>
   cond {
    %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %k, %one : tensor<i32>
    %w = stablehlo.tanh %v : tensor<8x16xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<8x16xf32>
  }
  return %r#1 : tensor<8x16xf32>)",
                                                    "tensor<8x16xf32>"));
  CHECK(out.difference == "");
  CHECK(count_of(out.partitioned.local, "stablehlo.all_gather") == 0);
}

TEST_CASE("a result may be unreduced: its parts add up", "[partition]") {
  const Outcome out = partition_and_run(program(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
})"));
  CHECK(out.difference == "");
}

TEST_CASE("a fault in the local program is found, and the first value that is wrong",
          "[partition]") {
  const Module m = function_of("tensor<8x16xf32>", R"([{}, {"y"}])", R"(
  %0 = stablehlo.iota dim = 1 : tensor<8x16xf32>
  %1 = stablehlo.add %x, %0 : tensor<8x16xf32>
  %2 = stablehlo.tanh %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>)",
                               "tensor<8x16xf32>");
  auto partitioned = partition_program(m, standard_ops());
  REQUIRE(partitioned);
  Module& local = partitioned->local;
  walk_ops(local, [&](OpId op) {
    if (m.strings[m.ops.get(op).name] == "stablehlo.tanh")
      local.ops[op].name = local.strings.intern("stablehlo.negate");
  });
  const EvalTable table = standard_evaluators();
  const auto difference = verify_partition(m, *partitioned, table);
  REQUIRE(difference);
  REQUIRE(*difference);
  CHECK_THAT((*difference)->first_value, Catch::Matchers::Contains("stablehlo.tanh %2"));
}

TEST_CASE("random programs compute the same on devices", "[partition]") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomProgram random(seed);
    const Outcome out = partition_and_run(program(random.text()), true, seed);
    if (!out.difference.empty())
      FAIL("seed " << seed << ": " << out.difference << "\n" << random.text());
  }
}

}  // namespace
}  // namespace shardprop::test
