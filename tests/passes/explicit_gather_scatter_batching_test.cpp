// explicit-gather-scatter-batching.
#include "tests/passes/golden.hpp"

namespace shardprop::test::explicit_gather_scatter_batching_cases {
namespace {

constexpr std::string_view kPass = "explicit-gather-scatter-batching";

// A function that gathers %g from %x.
std::string gathering(std::string_view body) {
  return with({{"$body", body}}, R"(
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x1xi32>, %both: tensor<4x2xi32>) -> tensor<4x1xf32> {
$body
  return %g : tensor<4x1xf32>
})");
}

// The iota in front of the indices %i says that row n is gathered from row n.
constexpr std::string_view kImplicit = R"(
  %iota = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %indices = stablehlo.concatenate %iota, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %g = "stablehlo.gather"(%x, %indices) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                                            start_index_map = [0, 1], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}>
      : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>)";
constexpr std::string_view kExplicit = R"(
  %g = "stablehlo.gather"(%x, %i) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0],
                                            start_indices_batching_dims = [0],
                                            start_index_map = [1], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}>
      : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>)";

TEST_CASE("an iota among the indices of a gather becomes a batching dimension") {
  check_golden(kPass, gathering(kImplicit), gathering(kExplicit));
}

TEST_CASE("an iota that is reshaped counts, and other uses of it stay") {
  const std::string_view iota = R"(
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  sdy.sharding_group %0 group_id=0 : tensor<4xi32>)";
  const std::string reshaped = with(
      {{"stablehlo.iota dim = 0 :", R"(stablehlo.reshape %0 : (tensor<4xi32>) ->)"}}, kImplicit);
  check_golden(kPass, gathering(std::string(iota) + reshaped),
               gathering(std::string(iota).append(kExplicit)));
}

TEST_CASE("a scatter gets batching dimensions as well") {
  check_golden(kPass, R"(
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<4x8xf32> {
  %iota = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %indices = stablehlo.concatenate %iota, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %s = "stablehlo.scatter"(%x, %indices, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1],
          scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
})",
               R"(
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<4x8xf32> {
  %s = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1],
          input_batching_dims = [0], scatter_indices_batching_dims = [0],
          scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
})");
}

TEST_CASE("a gather that is not a batch stays as it is") {
  check_unchanged(kPass, gathering(kExplicit));
  // No iota.
  check_unchanged(kPass, gathering(R"(
  %g = "stablehlo.gather"(%x, %both) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
                                            start_index_map = [0, 1], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}>
      : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>)"));
  // The iota counts along the columns.
  check_unchanged(kPass, gathering(with({{"%iota, %i,", "%i, %iota,"}}, kImplicit)));
}

}  // namespace
}  // namespace shardprop::test::explicit_gather_scatter_batching_cases
