module @pretty attributes {mhlo.num_partitions = 2 : i32, flag} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p1]>}, %b: tensor<4x8xf32>, %i: tensor<i32>) -> (tensor<8x8xf32> {jax.result_info = "out"}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.compare  LT, %1, %3,  FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %5 = stablehlo.select %4, %1, %3 : tensor<8x8xi1>, tensor<8x8xf32>
    %6 = stablehlo.slice %5 [0:8, 2:8:2] : (tensor<8x8xf32>) -> tensor<8x3xf32>
    %7 = stablehlo.concatenate %6, %6, dim = 1 : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x6xf32>
    %8 = stablehlo.pad %7, %cst, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x8xf32>
    %9 = stablehlo.dynamic_slice %8, %i, %i, sizes = [8, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %10 = stablehlo.add %9, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y":(1)2}]>]>} : tensor<8x8xf32>
    return %10 : tensor<8x8xf32>
  }
}
