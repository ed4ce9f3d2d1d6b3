// The trace: where axes came from, step by step and on the program.
#include "shardprop/propagate/trace/trace.hpp"

#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace shardprop::test::trace_cases {
namespace {

Module chain() {
  return program(on_mesh(R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<4x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) {
  %c = stablehlo.tanh %a : tensor<8x4xf32>
  %d = stablehlo.dot %c, %b : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
})"));
}

PropagateOptions traced() {
  PropagateOptions options = plain(Strategies::kBasic);
  options.trace_origins = options.trace_edges = true;
  return options;
}

TEST_CASE("the trace has each step that moved an axis") {
  Module m = chain();
  PropagateOptions options = plain(Strategies::kBasic);
  options.trace = true;
  const PropagationReport report = run(m, options);
  REQUIRE(report.trace);
  std::string steps;
  for (const TraceEvent& event : report.trace->events()) {
    steps += event.kind == TraceEventKind::kOp ? op_name(m, event.op) : "result";
    for (const TraceMove& move : report.trace->moves(event))
      steps += " " + report.trace->axes().text(move.axis);
    steps += "; ";
  }
  CHECK(steps == "result y; stablehlo.tanh x; stablehlo.dot y x; result x; ");
  CHECK(report.trace->run_count() == 1);
  // Only what is asked for is written on the program.
  CHECK(write_stablehlo_text(m)->find("sharding_origins") == std::string::npos);
}

TEST_CASE("equal steps are traced alike with and without the memo") {
  std::vector<std::string> texts;
  for (bool memoise : {true, false}) {
    Module m = chain();
    PropagateOptions options = traced();
    options.memoise = memoise;
    run(m, options);
    texts.push_back(*write_stablehlo_text(m));
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("the trace is written on the program") {
  Module m = chain();
  run(m, traced());
  const std::string text = *write_stablehlo_text(m);
  CHECK(text.find(R"(sdy.sharding_origins = {x = "self"})") != std::string::npos);
  CHECK(text.find(R"(#sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>)") !=
        std::string::npos);
}

TEST_CASE("tracing does not change the shardings") {
  Module with = chain();
  Module without = chain();
  run(with, traced());
  run(without, plain(Strategies::kBasic));
  for (const char* name : {"%a", "%b", "%c", "%d"})
    CHECK(sharding(with, name) == sharding(without, name));
}

}  // namespace
}  // namespace shardprop::test::trace_cases
