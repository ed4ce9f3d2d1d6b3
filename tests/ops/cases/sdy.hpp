// Test cases of the sdy dialect, on the meshes that each of them has: @m and @p of the axes a=2, b=4
// and c=8, @n of the axis x=2.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline const OpCase kSdyCases[] = {
    {"sdy.sharding_constraint", "ok",
     R"({"results": ["64x64xf32"], "operands": [{"type": "64x64xf32", "sharding": "<@m, [{}, {}]>"}],
      "attributes": {"sharding": "<@m, [{\"a\"}, {}]>"}})"},
    {"sdy.sharding_constraint", "infer", R"({})"},
    {"sdy.sharding_constraint", "ok", R"({"operands": ["64x64xf32"]})"},
    {"sdy.sharding_constraint", "sharding", R"({"attributes": {"sharding": null}})"},
    {"sdy.sharding_constraint", "result_type", R"({"results": ["64x64xf64"]})"},
    {"sdy.sharding_constraint", "unreduced_axes",
     R"({"attributes": {"sharding": "<@m, [{}, {}], unreduced=max{\"a\"}>"}})"},
    {"sdy.sharding_constraint", "unreduced_axes",
     R"({"operands": [{"type": "64x64xf32", "sharding": "<@m, [{}, {}], unreduced=max{\"a\"}>"}],
      "attributes": {"sharding": "<@m, [{}, {}], unreduced={\"a\"}>"}})"},

    {"sdy.reshard", "ok",
     R"({"results": ["64x64xf32"], "operands": [{"type": "64x64xf32", "sharding": "<@m, [{}, {}]>"}],
      "attributes": {"sharding": "<@m, [{\"a\"}, {}]>"}})"},
    {"sdy.reshard", "infer", R"({})"},
    {"sdy.reshard", "sharding", R"({"attributes": {"sharding": null}})"},
    {"sdy.reshard", "result_type", R"({"results": ["64x64xf64"]})"},
    {"sdy.reshard", "unreduced_axes",
     R"({"attributes": {"sharding": "<@m, [{}, {}], unreduced=max{\"a\"}>"}})"},

    {"sdy.sharding_group", "ok", R"({"operands": ["8xf32"], "attributes": {"group_id": 1}})"},
    {"sdy.sharding_group", "op.missing_attribute", R"({"attributes": {"group_id": null}})"},
    {"sdy.sharding_group", "op.attribute_kind", R"({"attributes": {"group_id": "one"}})"},

    {"sdy.propagation_barrier", "ok",
     R"({"operands": ["8xf32"], "results": ["8xf32"], "attributes": {"allowed_direction": "FORWARD"}})"},
    {"sdy.propagation_barrier", "infer", R"({})"},
    {"sdy.propagation_barrier", "allowed_direction",
     R"({"attributes": {"allowed_direction": "BOTH"}})"},
    {"sdy.propagation_barrier", "allowed_direction",
     R"({"attributes": {"allowed_direction": "UP"}})"},
    {"sdy.propagation_barrier", "op.missing_attribute",
     R"({"attributes": {"allowed_direction": null}})"},
    {"sdy.propagation_barrier", "result_type", R"({"results": ["9xf32"]})"},

    {"sdy.data_flow_edge", "ok", R"(
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = stablehlo.optimization_barrier %0 : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
})"},
    {"sdy.data_flow_edge", "infer", R"(
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
})"},
    {"sdy.data_flow_edge", "single_use", R"(
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %2 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %0 : tensor<8xf32>
})"},
    {"sdy.data_flow_edge", "static_shape", R"(
func.func @main(%0: tensor<?xf32>) {
  %2 = sdy.data_flow_edge %0 : tensor<?xf32>
  return
})"},
    {"sdy.data_flow_edge", "source", R"(
func.func @main(%0: tensor<8xf32>) {
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 : tensor<8xf32>
  return
})"},
    {"sdy.data_flow_edge", "result_type", R"(
func.func @main(%0: tensor<8xf32>) {
  %2 = "sdy.data_flow_edge"(%0) : (tensor<8xf32>) -> tensor<9xf32>
  return
})"},

    {"sdy.func_data_flow_edge", "ok", R"(
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
})"},
    {"sdy.func_data_flow_edge", "infer", R"(
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
})"},
    {"sdy.func_data_flow_edge", "source", R"(
func.func @main(%0: tensor<8xf32>) {
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %1 : tensor<8xf32>
  return
})"},
    {"sdy.func_data_flow_edge", "single_use", R"(
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %0 : tensor<8xf32>
})"},
    {"sdy.func_data_flow_edge", "static_shape", R"(
func.func @main(%0: tensor<?xf32>) {
  %1 = sdy.func_data_flow_edge %0 : tensor<?xf32>
  return
})"},
    {"sdy.func_data_flow_edge", "result_type", R"(
func.func @main(%0: tensor<8xf32>) {
  %1 = "sdy.func_data_flow_edge"(%0) : (tensor<8xf32>) -> tensor<9xf32>
  return
})"},

    {"sdy.constant", "ok", R"({"results": ["2xf32"], "attributes": {"value": [1.5, 2.5]}})"},
    {"sdy.constant", "c1", R"({"results": ["3xf32"]})"},
    {"sdy.constant", "op.missing_attribute", R"({"attributes": {"value": null}})"},

    {"sdy.return", "ok", R"(
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
})"},

    {"sdy.manual_computation", "ok", R"({"results": ["64x64xf32"], "operands": ["64x64xf32"],
      "blocks": [{"takes": ["32x64xf32"], "returns": ["32x64xf32"]}],
      "attributes": {"manual_axes": ["a"], "in_shardings": ["<@m, [{\"a\", \"b\"}, {}]>"],
        "out_shardings": ["<@m, [{\"a\"}, {\"b\"}]>"]}})"},
    {"sdy.manual_computation", "axis_order",
     R"({"attributes": {"in_shardings": ["<@m, [{\"b\", \"a\"}, {}]>"]}})"},
    {"sdy.manual_computation", "divisible",
     R"({"operands": ["63x64xf32"], "blocks": [{"takes": ["31x64xf32"], "returns": ["32x64xf32"]}]})"},
    {"sdy.manual_computation", "local_type",
     R"({"blocks": [{"takes": ["64x64xf32"], "returns": ["32x64xf32"]}]})"},
    {"sdy.manual_computation", "local_type",
     R"({"blocks": [{"takes": ["32x64xf32"], "returns": ["32x64xf64"]}]})"},
    {"sdy.manual_computation", "value_count",
     R"({"blocks": [{"takes": ["32x64xf32", "f32"], "returns": ["32x64xf32"]}]})"},
    {"sdy.manual_computation", "value_count",
     R"({"blocks": [{"takes": ["32x64xf32"], "returns": []}]})"},
    {"sdy.manual_computation", "in_shardings", R"({"attributes": {"in_shardings": []}})"},
    {"sdy.manual_computation", "out_shardings", R"({"attributes": {"out_shardings": null}})"},
    {"sdy.manual_computation", "common_mesh",
     R"({"operands": ["64x64xf32"], "blocks": [{"takes": ["64x64xf32"], "returns": ["32x64xf32"]}],
      "attributes": {"in_shardings": ["<@n, [{}, {}]>"]}})"},
    {"sdy.manual_computation", "unknown_axis", R"({"attributes": {"manual_axes": ["a", "z"]}})"},
    {"sdy.manual_computation", "manual_axes", R"({"attributes": {"manual_axes": null}})"},
    {"sdy.manual_computation", "manual_axes", R"({"attributes": {"manual_axes": "a"}})"},
    {"sdy.manual_computation", "nested_axis", R"(
sdy.mesh @m = <["a"=2]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
      sdy.return
    } : () -> ()
    sdy.return
  } : () -> ()
  return
})"},
    {"sdy.manual_computation", "sharding.manual_axis", R"(
sdy.mesh @m = <["a"=2]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = "test.make"() : () -> tensor<8xf32>
    sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}]>] out_shardings=[] manual_axes={} (%1: tensor<8xf32>) {
      sdy.return
    } : (tensor<8xf32>) -> ()
    sdy.return
  } : () -> ()
  return
})"},

    {"sdy.named_computation", "ok", R"({"results": ["64x64xf32"], "operands": ["64x64xf32"],
      "blocks": [{"takes": ["64x64xf32"], "returns": ["64x64xf32"]}],
      "attributes": {"name": "block", "in_shardings": ["<@m, [{\"a\"}, {}]>"],
        "out_shardings": ["<@m, [{\"a\"}, {\"b\"}]>"]}})"},
    {"sdy.named_computation", "infer", R"({})"},
    {"sdy.named_computation", "ok",
     R"({"attributes": {"in_shardings": null, "out_shardings": null}})"},
    {"sdy.named_computation", "argument_types",
     R"({"blocks": [{"takes": ["32x64xf32"], "returns": ["64x64xf32"]}]})"},
    {"sdy.named_computation", "result_type",
     R"({"blocks": [{"takes": ["64x64xf32"], "returns": ["64xf32"]}]})"},
    {"sdy.named_computation", "in_shardings", R"({"attributes": {"in_shardings": []}})"},
    {"sdy.named_computation", "out_shardings", R"({"attributes": {"out_shardings": []}})"},
    {"sdy.named_computation", "sharding.rank_mismatch",
     R"({"attributes": {"in_shardings": ["<@m, [{}]>"]}})"},
    {"sdy.named_computation", "op.missing_attribute", R"({"attributes": {"name": null}})"},

    {"sdy.all_gather", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\"}, {\"b\", \"c\"}]>"}],
      "attributes": {"gathering_axes": [[], ["c:(4)2"]],
        "out_sharding": "<@m, [{\"a\"}, {\"b\", \"c\":(1)4}]>"}})"},
    {"sdy.all_gather", "infer", R"({})"},
    {"sdy.all_gather", "operand_sharding", R"({"operands": ["64x64xf32"]})"},
    {"sdy.all_gather", "out_sharding", R"({"attributes": {"out_sharding": null}})"},
    {"sdy.all_gather", "out_sharding", R"({"attributes": {"gathering_axes": [[], ["c"]]}})"},
    {"sdy.all_gather", "axes", R"({"attributes": {"gathering_axes": [[], ["b"]]}})"},
    {"sdy.all_gather", "axes", R"({"attributes": {"gathering_axes": null}})"},
    {"sdy.all_gather", "axes", R"({"attributes": {"gathering_axes": [1, [2]]}})"},
    {"sdy.all_gather", "rank", R"({"attributes": {"gathering_axes": [["a"]]}})"},
    {"sdy.all_gather", "sharding.unknown_axis",
     R"({"attributes": {"gathering_axes": [[], ["z"]]}})"},
    {"sdy.all_gather", "sharding.duplicate_axis",
     R"({"attributes": {"gathering_axes": [["a"], ["a"]]}})"},
    {"sdy.all_gather", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.all_gather", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.all_slice", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\"}, {\"b\", \"c\":(1)4}]>"}],
      "attributes": {"slicing_axes": [[], ["c:(4)2"]],
        "out_sharding": "<@m, [{\"a\"}, {\"b\", \"c\"}]>"}})"},
    {"sdy.all_slice", "infer", R"({})"},
    {"sdy.all_slice", "ok",
     R"({"operands": ["64x64xf32"], "attributes": {"slicing_axes": [["a"], ["b", "c"]]}})"},
    {"sdy.all_slice", "out_sharding", R"({"attributes": {"slicing_axes": [["c:(4)2"], []]}})"},
    {"sdy.all_slice", "axes", R"({"attributes": {"slicing_axes": null}})"},
    {"sdy.all_slice", "rank", R"({"attributes": {"slicing_axes": [["c:(4)2"]]}})"},
    {"sdy.all_slice", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.all_slice", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.all_to_all", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\", \"b\"}, {\"c\"}]>"}],
      "attributes": {
        "params": [{"axes": ["b"], "source_dimension": 0, "target_dimension": 1}],
        "out_sharding": "<@m, [{\"a\"}, {\"c\", \"b\"}]>"}})"},
    {"sdy.all_to_all", "infer", R"({})"},
    {"sdy.all_to_all", "params", R"({"attributes": {"params": []}})"},
    {"sdy.all_to_all", "params",
     R"({"attributes": {"params": [{"axes": ["b"], "target_dimension": 2}]}})"},
    {"sdy.all_to_all", "params", R"({"attributes": {"params": [{"axes": ["b"]}]}})"},
    {"sdy.all_to_all", "params",
     R"({"attributes": {"params": [{"axes": ["b"], "target_dimension": "one"}]}})"},
    {"sdy.all_to_all", "axes",
     R"({"attributes": {"params": [{"axes": ["a"], "target_dimension": 1}]}})"},
    {"sdy.all_to_all", "out_sharding",
     R"({"attributes": {"params": [{"axes": [], "target_dimension": 1}]}})"},
    {"sdy.all_to_all", "operand_sharding", R"({"operands": ["64x64xf32"]})"},
    {"sdy.all_to_all", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.all_to_all", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.collective_permute", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\", \"b\"}, {\"c\"}]>"}],
      "attributes": {"out_sharding": "<@m, [{\"b\", \"a\"}, {\"c\"}]>"}})"},
    {"sdy.collective_permute", "infer", R"({})"},
    {"sdy.collective_permute", "out_sharding",
     R"({"attributes": {"out_sharding": "<@m, [{\"b\"}, {\"c\"}]>"}})"},
    {"sdy.collective_permute", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.collective_permute", "mesh",
     R"({"attributes": {"out_sharding": "<@p, [{\"a\", \"b\"}, {\"c\"}]>"}})"},
    {"sdy.collective_permute", "operand_sharding", R"({"operands": ["64x64xf32"]})"},
    {"sdy.collective_permute", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.all_reduce", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\"}>"}],
      "attributes": {"reduction_axes": ["b"], "out_sharding": "<@m, [{\"a\"}, {}]>"}})"},
    {"sdy.all_reduce", "infer", R"({})"},
    {"sdy.all_reduce", "ok",
     R"({"operands": ["64x64xf32"], "attributes": {"out_sharding": "<@m, [{}, {}]>"}})"},
    {"sdy.all_reduce", "out_sharding",
     R"({"attributes": {"out_sharding": "<@m, [{\"c\"}, {}]>"}})"},
    {"sdy.all_reduce", "axes", R"({"attributes": {"reduction_axes": ["a"]}})"},
    {"sdy.all_reduce", "axes", R"({"attributes": {"reduction_axes": "a"}})"},
    {"sdy.all_reduce", "sharding.unsorted_axes",
     R"({"attributes": {"reduction_axes": ["c", "b"]}})"},
    {"sdy.all_reduce", "unreduced_axes", R"({"attributes": {"reduction_op": "max"}})"},
    {"sdy.all_reduce", "unreduced_axes",
     R"({"attributes": {"out_sharding": "<@m, [{\"a\"}, {}], unreduced={\"c\"}>"}})"},
    {"sdy.all_reduce", "reduction_op", R"({"attributes": {"reduction_op": "mean"}})"},
    {"sdy.all_reduce", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.all_reduce", "rank", R"({"operands": [{"type": "64xf32", "sharding": "<@m, [{}]>"}]})"},
    {"sdy.all_reduce", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.reduce_scatter", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\"}>"}],
      "attributes": {"reduce_scatter_axes": [["b"], []],
        "out_sharding": "<@m, [{\"a\", \"b\"}, {}]>"}})"},
    {"sdy.reduce_scatter", "infer", R"({})"},
    {"sdy.reduce_scatter", "out_sharding",
     R"({"attributes": {"reduce_scatter_axes": [[], ["b"]]}})"},
    {"sdy.reduce_scatter", "axes", R"({"attributes": {"reduce_scatter_axes": "b"}})"},
    {"sdy.reduce_scatter", "rank", R"({"attributes": {"reduce_scatter_axes": [["b"]]}})"},
    {"sdy.reduce_scatter", "unreduced_axes", R"({"attributes": {"reduction_op": "min"}})"},
    {"sdy.reduce_scatter", "reduction_op", R"({"attributes": {"reduction_op": "mean"}})"},
    {"sdy.reduce_scatter", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.reduce_scatter", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.sharded_to_unreduced", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\", \"b\"}, {\"c\"}]>"}],
      "attributes": {"axes": [["b"], ["c"]],
        "out_sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\", \"c\"}>"}})"},
    {"sdy.sharded_to_unreduced", "infer", R"({})"},
    {"sdy.sharded_to_unreduced", "reduction",
     R"({"attributes": {"out_sharding": "<@m, [{\"a\"}, {}], unreduced=max{\"b\", \"c\"}>"}})"},
    {"sdy.sharded_to_unreduced", "unreduced_axes",
     R"({"attributes": {"out_sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\"}>"}})"},
    {"sdy.sharded_to_unreduced", "axes", R"({"attributes": {"axes": [["a"], ["c"]]}})"},
    {"sdy.sharded_to_unreduced", "out_sharding", R"({"attributes": {"axes": [[], ["c"]]}})"},
    {"sdy.sharded_to_unreduced", "rank", R"({"attributes": {"axes": [["b"]]}})"},
    {"sdy.sharded_to_unreduced", "operand_sharding", R"({"operands": ["64x64xf32"]})"},
    {"sdy.sharded_to_unreduced", "mesh", R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.sharded_to_unreduced", "result_type", R"({"results": ["64x64xf64"]})"},

    {"sdy.replicated_to_unreduced", "ok", R"({"results": ["64x64xf32"],
      "operands": [{"type": "64x64xf32", "sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\"}>"}],
      "attributes": {"axes": ["c"],
        "out_sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\", \"c\"}>"}})"},
    {"sdy.replicated_to_unreduced", "infer", R"({})"},
    {"sdy.replicated_to_unreduced", "reduction",
     R"({"attributes": {"out_sharding": "<@m, [{\"a\"}, {}], unreduced=max{\"b\", \"c\"}>"}})"},
    {"sdy.replicated_to_unreduced", "unreduced_axes",
     R"({"attributes": {"out_sharding": "<@m, [{\"a\"}, {}], unreduced={\"b\"}>"}})"},
    {"sdy.replicated_to_unreduced", "axes", R"({"attributes": {"axes": ["a"]}})"},
    {"sdy.replicated_to_unreduced", "axes", R"({"attributes": {"axes": ["b"]}})"},
    {"sdy.replicated_to_unreduced", "axes", R"({"attributes": {"axes": []}})"},
    {"sdy.replicated_to_unreduced", "out_sharding",
     R"({"attributes": {"out_sharding": "<@m, [{}, {}], unreduced={\"b\", \"c\"}>"}})"},
    {"sdy.replicated_to_unreduced", "operand_sharding", R"({"operands": ["64x64xf32"]})"},
    {"sdy.replicated_to_unreduced", "mesh",
     R"({"attributes": {"out_sharding": "<@n, [{}, {}]>"}})"},
    {"sdy.replicated_to_unreduced", "result_type", R"({"results": ["64x64xf64"]})"},
};
