// The oracle's programs of operations that move elements.
#pragma once

#include <string_view>

namespace oracle {

inline constexpr std::string_view kShapePrograms = R"(
sdy.mesh @m = <["x"=2]>
func.func @is_finite(%a: tensor<4x4xf32>) {
  %r = stablehlo.is_finite %a : (tensor<4x4xf32>) -> tensor<4x4xi1>
  return
}
func.func @complex(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.complex %a, %b : tensor<4x4xcomplex<f32>>
  return
}
func.func @compare(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  %r = stablehlo.compare LT, %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
  return
}
func.func @reduce_precision(%a: tensor<4x4xf32>) {
  %r = stablehlo.reduce_precision %a, format = e5m10 : tensor<4x4xf32>
  return
}
func.func @clamp_1(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  %r = stablehlo.clamp %a, %b, %c : tensor<4x4xf32>
  return
}
func.func @clamp_2(%a: tensor<f32>, %b: tensor<4x4xf32>, %c: tensor<f32>) {
  %r = stablehlo.clamp %a, %b, %c : (tensor<f32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}
func.func @select(%a: tensor<i1>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  %r = stablehlo.select %a, %b, %c : tensor<i1>, tensor<4x4xf32>
  return
}
func.func @bitcast_convert_1(%a: tensor<4x4xf32>) {
  %r = stablehlo.bitcast_convert %a : (tensor<4x4xf32>) -> tensor<4x4xui32>
  return
}
func.func @bitcast_convert_2(%a: tensor<4x4xf32>) {
  %r = stablehlo.bitcast_convert %a : (tensor<4x4xf32>) -> tensor<4x4x4xi8>
  return
}
func.func @bitcast_convert_3(%a: tensor<4x4x4xi8>) {
  %r = stablehlo.bitcast_convert %a : (tensor<4x4x4xi8>) -> tensor<4x4xf32>
  return
}
func.func @uniform_dequantize(%a: tensor<4x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %r = stablehlo.uniform_dequantize %a : (tensor<4x4x!quant.uniform<i8:f32, 0.5:3>>)
      -> tensor<4x4xf32>
  return
}
func.func @uniform_quantize(%a: tensor<4x4xf32>) {
  %r = stablehlo.uniform_quantize %a : (tensor<4x4xf32>)
      -> tensor<4x4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
func.func @map(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  %r = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @sharding_constraint(%a: tensor<4x4xf32>) {
  %r = sdy.sharding_constraint %a <@m, [{}, {"x"}]> : tensor<4x4xf32>
  return
}
func.func @reshape_1(%a: tensor<4x12xf32>) {
  %r = stablehlo.reshape %a : (tensor<4x12xf32>) -> tensor<4x2x3x2xf32>
  return
}
func.func @reshape_2(%a: tensor<4x2x3x2xf32>) {
  %r = stablehlo.reshape %a : (tensor<4x2x3x2xf32>) -> tensor<4x12xf32>
  return
}
func.func @reshape_3(%a: tensor<8x4x1x3xf32>) {
  %r = stablehlo.reshape %a : (tensor<8x4x1x3xf32>) -> tensor<4x2x12xf32>
  return
}
func.func @reshape_4(%a: tensor<3x2xf32>) {
  %r = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}
func.func @reshape_5(%a: tensor<4x4xf32>) {
  %r = stablehlo.reshape %a : (tensor<4x4xf32>) -> tensor<16xf32>
  return
}
func.func @reshape_6(%a: tensor<2x6x4xf32>) {
  %r = stablehlo.reshape %a : (tensor<2x6x4xf32>) -> tensor<4x12xf32>
  return
}
func.func @transpose(%a: tensor<4x4x4xf32>) {
  %r = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @broadcast_in_dim_1(%a: tensor<4x4xf32>) {
  %r = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<4x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @broadcast_in_dim_2(%a: tensor<4x1xf32>) {
  %r = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<4x1xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @broadcast(%a: tensor<4x4xf32>) {
  %r = stablehlo.broadcast %a, sizes = [4] : (tensor<4x4xf32>) -> tensor<4x4x4xf32>
  return
}
)";

inline constexpr std::string_view kSlicingPrograms = R"(
func.func @slice(%a: tensor<4x8x4xf32>) {
  %r = stablehlo.slice %a [0:4, 2:6, 0:4:2] : (tensor<4x8x4xf32>) -> tensor<4x4x2xf32>
  return
}
func.func @pad_1(%a: tensor<4x4x4xf32>, %b: tensor<f32>) {
  %r = stablehlo.pad %a, %b, low = [0, 1, 0], high = [0, 1, 0], interior = [0, 0, 1]
      : (tensor<4x4x4xf32>, tensor<f32>) -> tensor<4x6x7xf32>
  return
}
func.func @concatenate(%a: tensor<4x2x4xf32>, %b: tensor<4x2x4xf32>) {
  %r = stablehlo.concatenate %a, %b, dim = 1
      : (tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> tensor<4x4x4xf32>
  return
}
func.func @reverse(%a: tensor<4x4x4xf32>) {
  %r = stablehlo.reverse %a, dims = [1] : tensor<4x4x4xf32>
  return
}
func.func @dynamic_slice(%a: tensor<4x4x4xf32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>) {
  %r = stablehlo.dynamic_slice %a, %b, %c, %d, sizes = [4, 2, 1]
      : (tensor<4x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x2x1xf32>
  return
}
func.func @dynamic_update_slice_1(%a: tensor<4x4x4xf32>, %b: tensor<4x2x2xf32>, %c: tensor<i32>,
    %d: tensor<i32>, %e: tensor<i32>) {
  %r = stablehlo.dynamic_update_slice %a, %b, %c, %d, %e
      : (tensor<4x4x4xf32>, tensor<4x2x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
      -> tensor<4x4x4xf32>
  return
}
func.func @dynamic_update_slice_2(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %a, %b, %c, %d
      : (tensor<4x4xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  return
}
)";

inline constexpr std::string_view kIndexingPrograms = R"(
// Whole rows, by vectors of one index.
func.func @gather_1(%a: tensor<4x4xf32>, %b: tensor<4x1xi32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>
  return
}
// Parts of two elements, and of one, of what remains; by indices that are not vectors.
func.func @gather_2(%a: tensor<4x4x4x4xf32>, %b: tensor<4xi32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 4, 2, 1>}>
      : (tensor<4x4x4x4xf32>, tensor<4xi32>) -> tensor<4x4x2x1xf32>
  return
}
// With batch dimensions.
func.func @gather_3(%a: tensor<4x4x4xf32>, %b: tensor<4x4x1xi32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
      collapsed_slice_dims = [1], operand_batching_dims = [0],
      start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>,
      slice_sizes = array<i64: 1, 1, 4>}>
      : (tensor<4x4x4xf32>, tensor<4x4x1xi32>) -> tensor<4x4x4xf32>
  return
}
func.func @scatter_1(%a: tensor<4x4xf32>, %b: tensor<4x1xi32>, %c: tensor<4x4xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
func.func @scatter_2(%a: tensor<4x4xf32>, %b: tensor<4x1xi32>, %c: tensor<4x4xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
// Later updates replace earlier ones.
func.func @scatter_3(%a: tensor<4x4xf32>, %b: tensor<4x1xi32>, %c: tensor<4x4xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
// Parts of two elements.
func.func @scatter_4(%a: tensor<4x4x4xf32>, %b: tensor<4xi32>, %c: tensor<4x4x2xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1, 2], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4x4xf32>, tensor<4xi32>, tensor<4x4x2xf32>) -> tensor<4x4x4xf32>
  return
}
// With batch dimensions.
func.func @scatter_5(%a: tensor<4x4x4xf32>, %b: tensor<4x4x1xi32>, %c: tensor<4x4x4xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0],
      scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1],
      index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4x4xf32>, tensor<4x4x1xi32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return
}
)";

}  // namespace oracle
