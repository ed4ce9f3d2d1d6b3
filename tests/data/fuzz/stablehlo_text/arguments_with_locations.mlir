func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%a: tensor<2xf32> loc("a")):
    stablehlo.return %arg1 : tensor<f32>
  }, {
  ^bb0(%a: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32> loc("a"), %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}
