// The trace: where axes came from, on the program and as explanations.
#include "shardprop/propagate/trace/trace.hpp"

#include "shardprop/propagate/trace/explain.hpp"
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

TEST_CASE("an explanation leads from where a user wrote an axis to the tensor") {
  Module m = chain();
  const PropagationReport report = run(m, traced());
  REQUIRE(report.trace);
  const auto forward = explain(m, *report.trace, value(m, "%d"));
  REQUIRE(forward.size() == 2);
  CHECK(to_string(m, forward[0]) ==
        "x, from input: 0\n"
        "  %a -> %c through stablehlo.tanh (step 1)\n"
        "  %c -> %d through stablehlo.dot (step 2)\n");
  CHECK(to_string(m, forward[1]) == "y, from output: 0\n");
  const auto backward = explain(m, *report.trace, value(m, "%b"));
  REQUIRE(backward.size() == 1);
  CHECK(to_string(m, backward[0]) ==
        "y, from output: 0\n"
        "  %d -> %b through stablehlo.dot (step 2)\n");
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
