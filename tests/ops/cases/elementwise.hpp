// Cases of element-wise operations, of conversions and of map.
#pragma once

#include "tests/ops/cases/op_case.hpp"

// Families of operations that differ in their name and element types only: `element` is taken,
// `other` is not.
#define SHARDPROP_UNARY_CASES(op, element, other)                                                  \
  {op, "ok", R"({"operands": ["2x3x)" element R"("], "results": ["2x3x)" element R"("]})"},        \
      {op, "infer", R"({"operands": ["2x?x)" element R"("], "results": ["2x?x)" element R"("]})"}, \
      {op, "c1", R"({"results": ["2x4x)" element R"("]})"},                                        \
      {op, "i1", R"({"operands": ["2x3x)" other R"("]})"}, {                                       \
    op, "op.operand_count", R"({"operands": []})"                                                  \
  }

#define SHARDPROP_ACCURATE_CASES(op)                                                            \
  SHARDPROP_UNARY_CASES(op, "f32", "i32"),                                                      \
      {op, "ok", R"({"attributes": {"result_accuracy": {"atol": 0.5, "mode": "TOLERANCE"}}})"}, \
      {op, "result_accuracy",                                                                   \
       R"({"attributes": {"result_accuracy": {"ulps": 1, "mode": "HIGHEST"}}})"},               \
  {                                                                                             \
    op, "result_accuracy",                                                                      \
        R"({"attributes": {"result_accuracy": {"rtol": -0.5, "mode": "TOLERANCE"}}})"           \
  }

#define SHARDPROP_BINARY_CASES(op, element, other)                                           \
  {op, "ok",                                                                                 \
   R"({"operands": ["2x3x)" element R"(", "2x3x)" element R"("], "results": ["2x3x)" element \
   R"("]})"},                                                                                \
      {op, "infer", R"({"operands": ["2x?x)" element R"(", "?x3x)" element R"("]})"},        \
      {op, "c1", R"({"operands": ["2x4x)" element R"(", "2x3x)" element R"("]})"},           \
      {op, "c1", R"({"results": ["3x3x)" element R"("]})"},                                  \
      {op, "op.result_type", R"({"results": ["2x3x)" other R"("]})"},                        \
      {op, "i1", R"({"operands": ["2x3x)" other R"(", "2x3x)" element R"("]})"}, {           \
    op, "op.operand_count", R"({"operands": ["2x3x)" element R"("]})"                        \
  }

// add, maximum, minimum and multiply take all elements.
#define SHARDPROP_BINARY_CASES_OF_ALL(op)                                        \
  {op, "ok", R"({"operands": ["2x3xf32", "2x3xf32"], "results": ["2x3xf32"]})"}, \
      {op, "ok", R"({"operands": ["i1", "i1"], "results": ["i1"]})"},            \
      {op, "infer", R"({"operands": ["2x?xf32", "?x3xf32"]})"},                  \
      {op, "c1", R"({"operands": ["2x4xf32", "2x3xf32"]})"},                     \
      {op, "c1", R"({"operands": ["2x3xf64", "2x3xf32"]})"},                     \
      {op, "c1", R"({"results": ["2x3xf64"]})"}, {                               \
    op, "i1", R"({"operands": ["!stablehlo.token", "2x3xf32"]})"                 \
  }

#define SHARDPROP_Q "!quant.uniform<i8:f32, 0.5:3>"
#define SHARDPROP_Q16 "!quant.uniform<i16:f32, 0.5:3>"
#define SHARDPROP_QF64 "!quant.uniform<i8:f64, 0.5:3>"
#define SHARDPROP_Q_AXIS0 "!quant.uniform<i8:f32:0, {0.5:3, 0.25}>"
#define SHARDPROP_Q_AXIS1 "!quant.uniform<i8:f32:1, {0.5:3, 0.25}>"
#define SHARDPROP_ADD(a, b, r) \
  R"({"operands": ["2x2x)" a R"(", "2x2x)" b R"("], "results": ["2x2x)" r R"("]})"

inline constexpr OpCase kElementwiseCases[] = {
    SHARDPROP_ACCURATE_CASES("stablehlo.cbrt"),
    SHARDPROP_ACCURATE_CASES("stablehlo.cosine"),
    SHARDPROP_ACCURATE_CASES("stablehlo.exponential"),
    SHARDPROP_ACCURATE_CASES("stablehlo.exponential_minus_one"),
    SHARDPROP_ACCURATE_CASES("stablehlo.log"),
    SHARDPROP_ACCURATE_CASES("stablehlo.log_plus_one"),
    SHARDPROP_ACCURATE_CASES("stablehlo.logistic"),
    SHARDPROP_ACCURATE_CASES("stablehlo.rsqrt"),
    SHARDPROP_ACCURATE_CASES("stablehlo.sine"),
    SHARDPROP_ACCURATE_CASES("stablehlo.sqrt"),
    SHARDPROP_ACCURATE_CASES("stablehlo.tan"),
    SHARDPROP_ACCURATE_CASES("stablehlo.tanh"),
    SHARDPROP_UNARY_CASES("stablehlo.ceil", "bf16", "i32"),
    SHARDPROP_UNARY_CASES("stablehlo.count_leading_zeros", "ui8", "i1"),
    SHARDPROP_UNARY_CASES("stablehlo.floor", "f32", "complex<f32>"),
    SHARDPROP_UNARY_CASES("stablehlo.negate", "i32", "i1"),
    SHARDPROP_UNARY_CASES("stablehlo.not", "i1", "f32"),
    SHARDPROP_UNARY_CASES("stablehlo.popcnt", "i64", "f32"),
    SHARDPROP_UNARY_CASES("stablehlo.round_nearest_afz", "f64", "i32"),
    SHARDPROP_UNARY_CASES("stablehlo.round_nearest_even", "f16", "i32"),
    SHARDPROP_UNARY_CASES("stablehlo.sign", "i32", "ui32"),

    {"stablehlo.abs", "ok", R"({"operands": ["2xf32"], "results": ["2xf32"]})"},
    {"stablehlo.abs", "infer", R"({"operands": ["?xcomplex<f64>"], "results": ["?xf64"]})"},
    {"stablehlo.abs", "c1", R"({"results": ["3xf32"]})"},
    {"stablehlo.abs", "c2", R"({"results": ["2xf64"]})"},
    {"stablehlo.abs", "i1", R"({"operands": ["2xui32"]})"},
    {"stablehlo.imag", "ok", R"({"operands": ["2xcomplex<f32>"], "results": ["2xf32"]})"},
    {"stablehlo.imag", "infer", "{}"},
    {"stablehlo.imag", "c1", R"({"results": ["3xf32"]})"},
    {"stablehlo.imag", "c2", R"({"results": ["2xf16"]})"},
    {"stablehlo.imag", "i1", R"({"operands": ["2xi32"]})"},
    {"stablehlo.real", "ok", R"({"operands": ["2xcomplex<f32>"], "results": ["2xf32"]})"},
    {"stablehlo.real", "infer", R"({"operands": ["2xf64"], "results": ["2xf64"]})"},
    {"stablehlo.real", "c1", R"({"results": ["3xf32"]})"},
    {"stablehlo.real", "c2", R"({"results": ["2xf16"]})"},
    {"stablehlo.real", "i1", R"({"operands": ["2xi32"]})"},
    {"stablehlo.is_finite", "ok", R"({"operands": ["2xf32"], "results": ["2xi1"]})"},
    {"stablehlo.is_finite", "infer", "{}"},
    {"stablehlo.is_finite", "c1", R"({"results": ["3xi1"]})"},
    {"stablehlo.is_finite", "i1", R"({"operands": ["2xi32"]})"},
    {"stablehlo.is_finite", "op.result_type", R"({"results": ["2xi10"]})"},
    {"stablehlo.reduce_precision", "ok",
     R"({"operands": ["2xf32"], "results": ["2xf32"], "attributes": {"exponent_bits": 5, "mantissa_bits": 0}})"},
    {"stablehlo.reduce_precision", "infer", "{}"},
    {"stablehlo.reduce_precision", "c1", R"({"results": ["2xf16"]})"},
    {"stablehlo.reduce_precision", "c2", R"({"attributes": {"exponent_bits": 0}})"},
    {"stablehlo.reduce_precision", "c3", R"({"attributes": {"mantissa_bits": -1}})"},
    {"stablehlo.reduce_precision", "i1", R"({"operands": ["2xi32"]})"},
    {"stablehlo.reduce_precision", "i2", R"({"attributes": {"exponent_bits": null}})"},
    {"stablehlo.reduce_precision", "i2", R"({"attributes": {"exponent_bits": "5"}})"},

    SHARDPROP_BINARY_CASES("stablehlo.and", "i1", "f32"),
    SHARDPROP_BINARY_CASES("stablehlo.atan2", "f32", "i32"),
    SHARDPROP_BINARY_CASES("stablehlo.divide", "i32", "i1"),
    SHARDPROP_BINARY_CASES("stablehlo.or", "i32", "f32"),
    SHARDPROP_BINARY_CASES("stablehlo.power", "f32", "i1"),
    SHARDPROP_BINARY_CASES("stablehlo.remainder", "f32", "i1"),
    SHARDPROP_BINARY_CASES("stablehlo.shift_left", "i32", "f32"),
    SHARDPROP_BINARY_CASES("stablehlo.shift_right_arithmetic", "i32", "i1"),
    SHARDPROP_BINARY_CASES("stablehlo.shift_right_logical", "ui32", "f32"),
    SHARDPROP_BINARY_CASES("stablehlo.subtract", "complex<f32>", "i1"),
    SHARDPROP_BINARY_CASES("stablehlo.xor", "ui8", "f32"),
    SHARDPROP_BINARY_CASES_OF_ALL("stablehlo.maximum"),
    SHARDPROP_BINARY_CASES_OF_ALL("stablehlo.minimum"),
    SHARDPROP_BINARY_CASES_OF_ALL("stablehlo.multiply"),
    SHARDPROP_BINARY_CASES_OF_ALL("stablehlo.add"),
    {"stablehlo.add", "ok", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q, SHARDPROP_Q)},
    {"stablehlo.add", "ok", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q_AXIS1, SHARDPROP_Q_AXIS1)},
    {"stablehlo.add", "infer", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q_AXIS1, SHARDPROP_Q_AXIS1)},
    {"stablehlo.add", "c2", SHARDPROP_ADD(SHARDPROP_Q, "f32", SHARDPROP_Q)},
    {"stablehlo.add", "c2", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q, "f32")},
    {"stablehlo.add", "c3", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q16, SHARDPROP_Q)},
    {"stablehlo.add", "c4", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q, SHARDPROP_QF64)},
    {"stablehlo.add", "c5", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q, SHARDPROP_Q_AXIS0)},
    {"stablehlo.add", "c5", SHARDPROP_ADD(SHARDPROP_Q_AXIS0, SHARDPROP_Q, SHARDPROP_Q)},
    {"stablehlo.add", "c6", SHARDPROP_ADD(SHARDPROP_Q_AXIS0, SHARDPROP_Q, SHARDPROP_Q_AXIS1)},
    {"stablehlo.add", "c7", SHARDPROP_ADD(SHARDPROP_Q, SHARDPROP_Q_AXIS0, SHARDPROP_Q_AXIS1)},

    {"stablehlo.compare", "ok",
     R"({"operands": ["2xf32", "2xf32"], "results": ["2xi1"], "attributes": {"comparison_direction": "LT"}})"},
    {"stablehlo.compare", "infer", R"({"attributes": {"compare_type": "TOTALORDER"}})"},
    {"stablehlo.compare", "c1", R"({"operands": ["2xf64", "2xf32"]})"},
    {"stablehlo.compare", "c2", R"({"operands": ["3xf32", "2xf32"]})"},
    {"stablehlo.compare", "c2", R"({"results": ["3xi1"]})"},
    {"stablehlo.compare", "i3", R"({"attributes": {"comparison_direction": "BELOW"}})"},
    {"stablehlo.compare", "i4", R"({"attributes": {"compare_type": "INT"}})"},
    {"stablehlo.compare", "op.result_type", R"({"results": ["2xf32"]})"},
    {"stablehlo.complex", "ok",
     R"({"operands": ["2xf32", "2xf32"], "results": ["2xcomplex<f32>"]})"},
    {"stablehlo.complex", "infer", "{}"},
    {"stablehlo.complex", "c1", R"({"operands": ["2xf32", "2xf64"]})"},
    {"stablehlo.complex", "c2", R"({"results": ["3xcomplex<f32>"]})"},
    {"stablehlo.complex", "c3", R"({"results": ["2xcomplex<f64>"]})"},
    {"stablehlo.complex", "i1", R"({"operands": ["2xf16", "2xf16"]})"},
    {"stablehlo.clamp", "ok", R"({"operands": ["f32", "2xf32", "2xf32"], "results": ["2xf32"]})"},
    {"stablehlo.clamp", "infer", R"({"operands": ["2xf32", "2xf32", "f32"]})"},
    {"stablehlo.clamp", "c1", R"({"operands": ["3xf32", "2xf32", "2xf32"]})"},
    {"stablehlo.clamp", "c2", R"({"operands": ["2xf32", "2xf32", "3xf32"]})"},
    {"stablehlo.clamp", "c3", R"({"operands": ["f64", "2xf32", "2xf32"]})"},
    {"stablehlo.clamp", "c4", R"({"results": ["3xf32"]})"},
    {"stablehlo.select", "ok", R"({"operands": ["i1", "2xf32", "2xf32"], "results": ["2xf32"]})"},
    {"stablehlo.select", "infer", R"({"operands": ["?xi1", "?xf32", "2xf32"]})"},
    {"stablehlo.select", "c1", R"({"operands": ["3xi1", "2xf32", "2xf32"]})"},
    {"stablehlo.select", "c2", R"({"operands": ["i1", "2xf32", "2xf64"]})"},
    {"stablehlo.select", "c2", R"({"results": ["2xi32"]})"},
    {"stablehlo.select", "i1", R"({"operands": ["2xi8", "2xf32", "2xf32"]})"},
    {"stablehlo.convert", "ok", R"({"operands": ["2xi64"], "results": ["2xcomplex<f32>"]})"},
    {"stablehlo.convert", "c1", R"({"results": ["3xf32"]})"},
    {"stablehlo.convert", "i1", R"({"operands": ["2x)" SHARDPROP_Q R"("]})"},
    {"stablehlo.bitcast_convert", "ok", R"({"operands": ["2xf32"], "results": ["2x2xf16"]})"},
    {"stablehlo.bitcast_convert", "ok", R"({"operands": ["2x4xi8"], "results": ["2xf32"]})"},
    {"stablehlo.bitcast_convert", "ok", R"({"operands": ["2xf32"], "results": ["2xi32"]})"},
    {"stablehlo.bitcast_convert", "c1", R"({"results": ["2xf16"]})"},
    {"stablehlo.bitcast_convert", "c1", R"({"results": ["2x4xf16"]})"},
    {"stablehlo.bitcast_convert", "c1", R"({"results": ["3x2xf16"]})"},
    {"stablehlo.bitcast_convert", "c1", R"({"results": ["3xi32"]})"},
    {"stablehlo.bitcast_convert", "c2", R"({"results": ["2xcomplex<f32>"]})"},
    {"stablehlo.uniform_dequantize", "ok",
     R"({"operands": ["2x)" SHARDPROP_Q R"("], "results": ["2xf32"]})"},
    {"stablehlo.uniform_dequantize", "infer", "{}"},
    {"stablehlo.uniform_dequantize", "c1", R"({"results": ["3xf32"]})"},
    {"stablehlo.uniform_dequantize", "c2", R"({"results": ["2xf64"]})"},
    {"stablehlo.uniform_dequantize", "i1", R"({"operands": ["2xi8"]})"},
    {"stablehlo.uniform_quantize", "ok",
     R"({"operands": ["2xf32"], "results": ["2x)" SHARDPROP_Q R"("]})"},
    {"stablehlo.uniform_quantize", "ok",
     R"({"operands": ["2x)" SHARDPROP_Q R"("], "results": ["2x)" SHARDPROP_Q16 R"("]})"},
    {"stablehlo.uniform_quantize", "c1", R"({"results": ["3x)" SHARDPROP_Q R"("]})"},
    {"stablehlo.uniform_quantize", "c2", R"({"operands": ["2xf64"]})"},
    {"stablehlo.uniform_quantize", "op.result_type", R"({"results": ["2xi8"]})"},

    {"stablehlo.map", "ok",
     R"({"operands": ["2x3xf32", "2x3xi32"], "results": ["2x3xi1"], "attributes": {"dimensions": [0, 1]},
         "blocks": [{"takes": ["f32", "i32"], "returns": ["i1"]}]})"},
    {"stablehlo.map", "infer", "{}"},
    {"stablehlo.map", "c1", R"({"operands": ["2x3xf32", "2x4xi32"]})"},
    {"stablehlo.map", "c1", R"({"results": ["2x4xi1"]})"},
    {"stablehlo.map", "c2", R"({"operands": []})"},
    {"stablehlo.map", "c3", R"({"attributes": {"dimensions": [1, 0]}})"},
    {"stablehlo.map", "c3", R"({"attributes": {"dimensions": [0]}})"},
    {"stablehlo.map", "c4", R"({"blocks": [{"takes": ["f32"], "returns": ["i1"]}]})"},
    {"stablehlo.map", "c4", R"({"blocks": [{"takes": ["f32", "f32"], "returns": ["i1"]}]})"},
    {"stablehlo.map", "c4", R"({"blocks": [{"takes": ["f32", "2xi32"], "returns": ["i1"]}]})"},
    {"stablehlo.map", "c4", R"({"blocks": [{"takes": ["f32", "i32"], "returns": []}]})"},
    {"stablehlo.map", "c4", R"({"blocks": [{"takes": ["f32", "i32"], "returns": ["2xi1"]}]})"},
    {"stablehlo.map", "c4", R"({"results": ["2x3xf32"]})"},
    {"stablehlo.map", "op.block_count", R"({"blocks": []})"},
};

#undef SHARDPROP_UNARY_CASES
#undef SHARDPROP_ACCURATE_CASES
#undef SHARDPROP_BINARY_CASES
#undef SHARDPROP_BINARY_CASES_OF_ALL
#undef SHARDPROP_Q
#undef SHARDPROP_Q16
#undef SHARDPROP_QF64
#undef SHARDPROP_Q_AXIS0
#undef SHARDPROP_Q_AXIS1
#undef SHARDPROP_ADD
