#include "shardprop/ops/stablehlo/batch_norm.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/batch_norm.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kBatchNormRules[] = {
    {kBatchNormInference, "{}", "([i, j], [j], [j], [j], [j])->([i, j]) {i=4, j=6}"},
    {kBatchNormInference, R"({"operands": ["4x6xf32", "f32", "6xf32", "6xf32", "6xf32"]})", ""},
    {kBatchNormTraining, "{}", ""},
    {kBatchNormGrad, "{}", ""},
};

}  // namespace

TEST_CASE("batch normalisation: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kBatchNormCases);
  op_test::check_rows_have_cases(shardprop::kBatchNormOps, kBatchNormCases);
}

TEST_CASE("batch normalisation: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kBatchNormCases, kBatchNormRules);
}
