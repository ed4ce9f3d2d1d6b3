#include "shardprop/ops/stablehlo/slicing.hpp"

#include "shardprop/ops/stablehlo/contraction.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/slicing.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

// A dynamic_update_slice whose start indices are constants but, where wanted, for one.
#define SHARDPROP_UPDATE(start)                                                                 \
  R"({"name": "main", "arguments": [{"name": "%x", "shape": [3, 8], "dtype": "f32"},)"          \
  R"({"name": "%u", "shape": [1, 8], "dtype": "f32"},)"                                         \
  R"({"name": "%i", "shape": [], "dtype": "i32"}],)"                                            \
  R"("results": [], "ops": [)"                                                                  \
  R"({"op": "stablehlo.constant", "results": [{"name": "%c", "shape": [], "dtype": "i32"}],)"   \
  R"("attributes": {"value": 1}},)"                                                             \
  R"({"op": "stablehlo.dynamic_update_slice", "operands": ["%x", "%u", "%c", ")" start R"("],)" \
  R"("results": [{"name": "%r", "shape": [3, 8], "dtype": "f32"}]},)"                           \
  R"({"op": "func.return"}]})"

// A concatenate of `inputs` among the arguments %x and %y, 4x2, and slices of them, 2x2.
#define SHARDPROP_JOIN(inputs, size)                                                   \
  R"({"name": "main", "arguments": [{"name": "%x", "shape": [4, 2], "dtype": "f32"},)" \
  R"({"name": "%y", "shape": [4, 2], "dtype": "f32"}], "results": [], "ops": [)"       \
  R"({"op": "stablehlo.slice", "operands": ["%x"],)"                                   \
  R"("results": [{"name": "%x0", "shape": [2, 2], "dtype": "f32"}], "attributes":)"    \
  R"({"start_indices": [0, 0], "limit_indices": [2, 2], "strides": [1, 1]}},)"         \
  R"({"op": "stablehlo.slice", "operands": ["%y"],)"                                   \
  R"("results": [{"name": "%y0", "shape": [2, 2], "dtype": "f32"}], "attributes":)"    \
  R"({"start_indices": [0, 0], "limit_indices": [2, 2], "strides": [1, 1]}},)"         \
  R"({"op": "stablehlo.concatenate", "operands": [)" inputs                            \
  R"(], "attributes": {"dimension": 0},)"                                              \
  R"("results": [{"name": "%r", "shape": [)" size R"(, 2], "dtype": "f32"}]},)"        \
  R"({"op": "func.return"}]})"

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
    {"stablehlo.dynamic_update_slice", SHARDPROP_UPDATE("%i"),
     "([i, k], [j, k], [], [])->([i, k]) {i=3, j=1, k=8} need_replication={j}"},
    {"stablehlo.dynamic_update_slice", SHARDPROP_UPDATE("%c"),
     "([i, k], [j, k], [], [])->([i, k]) {i=3, j=1, k=8}"},
    {"stablehlo.dynamic_update_slice", R"({"operands": ["3x8xf32", "4xf32", "i32", "i32"]})", ""},
    {"stablehlo.dynamic_update_slice", R"({"operands": ["3x8xf32"]})", ""},

    {"stablehlo.concatenate", "{}", "([i, j], [i, j])->([i, j]) {i=4, j=2} need_replication={i}"},
    {"stablehlo.concatenate", "{}", "([j, i], [k, i])->([l, i]) {i=2, j=1, k=1, l=1}", true},
    // Only slices, or a tensor and slices of it: data moves between neighbours.
    {"stablehlo.concatenate", SHARDPROP_JOIN(R"("%x0", "%y0")", "4"),
     "([i, j], [i, j])->([i, j]) {i=4, j=2} permutation={i}"},
    {"stablehlo.concatenate", SHARDPROP_JOIN(R"("%x", "%x0")", "6"),
     "([i, j], [i, j])->([i, j]) {i=6, j=2} permutation={i}"},
    {"stablehlo.concatenate", SHARDPROP_JOIN(R"("%x", "%x")", "8"),
     "([i, j], [i, j])->([i, j]) {i=8, j=2} need_replication={i}"},
    {"stablehlo.concatenate", SHARDPROP_JOIN(R"("%y", "%x0")", "6"),
     "([i, j], [i, j])->([i, j]) {i=6, j=2} need_replication={i}"},
    {"stablehlo.concatenate", R"({"operands": []})", ""},
    {"stablehlo.concatenate", R"({"operands": ["f32", "1x2xf32"]})", ""},
    {"stablehlo.concatenate", R"({"attributes": {"dimension": null}})", ""},

    {"stablehlo.reverse", "{}", "([i, j])->([i, j]) {i=2, j=3} permutation={j}"},
    {"stablehlo.reverse", R"({"attributes": {"dimensions": null}})", ""},
    {"stablehlo.reverse", R"({"results": ["3xf32"]})", ""},
    {"stablehlo.dynamic_pad", "{}", ""},
    {"stablehlo.real_dynamic_slice", "{}", ""},
};

}  // namespace

TEST_CASE("slicing: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kSlicingCases);
  op_test::check_rows_have_cases(shardprop::kSlicingOps, kSlicingCases);
}

TEST_CASE("slicing: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kSlicingCases, kSlicingRules);
}

TEST_CASE("einsum: verification") {
  op_test::check_op_cases(shardprop::standard_ops(), kEinsumCases);
  op_test::check_rows_have_cases(shardprop::kEinsumOps, kEinsumCases);
}
