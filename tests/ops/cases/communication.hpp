// Test cases of tokens, transfers, tuples, asynchronous operations and calls.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline const OpCase kCommunicationCases[] = {
    {"stablehlo.create_token", "ok", R"({"results": ["!stablehlo.token"]})"},
    {"stablehlo.create_token", "infer", "{}"},
    {"stablehlo.create_token", "result_type", R"({"results": ["f32"]})"},

    {"stablehlo.after_all", "ok",
     R"({"operands": ["!stablehlo.token", "!stablehlo.token"], "results": ["!stablehlo.token"]})"},
    {"stablehlo.after_all", "infer", "{}"},
    {"stablehlo.after_all", "i1", R"({"operands": ["f32"]})"},

    {"stablehlo.infeed", "ok",
     R"({"operands": ["!stablehlo.token"], "results": ["2x3xf32", "!stablehlo.token"],
         "attributes": {"infeed_config": "", "layout": [[1, 0]]}})"},
    {"stablehlo.infeed", "i1", R"({"operands": ["f32"]})"},
    {"stablehlo.infeed", "c1", R"({"results": []})"},
    {"stablehlo.infeed", "c2", R"({"results": ["!stablehlo.token", "!stablehlo.token"]})"},
    {"stablehlo.infeed", "c3", R"({"results": ["2x3xf32"], "attributes": {"layout": []}})"},
    {"stablehlo.infeed", "c3", R"({"attributes": {"layout": [0]}})"},
    {"stablehlo.infeed", "c3", R"({"attributes": {"layout": [[1, 0], [0]]}})"},

    {"stablehlo.outfeed", "ok",
     R"({"operands": ["2xf32", "!stablehlo.token"], "results": ["!stablehlo.token"]})"},
    {"stablehlo.outfeed", "infer", "{}"},
    {"stablehlo.outfeed", "i1", R"({"operands": ["!stablehlo.token", "!stablehlo.token"]})"},
    {"stablehlo.outfeed", "i2", R"({"operands": ["2xf32"]})"},
    {"stablehlo.outfeed", "op.operand_count", R"({"operands": []})"},

    {"stablehlo.send", "ok",
     R"({"operands": ["2xf32", "!stablehlo.token"], "results": ["!stablehlo.token"],
         "attributes": {"channel_handle": {"handle": 5, "type": 2}, "is_host_transfer": true}})"},
    {"stablehlo.send", "ok",
     R"({"attributes": {"channel_handle": {"type": 1}, "is_host_transfer": false}})"},
    {"stablehlo.send", "infer", "{}"},
    {"stablehlo.send", "i1", R"({"operands": ["!stablehlo.token", "!stablehlo.token"]})"},
    {"stablehlo.send", "i2", R"({"operands": ["2xf32"]})"},
    {"stablehlo.send", "c1", R"({"attributes": {"is_host_transfer": false}})"},
    {"stablehlo.send", "c1", R"({"attributes": {"channel_handle": {"type": 1}}})"},
    {"stablehlo.send", "i3", R"({"attributes": {"channel_handle": null}})"},

    {"stablehlo.recv", "ok",
     R"({"operands": ["!stablehlo.token"], "results": ["2xf32", "!stablehlo.token"],
         "attributes": {"channel_handle": {"handle": 5, "type": 3}, "is_host_transfer": true}})"},
    {"stablehlo.recv", "i1", R"({"operands": ["f32"]})"},
    {"stablehlo.recv", "c1", R"({"attributes": {"is_host_transfer": false}})"},
    {"stablehlo.recv", "c2", R"({"results": []})"},
    {"stablehlo.recv", "c3", R"({"results": ["!stablehlo.token", "!stablehlo.token"]})"},
    {"stablehlo.recv", "c4", R"({"results": ["2xf32"]})"},

    {"stablehlo.tuple", "ok",
     R"({"operands": ["2xf32", "!stablehlo.token"], "results": ["!tuple<tensor<2xf32>, !stablehlo.token>"]})"},
    {"stablehlo.tuple", "infer", "{}"},
    {"stablehlo.tuple", "c1", R"({"results": ["!tuple<tensor<2xf32>>"]})"},

    {"stablehlo.get_tuple_element", "ok",
     R"({"operands": ["!tuple<tensor<2x?xf32>, tuple<tensor<i1>>>"], "results": ["2x?xf32"],
         "attributes": {"index": 0}})"},
    {"stablehlo.get_tuple_element", "infer", "{}"},
    {"stablehlo.get_tuple_element", "infer",
     R"({"results": ["!tuple<tensor<i1>>"], "attributes": {"index": 1}})"},
    {"stablehlo.get_tuple_element", "i1", R"({"operands": ["!future<f32>"]})"},
    {"stablehlo.get_tuple_element", "c1", R"({"attributes": {"index": 2}})"},
    {"stablehlo.get_tuple_element", "c1", R"({"attributes": {"index": -1}})"},
    {"stablehlo.get_tuple_element", "c2", R"({"results": ["3x?xf32"]})"},

    {"stablehlo.async_start", "ok", R"(
func.func @main(%0: tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>> {
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %b : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  return %1 : !stablehlo.future<tensor<2xf32>>
})"},
    {"stablehlo.async_start", "infer", R"(
func.func @main(%0: tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>> {
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4xf32>):
    %b = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return %1 : !stablehlo.future<tensor<4xf32>>
})"},
    {"stablehlo.async_start", "c1", R"(
func.func @main(%0: tensor<4xf32>) {
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
})"},
    {"stablehlo.async_start", "c2", R"(
func.func @main(%0: tensor<4xf32>) {
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
})"},
    {"stablehlo.async_start", "c3", R"(
func.func @main(%0: tensor<5xf32>) {
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4xf32>):
    %b = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<5xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
})"},
    {"stablehlo.async_start", "c4", R"(
func.func @main(%0: tensor<4xf32>) {
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4xf32>):
    %b = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<5xf32>>
  return
})"},

    {"stablehlo.async_done", "ok",
     R"({"operands": ["!stablehlo.future<tensor<4xf32>>"], "results": ["4xf32"]})"},
    {"stablehlo.async_done", "infer", "{}"},
    {"stablehlo.async_done", "i1", R"({"operands": ["!tuple<tensor<4xf32>>"]})"},
    {"stablehlo.async_done", "c1", R"({"results": ["5xf32"]})"},

    {"func.return", "ok", R"(
func.func @main() {
  return
})"},
    {"func.return", "nested", R"(
func.func @main(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    func.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
})"},

    {"func.call", "ok", R"(
func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
  %1 = call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @f(%0: tensor<2xf32>) -> tensor<2xf32> {
  return %0 : tensor<2xf32>
})"},
    {"func.call", "infer", R"(
func.func private @f(%0: tensor<2xf32>) -> tensor<2xf32> {
  return %0 : tensor<2xf32>
}
func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
  %1 = call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})"},
    {"func.call", "unknown_callee", R"(
func.func @main() {
  call @f() : () -> ()
  return
})"},
    {"func.call", "op.missing_attribute", R"(
func.func @main() {
  "func.call"() : () -> ()
  return
})"},
    {"func.call", "operand_types", R"(
func.func @main() {
  call @f() : () -> ()
  return
}
func.func @f(%0: tensor<2xf32>) {
  return
})"},
    {"func.call", "result_type", R"(
func.func @main() {
  %0 = call @f() : () -> tensor<2xf32>
  return
}
func.func @f() {
  return
})"},
};
