// The oracle's programs of operations that combine elements, and of calls.
#pragma once

#include <string_view>

namespace oracle {

inline constexpr std::string_view kProductPrograms = R"(
func.func @dot_1(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.dot %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @dot_2(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.dot %a, %b : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}
func.func @dot_3(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = stablehlo.dot %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
func.func @dot_general_1(%a: tensor<4x4x4xf32>, %b: tensor<4x4x4xf32>) {
  %r = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [2] x [1]
      : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @dot_general_2(%a: tensor<4x4x4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.dot_general %a, %b, contracting_dims = [2, 0] x [0, 1]
      : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}
func.func @einsum(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.einsum %a, %b, config = "ab,bc->ac"
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @unary_einsum(%a: tensor<4x4xf32>) {
  %r = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}
func.func @convolution_1(%a: tensor<4x4x4xf32>, %b: tensor<3x4x4xf32>) {
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<4x4x4xf32>, tensor<3x4x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @convolution_2(%a: tensor<4x4x4xf32>, %b: tensor<3x2x4xf32>) {
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<4x4x4xf32>, tensor<3x2x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @convolution_3(%a: tensor<4x4x4xf32>, %b: tensor<3x1x4xf32>) {
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64}
      : (tensor<4x4x4xf32>, tensor<3x1x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @convolution_4(%a: tensor<4x4x4xf32>, %b: tensor<3x4x4xf32>) {
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
      : (tensor<4x4x4xf32>, tensor<3x4x4xf32>) -> tensor<2x4x4xf32>
  return
}
)";

inline constexpr std::string_view kReductionPrograms = R"(
func.func @reduce_1(%a: tensor<4x4x4xf32>, %b: tensor<f32>) {
  %r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1]
      : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}
func.func @reduce_2(%a: tensor<4x4x4xf32>, %b: tensor<f32>) {
  %r = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [0, 2]
      : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
func.func @reduce_3(%a: tensor<4x4xf32>, %b: tensor<f32>) {
  %r = stablehlo.reduce(%a init: %b) applies stablehlo.multiply across dimensions = [0]
      : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
func.func @reduce_window_1(%a: tensor<4x4x6xf32>, %b: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%a, %b) <{
      padding = dense<[[0, 0], [1, 1], [1, 1]]> : tensor<3x2xi64>,
      window_dimensions = array<i64: 1, 3, 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4x6xf32>, tensor<f32>) -> tensor<4x4x6xf32>
  return
}
func.func @select_and_scatter(%a: tensor<4x8x4xf32>, %b: tensor<4x4x4xf32>, %c: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%a, %b, %c)
      <{window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x8x4xf32>, tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x8x4xf32>
  return
}
func.func @sort(%a: tensor<4x4xf32>) {
  %r = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @batch_norm_inference(%a: tensor<4x4x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>,
    %d: tensor<4xf32>, %e: tensor<4xf32>) {
  %r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e)
      <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}>
      : (tensor<4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> tensor<4x4x4xf32>
  return
}
func.func @batch_norm_training(%a: tensor<4x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%a, %b, %c)
      <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}>
      : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
func.func @batch_norm_grad(%a: tensor<4x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>,
    %d: tensor<4xf32>, %e: tensor<4x4xf32>) {
  %r:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e)
      <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}>
      : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>)
      -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
)";

inline constexpr std::string_view kLinearAlgebraPrograms = R"(
func.func @cholesky(%a: tensor<4x4x4xf32>) {
  %r = stablehlo.cholesky %a : tensor<4x4x4xf32>
  return
}
func.func @fft(%a: tensor<4x4x4xcomplex<f32>>) {
  %r = stablehlo.fft %a, type = FFT, length = [4]
      : (tensor<4x4x4xcomplex<f32>>) -> tensor<4x4x4xcomplex<f32>>
  return
}
func.func @triangular_solve_1(%a: tensor<4x4x4xf32>, %b: tensor<4x4x4xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b)
      <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>,
      unit_diagonal = false}> : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @triangular_solve_2(%a: tensor<4x4x4xf32>, %b: tensor<4x4x4xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b)
      <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>,
      unit_diagonal = false}> : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return
}
)";

inline constexpr std::string_view kCollectivePrograms = R"(
func.func @all_gather(%a: tensor<4x2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<4x2x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @all_reduce(%a: tensor<4x4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @all_to_all(%a: tensor<4x4x4xf32>) {
  %r = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64,
      split_dimension = 1 : i64}> : (tensor<4x4x4xf32>) -> tensor<8x2x4xf32>
  return
}
func.func @collective_broadcast(%a: tensor<4x4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a)
      <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @collective_permute(%a: tensor<4x4xf32>) {
  %r = "stablehlo.collective_permute"(%a)
      <{source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}>
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @collective_reduce(%a: tensor<4x4xf32>) {
  %r = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @cross_replica_sum(%a: tensor<4x4xf32>) {
  %r = "stablehlo.cross-replica-sum"(%a) {replica_groups = [[0, 1]]}
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @reduce_scatter(%a: tensor<4x8x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x8x4xf32>) -> tensor<4x4x4xf32>
  return
}
)";

inline constexpr std::string_view kCallPrograms = R"(
func.func @X64Combine(%a: tensor<4x4xui32>, %b: tensor<4x4xui32>) {
  %r = stablehlo.custom_call @X64Combine(%a, %b)
      : (tensor<4x4xui32>, tensor<4x4xui32>) -> tensor<4x4xui64>
  return
}
func.func @mhlo_topk(%a: tensor<4x4x4xf32>) {
  %r:2 = stablehlo.custom_call @mhlo.topk(%a)
      : (tensor<4x4x4xf32>) -> (tensor<4x4x2xf32>, tensor<4x4x2xi32>)
  return
}
func.func @ApproxTopK(%a: tensor<4x4x4xf32>, %b: tensor<4x4x4xi32>,
    %c: tensor<f32>, %d: tensor<i32>) {
  %r:2 = stablehlo.custom_call @ApproxTopK(%a, %b, %c, %d)
      : (tensor<4x4x4xf32>, tensor<4x4x4xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<4x4x2xf32>, tensor<4x4x2xi32>)
  return
}
func.func @Qr(%a: tensor<4x4x4xf32>) {
  %r:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4xf32>)
  return
}
func.func @QrDecompositionBlock(%a: tensor<4x4x4xf32>) {
  %r:2 = stablehlo.custom_call @QrDecompositionBlock(%a)
      : (tensor<4x4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4xf32>)
  return
}
func.func @ProductOfElementaryHouseholderReflectors(%a: tensor<4x4x4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %b)
      : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  return
}
)";

}  // namespace oracle
