#include "shardprop/ops/stablehlo/contraction.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/contraction.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kContractionRules[] = {
    {kDot, "{}", "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}"},
    {kDot, R"({"operands": ["32xf32", "32x16xf32"], "results": ["16xf32"]})",
     "([j], [j, i])->([i]) {i=16, j=32} reduction={j}"},
    {kDot, R"({"operands": ["32xf32", "32xf32"], "results": ["f32"]})",
     "([i], [i])->([]) {i=32} reduction={i}"},
    {kDot, R"({"operands": ["2x8x32xf32", "32x16xf32"]})", ""},
    {kDotGeneral, "{}", "([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=16, l=32} reduction={l}"},
    {kDotGeneral,
     R"({"attributes": {"dot_dimension_numbers": {"lhs_contracting_dimensions": [7]}}})", ""},
    {kDotGeneral, R"({"operands": ["?x8x32xf32", "4x32x16xf32"]})", ""},
};

}  // namespace

TEST_CASE("dot and dot_general: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kContractionCases);
  op_test::check_rows_have_cases(shardprop::kContractionOps, kContractionCases);
}

TEST_CASE("dot and dot_general: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kContractionCases, kContractionRules);
}
