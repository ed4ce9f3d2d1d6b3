// Cases of sort.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kSort = "stablehlo.sort";

inline const OpCase kSortCases[] = {
    {kSort, "ok", R"({"operands": ["8x6xf32"], "results": ["8x6xf32"],
      "attributes": {"dimension": 1, "is_stable": true},
      "blocks": [{"takes": ["f32", "f32"], "returns": ["i1"]}]})"},
    {kSort, "ok", R"({"attributes": null})"},
    {kSort, "infer", R"({})"},
    {kSort, "infer", R"({"operands": ["8x6xf32", "8x6xi32"], "results": ["8x6xf32", "8x6xi32"],
      "attributes": {"dimension": -2}, "blocks": [{"takes": ["f32", "f32", "i32", "i32"],
      "returns": ["i1"]}]})"},
    {kSort, "op.operand_count", R"({"operands": [], "results": []})"},
    {kSort, "c2", R"({"results": ["8x6xf64"]})"},
    {kSort, "c2", R"({"results": ["8x6xf32", "8x6xf32"]})"},
    {kSort, "c3", R"({"results": ["8x7xf32"]})"},
    {kSort, "c3", R"({"operands": ["8x6xf32", "8x7xf32"], "results": ["8x6xf32", "8x7xf32"],
      "blocks": [{"takes": ["f32", "f32", "f32", "f32"], "returns": ["i1"]}]})"},
    {kSort, "c4", R"({"attributes": {"dimension": 2}})"},
    {kSort, "c4", R"({"attributes": {"dimension": -3}})"},
    {kSort, "c5", R"({"blocks": [{"takes": ["f32"], "returns": ["i1"]}]})"},
    {kSort, "c5", R"({"blocks": [{"takes": ["f32", "i32"], "returns": ["i1"]}]})"},
    {kSort, "c5", R"({"blocks": [{"takes": ["f32", "f32"], "returns": ["i32"]}]})"},
    {kSort, "c5", R"({"blocks": [{"takes": ["f32", "f32"], "returns": ["i1", "i1"]}]})"},
    {kSort, "i2", R"({"attributes": {"dimension": "last"}})"},
};
