// The strategies on single operations: what propagates, and what stops it.
#include "tests/support/program.hpp"

namespace shardprop::test::strategy_cases {
namespace {

// C = A x B with the shardings given.
struct Product {
  std::string_view lhs_type;
  std::string_view rhs_type;
  std::string_view type;
};

constexpr Product kWide = {"tensor<8x16xf32>", "tensor<16x32xf32>", "tensor<8x32xf32>"};
constexpr Product kTall = {"tensor<8x4xf32>", "tensor<4x16xf32>", "tensor<8x16xf32>"};

Module matmul(const Product& product, std::string_view lhs, std::string_view rhs) {
  return program(with({{"$lhs_type", product.lhs_type},
                       {"$rhs_type", product.rhs_type},
                       {"$type", product.type},
                       {"$lhs", lhs},
                       {"$rhs", rhs}},
                      on_mesh(R"(
func.func @main(%a: $lhs_type {sdy.sharding = #sdy.sharding<@mesh, $lhs>},
                %b: $rhs_type {sdy.sharding = #sdy.sharding<@mesh, $rhs>}) -> $type {
  %c = stablehlo.dot %a, %b : ($lhs_type, $rhs_type) -> $type
  return %c : $type
})")));
}

TEST_CASE("axes move along factors, forward and backward") {
  Module m = matmul(kWide, R"([{"x"}, {"y", ?}])", "[{?}, {?}]");
  run(m, plain(Strategies::kBasic));
  CHECK(sharding(m, "%b") == R"(<@mesh, [{"y", ?}, {?}]>)");
  CHECK(sharding(m, "%c") == R"(<@mesh, [{"x", ?}, {?}]>)");
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x", ?}, {?}]>)");
}

TEST_CASE("the basic strategy leaves a conflict, the aggressive one prefers the larger tensor") {
  Module basic = matmul(kTall, R"([{"x"}, {?}])", R"([{?}, {"x"}])");
  Module aggressive = basic;
  run(basic, plain(Strategies::kBasic));
  CHECK(sharding(basic, "%c") == "none");
  run(aggressive, plain(Strategies::kAggressive));
  CHECK(sharding(aggressive, "%c") == R"(<@mesh, [{?}, {"x", ?}]>)");
}

TEST_CASE("closed dimensions and replicated axes stop an axis") {
  Module closed = matmul(kWide, R"([{?}, {"x"}])", "[{}, {?}]");
  run(closed, plain(Strategies::kBasic));
  CHECK(sharding(closed, "%b") == R"(<@mesh, [{}, {?}]>)");

  Module replicated = matmul(kWide, R"([{?}, {"x"}])", R"([{?}, {?}], replicated={"x"})");
  const PropagationReport report = run(replicated, plain(Strategies::kBasic));
  CHECK(sharding(replicated, "%b") == R"(<@mesh, [{?}, {?}], replicated={"x"}>)");
  REQUIRE(report.unresolved.size() == 1);
  CHECK(report.unresolved[0].reason == UnresolvedReason::kReplicatedAxis);
}

TEST_CASE("only the prefix that all agree on goes on") {
  Module m = matmul(kWide, R"([{?}, {"x", "y":(1)2}])", R"([{"x", "y"}, {?}])");
  const PropagationReport report = run(m, plain(Strategies::kBasic));
  CHECK(sharding(m, "%a") == R"(<@mesh, [{?}, {"x", "y":(1)2}]>)");  // closed: not taken further
  REQUIRE(report.unresolved.size() == 1);
  CHECK(report.unresolved[0].reason == UnresolvedReason::kClosedDimension);
  CHECK(report.unresolved[0].first.value == "%c");
}

TEST_CASE("conservative propagation keeps sub-axes where they are") {
  Module normal = program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}]>}) -> tensor<8xf32> {
  %c = stablehlo.negate %a : tensor<8xf32>
  return %c : tensor<8xf32>
})"));
  Module conservative = normal;
  run(normal);
  CHECK(sharding(normal, "%c") == R"(<@mesh, [{"y":(1)2, ?}]>)");
  PropagateOptions options;
  options.conservative = true;
  run(conservative, options);
  CHECK(sharding(conservative, "%c") == "none");
}

TEST_CASE("directions: forward takes from operands only, backward from results only") {
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %c = stablehlo.negate %a : tensor<8xf32>
  %d = stablehlo.negate %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>} : tensor<8xf32>
  return %d : tensor<8xf32>
})"));
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
