sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%arg0: tensor<16x8xf32>) {
%0 = "sdy.named_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, name = "layer", out_shardings = #sdy.sharding_pet_value<[<@mesh, [{?}, {?}]>]>}> ({
^bb0(%arg1: tensor<16x8xf32>):
  %1 = "stablehlo.add"(%arg1, %arg1) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  "sdy.return"(%1) : (tensor<16x8xf32>) ->unit}) : (tensor<16x8xf32>) -> tensor<16x8xf32>
return
}
