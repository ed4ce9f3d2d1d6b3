sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
%0 = "sdy.all_gather"(%arg0) <{gathering_axes = #sdy<lifunc @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
%0 = "sdy.all_gather"(%arg0) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"y"}, {}]>, out_sadrhing = #sdy.sharding<@mesh, [{"x"}, {}]>}> : (tensor<16x8xf32>) -> tens//<16x8xf32>
return
}st_of_axis_ref_lists[{"y"}, {}]>, out_sadrhing = #sdy.sharding<@mesh, [{"x"}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
return
}
