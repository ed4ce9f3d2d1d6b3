func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = {index_vector_dim = 0 : i64, offset_dims = []}, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  %1 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = {rhs_contracting_dimensions = [0], lhs_batching_dimensions = [], lhs_contracting_dimensions = [0]}, algorithm = {lhs_precision_type = "junk <"}}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %2 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = !x.y<z>, rhs_precision_type = tensor<2x!x.y<z>>, accumulation_type = tensor<2xf32>>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %3 = "stablehlo.tan"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<rtol = 167690250.0, atol = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.tan"(%arg0) <{result_accuracy = {atol = 1 : i64, ulps = 0 : i64}}> : (tensor<2xf32>) -> tensor<2xf32>
  %5 = "stablehlo.tan"(%arg0) <{result_accuracy = #stablehlo.channel_handle<handle = 1, type = 0>}> : (tensor<2xf32>) -> tensor<2xf32>
  "stablehlo.custom_call"() <{call_target_name = "g", output_operand_aliases = [{operand_tuple_indices = [1], operand_index = 0 : i64, output_tuple_indices = []}]}> : () -> ()
  %6 = "sdy.all_to_all"(%arg0) <{params = [{target_dimension = 1 : i64, axes = ["x"], source_dimension = 0 : i64}, {axes = [], source_dimension = 0 : i64, target_dimension = 1 : i64}]}> : (tensor<2xf32>) -> tensor<2xf32>
  %7 = "sdy.all_to_all"(%arg0) <{params = [{axes = [], more = 1 : i64, source_dimension = 0 : i64, target_dimension = 1 : i64}]}> : (tensor<2xf32>) -> tensor<2xf32>
  "stablehlo.all_reduce"() {replica_groups = {mesh = {axes = [{name = "x", size = 2 : i64}]}, axes = [{sub_axis_info = {size = 1 : i64, pre_size = 2 : i64}, name = "x"}]}} : () -> ()
  return
}
