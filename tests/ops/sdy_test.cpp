#include "shardprop/ops/sdy/sdy_ops.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/ops/cases/sdy.hpp"
#include "tests/ops/check_op_cases.hpp"

TEST_CASE("sdy operations", "[ops]") {
  op_test::check_rows_have_cases(shardprop::kSdyOps, kSdyCases);
  op_test::check_op_cases(shardprop::standard_ops(), kSdyCases);
}
