// Cases of reshapes, transpose, broadcasts and sizes of dimensions.
#pragma once

#include "tests/ops/cases/op_case.hpp"

#define SHARDPROP_Q0 "!quant.uniform<i8:f32:0, {0.5:3, 0.25:1}>"
#define SHARDPROP_Q1 "!quant.uniform<i8:f32:1, {0.5:3, 0.25:1}>"
#define SHARDPROP_Q1_OTHER "!quant.uniform<i8:f32:1, {0.5:3, 0.125:1}>"

inline constexpr OpCase kShapeCases[] = {
    {"stablehlo.reshape", "ok", R"({"operands": ["2x6xf32"], "results": ["3x4xf32"]})"},
    {"stablehlo.reshape", "ok",
     R"({"operands": ["2x)" SHARDPROP_Q0 R"("], "results": ["1x2x)" SHARDPROP_Q1 R"("]})"},
    {"stablehlo.reshape", "c1", R"({"results": ["3x4xf64"]})"},
    {"stablehlo.reshape", "c1",
     R"({"operands": ["2x)" SHARDPROP_Q0 R"("], "results": ["1x2x)" SHARDPROP_Q1_OTHER R"("]})"},
    {"stablehlo.reshape", "c2", R"({"results": ["3x5xf32"]})"},
    {"stablehlo.reshape", "c3",
     R"({"operands": ["2x2x)" SHARDPROP_Q0 R"("], "results": ["2x2x)" SHARDPROP_Q1 R"("]})"},
    {"stablehlo.reshape", "c3",
     R"({"operands": ["2x4x)" SHARDPROP_Q0 R"("], "results": ["2x4x)" SHARDPROP_Q1 R"("]})"},
    {"stablehlo.reshape", "output", R"({"results": ["3x?xf32"]})"},
    {"stablehlo.reshape", "op.operand_count", R"({"operands": ["2x6xf32", "2x6xf32"]})"},

    {"stablehlo.dynamic_reshape", "ok",
     R"({"operands": ["2x6xf32", {"type": "2xi64", "value": [3, 4]}], "results": ["3x?xf32"]})"},
    {"stablehlo.dynamic_reshape", "ok",
     R"({"operands": ["2x6xf32", "2xindex"], "results": ["?x?xf32"]})"},
    {"stablehlo.dynamic_reshape", "c1", R"({"results": ["3x?xf64"]})"},
    {"stablehlo.dynamic_reshape", "c2",
     R"({"operands": ["2x6xf32", "2xi64"], "results": ["3x5xf32"]})"},
    {"stablehlo.dynamic_reshape", "c2",
     R"({"operands": ["2x6xf32", {"type": "2xi64", "value": [3, 5]}], "results": ["?x?xf32"]})"},
    {"stablehlo.dynamic_reshape", "c3",
     R"({"operands": ["2x2x)" SHARDPROP_Q0 R"(", "2xi64"], "results": ["2x2x)" SHARDPROP_Q1
     R"("]})"},
    {"stablehlo.dynamic_reshape", "c4", R"({"results": ["4x?xf32"]})"},
    {"stablehlo.dynamic_reshape", "c4",
     R"({"operands": ["2x6xf32", "2xi64"], "results": ["?x?x?xf32"]})"},
    {"stablehlo.dynamic_reshape", "i2", R"({"operands": ["2x6xf32", "2x1xi64"]})"},
    {"stablehlo.dynamic_reshape", "i2", R"({"operands": ["2x6xf32", "2xf32"]})"},

    {"stablehlo.broadcast_in_dim", "ok",
     R"({"operands": ["1x3xf32"], "results": ["3x2x5xf32"], "attributes": {"broadcast_dimensions": [2, 0]}})"},
    {"stablehlo.broadcast_in_dim", "c1", R"({"results": ["3x2x5xf64"]})"},
    {"stablehlo.broadcast_in_dim", "c2", R"({"attributes": {"broadcast_dimensions": [2]}})"},
    {"stablehlo.broadcast_in_dim", "c3", R"({"attributes": {"broadcast_dimensions": [2, 3]}})"},
    {"stablehlo.broadcast_in_dim", "c3", R"({"attributes": {"broadcast_dimensions": [-1, 0]}})"},
    {"stablehlo.broadcast_in_dim", "c4", R"({"attributes": {"broadcast_dimensions": [0, 0]}})"},
    {"stablehlo.broadcast_in_dim", "c5", R"({"attributes": {"broadcast_dimensions": [2, 1]}})"},
    {"stablehlo.broadcast_in_dim", "c6",
     R"({"operands": ["1x2x)" SHARDPROP_Q1 R"("], "results": ["2x3x2x)" SHARDPROP_Q1 R"("]})"},
    {"stablehlo.broadcast_in_dim", "c6",
     R"({"operands": ["1x3x!quant.uniform<i8:f32:0, {0.5:3}>"], "results": ["3x2x)" SHARDPROP_Q1
     R"("],
         "attributes": {"broadcast_dimensions": [1, 0]}})"},
    {"stablehlo.broadcast_in_dim", "output", R"({"results": ["3x2x?xf32"]})"},
    {"stablehlo.broadcast_in_dim", "i2", R"({"attributes": {"broadcast_dimensions": null}})"},

    {"stablehlo.dynamic_broadcast_in_dim", "ok",
     R"({"operands": ["1x3xf32", {"type": "3xi64", "value": [3, 2, 5]}], "results": ["3x2x?xf32"],
         "attributes": {"broadcast_dimensions": [2, 0], "known_expanding_dimensions": [0],
                        "known_nonexpanding_dimensions": [1]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c1", R"({"results": ["3x2x?xf64"]})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c2",
     R"({"attributes": {"broadcast_dimensions": [2]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c3",
     R"({"attributes": {"broadcast_dimensions": [3, 0]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c4",
     R"({"attributes": {"broadcast_dimensions": [0, 0]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c5",
     R"({"attributes": {"broadcast_dimensions": [2, 1]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c6",
     R"({"operands": ["1x2x)" SHARDPROP_Q1 R"(", "3xi64"], "results": ["2x3x2x)" SHARDPROP_Q1
     R"("]})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c7", R"({"results": ["3x4x?xf32"]})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c7", R"({"operands": ["1x3xf32", "2xi64"]})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c8",
     R"({"attributes": {"known_expanding_dimensions": [1]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c9",
     R"({"attributes": {"known_expanding_dimensions": [2]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "c10",
     R"({"attributes": {"known_nonexpanding_dimensions": [2]}})"},
    {"stablehlo.dynamic_broadcast_in_dim", "i2", R"({"operands": ["1x3xf32", "i64"]})"},

    {"stablehlo.transpose", "ok",
     R"({"operands": ["2x3x5xf32"], "results": ["5x2x3xf32"], "attributes": {"permutation": [2, 0, 1]}})"},
    {"stablehlo.transpose", "infer", R"({"operands": ["2x?x5xf32"], "results": ["5x2x?xf32"]})"},
    {"stablehlo.transpose", "ok",
     R"({"operands": ["2x3x)" SHARDPROP_Q0 R"("], "results": ["3x2x)" SHARDPROP_Q1 R"("],
         "attributes": {"permutation": [1, 0]}})"},
    {"stablehlo.transpose", "c1", R"({"results": ["5x2x3xf64"]})"},
    {"stablehlo.transpose", "c1",
     R"({"operands": ["2x3x)" SHARDPROP_Q0 R"("], "results": ["3x2x)" SHARDPROP_Q1_OTHER R"("],
         "attributes": {"permutation": [1, 0]}})"},
    {"stablehlo.transpose", "c2", R"({"attributes": {"permutation": [2, 0]}})"},
    {"stablehlo.transpose", "c2", R"({"attributes": {"permutation": [2, 0, 0]}})"},
    {"stablehlo.transpose", "c2", R"({"attributes": {"permutation": [2, 0, 3]}})"},
    {"stablehlo.transpose", "c3", R"({"results": ["5x3x2xf32"]})"},
    {"stablehlo.transpose", "c4",
     R"({"operands": ["2x2x)" SHARDPROP_Q1 R"("], "results": ["2x2x)" SHARDPROP_Q1 R"("],
         "attributes": {"permutation": [1, 0]}})"},

    {"stablehlo.broadcast", "ok",
     R"({"operands": ["3xi32"], "results": ["1x2x3xi32"], "attributes": {"broadcast_sizes": [1, 2]}})"},
    {"stablehlo.broadcast", "infer", "{}"},
    {"stablehlo.broadcast", "result_type", R"({"results": ["2x1x3xi32"]})"},
    {"stablehlo.broadcast", "broadcast_sizes", R"({"attributes": {"broadcast_sizes": [-1]}})"},

    {"stablehlo.get_dimension_size", "ok",
     R"({"operands": ["2x?xf32"], "results": ["i32"], "attributes": {"dimension": 1}})"},
    {"stablehlo.get_dimension_size", "infer", "{}"},
    {"stablehlo.get_dimension_size", "c1", R"({"attributes": {"dimension": 2}})"},
    {"stablehlo.get_dimension_size", "c1", R"({"attributes": {"dimension": -1}})"},
    {"stablehlo.get_dimension_size", "result_type", R"({"results": ["i64"]})"},

    {"stablehlo.set_dimension_size", "ok",
     R"({"operands": ["2x4xf32", "i32"], "results": ["2x?xf32"], "attributes": {"dimension": 1}})"},
    {"stablehlo.set_dimension_size", "infer", R"({"results": ["2x4xf32"]})"},
    {"stablehlo.set_dimension_size", "c1", R"({"attributes": {"dimension": 2}})"},
    {"stablehlo.set_dimension_size", "i2", R"({"operands": ["2x4xf32", "1xi32"]})"},
    {"stablehlo.set_dimension_size", "i2", R"({"operands": ["2x4xf32", "f32"]})"},
    {"stablehlo.set_dimension_size", "i2", R"({"operands": ["2x4xf32", "i64"]})"},
    {"stablehlo.set_dimension_size", "result_type", R"({"results": ["3x?xf32"]})"},
};

#undef SHARDPROP_Q0
#undef SHARDPROP_Q1
#undef SHARDPROP_Q1_OTHER
