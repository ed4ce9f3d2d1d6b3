sdy.mesh @mesh = <["a"=2, "b"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @one = <[], device_ids=[3]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {?}], replicated={"b"}> : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
    %9 = sdy.all_gather [{}, {"b"}] %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
    sdy.return %9 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.named_computation<"foo">(%1) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] (%arg1: tensor<8x8xf32>) {
    sdy.return %arg1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  sdy.sharding_group %2 group_id=3 : tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x8xf32>
  %4 = sdy.all_to_all [{"a"}: 0->1] %3 out_sharding=<@mesh, [{}, {"a"}]> : tensor<8x8xf32>
  %5 = sdy.all_reduce {"b":(1)2} %4 out_sharding=<@mesh, [{}, {"a"}]> : tensor<8x8xf32>
  %6 = sdy.reshard %5 <mesh<["c"=2]>, [{"c"}, {}]> : tensor<8x8xf32>
  %7 = sdy.data_flow_edge %6 sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}
