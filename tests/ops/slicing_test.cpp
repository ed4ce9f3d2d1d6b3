#include "shardprop/ops/stablehlo/slicing.hpp"

#include "shardprop/ops/stablehlo/contraction.hpp"
#include "tests/ops/cases/slicing.hpp"
#include "tests/ops/check_op_cases.hpp"
#include "tests/support/program.hpp"

namespace {

constexpr op_test::RuleCase kSlicingRules[] = {
    {"stablehlo.slice", R"({"results": ["2x8xf32"]})",
     "([i, j])->([i, j]) {i=3, j=8} permutation={i}"},
    {"stablehlo.slice", R"({"results": ["2x8xf32"]})",
     "([i, j])->([i, j]) {i=3, j=8} permutation={i} blocked_propagation={i}", true},
    {"stablehlo.slice", R"({"results": ["8xf32"]})", ""},
    {"stablehlo.slice", R"({"operands": []})", ""},
    {"stablehlo.slice", R"({"operands": ["?x8xf32"]})", ""},

    {"stablehlo.pad", "{}", "([i, j], [])->([i, j]) {i=2, j=3} permutation={i, j}"},
    {"stablehlo.pad", R"({"results": ["2x4xf32"]})",
     "([i, j], [])->([i, j]) {i=2, j=3} permutation={j} blocked_propagation={j}", true},

    {"stablehlo.dynamic_slice", R"({"results": ["3x4xf32"]})",
     "([i, j], [], [])->([i, j]) {i=3, j=8} need_replication={j} blocked_propagation={j}"},
    {"stablehlo.dynamic_slice", R"({"operands": ["3x8xf32", "2xi32", "i32"]})", ""},

    {"stablehlo.dynamic_update_slice", "{}",
     "([i, k], [j, l], [], [])->([i, k]) {i=3, j=1, k=8, l=4} need_replication={j, l}"},
    {"stablehlo.dynamic_update_slice", R"({"operands": ["3x8xf32", "4xf32", "i32", "i32"]})", ""},
    {"stablehlo.dynamic_update_slice", R"({"operands": ["3x8xf32"]})", ""},

    {"stablehlo.concatenate", "{}", "([i, j], [i, j])->([i, j]) {i=4, j=2} need_replication={i}"},
    {"stablehlo.concatenate", "{}", "([j, i], [k, i])->([l, i]) {i=2, j=1, k=1, l=1}", true},
    {"stablehlo.concatenate", R"({"operands": []})", ""},
    {"stablehlo.concatenate", R"({"operands": ["f32", "1x2xf32"]})", ""},
    {"stablehlo.concatenate", R"({"attributes": {"dimension": null}})", ""},

    {"stablehlo.reverse", "{}", "([i, j])->([i, j]) {i=2, j=3} permutation={j}"},
    {"stablehlo.reverse", R"({"attributes": {"dimensions": null}})", ""},
    {"stablehlo.reverse", R"({"results": ["3xf32"]})", ""},
    {"stablehlo.dynamic_pad", "{}", ""},
    {"stablehlo.real_dynamic_slice", "{}", ""},
};

// The rule of an update of one row whose start is a constant and `start`.
std::string update_rule(std::string_view start) {
  using namespace shardprop::test;
  const shardprop::Module m = program(with({{"$start", start}}, R"(
func.func @main(%x: tensor<3x8xf32>, %u: tensor<1x8xf32>, %i: tensor<i32>) {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %u, %c, $start : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  return
})"));
  return op_test::rule_of(shardprop::standard_ops(), m, "stablehlo.dynamic_update_slice");
}

// The rule of a concatenation of two of %x, %y, 4x2, and their slices %x0 and %y0, 2x2.
std::string concatenate_rule(std::string_view operands, std::string_view types) {
  using namespace shardprop::test;
  const shardprop::Module m = program(with({{"$operands", operands}, {"$types", types}}, R"(
func.func @main(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) {
  %x0 = stablehlo.slice %x [0:2, 0:2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %y0 = stablehlo.slice %y [0:2, 0:2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.concatenate $operands, dim = 0 : $types
  return
})"));
  return op_test::rule_of(shardprop::standard_ops(), m, "stablehlo.concatenate");
}

}  // namespace

TEST_CASE("slicing: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kSlicingCases);
  op_test::check_rows_have_cases(shardprop::kSlicingOps, kSlicingCases);
}

TEST_CASE("slicing: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kSlicingCases, kSlicingRules);
}

TEST_CASE("dynamic_update_slice: one row needs no replication where its start is constant") {
  CHECK(update_rule("%i") ==
        "([i, k], [j, k], [], [])->([i, k]) {i=3, j=1, k=8} need_replication={j}");
  CHECK(update_rule("%c") == "([i, k], [j, k], [], [])->([i, k]) {i=3, j=1, k=8}");
}

TEST_CASE("concatenate: data moves between neighbours where slices are joined") {
  // Only slices, or a tensor and slices of it.
  CHECK(concatenate_rule("%x0, %y0", "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>") ==
        "([i, j], [i, j])->([i, j]) {i=4, j=2} permutation={i}");
  CHECK(concatenate_rule("%x, %x0", "(tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>") ==
        "([i, j], [i, j])->([i, j]) {i=6, j=2} permutation={i}");
  CHECK(concatenate_rule("%x, %x", "(tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>") ==
        "([i, j], [i, j])->([i, j]) {i=8, j=2} need_replication={i}");
  CHECK(concatenate_rule("%y, %x0", "(tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>") ==
        "([i, j], [i, j])->([i, j]) {i=6, j=2} need_replication={i}");
}

TEST_CASE("einsum: verification") {
  op_test::check_op_cases(shardprop::standard_ops(), kEinsumCases);
  op_test::check_rows_have_cases(shardprop::kEinsumOps, kEinsumCases);
}
