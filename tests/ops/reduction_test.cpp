#include "shardprop/ops/stablehlo/reduction.hpp"

#include "shardprop/ops/common/reducer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/reduction.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kReductionRules[] = {
    {kReduce, "{}", "([i, j, k], [])->([i, k]) {i=8, j=6, k=4} reduction={j}"},
    {kReduce,
     R"({"operands": ["8x6xf32", "8x6xi32", "f32", "i32"], "results": ["8xf32", "8xi32"]})",
     "([i, j], [i, j], [], [])->([i], [i]) {i=8, j=6} reduction={j}"},
    {kReduce, R"({"attributes": {"dimensions": [3]}})", ""},
    {kReduce, R"({"attributes": {"dimensions": null}})", ""},
};

}  // namespace

TEST_CASE("reduce: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kReductionCases);
  op_test::check_rows_have_cases(shardprop::kReductionOps, kReductionCases);
}

TEST_CASE("reduce: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kReductionCases, kReductionRules);
}

TEST_CASE("promotion widens within a sort of numbers") {
  using shardprop::is_promotable;
  CHECK(is_promotable("f32", "f64", false));
  CHECK_FALSE(is_promotable("f64", "f32", false));
  CHECK(is_promotable("f64", "f32", true));
  CHECK(is_promotable("i1", "ui8", false));
  CHECK_FALSE(is_promotable("i64", "i32", true));
  CHECK_FALSE(is_promotable("i32", "f32", true));
  CHECK(is_promotable("complex<f32>", "complex<f64>", false));
  CHECK(is_promotable("!quant.uniform<i8:f32, 1.0>", "!quant.uniform<i32:f32, 1.0>", false));
  CHECK_FALSE(is_promotable("!quant.uniform<i8:f32, 1.0>", "!quant.uniform<i32:f16, 1.0>", false));
}
