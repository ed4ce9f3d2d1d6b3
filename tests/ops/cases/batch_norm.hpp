// Cases of the batch normalisations.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kBatchNormInference = "stablehlo.batch_norm_inference";
inline constexpr const char* kBatchNormTraining = "stablehlo.batch_norm_training";
inline constexpr const char* kBatchNormGrad = "stablehlo.batch_norm_grad";

inline const OpCase kBatchNormCases[] = {
    {kBatchNormInference, "ok", R"({"operands": ["4x6xf32", "6xf32", "6xf32", "6xf32", "6xf32"],
      "results": ["4x6xf32"],
      "attributes": {"epsilon": 0.001, "feature_index": 1}})"},
    {kBatchNormInference, "infer", R"({})"},
    {kBatchNormInference, "c1", R"({"attributes": {"feature_index": 2}})"},
    {kBatchNormInference, "c1", R"({"attributes": {"feature_index": -1}})"},
    {kBatchNormInference, "c2", R"({"operands": ["4x6xf32", "6xf64", "6xf32", "6xf32", "6xf32"]})"},
    {kBatchNormInference, "c2", R"({"results": ["4x6xf64"]})"},
    {kBatchNormInference, "c3", R"({"operands": ["4x6xf32", "5xf32", "6xf32", "6xf32", "6xf32"]})"},
    {kBatchNormInference, "c4", R"({"operands": ["4x6xf32", "6xf32", "5xf32", "6xf32", "6xf32"]})"},
    {kBatchNormInference, "c5", R"({"operands": ["4x6xf32", "6xf32", "6xf32", "5xf32", "6xf32"]})"},
    {kBatchNormInference, "c6", R"({"operands": ["4x6xf32", "6xf32", "6xf32", "6xf32", "5xf32"]})"},
    {kBatchNormInference, "c7", R"({"results": ["4x7xf32"]})"},
    {kBatchNormInference, "i2", R"({"operands": ["4x6xf32", "6x1xf32", "6xf32", "6xf32",
      "6xf32"]})"},
    {kBatchNormInference, "i3", R"({"operands": ["4x6xf32", "6xf32", "6xi32", "6xf32", "6xf32"]})"},
    {kBatchNormInference, "i7", R"({"attributes": {"feature_index": null}})"},
    {kBatchNormInference, "i6", R"({"attributes": {"epsilon": null}})"},

    {kBatchNormTraining, "ok", R"({"operands": ["4x6xf32", "6xf32", "6xf32"],
      "results": ["4x6xf32", "6xf32", "6xf32"],
      "attributes": {"epsilon": 0.001, "feature_index": 1}})"},
    {kBatchNormTraining, "infer", R"({})"},
    {kBatchNormTraining, "c1", R"({"attributes": {"feature_index": 2}})"},
    {kBatchNormTraining, "c2", R"({"operands": ["4x6xf32", "6xf64", "6xf32"]})"},
    {kBatchNormTraining, "c3", R"({"operands": ["4x6xf32", "5xf32", "6xf32"]})"},
    {kBatchNormTraining, "c4", R"({"operands": ["4x6xf32", "6xf32", "5xf32"]})"},
    {kBatchNormTraining, "c5", R"({"results": ["4x6xf32", "5xf32", "6xf32"]})"},
    {kBatchNormTraining, "c6", R"({"results": ["4x6xf32", "6xf32", "5xf32"]})"},
    {kBatchNormTraining, "c7", R"({"results": ["4x5xf32", "6xf32", "6xf32"]})"},
    {kBatchNormTraining, "op.result_count", R"({"results": ["4x6xf32"]})"},

    {kBatchNormGrad, "ok", R"({"operands": ["4x6xf32", "6xf32", "6xf32", "6xf32", "4x6xf32"],
      "results": ["4x6xf32", "6xf32", "6xf32"], "attributes": {"epsilon": 0.001,
      "feature_index": 1}})"},
    {kBatchNormGrad, "infer", R"({})"},
    {kBatchNormGrad, "c1", R"({"attributes": {"feature_index": 2}})"},
    {kBatchNormGrad, "c2", R"({"operands": ["4x6xf32", "6xf32", "6xf32", "6xf64", "4x6xf32"]})"},
    {kBatchNormGrad, "c3", R"({"operands": ["4x6xf32", "6xf32", "6xf32", "6xf32", "4x5xf32"]})"},
    {kBatchNormGrad, "c3", R"({"results": ["4x5xf32", "6xf32", "6xf32"]})"},
    {kBatchNormGrad, "c4", R"({"operands": ["4x6xf32", "6xf32", "5xf32", "6xf32", "4x6xf32"]})"},
    {kBatchNormGrad, "c4", R"({"results": ["4x6xf32", "6xf32", "5xf32"]})"},
    {kBatchNormGrad, "c5", R"({"operands": ["4x6xf32", "5xf32", "5xf32", "5xf32", "4x6xf32"]})"},
};
