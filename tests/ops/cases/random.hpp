// Cases of rng and rng_bit_generator.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kRng = "stablehlo.rng";
inline constexpr const char* kRngBitGenerator = "stablehlo.rng_bit_generator";

inline const OpCase kRandomCases[] = {
    {kRng, "ok", R"({"operands": ["f32", "f32", {"type": "2xi64", "value": [2, 3]}],
      "results": ["2x3xf32"],
      "attributes": {"rng_distribution": "UNIFORM"}})"},
    {kRng, "infer", R"({})"},
    {kRng, "infer", R"({"operands": ["f32", "f32", "3xi64"], "results": ["?x?x?xf32"]})"},
    {kRng, "c1", R"({"operands": ["f32", "f64", "2xi64"]})"},
    {kRng, "c1", R"({"results": ["2x3xf64"]})"},
    {kRng, "c2", R"({"operands": ["i32", "i32", "2xi64"], "results": ["2x3xi32"], "attributes": {
      "rng_distribution": "NORMAL"}})"},
    {kRng, "c3", R"({"results": ["2x4xf32"]})"},
    {kRng, "c3", R"({"results": ["2x3x1xf32"]})"},
    {kRng, "i1", R"({"operands": ["1xf32", "f32", "2xi64"]})"},
    {kRng, "i2", R"({"operands": ["f32", "1xf32", "2xi64"]})"},
    {kRng, "i3", R"({"operands": ["f32", "f32", "2x1xi64"]})"},
    {kRng, "i4", R"({"attributes": {"rng_distribution": "POISSON"}})"},
    {kRng, "i4", R"({"attributes": {"rng_distribution": null}})"},

    {kRngBitGenerator, "ok", R"({"operands": ["2xui64"], "results": ["2xui64", "4x8xui32"],
      "attributes": {"rng_algorithm": "THREE_FRY"}})"},
    {kRngBitGenerator, "c1", R"({"results": ["3xui64", "4x8xui32"]})"},
    {kRngBitGenerator, "i1", R"({"attributes": {"rng_algorithm": "MT19937"}})"},
    {kRngBitGenerator, "i1", R"({"attributes": {"rng_algorithm": null}})"},
};
