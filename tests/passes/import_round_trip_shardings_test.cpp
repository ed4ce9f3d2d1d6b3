// import-round-trip-shardings: shardings that a program carries in strings.
#include "shardprop/passes/import/import_round_trip_shardings.hpp"

#include "tests/passes/golden.hpp"

namespace shardprop::test::import_round_trip_shardings_cases {
namespace {

// A function with argument %a of 8xf32 and such a result; `attributes` of the module and of %a.
std::string carried(std::string_view module_attributes, std::string_view argument_attributes,
                    std::string_view ops, std::string_view meshes = "",
                    std::string_view result_sharding = "", std::string_view argument_rest = "") {
  std::string text = R"({"meshes": [)";
  text.append(meshes).append("]");
  if (!module_attributes.empty()) text.append(R"(, "attributes": )").append(module_attributes);
  text.append(
      R"(, "functions": [{"name": "main", "arguments": [{"name": "%a", "shape": [8], "dtype": "f32")");
  if (!argument_attributes.empty()) text.append(R"(, "attributes": )").append(argument_attributes);
  text.append(argument_rest).append(R"(}], "results": [{"shape": [8], "dtype": "f32")");
  text.append(result_sharding).append(R"(}], "ops": [)").append(ops);
  return text.append("]}]}");
}

constexpr std::string_view kMeshes =
    R"({"mhlo.frontend_attributes": {"xla.sdy.meshes": "{mesh = #sdy.mesh<[\"x\"=2]>, \"other one\" = #sdy.mesh<[\"y\"=4]>}", "kept": "1"}, "m": 1})";
constexpr std::string_view kOnX =
    R"({"mhlo.frontend_attributes": {"xla.sdy.sharding": "#sdy.sharding<@mesh, [{\"x\"}]>"}})";

TEST_CASE("import-round-trip-shardings takes meshes, shardings and rules out of strings") {
  check_golden(
      "import-round-trip-shardings",
      carried(
          kMeshes, kOnX,
          R"({"op": "stablehlo.custom_call", "operands": ["%a"], "results": [{"name": "%b", "shape": [8], "dtype": "f32"}],
                  "attributes": {"call_target_name": "Sharding", "mhlo.frontend_attributes": {"xla.sdy.sharding": "#sdy.sharding_per_value<[<@\"other one\", [{\"y\", ?}]>]>"}}},
                 {"op": "stablehlo.abs", "operands": ["%b"], "results": [{"name": "%c", "shape": [8], "dtype": "f32"}],
                  "attributes": {"mhlo.frontend_attributes": {"n": "1", "xla.sdy.sharding": "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>",
                                 "xla.sdy.sharding_rule": "#sdy.op_sharding_rule<([i])->([i]) {i=8}>"}}},
                 {"op": "stablehlo.custom_call", "operands": ["%c"], "results": [{"name": "%d", "shape": [8], "dtype": "f32"}],
                  "attributes": {"call_target_name": "xla.sdy.FuncResultSharding", "mhlo.frontend_attributes": {"xla.sdy.sharding": "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}}},
                 {"op": "func.return", "operands": ["%d"]})"),
      carried(
          R"({"mhlo.frontend_attributes": {"kept": "1"}, "m": 1})", "",
          R"({"op": "sdy.sharding_constraint", "operands": ["%a"], "results": [{"name": "%b", "shape": [8], "dtype": "f32"}],
                  "attributes": {"sharding": {"mesh": "other one", "dims": [{"axes": ["y"], "open": true}]}}},
                 {"op": "stablehlo.abs", "operands": ["%b"], "results": [{"name": "%c", "shape": [8], "dtype": "f32", "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}]}}],
                  "attributes": {"mhlo.frontend_attributes": {"n": "1"}}, "sharding_rule": "([i])->([i]) {i=8}"},
                 {"op": "func.return", "operands": ["%c"]})",
          R"({"name": "mesh", "axes": [{"name": "x", "size": 2}]}, {"name": "other one", "axes": [{"name": "y", "size": 4}]})",
          R"(, "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}]})",
          R"(, "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}]})"));
}

std::string code_of(const std::string& text) {
  Module m = read(text);
  const std::string before = write_json(m);
  const Result<bool> imported = import_round_trip_shardings(m);
  if (imported) return *imported ? "changed" : "unchanged";
  CHECK(write_json(m) == before);
  return imported.errors().front().code;
}

constexpr std::string_view kReturn = R"({"op": "func.return", "operands": ["%a"]})";

TEST_CASE("import-round-trip-shardings changes nothing where a string is wrong") {
  CHECK(code_of(carried("", "", kReturn)) == "unchanged");
  CHECK(code_of(carried(kMeshes, kOnX, kReturn)) == "changed");
  CHECK(code_of(carried("", kOnX, kReturn)) == "sharding.unknown_mesh");
  const auto with = [](std::string_view sharding) {
    return carried(
        kMeshes,
        R"({"mhlo.frontend_attributes": {"xla.sdy.sharding": ")" + std::string(sharding) + "\"}}",
        kReturn);
  };
  CHECK(code_of(with("#sdy.sharding<@mesh, [{}, {}]>")) == "sharding.rank_mismatch");
  CHECK(code_of(with("#sdy.sharding<@mesh")) == "sharding.syntax");
  CHECK(code_of(carried(R"({"mhlo.frontend_attributes": {"xla.sdy.meshes": "{mesh = }"}})", "",
                        kReturn)) == "round_trip.syntax");
  CHECK(
      code_of(carried(
          kMeshes, "",
          R"({"op": "stablehlo.abs", "operands": ["%a"], "results": [{"name": "%c", "shape": [8], "dtype": "f32"}],
                  "attributes": {"mhlo.frontend_attributes": {"xla.sdy.sharding": "#sdy.sharding_per_value<[]>"}}},
                 {"op": "func.return", "operands": ["%c"]})")) == "round_trip.results");
}

TEST_CASE("a program with shardings of its own keeps its strings when it is propagated") {
  const Module strings = read(carried(kMeshes, kOnX, kReturn));
  CHECK(has_only_round_trip_shardings(strings));
  Module both =
      read(carried(kMeshes, kOnX, kReturn, R"({"name": "own", "axes": [{"name": "z", "size": 2}]})",
                   "", R"(, "sharding": {"mesh": "own", "dims": [{"axes": ["z"]}]})"));
  CHECK_FALSE(has_only_round_trip_shardings(both));
  CHECK_FALSE(has_only_round_trip_shardings(read(carried("", "", kReturn))));
}

}  // namespace
}  // namespace shardprop::test::import_round_trip_shardings_cases
