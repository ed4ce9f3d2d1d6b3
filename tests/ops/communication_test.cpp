#include "shardprop/ops/stablehlo/tokens_and_tuples.hpp"

#include "shardprop/ops/func.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/ops/cases/communication.hpp"
#include "tests/ops/check_op_cases.hpp"

TEST_CASE("tokens, transfers, tuples, asynchronous operations and calls", "[ops]") {
  op_test::check_rows_have_cases(shardprop::kCommunicationOps, kCommunicationCases);
  op_test::check_rows_have_cases(shardprop::kFuncOps, kCommunicationCases);
  op_test::check_op_cases(shardprop::standard_ops(), kCommunicationCases);
}
