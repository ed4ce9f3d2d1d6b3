#include "shardprop/ops/stablehlo/convolution.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/convolution.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kConvolutionRules[] = {
    {kConv, "{}",
     "([i, j, k, l], [n, o, l, m])->([i, j, k, m]) {i=4, j=8, k=8, l=6, m=16, n=1, o=1} "
     "reduction={l} permutation={j, k}"},
    {kConv, "{}",
     "([i, l, m, j], [n, o, j, k])->([i, p, q, k]) {i=4, j=6, k=16, l=1, m=1, n=1, o=1, p=1, q=1} "
     "reduction={j}",
     true},
    {kConv,
     R"({"operands": ["4x8x8x6xf32", "3x3x3x16xf32"], "attributes": {"feature_group_count": 2}})",

     "([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=4, j=8, k=8, l=2, m=3, n=8, o=1, p=1} "
     "reduction={m} permutation={j, k}"},
    {kConv, R"({"results": ["2x8x8x16xf32"], "attributes": {"batch_group_count": 2}})",
     "([ij, k, l, m], [o, p, m, in])->([j, k, l, in]) {i=2, j=2, k=8, l=8, m=6, n=8, o=1, p=1} "
     "reduction={m} permutation={k, l}"},
    {kConv,
     R"({"operands": ["4x8x8x6xf32", "5x8x6x16xf32"], "results": ["4x4x1x16xf32"], "attributes": {
      "padding": [[0, 0], [0, 0]]}})",

     "([i, j, k, l], [j, k, l, m])->([i, n, o, m]) {i=4, j=5, k=8, l=6, m=16, n=1, o=1} "
     "reduction={j, k, l}"},
    {kConv, R"({"attributes": {"dimension_numbers": {"input_batch_dimension": 9}}})", ""},
    {kConv, R"({"attributes": {"feature_group_count": 0}})", ""},
    {kDynamicConv, "{}", ""},
};

}  // namespace

TEST_CASE("convolution and dynamic_conv: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kConvolutionCases);
  op_test::check_rows_have_cases(shardprop::kConvolutionOps, kConvolutionCases);
}

TEST_CASE("convolution and dynamic_conv: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kConvolutionCases, kConvolutionRules);
}
