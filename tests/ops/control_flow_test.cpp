#include "shardprop/ops/stablehlo/control_flow.hpp"

#include "shardprop/ops/standard_ops.hpp"
#include "tests/ops/cases/control_flow.hpp"
#include "tests/ops/check_op_cases.hpp"

TEST_CASE("control flow operations", "[ops]") {
  op_test::check_rows_have_cases(shardprop::kControlFlowOps, kControlFlowCases);
  op_test::check_op_cases(shardprop::standard_ops(), kControlFlowCases);
}
