// Which operations have a row in the evaluator's table.
#include <set>
#include <string>
#include <string_view>

#include "tests/run/run_case.hpp"

namespace shardprop::test::eval_table_cases {

// Operations that cannot be run; docs/run.md says why. A custom call has a row of its target.
const std::set<std::string_view> kCannotRun = {
    "stablehlo.uniform_dequantize",
    "stablehlo.uniform_quantize",
    "stablehlo.set_dimension_size",
    "stablehlo.torch_index_select",
    "stablehlo.einsum",
    "stablehlo.unary_einsum",
    "stablehlo.rng",
    "stablehlo.custom_call",
    "stablehlo.cross-replica-sum",
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
