#include "shardprop/ops/stablehlo/collectives.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/ops/cases/collectives.hpp"
#include "tests/ops/check_op_cases.hpp"

TEST_CASE("collectives operations", "[ops]") {
  op_test::check_rows_have_cases(shardprop::kCollectiveOps, kCollectiveCases);
  op_test::check_op_cases(shardprop::standard_ops(), kCollectiveCases);
}
