sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
%5sdy.sharding = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({
^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
  %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  "stablehlo.return"(%1) : (tensor<f32>) -> (WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW)
}) {note = "x"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
return
}
