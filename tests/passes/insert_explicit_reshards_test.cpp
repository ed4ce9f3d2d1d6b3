// insert-explicit-reshards, minimal and full.
#include "tests/passes/golden.hpp"

namespace shardprop::test::insert_explicit_reshards_cases {
namespace {

constexpr std::string_view kFull = "insert-explicit-reshards{enable-full-version=true}";
constexpr std::string_view kMinimal = "insert-explicit-reshards";

// A function of the signature and body given. @other has the devices of @mesh in another order; of
// the axes of @names, the one that comes first by name is the second.
std::string function(std::string_view signature, std::string_view body) {
  return with({{"$signature", signature}, {"$body", body}}, R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @other = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @names = <["b"=2, "a"=2]>
sdy.mesh @device = <[], device_ids=[3]>
sdy.mesh @device2 = <[], device_ids=[5]>
func.func @main$signature {
$body
})");
}

// Checks what `pass` makes of the body of a function.
void check_body(std::string_view pass, std::string_view signature, std::string_view body,
                std::string_view expected) {
  check_golden(pass, function(signature, body), function(signature, expected));
}

// A product of matrices, returned as it is made.
struct Dot {
  std::string_view a;
  std::string_view b;
  std::string_view c;
};
std::string signature(const Dot& dot) {
  return with({{"$a", dot.a}, {"$b", dot.b}, {"$c", dot.c}},
              R"((%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<$a>},
                  %b: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<$b>})
               -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<$c>}))");
}
std::string body(const Dot& dot) {
  return with({{"$c", dot.c}}, R"(
  %c = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<$c>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>)");
}
void check_dot(std::string_view pass, const Dot& dot, std::string_view expected) {
  check_body(pass, signature(dot), body(dot), expected);
}

TEST_CASE("the full version resolves a product factor by factor, the most used axes first") {
  // k takes y (both operands), then j takes x from the larger rhs, so i has to give it up.
  check_dot(kFull,
            {R"(@mesh, [{"x"}, {"y"}])", R"(@mesh, [{"y"}, {"x"}])", R"(@mesh, [{"x"}, {}])"},
            R"(
  %0 = sdy.reshard %a <@mesh, [{}, {"y"}]> : tensor<8x32xf32>
  %c = stablehlo.dot %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %1 = sdy.all_reduce {"y"} %c out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
  %2 = sdy.reshard %1 <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>)");
  // Nothing to resolve: only the reduction is made explicit.
  check_dot(kFull, {R"(@mesh, [{}, {"y", "x"}])", R"(@mesh, [{"y", "x"}, {}])", "@mesh, [{}, {}]"},
            R"(
  %c = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %0 = sdy.all_reduce {"x", "y"} %c out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>)");
}

TEST_CASE("of two tensors the larger one stays, then the more sharded one, then the operand") {
  check_body(kFull, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}))",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)",
             R"(
  %0 = sdy.reshard %a <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %b = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)");
  check_body(kFull, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}))",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  %0 = sdy.reshard %b <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>)");
  // A slice of 8 to 4: the operand is larger, whatever shards the result.
  check_body(kFull, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}))",
             R"(
  %b = stablehlo.slice %a [0:4, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y", "x"}]>]>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>)",
             R"(
  %b = stablehlo.slice %a [0:4, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %0 = sdy.reshard %b <@mesh, [{}, {"y", "x"}]> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>)");
}

TEST_CASE("the last tie is broken by the names of axes, not by their places in the mesh") {
  check_body(kFull, R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@names, [{"a"}]>},
      %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@names, [{"b"}]>}) -> tensor<8xf32>)",
             R"(
  %c = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@names, [{}]>]>} : tensor<8xf32>
  return %c : tensor<8xf32>)",
             R"(
  %0 = sdy.reshard %a <@names, [{"b"}]> : tensor<8xf32>
  %c = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@names, [{"b"}]>]>} : tensor<8xf32>
  %1 = sdy.reshard %c <@names, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>)");
}

TEST_CASE("a factor that needs replication hands its axes to batching factors") {
  check_body(kFull,
             R"((%a: tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>})
      -> (tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}))",
             R"(
  %b = stablehlo.cholesky %a, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : tensor<4x8x8xf32>
  return %b : tensor<4x8x8xf32>)",
             R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}, {}]> : tensor<4x8x8xf32>
  %b = stablehlo.cholesky %0, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : tensor<4x8x8xf32>
  %1 = sdy.reshard %b <@mesh, [{}, {}, {"x"}]> : tensor<4x8x8xf32>
  return %1 : tensor<4x8x8xf32>)");
}

TEST_CASE("a reshape that axes do not divide takes those that do") {
  // 6 takes the major half of y; the other half does not divide the 3 that is left.
  check_body(kFull, R"((%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>})
      -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}))",
             R"(
  %b = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
  return %b : tensor<6x2xf32>)",
             R"(
  %0 = sdy.reshard %a <@mesh, [{"y":(1)2}]> : tensor<12xf32>
  %b = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
  %1 = sdy.reshard %b <@mesh, [{}, {}]> : tensor<6x2xf32>
  return %1 : tensor<6x2xf32>)");
  // y divides nothing of 3, and 2 alone would give a strided view of the operand.
  check_body(kFull, R"((%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
      -> (tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}))",
             R"(
  %b = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xf32>) -> tensor<3x2xf32>
  return %b : tensor<3x2xf32>)",
             R"(
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<6xf32>
  %b = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xf32>) -> tensor<3x2xf32>
  return %b : tensor<3x2xf32>)");
}

TEST_CASE("meshes that differ in the order of devices: the one of most sharded tensors wins") {
  check_dot(kFull, {R"(@mesh, [{"x"}, {}])", R"(@other, [{}, {"y"}])", R"(@other, [{"x"}, {"y"}])"},
            R"(
  %0 = sdy.reshard %a <@other, [{"x"}, {}]> : tensor<8x32xf32>
  %c = stablehlo.dot %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"x"}, {"y"}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>)");
  // Other axes: such operations are left alone.
  check_body(kFull, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@names, [{"b"}, {}]>}))",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@names, [{"b"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@names, [{"b"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)");
}

TEST_CASE("unreduced axes are reduced where they are used otherwise") {
  check_body(
      kMinimal,
      R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>})
      -> tensor<8x8xf32>)",
      R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)",
      R"(
  %0 = sdy.all_reduce {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %b = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)");
  // Contracted axes that the result leaves unreduced are not reduced at once.
  check_dot(kFull,
            {R"(@mesh, [{}, {"x", "y"}])", R"(@mesh, [{"x", "y"}, {}])",
             R"(@mesh, [{}, {}], unreduced={"x"})"},
            R"(
  %c = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %0 = sdy.all_reduce {"y"} %c out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>)");
}

TEST_CASE("unreduced axes come from replicas and from shards") {
  check_body(kMinimal, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}))",
             "  return %a : tensor<8x8xf32>", R"(
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>)");
  check_body(kMinimal, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}))",
             "  return %a : tensor<8x8xf32>", R"(
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  %1 = sdy.sharded_to_unreduced [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)");
  check_body(kMinimal, R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>}))",
             "  return %a : tensor<8x8xf32>", R"(
  %0 = sdy.reshard %a <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@mesh, [{"y"}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)");
  check_body(
      kMinimal,
      R"((%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}))",
      "  return %a : tensor<8x8xf32>", R"(
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.replicated_to_unreduced {"y"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)");
}

TEST_CASE("a reshard to unreduced axes is replaced by what makes them") {
  check_body(kMinimal, R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}))",
             R"(
  %b = sdy.reshard %a <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %b : tensor<8xf32>)",
             R"(
  %0 = sdy.sharded_to_unreduced [{"x"}] %a out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>)");
}

TEST_CASE("the minimal version reshards a product whose result is sharded as what it contracts") {
  check_dot(kMinimal,
            {R"(@mesh, [{}, {"x"}])", R"(@mesh, [{"x"}, {"y"}])", R"(@mesh, [{}, {"x"}])"},
            R"(
  %c = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %0 = sdy.reshard %c <@mesh, [{}, {"x"}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>)");
  // The rhs does not shard that dimension: a reduce-scatter does it.
  const Dot scattered = {R"(@mesh, [{}, {"x"}])", R"(@mesh, [{"x"}, {}])", R"(@mesh, [{}, {"x"}])"};
  check_unchanged(kMinimal, function(signature(scattered), body(scattered)));
  // The result is sharded by something else.
  const Dot other = {"@mesh, [{}, {}]", R"(@mesh, [{}, {"y"}])", R"(@mesh, [{}, {"x"}])"};
  check_unchanged(kMinimal, function(signature(other), body(other)));
  check_unchanged(kMinimal, function(R"((%a: tensor<8x8xf32> {sdy.sharding =
      #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32>)",
                                     R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
  return %b : tensor<8x8xf32>)"));
}

TEST_CASE("the minimal version makes the parts of a concatenation agree with the whole") {
  check_body(kMinimal, R"((%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
      %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}))",
             R"(
  %c = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>)",
             R"(
  %0 = sdy.reshard %b <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  %c = stablehlo.concatenate %a, %0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>)");
}

TEST_CASE("values that flow into a loop take its sharding") {
  const std::string_view signature = "(%a: tensor<8xf32>) -> tensor<8xf32>";
  const std::string_view loop = R"(
  %r = stablehlo.while(%l = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.negate %l {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
    stablehlo.return %n : tensor<8xf32>
  }
  return %r : tensor<8xf32>)";
  check_body(kFull, signature, loop,
             R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<8xf32>
  %r = stablehlo.while(%l = %0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %1 = sdy.reshard %l <@mesh, [{"y"}]> : tensor<8xf32>
    %n = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
    %2 = sdy.reshard %n <@mesh, [{"x"}]> : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %3 = sdy.reshard %r <@mesh, [{}]> : tensor<8xf32>
  return %3 : tensor<8xf32>)");
  check_unchanged(kMinimal, function(signature, loop));
}

// A call of @f, whose argument and result have the sharding given.
std::string calling(std::string_view sharding, std::string_view body) {
  return with({{"$sharding", sharding}, {"$body", body}}, on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
$body
  return %b : tensor<8xf32>
}
func.func private @f(%c: tensor<8xf32> $sharding) -> (tensor<8xf32> $sharding) {
  return %c : tensor<8xf32>
})"));
}

TEST_CASE("operands of calls take the shardings of the function's arguments, in both versions") {
  const std::string_view call = R"(
  %b = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>)";
  const std::string_view on_x = R"({sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})";
  for (std::string_view pass : {kMinimal, kFull}) {
    check_golden(pass, calling(on_x, call), calling(on_x, R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<8xf32>
  %b = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>)"));
    // A function without shardings takes whole tensors.
    check_golden(pass, calling("", call), calling("", R"(
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  %b = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>)"));
  }
}

TEST_CASE("an operation on one device gets its operands there by way of replicas") {
  check_body(kMinimal, R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}))",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : tensor<8xf32>
  return %b : tensor<8xf32>)",
             R"(
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@device, []> : tensor<8xf32>
  %b = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : tensor<8xf32>
  %2 = sdy.reshard %b <@mesh, [{}]> : tensor<8xf32>
  return %2 : tensor<8xf32>)");
  check_body(kMinimal, R"((%a: tensor<8xf32>)
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}))",
             R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : tensor<8xf32>
  return %b : tensor<8xf32>)",
             R"(
  %0 = sdy.reshard %a <@device, []> : tensor<8xf32>
  %b = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : tensor<8xf32>
  %1 = sdy.reshard %b <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>)");
}

TEST_CASE("what is on one device only cannot be resharded to others") {
  check_refused(kMinimal,
                function(R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>})
      -> tensor<8xf32>)",
                         R"(
  %b = stablehlo.negate %a : tensor<8xf32>
  return %b : tensor<8xf32>)"),
                "insert_explicit_reshards.single_device");
  check_refused(kMinimal,
                function(R"((%a: tensor<8xf32>)
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}))",
                         R"(
  %b = stablehlo.negate %a : tensor<8xf32>
  return %b : tensor<8xf32>)"),
                "insert_explicit_reshards.single_device");
  check_refused(kMinimal, function("(%a: tensor<8xf32>) -> tensor<8xf32>", R"(
  %b, %c = stablehlo.custom_call @f(%a) {has_side_effect = true,
      sdy.sharding = #sdy.sharding_per_value<[<@device, []>, <@device2, []>]>}
      : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %b : tensor<8xf32>)"),
                "insert_explicit_reshards.several_devices");
}

TEST_CASE("unreduced axes that nothing can reduce are refused") {
  check_refused(
      kMinimal,
      function(R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}))",
               R"(
  "my.sink"(%a) : (tensor<8xf32>) -> ()
  return %a : tensor<8xf32>)"),
      "insert_explicit_reshards.unreduced_operand");
  check_refused(
      kMinimal,
      function(R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}))",
               R"(
  %b = sdy.reshard %a <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  return %b : tensor<8xf32>)"),
      "insert_explicit_reshards.unreduced_both_ways");
  const Dot conflict = {R"(@mesh, [{}, {"x"}])", "@mesh, [{}, {}]",
                        R"(@mesh, [{}, {}], unreduced={"x"})"};
  check_refused(kMinimal, function(signature(conflict), body(conflict)),
                "insert_explicit_reshards.reduction_conflict");
  check_refused(
      kMinimal,
      function(R"((%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}], unreduced={"x"}>}))",
               "  return %a : tensor<8xf32>"),
      "insert_explicit_reshards.unreduced_meshes");
}

}  // namespace
}  // namespace shardprop::test::insert_explicit_reshards_cases
