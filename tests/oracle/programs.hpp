// The programs of the oracle. Dimensions are mostly of size 4, so that a wrong pairing is not
// refused for its size alone; operations that are computed element by element get a program from
// their rows.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "tests/oracle/program.hpp"

namespace oracle {

#define SHARDPROP_CALL(target, operands, results)                                      \
  {                                                                                    \
    "stablehlo.custom_call", R"({"operands": )" operands R"(, "results": )" results    \
                             R"(, "attributes": {"call_target_name": ")" target "\"}}" \
  }
#define SHARDPROP_PASSING_CALL(target) SHARDPROP_CALL(target, R"(["4x4xf32"])", R"(["4x4xf32"])")
// Batch, one spatial dimension, features; the kernel has spatial, input features, output features.
#define SHARDPROP_CONVOLUTION_DIMS                                                     \
  R"("dimension_numbers": {"input_batch_dimension": 0, "input_feature_dimension": 2,)" \
  R"( "input_spatial_dimensions": [1], "kernel_input_feature_dimension": 1,)"          \
  R"( "kernel_output_feature_dimension": 2, "kernel_spatial_dimensions": [0],)"        \
  R"( "output_batch_dimension": 0, "output_feature_dimension": 2,)"                    \
  R"( "output_spatial_dimensions": [1]}, "padding": [[1, 1]])"

inline constexpr Program kShapePrograms[] = {
    {"stablehlo.is_finite", R"({"operands": ["4x4xf32"], "results": ["4x4xi1"]})"},
    {"stablehlo.complex",
     R"({"operands": ["4x4xf32", "4x4xf32"], "results": ["4x4xcomplex<f32>"]})"},
    {"stablehlo.compare", R"({"operands": ["4x4xf32", "4x4xf32"], "results": ["4x4xi1"],
      "attributes": {"comparison_direction": "LT"}})"},
    {"stablehlo.reduce_precision", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"exponent_bits": 5, "mantissa_bits": 10}})"},
    {"stablehlo.clamp",
     R"({"operands": ["4x4xf32", "4x4xf32", "4x4xf32"], "results": ["4x4xf32"]})"},
    {"stablehlo.clamp", R"({"operands": ["f32", "4x4xf32", "f32"], "results": ["4x4xf32"]})"},
    {"stablehlo.select", R"({"operands": ["i1", "4x4xf32", "4x4xf32"], "results": ["4x4xf32"]})"},
    {"stablehlo.bitcast_convert", R"({"operands": ["4x4xf32"], "results": ["4x4xui32"]})"},
    {"stablehlo.bitcast_convert", R"({"operands": ["4x4xf32"], "results": ["4x4x4xi8"]})"},
    {"stablehlo.bitcast_convert", R"({"operands": ["4x4x4xi8"], "results": ["4x4xf32"]})"},
    {"stablehlo.uniform_dequantize",
     R"({"operands": ["4x4x!quant.uniform<i8:f32, 0.5:3>"], "results": ["4x4xf32"]})"},
    {"stablehlo.uniform_quantize",
     R"({"operands": ["4x4xf32"], "results": ["4x4x!quant.uniform<i8:f32, 0.5:3>"]})"},
    {"stablehlo.map", R"({"operands": ["4x4xf32", "4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"dimensions": [0, 1]}, "blocks": ["body"]})"},
    {"sdy.sharding_constraint", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"sharding": {"mesh": "m", "dims": [{"axes": []}, {"axes": ["x"]}]}}})"},
    {"stablehlo.reshape", R"({"operands": ["4x12xf32"], "results": ["4x2x3x2xf32"]})"},
    {"stablehlo.reshape", R"({"operands": ["4x2x3x2xf32"], "results": ["4x12xf32"]})"},
    {"stablehlo.reshape", R"({"operands": ["8x4x1x3xf32"], "results": ["4x2x12xf32"]})"},
    {"stablehlo.reshape", R"({"operands": ["3x2xf32"], "results": ["2x3xf32"]})"},
    {"stablehlo.reshape", R"({"operands": ["4x4xf32"], "results": ["16xf32"]})"},
    {"stablehlo.reshape", R"({"operands": ["2x6x4xf32"], "results": ["4x12xf32"]})"},
    {"stablehlo.transpose", R"({"operands": ["4x4x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"permutation": [2, 0, 1]}})"},
    {"stablehlo.broadcast_in_dim", R"({"operands": ["4x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"broadcast_dimensions": [2, 0]}})"},
    {"stablehlo.broadcast_in_dim", R"({"operands": ["4x1xf32"], "results": ["4x4x4xf32"],
      "attributes": {"broadcast_dimensions": [1, 2]}})"},
    {"stablehlo.broadcast", R"({"operands": ["4x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"broadcast_sizes": [4]}})"},
};

inline constexpr Program kSlicingPrograms[] = {
    {"stablehlo.slice", R"({"operands": ["4x8x4xf32"], "results": ["4x4x2xf32"],
      "attributes": {"start_indices": [0, 2, 0], "limit_indices": [4, 6, 4], "strides": [1, 1, 2]}})"},
    {"stablehlo.pad", R"({"operands": ["4x4x4xf32", "f32"], "results": ["4x6x7xf32"],
      "attributes": {"edge_padding_low": [0, 1, 0], "edge_padding_high": [0, 1, 0],
                     "interior_padding": [0, 0, 1]}})"},
    {"stablehlo.concatenate", R"({"operands": ["4x2x4xf32", "4x2x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"dimension": 1}})"},
    {"stablehlo.reverse", R"({"operands": ["4x4x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"dimensions": [1]}})"},
    {"stablehlo.dynamic_slice", R"({"operands": ["4x4x4xf32", "i32", "i32", "i32"],
      "results": ["4x2x1xf32"], "attributes": {"slice_sizes": [4, 2, 1]}})"},
    {"stablehlo.dynamic_update_slice",
     R"({"operands": ["4x4x4xf32", "4x2x2xf32", "i32", "i32", "i32"],
      "results": ["4x4x4xf32"]})"},
    {"stablehlo.dynamic_update_slice", R"({"operands": ["4x4xf32", "4x2xf32",
      {"type": "i32", "value": 0}, {"type": "i32", "value": 1}], "results": ["4x4xf32"]})"},
};

inline constexpr Program kIndexingPrograms[] = {
    // Whole rows, by vectors of one index.
    {"stablehlo.gather", R"({"operands": ["4x4xf32", "4x1xi32"], "results": ["4x4xf32"],
      "attributes": {"slice_sizes": [1, 4], "dimension_numbers": {"offset_dims": [1],
        "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}}})"},
    // Parts of two elements, and of one, of what remains; by indices that are not vectors.
    {"stablehlo.gather", R"({"operands": ["4x4x4x4xf32", "4xi32"], "results": ["4x4x2x1xf32"],
      "attributes": {"slice_sizes": [1, 4, 2, 1], "dimension_numbers": {"offset_dims": [1, 2, 3],
        "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}}})"},
    // With batch dimensions.
    {"stablehlo.gather", R"({"operands": ["4x4x4xf32", "4x4x1xi32"], "results": ["4x4x4xf32"],
      "attributes": {"slice_sizes": [1, 1, 4], "dimension_numbers": {"offset_dims": [2],
        "collapsed_slice_dims": [1], "operand_batching_dims": [0],
        "start_indices_batching_dims": [1], "start_index_map": [1], "index_vector_dim": 2}}})"},
    {"stablehlo.scatter", R"({"operands": ["4x4xf32", "4x1xi32", "4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"scatter_dimension_numbers": {"update_window_dims": [1],
        "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}},
      "blocks": ["body"]})"},
    {"stablehlo.scatter", R"({"operands": ["4x4xf32", "4x1xi32", "4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"scatter_dimension_numbers": {"update_window_dims": [1],
        "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}},
      "blocks": ["body"]})",
     "stablehlo.maximum"},
    // Later updates replace earlier ones.
    {"stablehlo.scatter", R"({"operands": ["4x4xf32", "4x1xi32", "4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"scatter_dimension_numbers": {"update_window_dims": [1],
        "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}},
      "blocks": ["body"]})",
     ""},
    // Parts of two elements.
    {"stablehlo.scatter", R"({"operands": ["4x4x4xf32", "4xi32", "4x4x2xf32"],
      "results": ["4x4x4xf32"], "attributes": {"scatter_dimension_numbers": {
        "update_window_dims": [1, 2], "inserted_window_dims": [0],
        "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}}, "blocks": ["body"]})"},
    {"stablehlo.scatter", R"({"operands": ["4x4x4xf32", "4x4x1xi32", "4x4x4xf32"],
      "results": ["4x4x4xf32"], "attributes": {"scatter_dimension_numbers": {
        "update_window_dims": [2], "inserted_window_dims": [1], "input_batching_dims": [0],
        "scatter_indices_batching_dims": [1], "scatter_dims_to_operand_dims": [1],
        "index_vector_dim": 2}}, "blocks": ["body"]})"},
};

inline constexpr Program kProductPrograms[] = {
    {"stablehlo.dot", R"({"operands": ["4x4xf32", "4x4xf32"], "results": ["4x4xf32"]})"},
    {"stablehlo.dot", R"({"operands": ["4xf32", "4x4xf32"], "results": ["4xf32"]})"},
    {"stablehlo.dot", R"({"operands": ["4xf32", "4xf32"], "results": ["f32"]})"},
    {"stablehlo.dot_general", R"({"operands": ["4x4x4xf32", "4x4x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"dot_dimension_numbers": {"lhs_batching_dimensions": [1],
        "rhs_batching_dimensions": [0], "lhs_contracting_dimensions": [2],
        "rhs_contracting_dimensions": [1]}}})"},
    {"stablehlo.dot_general", R"({"operands": ["4x4x4xf32", "4x4xf32"], "results": ["4xf32"],
      "attributes": {"dot_dimension_numbers": {"lhs_contracting_dimensions": [2, 0],
        "rhs_contracting_dimensions": [0, 1]}}})"},
    {"stablehlo.einsum", R"({"operands": ["4x4xf32", "4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"einsum_config": "ab,bc->ac"}})"},
    {"stablehlo.unary_einsum", R"({"operands": ["4x4xf32"], "results": ["4xf32"],
      "attributes": {"einsum_config": "ab->a"}})"},
    {"stablehlo.convolution", R"({"operands": ["4x4x4xf32", "3x4x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"feature_group_count": 1, "batch_group_count": 1, )" SHARDPROP_CONVOLUTION_DIMS
                              "}}"},
    {"stablehlo.convolution", R"({"operands": ["4x4x4xf32", "3x2x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"feature_group_count": 2, "batch_group_count": 1, )" SHARDPROP_CONVOLUTION_DIMS
                              "}}"},
    {"stablehlo.convolution", R"({"operands": ["4x4x4xf32", "3x1x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"feature_group_count": 4, "batch_group_count": 1, )" SHARDPROP_CONVOLUTION_DIMS
                              "}}"},
    {"stablehlo.convolution", R"({"operands": ["4x4x4xf32", "3x4x4xf32"], "results": ["2x4x4xf32"],
      "attributes": {"feature_group_count": 1, "batch_group_count": 2, )" SHARDPROP_CONVOLUTION_DIMS
                              "}}"},
};

inline constexpr Program kReductionPrograms[] = {
    {"stablehlo.reduce", R"({"operands": ["4x4x4xf32", "f32"], "results": ["4x4xf32"],
      "attributes": {"dimensions": [1]}, "blocks": ["body"]})"},
    {"stablehlo.reduce", R"({"operands": ["4x4x4xf32", "f32"], "results": ["4xf32"],
      "attributes": {"dimensions": [0, 2]}, "blocks": ["body"]})",
     "stablehlo.maximum"},
    {"stablehlo.reduce", R"({"operands": ["4x4xf32", "f32"], "results": ["4xf32"],
      "attributes": {"dimensions": [0]}, "blocks": ["body"]})",
     "stablehlo.multiply"},
    {"stablehlo.reduce_window", R"({"operands": ["4x4x6xf32", "f32"], "results": ["4x4x6xf32"],
      "attributes": {"window_dimensions": [1, 3, 3], "padding": [[0, 0], [1, 1], [1, 1]]},
      "blocks": ["body"]})"},
    {"stablehlo.select_and_scatter", R"({"operands": ["4x8x4xf32", "4x4x4xf32", "f32"],
      "results": ["4x8x4xf32"], "attributes": {"window_dimensions": [1, 2, 1],
        "window_strides": [1, 2, 1]}, "blocks": ["stablehlo.compare", "body"]})"},
    {"stablehlo.sort", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"dimension": 1}, "blocks": ["stablehlo.compare"]})"},
    {"stablehlo.batch_norm_inference",
     R"({"operands": ["4x4x4xf32", "4xf32", "4xf32", "4xf32", "4xf32"],
      "results": ["4x4x4xf32"], "attributes": {"epsilon": 0.5, "feature_index": 1}})"},
    {"stablehlo.batch_norm_training", R"({"operands": ["4x4xf32", "4xf32", "4xf32"],
      "results": ["4x4xf32", "4xf32", "4xf32"],
      "attributes": {"epsilon": 0.5, "feature_index": 1}})"},
    {"stablehlo.batch_norm_grad", R"({"operands": ["4x4xf32", "4xf32", "4xf32", "4xf32", "4x4xf32"],
      "results": ["4x4xf32", "4xf32", "4xf32"],
      "attributes": {"epsilon": 0.5, "feature_index": 1}})"},
};

inline constexpr Program kLinearAlgebraPrograms[] = {
    {"stablehlo.cholesky", R"({"operands": ["4x4x4xf32"], "results": ["4x4x4xf32"]})"},
    {"stablehlo.fft", R"({"operands": ["4x4x4xcomplex<f32>"], "results": ["4x4x4xcomplex<f32>"],
      "attributes": {"fft_type": "FFT", "fft_length": [4]}})"},
    {"stablehlo.triangular_solve", R"({"operands": ["4x4x4xf32", "4x4x4xf32"],
      "results": ["4x4x4xf32"], "attributes": {"left_side": true, "lower": true,
        "unit_diagonal": false, "transpose_a": "NO_TRANSPOSE"}})"},
    {"stablehlo.triangular_solve", R"({"operands": ["4x4x4xf32", "4x4x4xf32"],
      "results": ["4x4x4xf32"], "attributes": {"left_side": false, "lower": true,
        "unit_diagonal": false, "transpose_a": "TRANSPOSE"}})"},
};

inline constexpr Program kCollectivePrograms[] = {
    {"stablehlo.all_gather", R"({"operands": ["4x2x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"all_gather_dim": 1, "replica_groups": [[0, 1]]}})"},
    {"stablehlo.all_reduce", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"replica_groups": [[0, 1]]}, "blocks": ["body"]})"},
    {"stablehlo.all_to_all", R"({"operands": ["4x4x4xf32"], "results": ["8x2x4xf32"],
      "attributes": {"split_dimension": 1, "concat_dimension": 0, "split_count": 2,
                     "replica_groups": [[0, 1]]}})"},
    {"stablehlo.collective_broadcast", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"replica_groups": [[1, 0]]}})"},
    {"stablehlo.collective_permute", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"source_target_pairs": [[1, 0]]}})"},
    {"stablehlo.collective_reduce", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"replica_groups": [[0, 1]]}, "blocks": ["body"]})"},
    {"stablehlo.cross-replica-sum", R"({"operands": ["4x4xf32"], "results": ["4x4xf32"],
      "attributes": {"replica_groups": [[0, 1]]}})"},
    {"stablehlo.reduce_scatter", R"({"operands": ["4x8x4xf32"], "results": ["4x4x4xf32"],
      "attributes": {"scatter_dimension": 1, "replica_groups": [[0, 1]]}, "blocks": ["body"]})"},
};

inline constexpr Program kCallPrograms[] = {
    SHARDPROP_PASSING_CALL("InspectSharding"),
    SHARDPROP_PASSING_CALL("LayoutConstraint"),
    SHARDPROP_PASSING_CALL("MoveToDevice"),
    SHARDPROP_PASSING_CALL("MoveToHost"),
    SHARDPROP_PASSING_CALL("X64SplitHigh"),
    SHARDPROP_PASSING_CALL("X64SplitLow"),
    SHARDPROP_PASSING_CALL("annotate_device_placement"),
    SHARDPROP_PASSING_CALL("mhlo.erf"),
    SHARDPROP_PASSING_CALL("xla.megascale.provide_metadata"),
    SHARDPROP_CALL("X64Combine", R"(["4x4xui32", "4x4xui32"])", R"(["4x4xui64"])"),
    SHARDPROP_CALL("mhlo.topk", R"(["4x4x4xf32"])", R"(["4x4x2xf32", "4x4x2xi32"])"),
    SHARDPROP_CALL("ApproxTopK", R"(["4x4x4xf32", "4x4x4xi32", "f32", "i32"])",
                   R"(["4x4x2xf32", "4x4x2xi32"])"),
    SHARDPROP_CALL("Qr", R"(["4x4x4xf32"])", R"(["4x4x4xf32", "4x4xf32"])"),
    SHARDPROP_CALL("QrDecompositionBlock", R"(["4x4x4xf32"])", R"(["4x4x4xf32", "4x4xf32"])"),
    SHARDPROP_CALL("ProductOfElementaryHouseholderReflectors", R"(["4x4x4xf32", "4x4xf32"])",
                   R"(["4x4x4xf32"])"),
};

#undef SHARDPROP_CALL
#undef SHARDPROP_PASSING_CALL
#undef SHARDPROP_CONVOLUTION_DIMS

// Programs from the rows of operations that compute each element alone, but for those that need
// more than operands of one type.
inline std::vector<Program> pointwise_programs(const OpTable& table) {
  static const char* const kFloats[] = {
      R"({"operands": ["4x4xf32"], "results": ["4x4xf32"]})",
      R"({"operands": ["4x4xf32", "4x4xf32"], "results": ["4x4xf32"]})"};
  static const char* const kIntegers[] = {
      R"({"operands": ["4x4xui32"], "results": ["4x4xui32"]})",
      R"({"operands": ["4x4xui32", "4x4xui32"], "results": ["4x4xui32"]})"};
  std::vector<Program> out;
  for (const shardprop::OpRow& row : table.rows()) {
    const shardprop::Signature& signature = row.def.signature;
    const bool is_known =
        std::any_of(std::begin(kShapePrograms), std::end(kShapePrograms),
                    [&](const Program& program) { return program.op == row.def.name; });
    if (row.def.rule != shardprop::pointwise<> || is_known) continue;
    const bool is_float = signature.operand_classes[0] & shardprop::kFloat;
    out.push_back({row.def.name, (is_float ? kFloats : kIntegers)[signature.min_operands - 1]});
  }
  return out;
}

inline std::vector<Program> all_programs(const OpTable& table) {
  std::vector<Program> all = pointwise_programs(table);
  const auto add = [&](const auto& programs) {
    all.insert(all.end(), std::begin(programs), std::end(programs));
  };
  add(kShapePrograms);
  add(kSlicingPrograms);
  add(kIndexingPrograms);
  add(kProductPrograms);
  add(kReductionPrograms);
  add(kLinearAlgebraPrograms);
  add(kCollectivePrograms);
  add(kCallPrograms);
  return all;
}

}  // namespace oracle
