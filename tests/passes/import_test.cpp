// apply-sharding-constraints, manual-axes-cleanup and sharding-group-import.
#include "fmt/core.h"
#include "shardprop/ir/place.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::import_cases {
namespace {

// The sharding of `value` after apply-sharding-constraints.
std::string sharding_after(std::string_view body, std::string_view value) {
  Module m = program(main_of(body));
  run_well(m, "apply-sharding-constraints");
  return sharding(m, value);
}

TEST_CASE("apply-sharding-constraints gives a tensor the sharding of a closed constraint on it") {
  CHECK(sharding_after(R"(
  %b = stablehlo.negate %a : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<8xf32>
  %d = stablehlo.negate %c : tensor<8xf32>
  return %d : tensor<8xf32>)",
                       "%b") == R"(<@mesh, [{"x"}]>)");
  CHECK(sharding_after(R"(
  %c = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
  %d = stablehlo.negate %c : tensor<8xf32>
  return %d : tensor<8xf32>)",
                       "%a") == R"(<@mesh, [{"x"}]>)");
}

TEST_CASE("apply-sharding-constraints leaves a tensor alone where something is against it") {
  // An open constraint.
  CHECK(sharding_after(R"(
  %b = stablehlo.negate %a : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x", ?}]> : tensor<8xf32>
  %d = stablehlo.negate %c : tensor<8xf32>
  return %d : tensor<8xf32>)",
                       "%b") == "none");
  // A sharding of its own.
  CHECK(sharding_after(R"(
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<8xf32>
  %d = stablehlo.negate %c : tensor<8xf32>
  return %d : tensor<8xf32>)",
                       "%b") == R"(<@mesh, [{"y"}]>)");
  // Another constraint.
  CHECK(sharding_after(R"(
  %b = stablehlo.negate %a : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<8xf32>
  %c2 = sdy.sharding_constraint %b <@mesh, [{"y"}]> : tensor<8xf32>
  %d = stablehlo.negate %c : tensor<8xf32>
  return %d : tensor<8xf32>)",
                       "%b") == "none");
}

TEST_CASE("a chain of constraints lets later users use its end") {
  Module m = program(main_of(R"(
  %b = stablehlo.negate %a : tensor<8xf32>
  %before = stablehlo.negate %b : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<8xf32>
  %d = sdy.sharding_constraint %c <@mesh, [{"y"}]> : tensor<8xf32>
  %after = stablehlo.negate %b : tensor<8xf32>
  return %b : tensor<8xf32>)"));
  run_well(m, "apply-sharding-constraints");
  const auto operand_of = [&](std::string_view name) {
    return name_of(m, operand(m, defining_op(m, value(m, name)), 0));
  };
  CHECK(operand_of("%after") == "%d");
  CHECK(operand_of("%before") == "%b");
  CHECK(name_of(m, operand(m, terminator(m, m.funcs[m.func_order[0]].body), 0)) == "%b");
}

TEST_CASE("a constraint on the target of a data-flow edge stands before its other users") {
  check_golden("add-data-flow-edges,apply-sharding-constraints", main_of(R"(
  %b = stablehlo.optimization_barrier %a : tensor<8xf32>
  %n = stablehlo.negate %b : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<8xf32>
  return %n : tensor<8xf32>)"),
               main_of(R"(
  %b = stablehlo.optimization_barrier %a : tensor<8xf32>
  %e = sdy.data_flow_edge %b : tensor<8xf32>
  %c = sdy.sharding_constraint %e <@mesh, [{"x"}]> : tensor<8xf32>
  %n = stablehlo.negate %c : tensor<8xf32>
  return %n : tensor<8xf32>)"));
}

TEST_CASE("manual-axes-cleanup sorts manual axes and notes the unused ones") {
  check_golden("manual-axes-cleanup", main_of(R"(
  %m = sdy.manual_computation(%a)
      in_shardings=[<@mesh, [{"x"}]>]
      out_shardings=[<@mesh, [{"x"}], replicated={"y"}>]
      manual_axes={"y", "x"} (%l: tensor<4xf32>) {
    sdy.return %l : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>)"),
               main_of(R"(
  %m = sdy.manual_computation(%a)
      in_shardings=[<@mesh, [{"x"}], replicated={"y"}>]
      out_shardings=[<@mesh, [{"x"}], replicated={"y"}>]
      manual_axes={"x", "y"} (%l: tensor<4xf32>) {
    sdy.return %l : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>)"));
  check_unchanged("manual-axes-cleanup", main_of(R"(
  %m = sdy.manual_computation(%a)
      in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x"} (%l: tensor<4xf32>) {
    sdy.return %l : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>)"));
}

TEST_CASE("manual-axes-cleanup refuses manual axes without inputs and outputs") {
  check_refused("manual-axes-cleanup", main_of(R"(
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
    sdy.return
  } : () -> ()
  return %a : tensor<8xf32>)"),
                "manual_axes_cleanup.no_shardings");
}

// Values and the group that each is put in.
std::string groups(std::initializer_list<std::pair<std::string_view, int>> members) {
  std::string lines;
  for (const auto& [member, group] : members) {
    const std::string_view type = member == "%d" ? "tensor<4xf32>" : "tensor<8xf32>";
    lines += fmt::format("  sdy.sharding_group {} group_id={} : {}\n", member, group, type);
  }
  return with({{"$lines", lines}}, R"(
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<4xf32>) {
$lines
  return
})");
}

TEST_CASE("sharding-group-import joins groups of a value and counts from 0") {
  constexpr std::string_view kPass = "sharding-group-import";
  check_golden(kPass, groups({{"%a", 567}, {"%a", 23}, {"%b", 2}, {"%c", 23}}),
               groups({{"%a", 0}, {"%b", 1}, {"%c", 0}}));
  // The class of 9 and 4 is led by 4, which is first seen after 9 and 7.
  check_golden(kPass, groups({{"%a", 9}, {"%b", 7}, {"%c", 4}, {"%c", 9}}),
               groups({{"%a", 1}, {"%b", 0}, {"%c", 1}}));
  check_unchanged(kPass, groups({{"%a", 0}, {"%b", 0}, {"%c", 1}}));
}

TEST_CASE("sharding-group-import refuses groups that cannot be sharded alike") {
  check_refused("sharding-group-import", groups({{"%a", 1}, {"%d", 1}}), "sharding_group.shape");
  check_refused("sharding-group-import", main_of(R"(
  %m = sdy.manual_computation(%a)
      in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x"} (%l: tensor<4xf32>) {
    sdy.sharding_group %l group_id=1 : tensor<4xf32>
    sdy.return %l : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  sdy.sharding_group %m group_id=1 : tensor<8xf32>
  return %m : tensor<8xf32>)"),
                "sharding_group.manual_computation");
}

}  // namespace
}  // namespace shardprop::test::import_cases
