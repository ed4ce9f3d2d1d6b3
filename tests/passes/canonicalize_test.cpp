// canonicalize.
#include "tests/passes/golden.hpp"

namespace shardprop::test::canonicalize_cases {
namespace {

// A function of a matrix %a of the sharding given, on four axes, one of them of size 1.
std::string of_matrix(std::string_view sharding, std::string_view body) {
  return with({{"$sharding", sharding}, {"$body", body}}, R"(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "one"=1]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<$sharding>}) -> tensor<8x8xf32> {
$body
})");
}

TEST_CASE("canonicalize makes reduce_scatter of all_reduce and all_slice") {
  check_golden("canonicalize", of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.all_reduce max {"x", "y"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x", "z"}, {"y"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)"),
               of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.reduce_scatter max [{"x"}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"z"}, {}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)"));
  // Slices that are alike become one.
  check_golden("canonicalize", of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.all_reduce max {"x", "y"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x", "z"}, {"y"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"x", "z"}, {"y"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>)"),
               of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.reduce_scatter max [{"x"}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"z"}, {}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  %3 = stablehlo.add %1, %1 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>)"));
}

TEST_CASE("canonicalize makes no reduce_scatter where it would lose something") {
  // The whole sum is used as well.
  check_unchanged("canonicalize", of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.all_reduce max {"x", "y"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x", "z"}, {"y"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>)"));
  // A reduction axis is not sliced first.
  check_unchanged("canonicalize", of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.all_reduce max {"x", "y"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"z", "x"}, {"y"}] %0 out_sharding=<@mesh, [{"z", "x"}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)"));
}

TEST_CASE("canonicalize drops collectives that do nothing") {
  check_golden("canonicalize", of_matrix(R"(@mesh, [{"x"}, {}])", R"(
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)"),
               of_matrix(R"(@mesh, [{"x"}, {}])", R"(
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %a : tensor<8x8xf32>)"));
  check_golden("canonicalize", of_matrix(R"(@mesh, [{"x"}, {}])", R"(
  %0 = sdy.all_gather [{}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"x", ?}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_reduce {} %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>)"),
               of_matrix(R"(@mesh, [{"x"}, {}])", "return %a : tensor<8x8xf32>"));
}

TEST_CASE("canonicalize joins all_to_alls of different dimensions") {
  const auto exchanged = [](std::string_view body) {
    return with({{"$body", body}}, R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>})
    -> tensor<8x8x8x8xf32> {
$body
})");
  };
  check_golden("canonicalize{enabled-patterns=sdy-collective}", exchanged(R"(
  %0 = sdy.all_to_all [{"y"}: 1->3] %a out_sharding=<@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->2] %0 out_sharding=<@mesh, [{}, {}, {"x"}, {"y"}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>)"),
               exchanged(R"(
  %0 = sdy.all_to_all [{"x"}: 0->2, {"y"}: 1->3] %a out_sharding=<@mesh, [{}, {}, {"x"}, {"y"}]> : tensor<8x8x8x8xf32>
  return %0 : tensor<8x8x8x8xf32>)"));
}

TEST_CASE("canonicalize joins reshards, and reuses equal ones") {
  const std::string chain = of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)");
  check_golden("canonicalize{enabled-patterns=sdy-reshard}", chain, of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>)"));
  check_unchanged("canonicalize{enabled-patterns=sdy-collective}", chain);

  check_golden("canonicalize", of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %1 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %3 = stablehlo.add %0, %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>)"),
               of_matrix("@mesh, [{}, {}]", R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.add %0, %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>)"));
  // What had no users before stays.
  check_unchanged("canonicalize", of_matrix("@mesh, [{}, {}]", R"(
  %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %a : tensor<8x8xf32>)"));
}

// A function of two matrices on a mesh with an axis of size 1.
std::string of_two_matrices(std::string_view body) {
  return with({{"$body", body}}, R"(
sdy.mesh @mesh = <["x"=2, "one"=1]>
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
$body
})");
}

// A manual computation over one axis, whose body does not use its first operand.
std::string manual_over(std::string_view axis, std::string_view local_type) {
  return of_two_matrices(with({{"$axis", axis}, {"$local", local_type}}, R"(
  %0 = sdy.manual_computation(%a, %b)
      in_shardings=[<@mesh, [{"$axis"}, {}]>, <@mesh, [{"$axis"}, {}]>]
      out_shardings=[<@mesh, [{"$axis"}, {}]>] manual_axes={"$axis"}
      (%c: $local, %d: $local) {
    %1 = stablehlo.abs %d : $local
    sdy.return %1 : $local
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>)"));
}

TEST_CASE("canonicalize drops what a manual computation does not need") {
  // An axis of size 1: the body alone is left.
  check_golden("canonicalize", manual_over("one", "tensor<8x8xf32>"), of_two_matrices(R"(
  %1 = stablehlo.abs %b : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>)"));
  // An operand that the body does not use.
  check_golden("canonicalize", manual_over("x", "tensor<4x8xf32>"), of_two_matrices(R"(
  %0 = sdy.manual_computation(%b)
      in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"}
      (%d: tensor<4x8xf32>) {
    %1 = stablehlo.abs %d : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>)"));
}

}  // namespace
}  // namespace shardprop::test::canonicalize_cases
