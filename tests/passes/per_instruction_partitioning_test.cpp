// per-instruction-partitioning.
#include <string>
#include <string_view>

#include "shardprop/passes/partition/per_instruction_partitioning.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "tests/passes/golden.hpp"
#include "tests/run/run_case.hpp"

namespace shardprop::test::per_instruction_partitioning_cases {
namespace {

constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<6x5xf32>) -> tensor<7x5xf32> {
  %0 = sdy.reshard %b <@mesh, [{}, {"y"}]> : tensor<6x5xf32>
  %1 = stablehlo.slice %a [1:8, 0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
      : (tensor<8x6xf32>) -> tensor<7x6xf32>
  %2 = stablehlo.dot %1, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
      : (tensor<7x6xf32>, tensor<6x5xf32>) -> tensor<7x5xf32>
  %3 = stablehlo.reverse %2, dims = [0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<7x5xf32>
  %4 = sdy.reshard %3 <@mesh, [{}, {}]> : tensor<7x5xf32>
  return %4 : tensor<7x5xf32>
})";

std::size_t count_of(const Module& m, std::string_view name) {
  std::size_t count = 0;
  walk_ops(m, [&](OpId op) { count += op_name(m, op) == name ? 1 : 0; });
  return count;
}

// How many operations of the program are partitioned with this filter; its numbers must stay.
std::size_t partitioned(std::string_view filter) {
  Module m = program(kProgram);
  const Tensors arguments = {counted(Element::kF32, {8, 6}), counted(Element::kF32, {6, 5})};
  EvalOptions on_devices;
  on_devices.move_shards = true;
  const std::string before = outcome_of(m, "main", on_devices, arguments);
  run_well(m, std::string("per-instruction-partitioning").append(filter));
  CHECK(outcome_of(m, "main", on_devices, arguments) == before);
  CHECK(m.func_order.size() == 1);
  CHECK(written(m).find("reversed") == std::string::npos);
  return count_of(m, "sdy.manual_computation");
}

TEST_CASE("chosen operations run on the devices, and the program has the same numbers") {
  CHECK(partitioned("") == 5);
  CHECK(partitioned("{filter=dot}") == 1);
  CHECK(partitioned("{filter=selectLow=3}") == 2);
  CHECK(partitioned("{selectLow=1 selectHigh=1}") == 1);
  CHECK(partitioned("{filter=reshard selectHigh=2}") == 1);
  CHECK(partitioned("{filter=cosine}") == 0);
}

TEST_CASE("a filter is read part by part") {
  InstructionFilter filter;
  read_filter("'dot, selectLow=2,, selectHigh=x, \"add\" '", filter);
  CHECK(filter.names == std::vector<std::string_view>{"dot", "add"});
  CHECK(filter.low == 2);
  CHECK(filter.high == -1);
}

TEST_CASE("an operation on two meshes cannot be partitioned") {
  check_refused("per-instruction-partitioning", R"(
sdy.mesh @two = <["x"=2]>
sdy.mesh @four = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@four, [{"x"}]>}) {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return
})",
                "per_instruction_partitioning.mesh");
}

}  // namespace
}  // namespace shardprop::test::per_instruction_partitioning_cases
