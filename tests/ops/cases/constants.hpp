// Cases of constants and iota.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline const OpCase kConstantCases[] = {
    {"stablehlo.constant", "ok",
     R"({"results": ["2x3xi32"], "attributes": {"value": [[1, 2, 3], [4, 5, 6]]}})"},
    {"stablehlo.constant", "ok", R"({"attributes": {"value": 7}})"},
    {"stablehlo.constant", "ok", R"({"attributes": {"value": {"elided": true}}})"},
    {"stablehlo.constant", "ok",
     R"({"results": ["2xcomplex<f32>"], "attributes": {"value": [[1.0, 2.0], [3.0, 4.0]]}})"},
    {"stablehlo.constant", "ok",
     R"({"results": ["4x3xcomplex<f32>"], "attributes": {"value": [1.0, 2.0]}})"},
    {"stablehlo.constant", "ok",
     R"({"results": ["1xcomplex<f32>"], "attributes": {"value": [1, 2]}})"},
    {"stablehlo.constant", "c1",
     R"({"results": ["4x3xcomplex<f32>"], "attributes": {"value": [1, 2, 3]}})"},
    {"stablehlo.constant", "ok", R"({"results": ["2x0xi32"], "attributes": {"value": []}})"},
    {"stablehlo.constant", "c1", R"({"attributes": {"value": [[1, 2], [3, 4], [5, 6]]}})"},
    {"stablehlo.constant", "c1", R"({"attributes": {"value": [[1, 2, 3], 4]}})"},
    {"stablehlo.constant", "c1", R"({"attributes": {"value": [1, 2]}})"},
    {"stablehlo.constant", "c1", R"({"results": ["2x?xi32"]})"},
    {"stablehlo.constant", "i1", R"({"attributes": {"value": null}})"},
    {"stablehlo.constant", "op.operand_count", R"({"operands": ["i32"]})"},

    {"stablehlo.iota", "ok", R"({"results": ["4x5xi32"], "attributes": {"iota_dimension": 1}})"},
    {"stablehlo.iota", "c1", R"({"attributes": {"iota_dimension": 2}})"},
    {"stablehlo.iota", "c1", R"({"attributes": {"iota_dimension": -1}})"},
    {"stablehlo.iota", "c1", R"({"results": ["i32"], "attributes": {"iota_dimension": 0}})"},
    {"stablehlo.iota", "output", R"({"results": ["4x?xi32"]})"},
    {"stablehlo.iota", "op.result_type", R"({"results": ["4x5xi1"]})"},

    {"stablehlo.dynamic_iota", "ok",
     R"({"operands": [{"type": "2xi64", "value": [4, 5]}], "results": ["4x?xi32"], "attributes": {"iota_dimension": 0}})"},
    {"stablehlo.dynamic_iota", "c1", R"({"attributes": {"iota_dimension": 2}})"},
    {"stablehlo.dynamic_iota", "c2", R"({"results": ["4x6xi32"]})"},
    {"stablehlo.dynamic_iota", "c2", R"({"results": ["4xi32"]})"},
    {"stablehlo.dynamic_iota", "c2", R"({"operands": [{"type": "2xi64", "value": [4, -1]}]})"},
    {"stablehlo.dynamic_iota", "i1", R"({"operands": ["2x1xi64"]})"},
    {"stablehlo.dynamic_iota", "i1", R"({"operands": ["?xi64"]})"},
    {"stablehlo.dynamic_iota", "i1", R"({"operands": ["2xf32"]})"},

    {"arith.constant", "ok", R"({"results": ["1xi64"], "attributes": {"value": 512}})"},
    {"arith.constant", "op.operand_count", R"({"operands": ["i32"]})"},
};
