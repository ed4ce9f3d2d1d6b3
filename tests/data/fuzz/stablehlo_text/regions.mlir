func.func @regions(%arg0: tensor<4xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg2) : tensor<4xf32>, tensor<i32>
    cond {
    %2 = stablehlo.compare  LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.negate %iterArg : tensor<4xf32>
    stablehlo.return %2, %iterArg_0 : tensor<4xf32>, tensor<i32>
  }
  %1 = "stablehlo.if"(%arg1) ({
    stablehlo.return %0#0 : tensor<4xf32>
  }, {
    %2 = stablehlo.abs %0#0 : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %cst) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %4 = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }
  return %1 : tensor<4xf32>
}
