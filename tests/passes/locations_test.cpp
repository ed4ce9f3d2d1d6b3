// Operations that passes insert have the source location of what needs them.
#include <string>

#include "shardprop/ir/walk.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::locations_cases {
namespace {

// The operations called `name`, each with its location.
std::string located(const Module& m, std::string_view name) {
  std::string out;
  walk_ops(m, [&](OpId op) {
    if (op_name(m, op) != name) return;
    const LocId location = m.locations.of_op[op];
    out += (out.empty() ? "" : " ") +
           (location.valid() ? std::string(m.locations.table.text(location)) : "unknown");
  });
  return out;
}

Module after(std::string_view passes, std::string_view text) {
  Module m = program(text);
  const auto calls = parse_pipeline(passes);
  REQUIRE(calls);
  const auto report = run_passes(m, standard_ops(), *calls);
  if (!report) FAIL(to_string(report.errors()));
  return m;
}

constexpr std::string_view kProduct = R"(
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(
      %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>} loc("a.py":1:1),
      %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("a.py":2:1))
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("a.py":3:1)
    return %0 : tensor<8x8xf32> loc("a.py":4:1)
  }
)";

TEST_CASE("an all-reduce has the location of the product that it completes") {
  const Module m = after("insert-explicit-reshards{enable-full-version=true}", kProduct);
  CHECK(located(m, "sdy.all_reduce") == R"("a.py":3:1)");
}

TEST_CASE("a reshard has the location of the operation that needs it") {
  const Module m = after("insert-explicit-reshards{enable-full-version=true}", kProduct);
  CHECK(located(m, "sdy.reshard") == R"("a.py":4:1)");
}

TEST_CASE("collectives have the location of their reshard") {
  const Module m =
      after("insert-explicit-reshards{enable-full-version=true},reshard-to-collectives", kProduct);
  CHECK(located(m, "sdy.all_slice") == R"("a.py":4:1)");
}

TEST_CASE("copies have the location of their original") {
  const Module m = after("constant-or-scalar-splitter", R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
      %c = stablehlo.constant dense<2.0> : tensor<8xf32> loc("a.py":1:1)
      %0 = stablehlo.multiply %a, %c : tensor<8xf32>
      %1 = stablehlo.add %0, %c : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
  )");
  CHECK(located(m, "sdy.constant") == R"("a.py":1:1 "a.py":1:1)");
}

TEST_CASE("a call that became a named computation and a call again keeps its location") {
  const Module m = after("import-func-calls,export-named-computations", R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32> loc("a.py":7:1)
      return %0 : tensor<8xf32>
    }
    func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      return %a : tensor<8xf32>
    }
  )");
  CHECK(located(m, "func.call") == R"("a.py":7:1)");
}

}  // namespace
}  // namespace shardprop::test::locations_cases
