// constant-or-scalar-splitter, and the hoisting of constants.
#include "shardprop/ir/walk.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::constant_or_scalar_splitter_cases {
namespace {

constexpr std::string_view kSplitter = "constant-or-scalar-splitter";

TEST_CASE("constant-or-scalar-splitter copies constant expressions for each use") {
  check_golden(kSplitter, main_of(R"(
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %e = stablehlo.exponential %c : tensor<8xf32>
  %x = stablehlo.add %a, %e : tensor<8xf32>
  %y = stablehlo.add %x, %e : tensor<8xf32>
  return %y : tensor<8xf32>)"),
               main_of(R"(
  %c0 = sdy.constant dense<1.0> : tensor<8xf32>
  %c1 = sdy.constant dense<1.0> : tensor<8xf32>
  %e0 = stablehlo.exponential %c0 : tensor<8xf32>
  %e1 = stablehlo.exponential %c1 : tensor<8xf32>
  %x = stablehlo.add %a, %e0 : tensor<8xf32>
  %y = stablehlo.add %x, %e1 : tensor<8xf32>
  return %y : tensor<8xf32>)"));
}

TEST_CASE("constant-or-scalar-splitter copies broadcasts of scalars, but no scalars") {
  check_golden(kSplitter, R"(
func.func @main(%a: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %t = stablehlo.add %s, %c : tensor<f32>
  %u = stablehlo.add %t, %c : tensor<f32>
  %b = stablehlo.broadcast_in_dim %u, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %x = stablehlo.add %a, %b : tensor<8xf32>
  %y = stablehlo.add %x, %b : tensor<8xf32>
  return %y : tensor<8xf32>
})",
               R"(
func.func @main(%a: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  %c = sdy.constant dense<1.0> : tensor<f32>
  %t = stablehlo.add %s, %c : tensor<f32>
  %u = stablehlo.add %t, %c : tensor<f32>
  %b0 = stablehlo.broadcast_in_dim %u, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %b1 = stablehlo.broadcast_in_dim %u, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %x = stablehlo.add %a, %b0 : tensor<8xf32>
  %y = stablehlo.add %x, %b1 : tensor<8xf32>
  return %y : tensor<8xf32>
})");
}

TEST_CASE("constant-or-scalar-splitter copies sharding groups along") {
  const std::string grouped = main_of(R"(
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %c group_id=3 : tensor<8xf32>
  %x = stablehlo.add %a, %c : tensor<8xf32>
  return %x : tensor<8xf32>)");
  check_golden(kSplitter, grouped, grouped);
}

TEST_CASE("constant-or-scalar-splitter keeps names and what nobody uses") {
  Module m = program(main_of(R"(
  %unused = stablehlo.constant dense<1.0> : tensor<8xf32>
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %x = stablehlo.add %a, %c : tensor<8xf32>
  return %x : tensor<8xf32>)"));
  run_well(m, "constant-splitter");
  const std::string text = written(m);
  CHECK(text.find("%unused =") != std::string::npos);
  CHECK(text.find("%c =") != std::string::npos);
}

// A module that uses twice what a function of the body given returns.
std::string calling(std::string_view body) {
  return with({{"$body", body}}, R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = call @f() : () -> tensor<8xf32>
  %x = stablehlo.add %a, %c : tensor<8xf32>
  %y = stablehlo.add %x, %c : tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func private @f() -> tensor<8xf32> {
$body
})");
}

TEST_CASE("a call is constant where its function holds constants only") {
  Module constant = program(calling(R"(
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  run_well(constant, kSplitter);
  CHECK(constant.func_order.size() == 4);  // main, f and a copy for each of the two uses
  // To reverse is not a constant expression.
  Module other = program(calling(R"(
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xf32>
  return %1 : tensor<8xf32>)"));
  run_well(other, kSplitter);
  CHECK(other.func_order.size() == 2);
}

TEST_CASE("the traits of a user's own operations decide what is constant") {
  OpTable ops = standard_ops();
  REQUIRE(ops.add({.name = "my.constant", .traits = kConstantLike | kPure}).empty());
  REQUIRE(ops.add({.name = "my.map", .traits = kElementwise | kPure}).empty());
  REQUIRE(ops.add({.name = "my.random", .traits = kElementwise}).empty());
  const auto count_after = [&](std::string_view first, std::string_view second) {
    Module m = program(with({{"$first", first}, {"$second", second}}, main_of(R"(
  %c = "$first"() : () -> tensor<8xf32>
  %d = "$second"(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %x = stablehlo.add %a, %d : tensor<8xf32>
  %y = stablehlo.add %x, %d : tensor<8xf32>
  return %y : tensor<8xf32>)")),
                       ops);
    run_well(m, kSplitter, ops);
    return preorder(m).size();
  };
  CHECK(count_after("my.constant", "my.map") == 7);
  CHECK(count_after("my.constant", "my.random") == 5);
  CHECK(count_after("my.random", "my.map") == 5);
}

TEST_CASE("constants that are hoisted stand in front, equal ones once") {
  check_golden("explicit-gather-scatter-batching", main_of(R"(
  %x = stablehlo.add %a, %a : tensor<8xf32>
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %y = stablehlo.add %x, %c : tensor<8xf32>
  %d = stablehlo.constant dense<2.0> : tensor<8xf32>
  %e = stablehlo.constant dense<1.0> : tensor<8xf32>
  %w = stablehlo.add %d, %e : tensor<8xf32>
  %z = stablehlo.add %y, %w : tensor<8xf32>
  return %z : tensor<8xf32>)"),
               main_of(R"(
  %d = stablehlo.constant dense<2.0> : tensor<8xf32>
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %x = stablehlo.add %a, %a : tensor<8xf32>
  %y = stablehlo.add %x, %c : tensor<8xf32>
  %w = stablehlo.add %d, %c : tensor<8xf32>
  %z = stablehlo.add %y, %w : tensor<8xf32>
  return %z : tensor<8xf32>)"));
}

}  // namespace
}  // namespace shardprop::test::constant_or_scalar_splitter_cases
