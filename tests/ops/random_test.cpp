#include "shardprop/ops/stablehlo/random.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/random.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kRandomRules[] = {
    {kRng, "{}", ""},
    {kRngBitGenerator, "{}",
     "([i])->([i], [j, k]) {i=2, j=4, k=8} need_replication={i} blocked_propagation={i}"},
    {kRngBitGenerator, R"({"results": ["2x1xui64", "4x8xui32"]})", ""},
};

}  // namespace

TEST_CASE("random numbers: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kRandomCases);
  op_test::check_rows_have_cases(shardprop::kRandomOps, kRandomCases);
}

TEST_CASE("random numbers: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kRandomCases, kRandomRules);
}
