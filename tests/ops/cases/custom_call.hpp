// Cases of custom_call and composite. Neither infers types: a call says them.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kCustomCall = "stablehlo.custom_call";
inline constexpr const char* kComposite = "stablehlo.composite";

inline const OpCase kCustomCallCases[] = {
    {kCustomCall, "ok", R"({"operands": ["2x3xf32"], "results": ["4xf32"],
      "attributes": {"call_target_name": "foo"}})"},
    {kCustomCall, "ok", R"({"attributes": {"api_version": 4, "backend_config": {"a": 1}}})"},
    {kCustomCall, "ok", R"({"attributes": {"backend_config": "a", "operand_layouts": [[1, 0]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "ok", R"({"operands": ["2xf32"], "results": ["!memref<2xf32>"],
      "attributes": {"call_target_name": "Pin"}})"},
    {kCustomCall, "ok", R"({"operands": ["!stablehlo.token"], "results": ["!stablehlo.token",
      "4xf32"], "attributes": {
      "operand_layouts": [[]], "result_layouts": [[], [0]]}})"},
    {kCustomCall, "ok", R"({"operands": ["4xf32"], "attributes": {"output_operand_aliases": [{
      "output_tuple_indices": [], "operand_index": 0, "operand_tuple_indices": []}]}})"},
    {kCustomCall, "i2", R"({"attributes": {"call_target_name": null}})"},
    {kCustomCall, "layouts", R"({"attributes": {"operand_layouts": [[1, 0]]}})"},
    {kCustomCall, "layouts", R"({"attributes": {"operand_layouts": [[1, 1]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "layouts", R"({"attributes": {"operand_layouts": [[1, 0], [0]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "layouts", R"({"operands": ["!stablehlo.token"],
      "attributes": {"operand_layouts": [[0]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "backend_config", R"({"attributes": {"api_version": 4, "backend_config": "a"}})"},
    {kCustomCall, "backend_config", R"({"attributes": {"backend_config": {"a": 1}}})"},
    {kCustomCall, "output_operand_aliases",
     R"({"attributes": {"output_operand_aliases": [{"operand_index": 1}]}})"},
    {kCustomCall, "output_operand_aliases",
     R"({"attributes": {"output_operand_aliases": [{"operand_index": 0}]}})"},
    {kCustomCall, "output_operand_aliases", R"({"operands": ["4xf32"],
      "attributes": {"output_operand_aliases": [{
      "output_tuple_indices": [0], "operand_index": 0}]}})"},
    {kCustomCall, "buffer", R"({"attributes": {"call_target_name": "Pin"}})"},

    {kComposite, "ok", R"(
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %a {decomposition = @f, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})"},
    {kComposite, "c1", R"(
func.func @main() {
  stablehlo.composite "op"  {decomposition = @main} : () -> ()
  return
})"},
    {kComposite, "c2", R"(
func.func @main() {
  stablehlo.composite "my.op"  {decomposition = @f} : () -> ()
  return
})"},
    {kComposite, "c3", R"(
func.func @main(%a: tensor<2xf32>) {
  stablehlo.composite "my.op"  {decomposition = @main} : () -> ()
  return
})"},
    {kComposite, "c4", R"(
func.func @main() {
  %0 = stablehlo.composite "my.op"  {decomposition = @main} : () -> tensor<2xf32>
  return
})"},
};
