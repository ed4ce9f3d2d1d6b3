func.func @types(%arg0: tensor<?x4xf32>, %arg1: !stablehlo.token, %arg2: tuple<tensor<f32>, tensor<2xi1>>, %arg3: tensor<*xf32>, %arg4: tensor<4x!quant.uniform<i8:f32, 2.0:15>>, %arg5: tensor<?xf32, #stablehlo.bounds<4>>) -> !stablehlo.token {
  // a comment with "quotes" and } brackets
  %0 = stablehlo.after_all %arg1, %arg1 : !stablehlo.token
  %1 = stablehlo.get_tuple_element %arg2[0] : (tuple<tensor<f32>, tensor<2xi1>>) -> tensor<f32>
  %2 = stablehlo.tuple %1, %1 : tuple<tensor<f32>, tensor<f32>>
  %3 = stablehlo.optimization_barrier %1 : tensor<f32>
  %4 = stablehlo.iota dim = 0 : tensor<4xi32>
  return %0 : !stablehlo.token
}
