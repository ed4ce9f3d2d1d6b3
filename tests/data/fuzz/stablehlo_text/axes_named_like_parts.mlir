sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<2xf32>) {
  %0 = "sdy.all_reduce"(%arg0) <{reduction_axes = #sdy<axis_ref_list{"x":(1)2, "a:(x", "a:(01)2", "a:(1)", ":(1)2", "":(-1)2, "a:(1)2":(3)4}>, out_sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
