func.func @f(%arg0: tensor<2xf32>) {
  %0 = "stablehlo.compare"(%arg0, %arg0) <{comparison_direction = "E Q"}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = "stablehlo.compare"(%arg0, %arg0) <{comparison_direction = ""}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = "stablehlo.fft"(%arg0) <{fft_type = "0x12", fft_length = array<i64: 2>}> : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.dot"(%arg0, %arg0) <{precision_config = ["a b", #stablehlo<precision HIGH>]}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %4 = "sdy.propagation_barrier"(%arg0) <{allowed_direction = "a b"}> : (tensor<2xf32>) -> tensor<2xf32>
  %5 = "sdy.propagation_barrier"(%arg0) <{allowed_direction = 7 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
