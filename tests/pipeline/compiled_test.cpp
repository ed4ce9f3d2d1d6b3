// The entry points that one source file compiles for all: this file has their definitions, and what
// they do is compared with the inline functions that they stand for.
#include "shardprop/pipeline/compiled.hpp"

#include "shardprop/pipeline/compiled_definitions.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::compiled_cases {
namespace {

Module small_program() { return program(main_of("return %a : tensor<8xf32>")); }

TEST_CASE("the compiled table of operations has the rows of the inline one") {
  const OpTable ops = shardprop::standard_ops();
  const OpTable compiled_ops = compiled::standard_ops();
  REQUIRE(compiled_ops.rows().size() == ops.rows().size());
  for (const OpRow& row : ops.rows()) {
    INFO(row.def.name);
    REQUIRE(compiled_ops.find(row.def.name) != nullptr);
    CHECK(compiled_ops.find(row.def.name)->def.rule == row.def.rule);
  }
}

TEST_CASE("a compiled pipeline runs the passes that its text names") {
  const OpTable ops = compiled::standard_ops();
  Module m = small_program();
  const Result<PipelineReport> report = compiled::run_pipeline(m, ops, "import-pipeline", true);
  REQUIRE(report);
  CHECK(report->passes.size() == 8);
  CHECK(compiled::verify_module(ops, m).empty());
  CHECK(compiled::propagate(m, ops).ok());
}

TEST_CASE("compiled entry points give the errors of what they call") {
  const OpTable ops = compiled::standard_ops();
  Module m = small_program();
  const Result<PipelineReport> unknown = compiled::run_pipeline(m, ops, "no-such-pass");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.errors()[0].code == "pipeline.unknown_pass");
  CHECK_FALSE(compiled::run_pipeline(m, ops, "import-pipeline{"));
}

}  // namespace
}  // namespace shardprop::test::compiled_cases
