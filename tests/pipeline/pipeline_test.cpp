// Pipelines as text, checks of names and options, and the order of what is observed.
#include <vector>

#include "fmt/core.h"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::pipeline_cases {
namespace {

std::vector<PassCall> parsed(std::string_view text) {
  Result<std::vector<PassCall>> calls = parse_pipeline(text);
  if (!calls) FAIL(to_string(calls.errors()));
  return *calls;
}

std::vector<std::string> codes(const Diagnostics& diagnostics) {
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics) out.push_back(d.code);
  return out;
}

Module small() {
  return program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %b = stablehlo.tanh %a : tensor<8xf32>
  return %b : tensor<8xf32>
})"));
}

TEST_CASE("a pipeline reads and prints") {
  const std::vector<PassCall> calls = parsed("a{b=c d='e, f'}, g,h{i=j,k=l}");
  REQUIRE(calls.size() == 3);
  CHECK(calls[0] == PassCall{"a", {{"b", "c"}, {"d", "e, f"}}});
  CHECK(calls[1] == PassCall{"g", {}});
  CHECK(to_string(calls[2]) == "h{i=j k=l}");
}

TEST_CASE("a pipeline that cannot be read says why") {
  for (const char* text : {"", "a,", "a{b=c", "a{b}", "{b=c}"}) {
    const Result<std::vector<PassCall>> calls = parse_pipeline(text);
    INFO(text);
    REQUIRE_FALSE(calls);
    CHECK(calls.errors()[0].code == "pipeline.syntax");
  }
}

TEST_CASE("unknown passes, options and values are refused before anything runs") {
  Module m = small();
  const std::string before = write_json(m);
  const auto calls = parsed(
      "user-priority-propagate,no-such-pass,basic-propagate{no-option=1},basic-propagate{keep-"
      "sharding-rules=maybe},"
      "aggressive-propagate{propagation-strategy=bold}");
  const Result<PipelineReport> report = run_passes(m, standard_ops(), calls);
  REQUIRE_FALSE(report);
  CHECK(codes(report.errors()) ==
        std::vector<std::string>{"pipeline.unknown_pass", "pipeline.unknown_option",
                                 "pipeline.option_value", "pipeline.option_value"});
  CHECK(write_json(m) == before);
}

TEST_CASE("each pass is timed, observed and, on request, verified") {
  Module m = small();
  std::vector<std::string> points;
  RunOptions options;
  options.verify_each = true;
  options.observe = [&](const Module&, std::size_t number, const std::string& point) {
    points.push_back(fmt::format("{} {}", number, point));
  };
  const auto calls =
      parsed("populate-op-sharding-rules,user-priority-propagate{keep-sharding-rules=true}");
  const Result<PipelineReport> report = run_passes(m, standard_ops(), calls, options);
  REQUIRE(report);
  REQUIRE(report->passes.size() == 2);
  CHECK(report->passes[0].name == "populate-op-sharding-rules");
  CHECK(report->passes[1].changed);
  CHECK(report->propagations.size() == 1);
  CHECK(points == std::vector<std::string>{"0 input", "1 populate-op-sharding-rules",
                                           "2 user-priority-propagate"});
  CHECK(sharding(m, "%b") == R"(<@mesh, [{"x", ?}]>)");
}

TEST_CASE("a caller's own pass joins the table") {
  Module m = small();
  RunOptions options;
  options.passes.add({"forget",
                      "takes all shardings away",
                      {},
                      [](Module& module, const OptionValues&, const PassContext&) {
                        for (ValueId v : module.values.ids())
                          module.value_shardings[v] = ShardingId();
                        return Result<bool>(true);
                      }});
  REQUIRE(run_passes(m, standard_ops(), parsed("forget"), options));
  CHECK(sharding(m, "%a") == "none");
}

}  // namespace
}  // namespace shardprop::test::pipeline_cases
