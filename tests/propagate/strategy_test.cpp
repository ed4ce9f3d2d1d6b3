// The strategies on single operations: what propagates, and what stops it.
#include "fmt/core.h"
#include "tests/support/program.hpp"

namespace shardprop::test::strategy_cases {
namespace {

std::string arg(std::string_view name, std::string_view shape, std::string_view sharding = "") {
  return fmt::format(R"({{"name": "{}", "shape": {}, "dtype": "f32"{}}})", name, shape,
                     sharding.empty() ? "" : fmt::format(R"(, "sharding": "{}")", sharding));
}

// C = A x B with shardings of A and B given as sdy text with doubled quotes left to the caller.
Module matmul(std::string_view lhs, std::string_view rhs, std::string_view lhs_shape,
              std::string_view rhs_shape, std::string_view out_shape) {
  const std::string arguments = arg("%a", lhs_shape, lhs) + ", " + arg("%b", rhs_shape, rhs);
  const std::string result = fmt::format(R"({{"shape": {}, "dtype": "f32"}})", out_shape);
  return read(
      program(kMeshXY, arguments, result,
              R"({"op": "stablehlo.dot", "operands": ["%a", "%b"], "results": [{"name": "%c"}]},
                         {"op": "func.return", "operands": ["%c"]})"));
}

TEST_CASE("axes move along factors, forward and backward") {
  Module m = matmul(R"(<@mesh, [{\"x\"}, {\"y\", ?}]>)", "", "[8, 16]", "[16, 32]", "[8, 32]");
  run(m, plain(Strategies::kBasic));
  CHECK(sharding(m, "%b") == R"(<@mesh, [{"y", ?}, {?}]>)");
  CHECK(sharding(m, "%c") == R"(<@mesh, [{"x", ?}, {?}]>)");
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x", ?}, {?}]>)");
}

TEST_CASE("the basic strategy leaves a conflict, the aggressive one prefers the larger tensor") {
  const auto make = [] {
    return matmul(R"(<@mesh, [{\"x\"}, {?}]>)", R"(<@mesh, [{?}, {\"x\"}]>)", "[8, 4]", "[4, 16]",
                  "[8, 16]");
  };
  Module basic = make();
  run(basic, plain(Strategies::kBasic));
  CHECK(sharding(basic, "%c") == "none");
  Module aggressive = make();
  run(aggressive, plain(Strategies::kAggressive));
  CHECK(sharding(aggressive, "%c") == R"(<@mesh, [{?}, {"x", ?}]>)");
}

TEST_CASE("closed dimensions and replicated axes stop an axis") {
  Module closed = matmul(R"(<@mesh, [{?}, {\"x\"}]>)", R"(<@mesh, [{}, {?}]>)", "[8, 16]",
                         "[16, 32]", "[8, 32]");
  run(closed, plain(Strategies::kBasic));
  CHECK(sharding(closed, "%b") == R"(<@mesh, [{}, {?}]>)");

  Module replicated =
      matmul(R"(<@mesh, [{?}, {\"x\"}]>)", R"(<@mesh, [{?}, {?}], replicated={\"x\"}>)", "[8, 16]",
             "[16, 32]", "[8, 32]");
  const PropagationReport report = run(replicated, plain(Strategies::kBasic));
  CHECK(sharding(replicated, "%b") == R"(<@mesh, [{?}, {?}], replicated={"x"}>)");
  REQUIRE(report.unresolved.size() == 1);
  CHECK(report.unresolved[0].reason == UnresolvedReason::kReplicatedAxis);
}

TEST_CASE("only the prefix that all agree on goes on") {
  Module m = matmul(R"(<@mesh, [{?}, {\"x\", \"y\":(1)2}]>)", R"(<@mesh, [{\"x\", \"y\"}, {?}]>)",
                    "[8, 16]", "[16, 32]", "[8, 32]");
  const PropagationReport report = run(m, plain(Strategies::kBasic));
  CHECK(sharding(m, "%a") == R"(<@mesh, [{?}, {"x", "y":(1)2}]>)");  // closed: not taken further
  REQUIRE(report.unresolved.size() == 1);
  CHECK(report.unresolved[0].reason == UnresolvedReason::kClosedDimension);
  CHECK(report.unresolved[0].first.value == "%c");
}

TEST_CASE("conservative propagation keeps sub-axes where they are") {
  const std::string arguments = arg("%a", "[8]", R"(<@mesh, [{\"y\":(1)2}]>)");
  const auto make = [&] {
    return read(
        program(kMeshXY, arguments, R"({"shape": [8], "dtype": "f32"})",
                R"({"op": "stablehlo.negate", "operands": ["%a"], "results": [{"name": "%c"}]},
                           {"op": "func.return", "operands": ["%c"]})"));
  };
  Module normal = make();
  run(normal);
  CHECK(sharding(normal, "%c") == R"(<@mesh, [{"y":(1)2, ?}]>)");
  Module conservative = make();
  PropagateOptions options;
  options.conservative = true;
  run(conservative, options);
  CHECK(sharding(conservative, "%c") == "none");
}

TEST_CASE("directions: forward takes from operands only, backward from results only") {
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    Module m = read(program(
        kMeshXY, arg("%a", "[8]", R"(<@mesh, [{\"x\", ?}]>)"), R"({"shape": [8], "dtype": "f32"})",
        R"({"op": "stablehlo.negate", "operands": ["%a"], "results": [{"name": "%c"}]},
                               {"op": "stablehlo.negate", "operands": ["%c"], "results": [{"name": "%d",
                                "sharding": "<@mesh, [{\"x\", \"y\"}]>"}]},
                               {"op": "func.return", "operands": ["%d"]})"));
    const OpPriorityRound only[] = {
        {{both_ways(direction), both_ways(direction), both_ways(direction), both_ways(direction)},
         false}};
    PropagateOptions options = plain(Strategies::kBasic);
    options.schedule = only;
    run(m, options);
    const bool forward = direction == Direction::kForward;
    CHECK(sharding(m, "%c") ==
          (forward ? R"(<@mesh, [{"x", ?}]>)" : R"(<@mesh, [{"x", "y", ?}]>)"));
    CHECK(sharding(m, "%a") ==
          (forward ? R"(<@mesh, [{"x", ?}]>)" : R"(<@mesh, [{"x", "y", ?}]>)"));
  }
}

}  // namespace
}  // namespace shardprop::test::strategy_cases
