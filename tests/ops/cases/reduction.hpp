// Cases of reduce.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kReduce = "stablehlo.reduce";

inline const OpCase kReductionCases[] = {
    {kReduce, "ok", R"({"operands": ["8x6x4xf32", "f32"], "results": ["8x4xf32"],
      "attributes": {"dimensions": [1]},
      "blocks": [{"takes": ["f32", "f32"], "returns": ["f32"]}]})"},
    {kReduce, "ok", R"({"operands": ["8x6x4xf32", "4xf32"], "attributes": {"dimensions": [1]},
      "blocks": [{"takes": ["4xf32", "4xf32"], "returns": ["4xf32"]}]})"},
    {kReduce, "ok", R"({"operands": ["8x6x?xf32", "f32"]})"},
    {kReduce, "infer", R"({})"},
    {kReduce, "infer", R"({"results": ["f64"], "attributes": {"dimensions": [2, 0, 1]},
      "blocks": [{"takes": ["f64", "f64"], "returns": ["f64"]}]})"},
    {kReduce, "infer", R"({"operands": ["8x6xf32", "8x6xi32", "f32", "i32"], "results": ["8xf32",
      "8xi32"],
      "blocks": [{"takes": ["f32", "i32", "f32", "i32"], "returns": ["f32", "i32"]}]})"},
    {kReduce, "c1", R"({"operands": ["8x6xf32", "8x7xi32", "f32", "i32"], "results": ["8xf32",
      "8xi32"],
      "blocks": [{"takes": ["f32", "i32", "f32", "i32"], "returns": ["f32", "i32"]}]})"},
    {kReduce, "c3", R"({"operands": []})"},
    {kReduce, "c3", R"({"operands": ["8x6x4xf32", "f32", "f32"]})"},
    {kReduce, "c4", R"({"attributes": {"dimensions": [3]}})"},
    {kReduce, "c4", R"({"attributes": {"dimensions": [-1]}})"},
    {kReduce, "c5", R"({"attributes": {"dimensions": [1, 1]}})"},
    {kReduce, "c6", R"({"blocks": [{"takes": ["f32"], "returns": ["f32"]}]})"},
    {kReduce, "c6", R"({"blocks": [{"takes": ["f32", "f32"], "returns": ["f32", "f32"]}]})"},
    {kReduce, "c6", R"({"blocks": [{"takes": ["f64", "f32"], "returns": ["f32"]}]})"},
    {kReduce, "c6", R"({"blocks": [{"takes": ["f32", "i32"], "returns": ["f32"]}]})"},
    {kReduce, "c6", R"({"blocks": [{"takes": ["2xf32", "2xf32"], "returns": ["2xf32"]}]})"},
    {kReduce, "c6", R"({"operands": ["8x6x4xf32", "i32"]})"},
    {kReduce, "c6", R"({"operands": ["8x6x4xi64", "i32"], "blocks": [{"takes": ["i32", "i32"],
      "returns": ["i32"]}]})"},
    {kReduce, "c6", R"({"operands": ["8x6x4xf32", "6xf32"], "blocks": [{"takes": ["6xf32", "6xf32"],
      "returns": ["6xf32"]}]})"},
    {kReduce, "c7", R"({"results": ["8x6xf32"]})"},
    {kReduce, "c8", R"({"results": ["8x4xf64"]})"},
    {kReduce, "i3", R"({"attributes": {"dimensions": null}})"},
    {kReduce, "op.block_count", R"({"blocks": []})"},
};
