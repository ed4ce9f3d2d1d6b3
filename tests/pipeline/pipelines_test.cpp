// Named pipelines: what they stand for, and how their calls are checked.
#include <vector>

#include "shardprop/pipeline/pipelines.hpp"

#include "tests/passes/golden.hpp"

namespace shardprop::test::pipelines_cases {
namespace {

std::string expanded(std::string_view text, const PassTable& table = standard_passes()) {
  const Result<std::vector<PassCall>> calls = parse_pipeline(text);
  if (!calls) FAIL(to_string(calls.errors()));
  const Result<std::vector<PassCall>> passes = expand_calls(table, *calls);
  if (!passes) return passes.errors()[0].code;
  std::string out;
  for (const PassCall& call : *passes) out += to_string(call) + " ";
  return out;
}

TEST_CASE("import-pipeline stands for the passes before propagation") {
  const std::string first =
      "symbol-dce lift-inlined-meshes remove-size-one-axes propagate-sharding-from-func-to-call "
      "constant-or-scalar-splitter ";
  const std::string last = "symbol-dce manual-axes-cleanup add-data-flow-edges ";
  CHECK(expanded("import-pipeline") == first + last);
  CHECK(expanded("import-pipeline{dedup-functions-fully=true},symbol-dce") ==
        first + last + "apply-sharding-constraints sharding-group-import symbol-dce ");
  CHECK(expanded("import-pipeline{enable-explicit-gather-scatter-batching=true}") ==
        first + "explicit-gather-scatter-batching " + last);
}

TEST_CASE("a pipeline's options are checked like a pass's") {
  CHECK(expanded("import-pipeline{no-such=true}") == "pipeline.unknown_option");
  CHECK(expanded("import-pipeline{dedup-functions-fully=7}") == "pipeline.option_value");
}

std::vector<PassCall> names_itself(const OptionValues&) { return {{"loop", {}}}; }
std::vector<PassCall> names_nothing(const OptionValues&) { return {{"nothing", {}}}; }
std::vector<PassCall> names_import(const OptionValues&) {
  return {{"import-pipeline", {{"dedup-functions-fully", "true"}}}, {"pre-order-funcs", {}}};
}

TEST_CASE("a caller adds pipelines, also of pipelines") {
  PassTable table = standard_passes();
  table.add({.name = "mine", .expand = names_import});
  table.add({.name = "loop", .expand = names_itself});
  table.add({.name = "broken", .expand = names_nothing});
  CHECK(expanded("mine", table) ==
        expanded("import-pipeline{dedup-functions-fully=true},pre-order-funcs"));
  CHECK(expanded("loop", table) == "pipeline.recursive");
  CHECK(expanded("broken", table) == "pipeline.unknown_pass");
}

TEST_CASE("each pass of a pipeline is timed and observed by its own name") {
  Module m = program(main_of("return %a : tensor<8xf32>"));
  const Result<PipelineReport> report = run_text(m, "import-pipeline");
  REQUIRE(report);
  REQUIRE(report->passes.size() == 8);
  CHECK(report->passes[1].name == "lift-inlined-meshes");
}

}  // namespace
}  // namespace shardprop::test::pipelines_cases
