// lift-inlined-meshes and remove-size-one-axes.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::meshes_cases {
namespace {

// Each sharding is that of one argument.
std::string arguments_with(std::string_view meshes,
                           std::initializer_list<std::string_view> shardings) {
  std::string arguments;
  for (std::string_view s : shardings) {
    if (!arguments.empty()) arguments += ", ";
    arguments += fmt::format(R"({{"name": "%{}", "shape": [8], "dtype": "f32", "sharding": {}}})",
                             arguments.size(), s);
  }
  return program(meshes, arguments, "", R"({"op": "func.return"})");
}

constexpr std::string_view kMeshX = R"({"name": "mesh", "axes": [{"name": "x", "size": 2}]})";

TEST_CASE("lift-inlined-meshes names inlined meshes and joins equal ones") {
  check_golden(
      "lift-inlined-meshes",
      arguments_with(
          R"({"name": "mesh", "axes": [{"name": "x", "size": 2}]}, {"name": "same", "axes": [{"name": "x", "size": 2}]})",
          {R"({"mesh": "same", "dims": [{"axes": ["x"]}]})",
           R"({"mesh": {"axes": [{"name": "y", "size": 4}]}, "dims": [{"axes": ["y"]}]})",
           R"({"mesh": {"axes": [{"name": "x", "size": 2}]}, "dims": [{"axes": ["x"]}]})",
           R"({"mesh": {"axes": [], "device_ids": [5]}, "dims": []})"}),
      arguments_with(
          R"({"name": "mesh", "axes": [{"name": "x", "size": 2}]}, {"name": "mesh_0", "axes": [{"name": "y", "size": 4}]},
             {"name": "maximal_mesh_5", "axes": [], "device_ids": [5]})",
          {R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})",
           R"({"mesh": "mesh_0", "dims": [{"axes": ["y"]}]})",
           R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})",
           R"({"mesh": "maximal_mesh_5", "dims": []})"}));
  check_unchanged("lift-inlined-meshes",
                  arguments_with(kMeshX, {R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})"}));
}

TEST_CASE("lift-inlined-meshes names the meshes of replica groups") {
  const auto gather = [](std::string_view mesh) {
    return fmt::format(
        R"({{"op": "stablehlo.all_gather", "operands": ["%a"],
            "results": [{{"name": "%0", "shape": [16], "dtype": "f32"}}],
            "attributes": {{"all_gather_dim": 0, "replica_groups": {{"mesh": {}, "axes": [{{"name": "z"}}]}}}}}},
           {{"op": "func.return", "operands": ["%0"]}})",
        mesh);
  };
  const std::string_view result = R"({"shape": [16], "dtype": "f32"})";
  check_golden(
      "lift-inlined-meshes",
      program(kMeshX, kA, result, gather(R"({"axes": [{"opaque": "<name = \"z\", size = 2>"}]})")),
      program(
          fmt::format(R"({}, {{"name": "mesh_0", "axes": [{{"name": "z", "size": 2}}]}})", kMeshX),
          kA, result, gather(R"("mesh_0")")));
  check_golden(
      "lift-inlined-meshes",
      program(kMeshX, kA, result,
              gather(R"({"axes": [{"name": "z", "size": 2}], "device_ids": [1, 0]})")),
      program(
          fmt::format(
              R"({}, {{"name": "mesh_0", "axes": [{{"name": "z", "size": 2}}], "device_ids": [1, 0]}})",
              kMeshX),
          kA, result, gather(R"("mesh_0")")));
}

TEST_CASE("remove-size-one-axes takes them out of shardings, not of meshes") {
  const std::string_view mesh =
      R"({"name": "mesh", "axes": [{"name": "x", "size": 2}, {"name": "one", "size": 1}, {"name": "un", "size": 1}]})";
  check_golden(
      "remove-size-one-axes",
      arguments_with(mesh,
                     {R"({"mesh": "mesh", "dims": [{"axes": ["one", "x"]}], "replicated": ["un"]})",
                      R"({"mesh": "mesh", "dims": [{"axes": ["one"], "priority": 2}]})"}),
      arguments_with(mesh, {R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})",
                            R"({"mesh": "mesh", "dims": [{"axes": []}]})"}));
  check_unchanged("remove-size-one-axes",
                  arguments_with(mesh, {R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})"}));
}

}  // namespace
}  // namespace shardprop::test::meshes_cases
