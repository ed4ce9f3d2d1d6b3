// communication: counts and bytes against the formulas, worked by hand.
#include "shardprop/analysis/communication.hpp"

#include "tests/support/program.hpp"

namespace shardprop::test::communication_cases {
namespace {

struct CostCase {
  std::string_view kind;
  std::string_view argument;  // the sharding of %a, without its mesh
  std::string_view op;
  std::string_view axes;
  double bytes;
};

// What a collective on %a costs.
CommunicationSummary cost_of(std::string_view argument, std::string_view op) {
  return communication(program(with({{"$argument", argument}, {"$op", op}}, on_mesh(R"(
func.func @main(%a: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, $argument>}) -> tensor<32x64xf32> {
  %0 = $op : tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
})"))));
}

// 32x64 floats are sharded in rows along x (2): 16 * 64 * 4 = 4096 bytes a device. y has size 4.
TEST_CASE("communication follows the ring formulas") {
  const CostCase cases[] = {
      {"all_gather", R"([{"x"}, {}])",
       R"(sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]>)", "x", 1 * 4096.0},
      {"all_reduce", R"([{"x"}, {}], unreduced={"y"})",
       R"(sdy.all_reduce {"y"} %a out_sharding=<@mesh, [{"x"}, {}]>)", "y", 2 * 3 / 4.0 * 4096},
      {"reduce_scatter", R"([{"x"}, {}], unreduced={"y"})",
       R"(sdy.reduce_scatter [{}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]>)", "y",
       3 / 4.0 * 4096},
      {"all_to_all", R"([{"x"}, {}])",
       R"(sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]>)", "x", 1 / 2.0 * 4096},
      {"collective_permute", R"([{"x"}, {}])",
       R"(sdy.collective_permute %a out_sharding=<@mesh, [{"y":(1)2}, {}]>)", "x, y:(1)2", 4096},
  };
  for (const CostCase& c : cases) {
    INFO(c.op);
    const CommunicationSummary summary = cost_of(c.argument, c.op);
    REQUIRE(summary.rows.size() == 1);
    CHECK(summary.rows[0].kind == c.kind);
    CHECK(summary.rows[0].axes == c.axes);
    CHECK(summary.rows[0].count == 1);
    CHECK(summary.rows[0].sent == c.bytes);
    CHECK(summary.rows[0].received == c.bytes);
    CHECK(summary.not_counted == 0);
  }
  // A slice sends nothing.
  CHECK(cost_of(R"([{"x"}, {}])",
                R"(sdy.all_slice [{}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]>)")
            .rows.empty());
}

TEST_CASE("communication counts functions once a call, and loops apart") {
  const CommunicationSummary summary = communication(program(on_mesh(R"(
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = call @inner(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @inner(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
})")));
  REQUIRE(summary.rows.size() == 1);
  CHECK(summary.rows[0].count == 2);
  CHECK(summary.rows[0].sent == 2 * 8.0);
  CHECK_FALSE(summary.rows[0].in_loop);
}

// A loop's body counts for one trip, and so does what a function does that is called there.
TEST_CASE("communication marks what stands in a loop") {
  const CommunicationSummary summary = communication(program(on_mesh(R"(
func.func @main(%b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %w = stablehlo.while(%d = %b) : tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %e = call @inner(%d) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %e : tensor<4xf32>
  }
  %f = call @inner(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return %f : tensor<4xf32>
}
func.func private @inner(%b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %g = sdy.all_gather [{"x"}] %b out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %g : tensor<4xf32>
})")));
  REQUIRE(summary.rows.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(summary.rows[i].in_loop == (i == 1));
    CHECK(summary.rows[i].count == 1);
    CHECK(summary.rows[i].sent == 8.0);
  }
}

}  // namespace
}  // namespace shardprop::test::communication_cases
