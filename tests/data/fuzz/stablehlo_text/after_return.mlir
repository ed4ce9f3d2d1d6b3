sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {return"sly.all_to_all"(%arg0) <{out_sharding = #sdy.sha<rgind@mesh, [{}, {"x"}]>, params = #sdj<aln_to_all_param_list[{"x"}: 0->1]>}> : (tensor<16x8xf32>) -> tensor<10x8xf32>
return
}
