// Operands whose dimensions, windows and groups all differ, so that each mistake in an index shows.
#include "tests/run/run_case.hpp"

namespace shardprop::test::uneven_run_cases {

constexpr RunCase kUneven[] = {
    {"tensors of different sizes next to each other", R"(
  %a = stablehlo.constant dense<[1]> : tensor<1xi32>
  %b = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %r = stablehlo.concatenate %a, %b, %a, dim = 0 : (tensor<1xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>)",
     "[1, 2, 3, 1] : tensor<4xi32>"},
    {"a reduction of inputs of different widths", R"(
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %b = stablehlo.constant dense<[[1, 2], [2, 5]]> : tensor<2x2xi8>
  %y = stablehlo.constant dense<0> : tensor<i64>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %r:2 = "stablehlo.reduce"(%a, %b, %y, %z) <{dimensions = array<i64: 0>}> ({
   ^bb0(%p: tensor<i64>, %q: tensor<i8>, %s: tensor<i64>, %t: tensor<i8>):
    %u = stablehlo.add %p, %s : tensor<i64>
    %v = stablehlo.add %q, %t : tensor<i8>
    stablehlo.return %u, %v : tensor<i64>, tensor<i8>
  }) : (tensor<2x2xi64>, tensor<2x2xi8>, tensor<i64>, tensor<i8>) -> (tensor<2xi64>, tensor<2xi8>)
  return %r#0, %r#1 : tensor<2xi64>, tensor<2xi8>)",
     "[4, 6] : tensor<2xi64>\n[3, 7] : tensor<2xi8>"},
    {"a reduction of more elements than a region takes at once", R"(
  %a = stablehlo.iota dim = 1 : tensor<2x3000xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x3000xi32>, tensor<i32>) -> tensor<3000xi32>
  %r = stablehlo.slice %s [1022:3000:988] : (tensor<3000xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>)",
     "[2044, 4020, 5996] : tensor<3xi32>"},
    {"a window with a hole in one dimension", R"(
  %a = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8]]> : tensor<3x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1, 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x3xi32>, tensor<i32>) -> tensor<2x1xi32>
  return %r : tensor<2x1xi32>)",
     "[[10], [22]] : tensor<2x1xi32>"},
    {"a padded window does not select the padding", R"(
  %a = stablehlo.constant dense<[5, 1, 2, 8]> : tensor<4xi32>
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %t = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>)",
     "[1, 0, 2, 3] : tensor<4xi32>"},
    {"a convolution with a reversed window", R"(
  %a = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %k = stablehlo.constant dense<[[[10]], [[1]]]> : tensor<2x1x1xi32>
  %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  return %r : tensor<1x2x1xi32>)",
     "[[[21], [32]]] : tensor<1x2x1xi32>"},
    {"a convolution whose groups are halves of the batch", R"(
  %a = stablehlo.constant dense<[[[1]], [[2]], [[3]], [[4]]]> : tensor<4x1x1xi32>
  %k = stablehlo.constant dense<[[[10, 100]]]> : tensor<1x1x2xi32>
  %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x1x1xi32>, tensor<1x1x2xi32>) -> tensor<2x1x2xi32>
  return %r : tensor<2x1x2xi32>)",
     "[[[10, 300]], [[20, 400]]] : tensor<2x1x2xi32>"},
    {"a convolution with two features in each of two groups", R"(
  %a = stablehlo.constant dense<[[[1, 2, 3, 4]]]> : tensor<1x1x4xi32>
  %k = stablehlo.constant dense<[[[1, 10], [100, 1000]]]> : tensor<1x2x2xi32>
  %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x1x4xi32>, tensor<1x2x2xi32>) -> tensor<1x1x2xi32>
  return %r : tensor<1x1x2xi32>)",
     "[[[201, 4030]]] : tensor<1x1x2xi32>"},
    {"an update beside the last column is left out", R"(
  %a = stablehlo.constant dense<0> : tensor<2x2xi32>
  %i = stablehlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi32>
  %u = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %r = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %t = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>)",
     "[[0, 0], [0, 8]] : tensor<2x2xi32>"},
    {"elements by row and column", R"(
  %a = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8]]> : tensor<3x3xi32>
  %i = stablehlo.constant dense<[[0, 2], [2, 1]]> : tensor<2x2xi32>
  %r = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x3xi32>, tensor<2x2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>)",
     "[2, 7] : tensor<2xi32>"},
    {"sums from the end on", R"(
  %a = stablehlo.constant dense<[1, 2, 4]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = "chlo.scan"(%a, %z) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  return %r#0, %r#1 : tensor<3xi32>, tensor<i32>)",
     "[7, 6, 4] : tensor<3xi32>\n7 : tensor<i32>"},
};

TEST_CASE("each dimension, window and group has its own numbers", "[run]") {
  for (const RunCase& c : kUneven) check_run_case(c);
}

}  // namespace shardprop::test::uneven_run_cases
