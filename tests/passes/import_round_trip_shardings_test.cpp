// import-round-trip-shardings: shardings that a program carries in strings.
#include "shardprop/passes/import/import_round_trip_shardings.hpp"

#include "tests/passes/golden.hpp"

namespace shardprop::test::import_round_trip_shardings_cases {
namespace {

TEST_CASE("import-round-trip-shardings takes meshes, shardings and rules out of strings") {
  check_golden("import-round-trip-shardings", R"(
module attributes {m = 1, mhlo.frontend_attributes = {
    xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>, \"other one\" = #sdy.mesh<[\"y\"=4]>}",
    kept = "1"}} {
  func.func @main(%a: tensor<8xf32> {mhlo.frontend_attributes = {
      xla.sdy.sharding = "#sdy.sharding<@mesh, [{\"x\"}]>"}}) -> tensor<8xf32> {
    %b = stablehlo.custom_call @Sharding(%a) {mhlo.frontend_attributes = {
        xla.sdy.sharding = "#sdy.sharding_per_value<[<@\"other one\", [{\"y\", ?}]>]>"}}
        : (tensor<8xf32>) -> tensor<8xf32>
    %c = stablehlo.abs %b {mhlo.frontend_attributes = {n = "1",
        xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>",
        xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}>"}} : tensor<8xf32>
    %d = stablehlo.custom_call @xla.sdy.FuncResultSharding(%c) {mhlo.frontend_attributes = {
        xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}}
        : (tensor<8xf32>) -> tensor<8xf32>
    return %d : tensor<8xf32>
  }
})",
               R"(
module attributes {m = 1, mhlo.frontend_attributes = {kept = "1"}} {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @"other one" = <["y"=4]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %b = sdy.sharding_constraint %a <@"other one", [{"y", ?}]> : tensor<8xf32>
    %c = stablehlo.abs %b {mhlo.frontend_attributes = {n = "1"},
        sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>,
        sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
    return %c : tensor<8xf32>
  }
})");
}

// An identity of a vector; `meshes` and `sharding` are strings that it carries.
std::string carried(std::string_view meshes, std::string_view sharding) {
  return with({{"$meshes", meshes}, {"$sharding", sharding}}, R"(
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "$meshes"}} {
  func.func @main(%a: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "$sharding"}})
      -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
})");
}

constexpr std::string_view kMeshes = R"({mesh = #sdy.mesh<[\"x\"=2]>})";
constexpr std::string_view kOnX = R"(#sdy.sharding<@mesh, [{\"x\"}]>)";

std::string outcome(std::string_view text) {
  Module m = program(text);
  const std::string before = written(m);
  const Result<bool> imported = import_round_trip_shardings(m);
  if (imported) return *imported ? "changed" : "unchanged";
  CHECK(written(m) == before);
  return imported.errors().front().code;
}

TEST_CASE("import-round-trip-shardings changes nothing where a string is wrong") {
  CHECK(outcome(carried(kMeshes, kOnX)) == "changed");
  CHECK(outcome(main_of("return %a : tensor<8xf32>")) == "unchanged");
  CHECK(outcome(carried("{}", kOnX)) == "sharding.unknown_mesh");
  CHECK(outcome(carried("{mesh = }", kOnX)) == "round_trip.syntax");
  CHECK(outcome(carried(kMeshes, "#sdy.sharding<@mesh, [{}, {}]>")) == "sharding.rank_mismatch");
  CHECK(outcome(carried(kMeshes, "#sdy.sharding<@mesh")) == "sharding.syntax");
  CHECK(outcome(R"(
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %c = stablehlo.abs %a {mhlo.frontend_attributes = {
        xla.sdy.sharding = "#sdy.sharding_per_value<[]>"}} : tensor<8xf32>
    return %c : tensor<8xf32>
  }
})") == "round_trip.results");
}

TEST_CASE("a program with shardings of its own keeps its strings when it is propagated") {
  CHECK(has_only_round_trip_shardings(program(carried(kMeshes, kOnX))));
  CHECK_FALSE(has_only_round_trip_shardings(program(R"(
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"x\"=2]>}"}} {
  sdy.mesh @own = <["z"=2]>
  func.func @main(%a: tensor<8xf32> {
      mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\"x\"}]>"},
      sdy.sharding = #sdy.sharding<@own, [{"z"}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
})")));
  CHECK_FALSE(has_only_round_trip_shardings(program(main_of("return %a : tensor<8xf32>"))));
}

}  // namespace
}  // namespace shardprop::test::import_round_trip_shardings_cases
