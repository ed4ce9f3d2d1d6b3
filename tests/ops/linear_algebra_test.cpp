#include "shardprop/ops/stablehlo/linear_algebra.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/linear_algebra.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kLinearAlgebraRules[] = {
    {kCholesky, "{}", "([i, j, k])->([i, j, k]) {i=8, j=4, k=4} need_replication={j, k}"},
    {kCholesky, R"({"operands": ["4xf32"], "results": ["4xf32"]})", ""},
    {kTriangularSolve, "{}",
     "([i, j, l], [i, j, k])->([i, l, k]) {i=8, j=4, k=3, l=4} need_replication={j, k, l}"},
    {kTriangularSolve, R"({"attributes": {"transpose_a": "ADJOINT"}})",
     "([i, l, j], [i, j, k])->([i, l, k]) {i=8, j=4, k=3, l=4} need_replication={j, k, l}"},
    {kTriangularSolve, R"({"operands": ["8x3x3xf32", "8x4x3xf32"], "results": ["8x4x3xf32"],
      "attributes": {"left_side": false}})",

     "([i, l, k], [i, j, k])->([i, j, l]) {i=8, j=4, k=3, l=3} need_replication={j, k, l}"},
    {kTriangularSolve, R"({"attributes": {"left_side": null}})", ""},
    {kFft, "{}", "([i, j])->([i, j]) {i=8, j=16} need_replication={j}"},
    {kFft,
     R"({"operands": ["8x16xf64"], "results": ["8x9xcomplex<f64>"],
      "attributes": {"fft_type": "RFFT"}})",
     "([i, j])->([i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}"},
    {kFft, R"({"attributes": {"fft_length": [1, 1, 1]}})", ""},
};

}  // namespace

TEST_CASE("linear algebra: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kLinearAlgebraCases);
  op_test::check_rows_have_cases(shardprop::kLinearAlgebraOps, kLinearAlgebraCases);
}

TEST_CASE("linear algebra: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kLinearAlgebraCases, kLinearAlgebraRules);
}
