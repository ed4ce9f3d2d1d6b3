// lift-inlined-meshes and remove-size-one-axes.
#include "tests/passes/golden.hpp"

namespace shardprop::test::meshes_cases {
namespace {

TEST_CASE("lift-inlined-meshes names inlined meshes and joins equal ones") {
  check_golden("lift-inlined-meshes", R"(
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @same = <["x"=2]>
func.func @main(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@same, [{"x"}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y"}]>},
    %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
    %d: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[5]>, []>}) {
  return
})",
               R"(
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @mesh_0 = <["y"=4]>
sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]>
func.func @main(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"y"}]>},
    %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %d: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_5, []>}) {
  return
})");
  check_unchanged("lift-inlined-meshes", R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
})");
}

// An all-gather whose replica groups are the axis z of `mesh`, on the meshes given.
std::string gather(std::string_view meshes, std::string_view mesh) {
  return with({{"$meshes", meshes}, {"$mesh", mesh}}, R"(
$meshes
func.func @main(%a: tensor<8xf32>) -> tensor<16xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
      #stablehlo.replica_group_mesh_axes<mesh = $mesh, axes = [#stablehlo.axis_ref<name = "z">]>}>
      : (tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
})");
}

TEST_CASE("lift-inlined-meshes names the meshes of replica groups") {
  check_golden("lift-inlined-meshes",
               gather(R"(sdy.mesh @mesh = <["x"=2]>)",
                      R"(#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "z", size = 2>]>)"),
               gather(R"(sdy.mesh @mesh = <["x"=2]>
                sdy.mesh @mesh_0 = <["z"=2]>)",
                      "@mesh_0"));
  check_golden("lift-inlined-meshes",
               gather(R"(sdy.mesh @mesh = <["x"=2]>)",
                      R"(#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "z", size = 2>],
                                device_ids = dense<[1, 0]> : tensor<2xi64>>)"),
               gather(R"(sdy.mesh @mesh = <["x"=2]>
                sdy.mesh @mesh_0 = <["z"=2], device_ids=[1, 0]>)",
                      "@mesh_0"));
}

TEST_CASE("remove-size-one-axes takes them out of shardings, not of meshes") {
  check_golden("remove-size-one-axes", R"(
sdy.mesh @mesh = <["x"=2, "one"=1, "un"=1]>
func.func @main(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one", "x"}], replicated={"un"}>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one"}p2]>}) {
  return
})",
               R"(
sdy.mesh @mesh = <["x"=2, "one"=1, "un"=1]>
func.func @main(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
})");
  check_unchanged("remove-size-one-axes", R"(
sdy.mesh @mesh = <["x"=2, "one"=1, "un"=1]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
})");
}

}  // namespace
}  // namespace shardprop::test::meshes_cases
