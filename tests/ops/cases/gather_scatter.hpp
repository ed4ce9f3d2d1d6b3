// Cases of gather, dynamic_gather, scatter and torch_index_select.
#pragma once

#include "tests/ops/cases/op_case.hpp"

// Constraints that gather and dynamic_gather share, on an operand 3x7x5 with batch dimension 0,
// dropped dimension 1 and window dimension 2, and indices 4x3x1 with batch dimension 1.
#define SHARDPROP_GATHER_CASES(op)                                                                        \
  {op, "c1", R"({"attributes": {"dimension_numbers": {"collapsed_slice_dims": []}}})"},                   \
      {op, "c2", R"({"attributes": {"dimension_numbers": {"index_vector_dim": 4}}})"},                    \
      {op, "c3", R"({"attributes": {"dimension_numbers": {"start_index_map": [1, 2]}}})"},                \
      {op, "c4",                                                                                          \
       R"({"attributes": {"dimension_numbers": {"offset_dims": [2, 1], "collapsed_slice_dims": []}}})"},  \
      {op, "c4",                                                                                          \
       R"({"attributes": {"dimension_numbers": {"offset_dims": [2, 2], "collapsed_slice_dims": []}}})"},  \
      {op, "c5", R"({"attributes": {"dimension_numbers": {"offset_dims": [3]}}})"},                       \
      {op, "c6", R"({"attributes": {"dimension_numbers": {"collapsed_slice_dims": [0]}}})"},              \
      {op, "c7",                                                                                          \
       R"({"attributes": {"dimension_numbers": {"offset_dims": [], "collapsed_slice_dims": [2, 1]}}})"},  \
      {op, "c8", R"({"attributes": {"dimension_numbers": {"collapsed_slice_dims": [3]}}})"},              \
      {op, "c10",                                                                                         \
       R"({"attributes": {"dimension_numbers": {"operand_batching_dims": [2, 0], "offset_dims": []}}})"}, \
      {op, "c11", R"({"attributes": {"dimension_numbers": {"operand_batching_dims": [3]}}})"},            \
      {op, "c13",                                                                                         \
       R"({"attributes": {"dimension_numbers": {"start_indices_batching_dims": [1, 1]}}})"},              \
      {op, "c14",                                                                                         \
       R"({"attributes": {"dimension_numbers": {"start_indices_batching_dims": [3]}}})"},                 \
      {op, "c15",                                                                                         \
       R"({"attributes": {"dimension_numbers": {"start_indices_batching_dims": [2]}}})"},                 \
      {op, "c16",                                                                                         \
       R"({"attributes": {"dimension_numbers": {"start_indices_batching_dims": [0, 1]}}})"},              \
      {op, "c17",                                                                                         \
       R"({"attributes": {"dimension_numbers": {"start_indices_batching_dims": [0]}}})"},                 \
      {op, "c18", R"({"attributes": {"dimension_numbers": {"start_index_map": [0]}}})"},                  \
      {op, "c19", R"({"attributes": {"dimension_numbers": {"start_index_map": [3]}}})"},                  \
      {op, "c22", R"({"results": ["4x3x6xf32"]})"}, {                                                     \
    op, "c23", R"({"results": ["4x3x2xf64"]})"                                                            \
  }

inline constexpr OpCase kGatherScatterCases[] = {
    {"stablehlo.gather", "ok",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32"], "results": ["4x3x2xf32"],
         "attributes": {"slice_sizes": [1, 1, 2],
                        "dimension_numbers": {"offset_dims": [2], "collapsed_slice_dims": [1],
                                              "operand_batching_dims": [0], "start_indices_batching_dims": [1],
                                              "start_index_map": [1], "index_vector_dim": 2}}})"},
    {"stablehlo.gather", "infer",
     R"({"operands": ["3x?x5xf32", "?x3x1xi32"], "results": ["?x3x2xf32"]})"},
    // Without a dimension for index vectors; window dimensions before and after the batch
    // dimension.
    {"stablehlo.gather", "infer",
     R"({"operands": ["7x5x6xf32", "4xi32"], "results": ["2x4x3xf32"],
         "attributes": {"slice_sizes": [1, 2, 3],
                        "dimension_numbers": {"offset_dims": [0, 2], "collapsed_slice_dims": [0],
                                              "operand_batching_dims": [], "start_indices_batching_dims": [],
                                              "start_index_map": [0], "index_vector_dim": 1}}})"},
    SHARDPROP_GATHER_CASES("stablehlo.gather"),
    {"stablehlo.gather", "i3", R"({"attributes": {"dimension_numbers": null}})"},
    {"stablehlo.gather", "i4",
     R"({"attributes": {"dimension_numbers": {"collapsed_slice_dims": "none"}}})"},
    {"stablehlo.gather", "i9", R"({"attributes": {"slice_sizes": null}})"},
    {"stablehlo.gather", "i10", R"({"attributes": {"indices_are_sorted": 1}})"},
    {"stablehlo.gather", "c9", R"({"attributes": {"slice_sizes": [1, 2, 2]}})"},
    {"stablehlo.gather", "c12", R"({"attributes": {"slice_sizes": [2, 1, 2]}})"},
    {"stablehlo.gather", "c20", R"({"attributes": {"slice_sizes": [1, 1]}})"},
    {"stablehlo.gather", "c21", R"({"attributes": {"slice_sizes": [1, 1, 6]}})"},
    {"stablehlo.gather", "c21", R"({"attributes": {"slice_sizes": [1, 1, -1]}})"},
    {"stablehlo.gather", "i2", R"({"operands": ["3x7x5xf32", "4x3x1xf32"]})"},

    {"stablehlo.dynamic_gather", "ok",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", {"type": "3xi32", "value": [1, 1, 2]}], "results": ["4x3x2xf32"],
         "attributes": {"dimension_numbers": {"offset_dims": [2], "collapsed_slice_dims": [1],
                                              "operand_batching_dims": [0], "start_indices_batching_dims": [1],
                                              "start_index_map": [1], "index_vector_dim": 2}}})"},
    {"stablehlo.dynamic_gather", "infer", "{}"},
    {"stablehlo.dynamic_gather", "infer",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", "3xi32"], "results": ["4x3x?xf32"]})"},
    SHARDPROP_GATHER_CASES("stablehlo.dynamic_gather"),
    {"stablehlo.dynamic_gather", "i4", R"({"attributes": {"dimension_numbers": null}})"},
    {"stablehlo.dynamic_gather", "i8", R"({"attributes": {"indices_are_sorted": 1}})"},
    {"stablehlo.dynamic_gather", "c9",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", {"type": "3xi32", "value": [1, 2, 2]}]})"},
    {"stablehlo.dynamic_gather", "c12",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", {"type": "3xi32", "value": [2, 1, 2]}]})"},
    {"stablehlo.dynamic_gather", "c20", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "2xi32"]})"},
    {"stablehlo.dynamic_gather", "c21",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", {"type": "3xi32", "value": [1, 1, 6]}]})"},
    {"stablehlo.dynamic_gather", "i3", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "3x1xi32"]})"},
    {"stablehlo.dynamic_gather", "i3", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "3xf32"]})"},

    {"stablehlo.scatter", "ok",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3x2xf32"], "results": ["3x7x5xf32"],
         "attributes": {"scatter_dimension_numbers": {"update_window_dims": [2], "inserted_window_dims": [1],
                                                      "input_batching_dims": [0],
                                                      "scatter_indices_batching_dims": [1],
                                                      "scatter_dims_to_operand_dims": [1], "index_vector_dim": 2}},
         "blocks": [{"takes": ["f32", "f32"], "returns": ["f32"]}]})"},
    {"stablehlo.scatter", "infer",
     R"({"results": ["3x7x5xf64"], "blocks": [{"takes": ["f64", "f64"], "returns": ["f64"]}]})"},
    // Two inputs of their own element types.
    {"stablehlo.scatter", "infer",
     R"({"operands": ["3x7x5xf32", "3x7x5xi32", "4x3x1xi32", "4x3x2xf32", "4x3x2xi32"],
         "results": ["3x7x5xf32", "3x7x5xi32"],
         "blocks": [{"takes": ["f32", "i32", "f32", "i32"], "returns": ["f32", "i32"]}]})"},
    {"stablehlo.scatter", "c1",
     R"({"operands": ["3x7x5xf32", "3x7x6xf32", "4x3x1xi32", "4x3x2xf32", "4x3x2xf32"]})"},
    {"stablehlo.scatter", "c2",
     R"({"attributes": {"scatter_dimension_numbers": {"inserted_window_dims": []}}})"},
    {"stablehlo.scatter", "c3",
     R"({"operands": ["3x7x5xf32", "3x7x5xf32", "4x3x1xi32", "4x3x2xf32", "4x3x1xf32"]})"},
    {"stablehlo.scatter", "c4", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3xf32"]})"},
    {"stablehlo.scatter", "c4", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3x6xf32"]})"},
    {"stablehlo.scatter", "c4", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "6x3x2xf32"]})"},
    {"stablehlo.scatter", "c5", R"({"operands": ["3x7x5xf32", "4x3x1xi32"]})"},
    {"stablehlo.scatter", "c5", R"({"operands": []})"},
    {"stablehlo.scatter", "c7",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3x2x2xf32"],
         "attributes": {"scatter_dimension_numbers": {"update_window_dims": [3, 2], "inserted_window_dims": []}}})"},
    {"stablehlo.scatter", "c8",
     R"({"attributes": {"scatter_dimension_numbers": {"update_window_dims": [3]}}})"},
    {"stablehlo.scatter", "c9",
     R"({"attributes": {"scatter_dimension_numbers": {"inserted_window_dims": [0]}}})"},
    {"stablehlo.scatter", "c10",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3xf32"],
         "attributes": {"scatter_dimension_numbers": {"update_window_dims": [], "inserted_window_dims": [2, 1]}}})"},
    {"stablehlo.scatter", "c11",
     R"({"attributes": {"scatter_dimension_numbers": {"inserted_window_dims": [3]}}})"},
    {"stablehlo.scatter", "c12",
     R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3xf32"],
         "attributes": {"scatter_dimension_numbers": {"update_window_dims": [], "input_batching_dims": [2, 0]}}})"},
    {"stablehlo.scatter", "c13",
     R"({"attributes": {"scatter_dimension_numbers": {"input_batching_dims": [-1]}}})"},
    {"stablehlo.scatter", "c14",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_indices_batching_dims": [1, 1]}}})"},
    {"stablehlo.scatter", "c15",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_indices_batching_dims": [3]}}})"},
    {"stablehlo.scatter", "c16",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_indices_batching_dims": [2]}}})"},
    {"stablehlo.scatter", "c17",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_indices_batching_dims": [0, 1]}}})"},
    {"stablehlo.scatter", "c18",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_indices_batching_dims": [0]}}})"},
    {"stablehlo.scatter", "c19",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_dims_to_operand_dims": [1, 2]}}})"},
    {"stablehlo.scatter", "c20",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_dims_to_operand_dims": [0]}}})"},
    {"stablehlo.scatter", "c21",
     R"({"attributes": {"scatter_dimension_numbers": {"scatter_dims_to_operand_dims": [3]}}})"},
    {"stablehlo.scatter", "c22",
     R"({"attributes": {"scatter_dimension_numbers": {"index_vector_dim": -1}}})"},
    {"stablehlo.scatter", "c23", R"({"blocks": [{"takes": ["f32"], "returns": ["f32"]}]})"},
    {"stablehlo.scatter", "c23",
     R"({"blocks": [{"takes": ["f32", "f32"], "returns": ["f32", "f32"]}]})"},
    {"stablehlo.scatter", "c23",
     R"({"blocks": [{"takes": ["2xf32", "2xf32"], "returns": ["2xf32"]}]})"},
    {"stablehlo.scatter", "c23", R"({"blocks": [{"takes": ["i32", "i32"], "returns": ["i32"]}]})"},
    // C6 is part of C23: an update's elements are the input's or can be promoted to what the
    // computation returns.
    {"stablehlo.scatter", "c23", R"({"operands": ["3x7x5xf32", "4x3x1xi32", "4x3x2xi32"]})"},
    {"stablehlo.scatter", "c24", R"({"results": ["3x7x6xf32"]})"},
    {"stablehlo.scatter", "c25", R"({"results": ["3x7x5xf64"]})"},
    {"stablehlo.scatter", "i2", R"({"operands": ["3x7x5xf32", "4x3x1xf32", "4x3x2xf32"]})"},
    {"stablehlo.scatter", "i11", R"({"attributes": {"unique_indices": "yes"}})"},
    {"stablehlo.scatter", "op.block_count", R"({"blocks": []})"},

    {"stablehlo.torch_index_select", "ok",
     R"({"operands": ["5x2xf32", "3xi32"], "results": ["3x2xf32"], "attributes": {"dim": 0, "batch_dims": 0}})"},
    {"stablehlo.torch_index_select", "op.missing_attribute", R"({"attributes": {"dim": null}})"},
};

#undef SHARDPROP_GATHER_CASES
