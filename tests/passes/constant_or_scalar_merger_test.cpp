// constant-or-scalar-merger on constants whose data was left out of the JSON.
#include "shardprop/ir/walk.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::constant_or_scalar_merger_cases {
namespace {

// A program by way of JSON, which leaves out the data that its text has by name.
Module without_data(std::string_view text) {
  Result<Module> m = read_json(write_json(program(text)));
  if (!m) FAIL(to_string(m.errors()));
  return *std::move(m);
}

// Two constants without data, alike but for what was left out, one of which is used twice.
constexpr std::string_view kTwo = R"(
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<8xf32>
  %1 = stablehlo.constant dense_resource<__elided__> : tensor<8xf32>
  %2 = stablehlo.add %a, %0 : tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  %4 = stablehlo.add %3, %0 : tensor<8xf32>
  return %4 : tensor<8xf32>)";

std::vector<OpId> constants(const Module& m, StringId name) {
  std::vector<OpId> ops;
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].name == name) ops.push_back(op);
  });
  return ops;
}

TEST_CASE("constants without data that were read apart stay apart") {
  Module m = without_data(main_of(kTwo));
  const std::string before = write_json(m);
  run_well(m, "constant-or-scalar-merger");
  CHECK(write_json(m) == before);
}

TEST_CASE("copies of one constant without data become one again") {
  Module m = without_data(main_of(kTwo));
  run_well(m, "constant-or-scalar-splitter");
  CHECK(constants(m, known::kSdyConstant).size() == 3);
  run_well(m, "constant-or-scalar-merger");
  const std::vector<OpId> left = constants(m, known::kSdyConstant);
  REQUIRE(left.size() == 2);
  CHECK_FALSE(has_one_use(m, result(m, left[0], 0)));
  CHECK(has_one_use(m, result(m, left[1], 0)));
}

TEST_CASE("copies in a copied function become one, apart from those of another constant") {
  Module m = without_data(with({{"$body", kTwo}}, R"(
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
$body
}
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
})"));
  run_well(m, "constant-or-scalar-splitter,flatten-call-graph");
  CHECK(constants(m, known::kSdyConstant).size() == 6);
  run_well(m, "constant-or-scalar-merger");
  CHECK(constants(m, known::kSdyConstant).size() == 4);
}

}  // namespace
}  // namespace shardprop::test::constant_or_scalar_merger_cases
