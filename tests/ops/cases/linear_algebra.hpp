// Cases of cholesky, triangular_solve and fft.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kCholesky = "stablehlo.cholesky";
inline constexpr const char* kTriangularSolve = "stablehlo.triangular_solve";
inline constexpr const char* kFft = "stablehlo.fft";

inline const OpCase kLinearAlgebraCases[] = {
    {kCholesky, "ok", R"({"operands": ["8x4x4xf32"], "results": ["8x4x4xf32"],
      "attributes": {"lower": true}})"},
    {kCholesky, "ok", R"({"operands": ["8x4x?xcomplex<f64>"], "results": ["8x4x4xcomplex<f64>"]})"},
    {kCholesky, "infer", R"({})"},
    {kCholesky, "c1", R"({"results": ["8x5x4xf32"]})"},
    {kCholesky, "c1", R"({"results": ["8x4x4xf64"]})"},
    {kCholesky, "c2", R"({"operands": ["4xf32"]})"},
    {kCholesky, "c3", R"({"operands": ["8x4x5xf32"]})"},
    {kCholesky, "i1", R"({"operands": ["8x4x4xi32"]})"},

    {kTriangularSolve, "ok", R"({"operands": ["8x4x4xf32", "8x4x3xf32"], "results": ["8x4x3xf32"],
      "attributes": {
      "left_side": true, "lower": true, "unit_diagonal": false, "transpose_a": "NO_TRANSPOSE"}})"},
    {kTriangularSolve, "ok", R"({"operands": ["8x3x3xf32", "8x4x3xf32"],
      "attributes": {"left_side": false}})"},
    {kTriangularSolve, "infer", R"({})"},
    {kTriangularSolve, "c1", R"({"operands": ["8x4x4xf64", "8x4x3xf32"]})"},
    {kTriangularSolve, "c2", R"({"operands": ["4xf32", "4xf32"]})"},
    {kTriangularSolve, "c2", R"({"operands": ["4x4xf32", "8x4x3xf32"]})"},
    {kTriangularSolve, "c3", R"({"operands": ["8x4x5xf32", "8x4x3xf32"]})"},
    {kTriangularSolve, "c3", R"({"operands": ["8x3x3xf32", "8x4x3xf32"]})"},
    {kTriangularSolve, "c3", R"({"operands": ["7x4x4xf32", "8x4x3xf32"]})"},
    {kTriangularSolve, "c4", R"({"results": ["8x4x4xf32"]})"},
    {kTriangularSolve, "i6", R"({"attributes": {"transpose_a": "TWICE"}})"},
    {kTriangularSolve, "i3", R"({"attributes": {"left_side": null}})"},
    {kTriangularSolve, "i6", R"({"attributes": {"transpose_a": null}})"},

    {kFft, "ok", R"({"operands": ["8x16xcomplex<f32>"], "results": ["8x16xcomplex<f32>"],
      "attributes": {
      "fft_type": "FFT", "fft_length": [16]}})"},
    {kFft, "infer", R"({})"},
    {kFft, "infer", R"({"operands": ["8x16xf64"], "results": ["8x9xcomplex<f64>"],
      "attributes": {"fft_type": "RFFT"}})"},
    {kFft, "infer", R"({"operands": ["8x9xcomplex<f64>"], "results": ["8x16xf64"],
      "attributes": {"fft_type": "IRFFT"}})"},
    {kFft, "infer", R"({"operands": ["8x?xcomplex<f32>"], "results": ["8x?xcomplex<f32>"]})"},
    {kFft, "c1", R"({"operands": ["16xcomplex<f32>"], "attributes": {"fft_length": [16, 16]}})"},
    {kFft, "c2", R"({"operands": ["8x16xf32"]})"},
    {kFft, "c2", R"({"operands": ["8x16xf16"], "attributes": {"fft_type": "RFFT"}})"},
    {kFft, "c2", R"({"results": ["8x16xcomplex<f64>"]})"},
    {kFft, "c3", R"({"attributes": {"fft_length": []}})"},
    {kFft, "c3", R"({"attributes": {"fft_length": [2, 2, 2, 2]}})"},
    {kFft, "c4", R"({"operands": ["8x17xf32"], "attributes": {"fft_type": "RFFT"}})"},
    {kFft, "c4", R"({"operands": ["8x9xcomplex<f32>"], "attributes": {"fft_type": "IRFFT",
      "fft_length": [7, 16]}})"},
    {kFft, "c5", R"({"operands": ["8x16xcomplex<f32>"], "attributes": {"fft_type": "IRFFT"}})"},
    {kFft, "c5", R"({"results": ["8x9xcomplex<f32>"]})"},
    {kFft, "i2", R"({"attributes": {"fft_type": "DCT"}})"},
};
