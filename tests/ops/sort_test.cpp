#include "shardprop/ops/stablehlo/sort.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/sort.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kSortRules[] = {
    {kSort, "{}", "([i, j])->([i, j]) {i=8, j=6} need_replication={j}"},
    {kSort, R"({"attributes": {"dimension": -2}})",
     "([i, j])->([i, j]) {i=8, j=6} need_replication={i}"},
    {kSort, R"({"operands": ["1x6xf32"], "results": ["1x6xf32"]})",
     "([i, j])->([i, j]) {i=1, j=6} need_replication={j} blocked_propagation={j}"},
    {kSort, R"({"attributes": {"dimension": 2}})", ""},
};

}  // namespace

TEST_CASE("sort: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kSortCases);
  op_test::check_rows_have_cases(shardprop::kSortOps, kSortCases);
}

TEST_CASE("sort: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kSortCases, kSortRules);
}
