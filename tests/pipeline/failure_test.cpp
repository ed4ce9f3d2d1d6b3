// A pass that fails at any step of a pipeline leaves the module as the passes before it left it.
#include <span>
#include <vector>

#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::failure_cases {
namespace {

Module small_program() {
  return program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %a, %c : tensor<8xf32>
  %k = sdy.sharding_constraint %s <@mesh, [{"y"}]> : tensor<8xf32>
  %r = stablehlo.optimization_barrier %k : tensor<8xf32>
  return %r : tensor<8xf32>
})"));
}

Result<bool> fail(Module&, const OptionValues&, const PassContext&) {
  return Diagnostic{"test.injected", "this pass always fails"};
}

TEST_CASE("an injected failure at each step of the pipelines leaves the module byte for byte") {
  RunOptions options;
  options.passes.add({.name = "fail", .summary = "fails", .run = fail});
  const OpTable ops = standard_ops();
  for (const char* pipeline : {"import-pipeline", "propagation-pipeline", "export-pipeline"}) {
    const PassCall whole{pipeline, {}};
    const Result<std::vector<PassCall>> calls = expand_calls(options.passes, std::span(&whole, 1));
    REQUIRE(calls);
    REQUIRE(calls->size() > 3);
    for (std::size_t step = 0; step <= calls->size(); ++step) {
      std::vector<PassCall> until(calls->begin(),
                                  calls->begin() + static_cast<std::ptrdiff_t>(step));
      Module expected = small_program();
      REQUIRE(run_passes(expected, ops, until, options));
      until.push_back({"fail", {}});
      Module m = small_program();
      const Result<PipelineReport> report = run_passes(m, ops, until, options);
      INFO(pipeline << " step " << step);
      REQUIRE_FALSE(report);
      CHECK(report.errors()[0].code == "test.injected");
      CHECK(write_json(m) == write_json(expected));
    }
  }
}

}  // namespace
}  // namespace shardprop::test::failure_cases
