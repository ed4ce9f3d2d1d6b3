// Which operations have a row in the evaluator's table.
#include <set>
#include <string>
#include <string_view>

#include "tests/run/run_case.hpp"

namespace shardprop::test::eval_table_cases {

// Operations that one device cannot do; docs/run.md says why. A custom call has a row of its
// target.
const std::set<std::string_view> kCannotRun = {
    "stablehlo.uniform_dequantize",
    "stablehlo.uniform_quantize",
    "stablehlo.set_dimension_size",
    "stablehlo.torch_index_select",
    "stablehlo.einsum",
    "stablehlo.unary_einsum",
    "stablehlo.rng",
    "stablehlo.custom_call",
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.reduce_scatter",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_reduce",
    "stablehlo.collective_permute",
    "stablehlo.cross-replica-sum",
    "stablehlo.partition_id",
    "stablehlo.replica_id",
    "stablehlo.infeed",
    "stablehlo.outfeed",
    "stablehlo.send",
    "stablehlo.recv",
    "stablehlo.async_start",
    "stablehlo.async_done",
    "sdy.manual_computation",
    "sdy.all_gather",
    "sdy.all_slice",
    "sdy.all_to_all",
    "sdy.collective_permute",
    "sdy.all_reduce",
    "sdy.reduce_scatter",
    "sdy.sharded_to_unreduced",
    "sdy.replicated_to_unreduced",
};

TEST_CASE("each operation has an evaluator, or is named as one that cannot be run", "[run]") {
  const EvalTable table = standard_evaluators();
  const OpTable ops = standard_ops();
  for (const OpRow& row : ops.rows()) {
    INFO(row.def.name);
    CHECK((table.find(row.def.name) != nullptr) != kCannotRun.contains(row.def.name));
  }
}

}  // namespace shardprop::test::eval_table_cases
