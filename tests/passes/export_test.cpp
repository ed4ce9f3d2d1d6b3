// The passes that come after propagation.
#include <array>

#include "shardprop/ir/walk.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::export_cases {
namespace {

// A function of a vector %a; `a` and `result` are the attributes of argument and result.
std::string of_vector(std::string_view a, std::string_view result, std::string_view body) {
  return with({{"$a", a}, {"$result", result}, {"$body", body}}, R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<8xf32> $a) -> (tensor<8xf32> $result) {
$body
})");
}

constexpr std::string_view kOnX = R"({sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})";
constexpr std::string_view kOnY = R"({sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})";
constexpr std::string_view kReplicated = "{sdy.sharding = #sdy.sharding<@mesh, [{}]>}";
constexpr std::string_view kUnreducedX =
    R"({sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})";

TEST_CASE("close-shardings closes dimensions and drops replicated axes") {
  check_golden(
      "close-shardings",
      of_vector(R"({sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}], replicated={"y"}>})", "", R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
      of_vector(kOnX, "", R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  check_unchanged("close-shardings", of_vector(kOnX, kUnreducedX, R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
}

TEST_CASE("remove-sharding-groups erases groups and what only they used") {
  check_golden("remove-sharding-groups", main_of(R"(
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
               main_of(R"(
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  check_golden("remove-sharding-groups", main_of(R"(
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %a : tensor<8xf32>)"),
               main_of("return %a : tensor<8xf32>"));
  // What nobody used before is the user's.
  check_unchanged("remove-sharding-groups", main_of(R"(
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  return %a : tensor<8xf32>)"));
}

TEST_CASE("sharding-constraint-to-reshard keeps sharding and attributes") {
  const std::string reshard = main_of(R"(
  %0 = sdy.reshard %a <@mesh, [{"x"}]> {note = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>)");
  check_golden("sharding-constraint-to-reshard", main_of(R"(
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> {note = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
               reshard);
  check_unchanged("sharding-constraint-to-reshard", reshard);
}

TEST_CASE("constant-or-scalar-merger joins what is equal and sharded alike") {
  check_golden("constant-or-scalar-merger", main_of(R"(
  %0 = sdy.constant {note = 2, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, note = 2} dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %0, %1 : tensor<8xf32>
  return %s : tensor<8xf32>)"),
               main_of(R"(
  %0 = sdy.constant {note = 2, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %0, %0 : tensor<8xf32>
  return %s : tensor<8xf32>)"));
  // Sharded otherwise.
  check_unchanged("constant-or-scalar-merger", main_of(R"(
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %0, %1 : tensor<8xf32>
  return %s : tensor<8xf32>)"));
  // Other values.
  check_unchanged("constant-or-scalar-merger", main_of(R"(
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<2.0> : tensor<8xf32>
  %s = stablehlo.add %0, %1 : tensor<8xf32>
  return %s : tensor<8xf32>)"));
}

TEST_CASE("constant-or-scalar-merger joins broadcasts of one scalar") {
  check_golden("constant-or-scalar-merger", R"(
func.func @main(%a: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %s = stablehlo.add %0, %1 : tensor<8xf32>
  return %s : tensor<8xf32>
})",
               R"(
func.func @main(%a: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %s = stablehlo.add %0, %0 : tensor<8xf32>
  return %s : tensor<8xf32>
})");
}

TEST_CASE("update-non-divisible-input-output-shardings cuts to what divides") {
  const auto of_type = [](std::string_view type, std::string_view dim) {
    return with({{"$type", type}, {"$dim", dim}}, R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: $type {sdy.sharding = #sdy.sharding<@mesh, [$dim]>}) -> $type {
  return %a : $type
})");
  };
  const auto cut = [&](std::string_view type, std::string_view from, std::string_view to) {
    check_golden("update-non-divisible-input-output-shardings", of_type(type, from),
                 of_type(type, to));
  };
  cut("tensor<4xf32>", R"({"y", "x"})", R"({"y", "x":(1)2})");  // 4 / 2 leaves 2 of x
  cut("tensor<4xf32>", R"({"x", "y"})", R"({"x"})");
  cut("tensor<6xf32>", R"({"x", "y"})", R"({"x":(1)2})");  // nothing follows a part of an axis
  cut("tensor<3xf32>", R"({"x"})", "{}");
  check_unchanged("update-non-divisible-input-output-shardings",
                  of_type("tensor<8xf32>", R"({"x", "y"})"));
}

TEST_CASE("remove-sub-axes-in-input-output-shardings cuts open dimensions of main") {
  const auto sharded = [](std::string_view dim) {
    return of_vector(with({{"$dim", dim}}, "{sdy.sharding = #sdy.sharding<@mesh, [$dim]>}"), "",
                     "return %a : tensor<8xf32>");
  };
  check_golden("remove-sub-axes-in-input-output-shardings", sharded(R"({"y", "x":(1)2, ?})"),
               sharded(R"({"y", ?})"));
  check_unchanged("remove-sub-axes-in-input-output-shardings", sharded(R"({"y", "x":(1)2})"));
}

TEST_CASE("drop-sharding-rules keeps custom rules") {
  check_golden("drop-sharding-rules", main_of(R"(
  %0 = stablehlo.add %a, %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
               main_of(R"(
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  check_unchanged("drop-sharding-rules", main_of(R"(
  %0 = stablehlo.add %a, %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}, custom>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
}

TEST_CASE("remove-propagation-debug-info leaves other attributes") {
  const std::string without = main_of(R"(
  %0 = stablehlo.add %a, %a {note = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>)");
  check_golden("remove-propagation-debug-info", main_of(R"(
  %0 = stablehlo.add %a, %a {note = 1, sdy.sharding_origins = {x = "self"}} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
               without);
  check_unchanged("remove-propagation-debug-info", without);
}

TEST_CASE("inline-meshes takes the names of meshes") {
  const std::string_view inlined = R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4, "y"=2]>, [{"x"}]>})
    -> tensor<8xf32> {
  return %a : tensor<8xf32>
})";
  check_golden("inline-meshes", of_vector(kOnX, "", "return %a : tensor<8xf32>"), inlined);
  check_unchanged("inline-meshes", inlined);
}

TEST_CASE("drop-sharding-and-mesh leaves shardings to the operations that are made of them") {
  check_golden("drop-sharding-and-mesh", of_vector(kOnY, kOnX, R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>)"),
               R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  %1 = sdy.reshard %0 <mesh<["x"=4, "y"=2]>, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
})");
}

TEST_CASE("propagate-to-func-results gives what is returned, but not to main") {
  const auto returning = [](std::string_view sharding) {
    return with({{"$sharding", sharding}}, on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> (tensor<8xf32> $sharding) {
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
})"));
  };
  check_golden("propagate-to-func-results", returning(kOnX), returning(kOnY));
  check_unchanged("propagate-to-func-results", returning(kOnY));
}

TEST_CASE("insert-func-call-reshards reshards what a call wants otherwise") {
  const auto calling = [](std::string_view body) {
    return with({{"$body", body}}, on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
$body
}
func.func private @f(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %a : tensor<8xf32>
})"));
  };
  check_golden("insert-func-call-reshards", calling(R"(
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)"),
               calling(R"(
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>)"));
  check_unchanged("insert-func-call-reshards", calling(R"(
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)"));
}

TEST_CASE("export-named-computations makes a function and a call") {
  check_golden("export-named-computations", main_of(R"(
  %0 = sdy.named_computation<"f">(%a)
      in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"y"}]>] (%b: tensor<8xf32>) {
    %c = stablehlo.add %b, %b : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>)"),
               on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32>
    attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>
})"));
}

// Calls of three functions whose arguments have the shardings given; `attributes` of all but @f.
std::string copies(const std::array<std::string_view, 3>& callees,
                   const std::array<std::string_view, 3>& shardings, std::string_view attributes) {
  return with({{"$0", callees[0]},
               {"$1", callees[1]},
               {"$2", callees[2]},
               {"$s0", shardings[0]},
               {"$s1", shardings[1]},
               {"$s2", shardings[2]},
               {"$attributes", attributes}},
              on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call $0(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call $1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call $2(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> $s0) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f_0(%a: tensor<8xf32> $s1) -> tensor<8xf32> $attributes {
  return %a : tensor<8xf32>
}
func.func private @f_1(%a: tensor<8xf32> $s2) -> tensor<8xf32> $attributes {
  return %a : tensor<8xf32>
})"));
}

TEST_CASE("unflatten-call-graph joins copies that are sharded alike") {
  const std::string_view copy = R"(attributes {sdy.original_func_name = "f"})";
  check_golden("unflatten-call-graph", copies({"@f", "@f_0", "@f_1"}, {kOnX, kOnY, kOnX}, copy),
               copies({"@f", "@f_0", "@f"}, {kOnX, kOnY, kOnX}, ""));
  // At the call of f_1 two calls want y and one x.
  check_golden("unflatten-call-graph{dedup-functions-fully=true}",
               copies({"@f", "@f_0", "@f_1"}, {kOnX, kOnY, kOnY}, copy),
               copies({"@f_1", "@f_1", "@f_1"}, {kOnX, kOnY, kOnY}, ""));
}

TEST_CASE("verify-unreduced-axes refuses axes that are lost or appear") {
  check_unchanged("verify-unreduced-axes", of_vector(kUnreducedX, kUnreducedX, R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  check_refused("verify-unreduced-axes", of_vector(kUnreducedX, kReplicated, R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
                "verify_unreduced_axes.dropped");
  check_refused("verify-unreduced-axes", of_vector("", "", R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
                "verify_unreduced_axes.added");
  check_refused("verify-unreduced-axes", of_vector("", kReplicated, R"(
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>)"),
                "verify_unreduced_axes.mismatch");
}

TEST_CASE("remove-all-gather-reduce-scatter-for-cmv1 takes the all-gather of an operand") {
  const auto of_matrices = [](std::string_view body) {
    return with({{"$body", body}}, on_mesh(R"(
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
$body
  return %d : tensor<8x8xf32>
})"));
  };
  check_golden("remove-all-gather-reduce-scatter-for-cmv1", of_matrices(R"(
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %d = stablehlo.dot %0, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>)"),
               of_matrices(R"(
  %d = stablehlo.dot %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>)"));
  // The gathered matrix is used elsewhere.
  check_unchanged("remove-all-gather-reduce-scatter-for-cmv1", of_matrices(R"(
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %d = stablehlo.dot %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>)"));
}

std::string op_names(const Module& m) {
  std::string names;
  walk_ops(m, [&](OpId op) { names += std::string(op_name(m, op)) + " "; });
  return names;
}

TEST_CASE("resolve-single-device-sharding guards the operation by the device's id") {
  const auto added_on = [](std::string_view sharding) {
    return with({{"$sharding", sharding}}, R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
sdy.mesh @one = <[], device_ids=[3]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<$sharding>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
})");
  };
  Module m = program(added_on("@one, []"));
  run_well(m, "resolve-single-device-sharding");
  CHECK(
      op_names(m) ==
      "stablehlo.partition_id stablehlo.convert stablehlo.constant stablehlo.compare stablehlo.if "
      "stablehlo.add stablehlo.return stablehlo.constant stablehlo.return sdy.all_reduce "
      "func.return ");
  check_unchanged("resolve-single-device-sharding", added_on(R"(@mesh, [{"x"}])"));
  check_refused("resolve-single-device-sharding{replica-count=2 partition-count=2}",
                added_on("@one, []"), "resolve_single_device_sharding.counts");
  check_refused("resolve-single-device-sharding{replica-count=none}", added_on("@one, []"),
                "pipeline.option_value");
}

TEST_CASE("export-pipeline makes communication explicit") {
  const std::string constraint = of_vector(kOnX, kReplicated, R"(
  %0 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>)");
  check_golden("export-pipeline{inline-meshes=false}", constraint, of_vector(kOnX, kReplicated, R"(
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  check_golden("export-pipeline{enable-insert-explicit-collectives=true inline-meshes=false}",
               constraint, of_vector(kOnX, kReplicated, R"(
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  check_unchanged("export-pipeline{avoid-export-for-partitioning=true}", constraint);
}

TEST_CASE("propagation-pipeline propagates and reshards") {
  Module m = program(of_vector(kOnX, kReplicated, R"(
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>)"));
  run_well(m, "propagation-pipeline{enable-insert-explicit-collectives=true}");
  CHECK(op_names(m) == "stablehlo.add sdy.all_gather func.return ");
}

}  // namespace
}  // namespace shardprop::test::export_cases
