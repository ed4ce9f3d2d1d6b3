sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<2xf32>) {
  %0:2 = "sdy.reshard"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
