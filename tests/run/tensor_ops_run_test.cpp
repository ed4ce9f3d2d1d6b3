// Operations on whole tensors: movement, reductions, products, indices, linear algebra.
#include "tests/run/run_case.hpp"

namespace shardprop::test::tensor_ops_run_cases {

constexpr RunCase kMovement[] = {
    {"iota counts along its dimension, also in complex numbers", R"(
  %r = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %s = stablehlo.iota dim = 0 : tensor<2xcomplex<f32>>
  return %r, %s : tensor<2x3xi32>, tensor<2xcomplex<f32>>)",
     "[[0, 1, 2], [0, 1, 2]] : tensor<2x3xi32>\n[(0, 0), (1, 0)] : tensor<2xcomplex<f32>>"},
    {"transpose, reverse and reshape", R"(
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %v = stablehlo.reverse %t, dims = [0] : tensor<3x2xi32>
  %r = stablehlo.reshape %v : (tensor<3x2xi32>) -> tensor<6xi32>
  return %r : tensor<6xi32>)",
     "[3, 6, 2, 5, 1, 4] : tensor<6xi32>"},
    {"a dimension of one is repeated", R"(
  %a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %r = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x1x2xi32>
  return %r : tensor<3x1x2xi32>)",
     "[[[1, 2]], [[1, 2]], [[1, 2]]] : tensor<3x1x2xi32>"},
    {"padding goes around and between, and a negative one cuts off", R"(
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %a, %z, low = [1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<8xi32>
  %s = stablehlo.pad %a, %z, low = [-1], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %r, %s : tensor<8xi32>, tensor<3xi32>)",
     "[0, 1, 0, 2, 0, 3, 0, 0] : tensor<8xi32>\n[0, 2, 0] : tensor<3xi32>"},
    {"the start of a dynamic slice is moved to where it fits", R"(
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<3> : tensor<i64>
  %n = stablehlo.constant dense<-5> : tensor<i64>
  %r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, tensor<i64>) -> tensor<2xi32>
  %u = stablehlo.constant dense<[8, 9]> : tensor<2xi32>
  %s = stablehlo.dynamic_update_slice %a, %u, %n : (tensor<4xi32>, tensor<2xi32>, tensor<i64>) -> tensor<4xi32>
  return %a, %r, %s : tensor<4xi32>, tensor<2xi32>, tensor<4xi32>)",
     "[1, 2, 3, 4] : tensor<4xi32>\n[3, 4] : tensor<2xi32>\n[8, 9, 3, 4] : tensor<4xi32>"},
    {"slices with steps, and tensors put together", R"(
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %r = stablehlo.concatenate %s, %a, dim = 1 : (tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<2x5xi32>
  return %r : tensor<2x5xi32>)",
     "[[1, 3, 1, 2, 3], [4, 6, 4, 5, 6]] : tensor<2x5xi32>"},
    {"bits go over to elements of another width, the low ones first", R"(
  %a = stablehlo.constant dense<[1, 65538]> : tensor<2xi32>
  %r = stablehlo.bitcast_convert %a : (tensor<2xi32>) -> tensor<2x2xi16>
  %s = stablehlo.bitcast_convert %r : (tensor<2x2xi16>) -> tensor<2xi32>
  %b = stablehlo.constant dense<[-1, 33]> : tensor<2xi8>
  %t = stablehlo.bitcast_convert %b : (tensor<2xi8>) -> tensor<2x2xi4>
  return %r, %s, %t : tensor<2x2xi16>, tensor<2xi32>, tensor<2x2xi4>)",
     "[[1, 0], [2, 1]] : tensor<2x2xi16>\n[1, 65538] : tensor<2xi32>\n"
     "[[-1, -1], [1, 2]] : tensor<2x2xi4>"},
    {"a large constant is read from the text that it was left in", R"(
  %a = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F4041424344454647"> : tensor<72xui8>
  %r = stablehlo.slice %a [69:72] : (tensor<72xui8>) -> tensor<3xui8>
  return %r : tensor<3xui8>)",
     "[69, 70, 71] : tensor<3xui8>"},
};

constexpr RunCase kRegions[] = {
    {"a reduction of two inputs finds the largest and its place", R"(
  %a = stablehlo.constant dense<[[3, 9], [7, 1]]> : tensor<2x2xi32>
  %i = stablehlo.iota dim = 0 : tensor<2x2xi32>
  %m = stablehlo.constant dense<-100> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%a init: %m), (%i init: %z) across dimensions = [0] : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%x: tensor<i32>, %u: tensor<i32>) (%y: tensor<i32>, %v: tensor<i32>) {
    %p = stablehlo.compare GE, %x, %u : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %k = stablehlo.select %p, %x, %u : tensor<i1>, tensor<i32>
    %l = stablehlo.select %p, %y, %v : tensor<i1>, tensor<i32>
    stablehlo.return %k, %l : tensor<i32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<2xi32>, tensor<2xi32>)",
     "[7, 9] : tensor<2xi32>\n[1, 0] : tensor<2xi32>"},
    {"windows that overlap, padded with the initial value", R"(
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %r = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %r : tensor<2xi32>)",
     "[23, 19] : tensor<2xi32>"},
    {"the gradient of a maximum goes to the element that was taken", R"(
  %a = stablehlo.constant dense<[1, 5, 2, 8]> : tensor<4xi32>
  %s = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %t = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>)",
     "[0, 10, 0, 20] : tensor<4xi32>"},
    {"sort moves all inputs by the order of one, and equal ones stay in order", R"(
  %a = stablehlo.constant dense<[3, 1, 3, 2]> : tensor<4xi32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>, %u: tensor<i32>, %v: tensor<i32>):
    %p = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>)",
     "[3, 3, 2, 1] : tensor<4xi32>\n[0, 2, 3, 1] : tensor<4xi32>"},
    {"a region takes values from around it", R"(
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %k = stablehlo.constant dense<100> : tensor<i32>
  %r = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
   ^bb0(%x: tensor<i32>):
    %s = stablehlo.add %x, %k : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>)",
     "[101, 102] : tensor<2xi32>"},
    {"gather moves a slice that does not fit into the operand", R"(
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[1], [7]]> : tensor<2x1xi64>
  %r = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xi32>, tensor<2x1xi64>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>)",
     "[[4, 5, 6], [4, 5, 6]] : tensor<2x3xi32>"},
    {"scatter adds twice to one place and leaves out what is outside", R"(
  %a = stablehlo.constant dense<[0, 0, 0]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[1], [1], [-1], [3]]> : tensor<4x1xi64>
  %u = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
  %r = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi32>, tensor<4x1xi64>, tensor<4xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>)",
     "[0, 11, 0] : tensor<3xi32>"},
    {"the largest elements and their places", R"(
  %a = stablehlo.constant dense<[1.0, 4.0, 4.0, 2.0]> : tensor<4xf32>
  %r, %i = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %r, %i : tensor<2xf32>, tensor<2xi32>)",
     "[4, 4] : tensor<2xf32>\n[1, 2] : tensor<2xi32>"},
};

constexpr RunCase kProducts[] = {
    {"a product with batch dimensions and a transposed side", R"(
  %a = stablehlo.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>
  %b = stablehlo.constant dense<[[[1, 10], [100, 0]], [[1, 1], [2, 2]]]> : tensor<2x2x2xi32>
  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x1x2xi32>, tensor<2x2x2xi32>) -> tensor<2x1x2xi32>
  return %r : tensor<2x1x2xi32>)",
     "[[[21, 100]], [[7, 14]]] : tensor<2x1x2xi32>"},
    {"a product may have wider elements than its factors", R"(
  %a = stablehlo.constant dense<[100, -100]> : tensor<2xi8>
  %r = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
  return %r : tensor<i32>)",
     "20000 : tensor<i32>"},
    {"a convolution with stride, padding and two groups", R"(
  %a = stablehlo.constant dense<[[[1, 10], [2, 20], [3, 30]]]> : tensor<1x3x2xi32>
  %k = stablehlo.constant dense<[[[1, 1]], [[2, 3]]]> : tensor<2x1x2xi32>
  %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x3x2xi32>, tensor<2x1x2xi32>) -> tensor<1x2x2xi32>
  return %r : tensor<1x2x2xi32>)",
     "[[[2, 30], [8, 110]]] : tensor<1x2x2xi32>"},
    {"a triangular system is solved from either side", R"(
  %a = stablehlo.constant dense<[[2.0, 9.0], [4.0, 5.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [14.0]]> : tensor<2x1xf32>
  %c = stablehlo.constant dense<[[8.0, 10.0]]> : tensor<1x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %s = "stablehlo.triangular_solve"(%a, %c) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r, %s : tensor<2x1xf32>, tensor<1x2xf32>)",
     "[[1], [2]] : tensor<2x1xf32>\n[[0, 2]] : tensor<1x2xf32>"},
    {"the lower and the upper factor of a matrix", R"(
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %r = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  %s = stablehlo.cholesky %a, lower = false : tensor<2x2xf32>
  return %r, %s : tensor<2x2xf32>, tensor<2x2xf32>)",
     "[[2, 0], [1, 3]] : tensor<2x2xf32>\n[[2, 1], [0, 3]] : tensor<2x2xf32>"},
    {"a transform of real numbers and back", R"(
  %a = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  %f = stablehlo.fft %a, type = RFFT, length = [3] : (tensor<3xf64>) -> tensor<2xcomplex<f64>>
  %b = stablehlo.fft %f, type = IRFFT, length = [3] : (tensor<2xcomplex<f64>>) -> tensor<3xf64>
  %r = stablehlo.round_nearest_even %b : tensor<3xf64>
  return %r : tensor<3xf64>)",
     "[1, 2, 4] : tensor<3xf64>"},
    {"the normal form of a batch", R"(
  %a = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %s = stablehlo.constant dense<2.0> : tensor<1xf32>
  %o = stablehlo.constant dense<5.0> : tensor<1xf32>
  %r, %m, %v = "stablehlo.batch_norm_training"(%a, %s, %o) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %r, %m, %v : tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)",
     "[[3], [7]] : tensor<2x1xf32>\n[2] : tensor<1xf32>\n[1] : tensor<1xf32>"},
};

TEST_CASE("operations that move elements put each in its place", "[run]") {
  for (const RunCase& c : kMovement) check_run_case(c);
}

TEST_CASE("operations with regions over scalars", "[run]") {
  for (const RunCase& c : kRegions) check_run_case(c);
}

TEST_CASE("products, solvers and transforms", "[run]") {
  for (const RunCase& c : kProducts) check_run_case(c);
}

TEST_CASE("a product of large matrices is the sum of products", "[run]") {
  constexpr std::int64_t kRows = 3, kDepth = 301, kColumns = 517;  // of several blocks, none whole
  const Tensor a = [] {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < kRows * kDepth; ++i) numbers.push_back(i * 7919 % 1000);
    return tensor_of(Element::kI64, {kRows, kDepth}, numbers);
  }();
  const Tensor b = [] {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < kDepth * kColumns; ++i) numbers.push_back(i * 104729 % 999);
    return tensor_of(Element::kI64, {kDepth, kColumns}, numbers);
  }();
  const auto x = numbers_of<std::int64_t>(a);
  const auto y = numbers_of<std::int64_t>(b);
  const auto found = numbers_of<std::int64_t>(product(a, b, {{}, {}, {1}, {0}}, Element::kI64));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < kDepth; ++k) sum += x[i * kDepth + k] * y[k * kColumns + j];
      if (found[i * kColumns + j] != sum) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

// The known answers of the authors of the algorithms (Random123, tests/kat_vectors), for counter
// and key of zeros and of ones.
TEST_CASE("the random bits are those of the published algorithms", "[run]") {
  constexpr std::uint32_t kOnes = 0xFFFFFFFFu;
  CHECK(detail::threefry({0, 0}, {0, 0}) == detail::RandomKey{0x6B200159u, 0x99BA4EFEu});
  CHECK(detail::threefry({kOnes, kOnes}, {kOnes, kOnes}) ==
        detail::RandomKey{0x1CB996FCu, 0xBB002BE7u});
  CHECK(detail::philox({0, 0, 0, 0}, {0, 0}) ==
        std::array<std::uint32_t, 4>{0x6627E8D5u, 0xE169C58Du, 0xBC57AC4Cu, 0x9B00DBD8u});
  CHECK(detail::philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        std::array<std::uint32_t, 4>{0x408F276Du, 0x41C83B0Eu, 0xA20BC7C6u, 0x6D5451FDu});
}

TEST_CASE("the words of a counter are neighbours, and the state counts them", "[run]") {
  const Module m = program(run_case_text(R"(
  %s = stablehlo.constant dense<[0, 0]> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %u, %v = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %t, %r, %u : tensor<2xui64>, tensor<3xui32>, tensor<2xui64>)"));
  const detail::RandomKey second = detail::threefry({1, 0}, {0, 0});
  CHECK(outcome_of(m) == fmt::format("[0, 2] : tensor<2xui64>\n[{}, {}, {}] : tensor<3xui32>\n"
                                     "[0, 2] : tensor<2xui64>",
                                     0x6B200159u, 0x99BA4EFEu, second[0]));
}

}  // namespace shardprop::test::tensor_ops_run_cases
