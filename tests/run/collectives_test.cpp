// Collectives of StableHLO on grids of processes: what each process gets, in which order, from whom.
#include "tests/run/collective_cases.hpp"

namespace shardprop::test::collectives_cases {

TEST_CASE("groups of processes are those of the specification", "[run]") {
  for (const MachineCase& c : kGroups) check_machine_case(c);
}

TEST_CASE("groups may be axes of a mesh, also parts of them", "[run]") {
  static const EvalTable table = standard_evaluators();
  const auto outcome = [&](std::string_view mesh, std::string_view axis) {
    const Module m = program(fmt::format(R"(
sdy.mesh @mesh = <{}>
func.func @main(%a: tensor<1xi64>) -> tensor<2xi64> {{
  %r = "stablehlo.all_gather"(%a) {{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = {}>]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}} : (tensor<1xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}})",
                                         mesh, axis));
    const FuncId func = find_func(m, "main");
    return text_of_results(
        run_on_devices(Runnable(m, table), func, numbered_arguments(m, func, 4)));
  };
  CHECK(outcome(R"(["x"=2, "y"=2])", R"("x")") == "[0, 20]; [10, 30]; [0, 20]; [10, 30]");
  CHECK(outcome(R"(["x"=2, "y"=2])", R"("y")") == "[0, 10]; [0, 10]; [20, 30]; [20, 30]");
  CHECK(outcome(R"(["x"=4])", R"("x", sub_axis_info = (1)2)") ==
        "[0, 20]; [10, 30]; [0, 20]; [10, 30]");
  CHECK(outcome(R"(["x"=4])", R"("x", sub_axis_info = (2)2)") ==
        "[0, 10]; [0, 10]; [20, 30]; [20, 30]");
  CHECK(outcome(R"(["x"=2, "y"=2], device_ids=[3, 0, 1, 2])", R"("y")") ==
        "[30, 0]; [10, 20]; [10, 20]; [30, 0]");
}

TEST_CASE("collectives that move data give each process what the specification says", "[run]") {
  for (const MachineCase& c : kExchanges) check_machine_case(c);
}

// Subtraction shows the order in which elements are reduced.
constexpr std::string_view kDifference = R"(({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.subtract %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }))";

TEST_CASE("reductions are folded in the order of the group", "[run]") {
  const std::string all_reduce = fmt::format(R"(
  %b = stablehlo.add %a, %a : tensor<2xi64>
  %r:2 = "stablehlo.all_reduce"(%a, %b) {} {{replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>}} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xi64>, tensor<2xi64>)",
                                             kDifference);
  check_machine_case({"20 - 0 - 10",
                      {3, 1},
                      "tensor<2xi64>",
                      all_reduce,
                      "[10, 9], [20, 18]; [10, 9], [20, 18]; [10, 9], [20, 18]"});
  const std::string scatter = fmt::format(R"(
  %r = "stablehlo.reduce_scatter"(%a) {} {{scatter_dimension = 1 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}} : (tensor<2x4xi64>) -> tensor<2x2xi64>
  return %r : tensor<2x2xi64>)",
                                          kDifference);
  check_machine_case({"parts go to the processes in the order of the group",
                      {2, 1},
                      "tensor<2x4xi64>",
                      scatter,
                      "[[10, 10], [10, 10]]; [[10, 10], [10, 10]]"});
  const std::string root = fmt::format(R"(
  %r = "stablehlo.collective_reduce"(%a) {} {{replica_groups = dense<[[1, 0, 2]]> : tensor<1x3xi64>}} : (tensor<1xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>)",
                                       kDifference);
  check_machine_case({"the first of the group has the result",
                      {4, 1},
                      "tensor<1xi64>",
                      root,
                      "[0]; [-10]; [0]; [0]"});
  const std::string roots = fmt::format(R"(
  %b = stablehlo.add %a, %a : tensor<1xi64>
  %k = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = "stablehlo.collective_reduce"(%a, %b, %k) {} {{replica_groups = dense<[[1, 0, 2]]> : tensor<1x3xi64>, has_dynamic_root = true}} : (tensor<1xi64>, tensor<1xi64>, tensor<2xi32>) -> (tensor<1xi64>, tensor<1xi64>)
  return %r#0, %r#1 : tensor<1xi64>, tensor<1xi64>)",
                                        kDifference);
  check_machine_case({"or the one that the last operand names, for each operand",
                      {3, 1},
                      "tensor<1xi64>",
                      roots,
                      "[-10], [0]; [0], [0]; [0], [-20]"});
}

TEST_CASE("parts of a sum go to the processes in the order of the group", "[run]") {
  check_machine_case({"the second part to process 0",
                      {2, 1},
                      "tensor<2x4xi64>",
                      R"(
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x4xi64>) -> tensor<2x2xi64>
  return %r : tensor<2x2xi64>)",
                      "[[14, 16], [22, 24]]; [[10, 12], [18, 20]]"});
}

TEST_CASE("a reduction may use what is around it and accumulate in a wider type", "[run]") {
  check_machine_case({"sums of i8 in i32, each scaled",
                      {2, 1},
                      "tensor<2xi8>",
                      R"(
  %k = stablehlo.constant dense<100> : tensor<i32>
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %m = stablehlo.multiply %y, %k : tensor<i32>
    %s = stablehlo.add %x, %m : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi8>) -> tensor<2xi32>
  return %r : tensor<2xi32>)",
                      "[1000, 1101]; [1000, 1101]"});
}

TEST_CASE("a process knows its place in the grid", "[run]") {
  check_machine_case({"replica and partition",
                      {2, 2},
                      "tensor<i64>",
                      R"(
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %r, %p : tensor<ui32>, tensor<ui32>)",
                      "0, 0; 0, 1; 1, 0; 1, 1"});
}

TEST_CASE("an asynchronous collective is done at once", "[run]") {
  check_machine_case({"all_gather",
                      {2, 1},
                      "tensor<1xi64>",
                      R"(
  %f = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<1xi64>):
    %g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<2xi64>
    stablehlo.return %g : tensor<2xi64>
  }) : (tensor<1xi64>) -> !stablehlo.future<tensor<2xi64>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xi64>>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
                      "[0, 10]; [0, 10]"});
}

}  // namespace shardprop::test::collectives_cases
