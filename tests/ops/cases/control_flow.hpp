// Test cases of control flow.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline const OpCase kControlFlowCases[] = {
    {"stablehlo.while", "ok",
     R"({"operands": ["i32", "2xf32"], "results": ["i32", "2xf32"],
         "blocks": [{"takes": ["i32", "2xf32"], "returns": ["i1"]},
                    {"takes": ["i32", "2xf32"], "returns": ["i32", "2xf32"]}]})"},
    {"stablehlo.while", "infer", "{}"},
    {"stablehlo.while", "ok", R"({"operands": ["i32", "?xf32"], "results": ["i32", "?xf32"]})"},
    {"stablehlo.while", "c1",
     R"({"blocks": [{"takes": ["i32"], "returns": ["i1"]},
                    {"takes": ["i32", "2xf32"], "returns": ["i32", "2xf32"]}]})"},
    {"stablehlo.while", "c1",
     R"({"blocks": [{"takes": ["i32", "2xf32"], "returns": ["1xi1"]},
                    {"takes": ["i32", "2xf32"], "returns": ["i32", "2xf32"]}]})"},
    {"stablehlo.while", "c2",
     R"({"blocks": [{"takes": ["i32", "2xf32"], "returns": ["i1"]},
                    {"takes": ["i32", "3xf32"], "returns": ["i32", "2xf32"]}]})"},
    {"stablehlo.while", "c2",
     R"({"blocks": [{"takes": ["i32", "2xf32"], "returns": ["i1"]},
                    {"takes": ["i32", "2xf32"], "returns": ["i32"]}]})"},
    {"stablehlo.while", "c3", R"({"results": ["i32", "2xf64"]})"},
    {"stablehlo.while", "op.block_count",
     R"({"blocks": [{"takes": ["i32", "2xf32"], "returns": ["i1"]}]})"},

    {"stablehlo.case", "ok",
     R"({"operands": ["i32"], "results": ["2xf32"], "blocks": [{"returns": ["2xf32"]}, {"returns": ["2xf32"]}]})"},
    {"stablehlo.case", "infer", "{}"},
    {"stablehlo.case", "infer",
     R"({"results": ["?xf32"], "blocks": [{"returns": ["2xf32"]}, {"returns": ["?xf32"]}]})"},
    {"stablehlo.case", "i1", R"({"operands": ["1xi32"]})"},
    {"stablehlo.case", "i1", R"({"operands": ["i64"]})"},
    {"stablehlo.case", "c1", R"({"blocks": [], "results": []})"},
    {"stablehlo.case", "c2",
     R"({"blocks": [{"takes": ["f32"], "returns": ["2xf32"]}, {"returns": ["2xf32"]}]})"},
    {"stablehlo.case", "c3", R"({"blocks": [{"returns": ["2xf32"]}, {"returns": ["3xf32"]}]})"},
    {"stablehlo.case", "c4", R"({"results": ["3xf32"]})"},

    {"stablehlo.if", "ok",
     R"({"operands": ["i1"], "results": ["2xf32"], "blocks": [{"returns": ["2xf32"]}, {"returns": ["2xf32"]}]})"},
    {"stablehlo.if", "infer", "{}"},
    {"stablehlo.if", "i1", R"({"operands": ["i32"]})"},
    {"stablehlo.if", "i1", R"({"operands": ["2xi1"]})"},
    {"stablehlo.if", "c1",
     R"({"blocks": [{"returns": ["2xf32"]}, {"takes": ["f32"], "returns": ["2xf32"]}]})"},
    {"stablehlo.if", "c2", R"({"blocks": [{"returns": ["2xf32"]}, {"returns": ["2xi32"]}]})"},
    {"stablehlo.if", "c3", R"({"results": ["2xf64"]})"},
    {"stablehlo.if", "op.block_count", R"({"blocks": [{"returns": ["2xf32"]}]})"},

    {"stablehlo.optimization_barrier", "ok",
     R"({"operands": ["2xf32", "!stablehlo.token"], "results": ["2xf32", "!stablehlo.token"]})"},
    {"stablehlo.optimization_barrier", "infer", "{}"},
    {"stablehlo.optimization_barrier", "c1", R"({"results": ["?xf32", "!stablehlo.token"]})"},

    {"stablehlo.return", "ok", R"(
func.func @main(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
})"},
};
