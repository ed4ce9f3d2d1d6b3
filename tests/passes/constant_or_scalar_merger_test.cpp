// constant-or-scalar-merger on constants whose data was left out of the JSON.
#include "tests/passes/golden.hpp"

namespace shardprop::test::constant_or_scalar_merger_cases {
namespace {

// Two constants without data, alike but for what was left out, one of which is used twice.
constexpr std::string_view kTwo = R"(
  {"op": "stablehlo.constant", "results": [{"name": "%0", "shape": [8], "dtype": "f32"}],
   "attributes": {"value": {"elided": true}}},
  {"op": "stablehlo.constant", "results": [{"name": "%1", "shape": [8], "dtype": "f32"}],
   "attributes": {"value": {"elided": true}}},
  {"op": "stablehlo.add", "operands": ["%a", "%0"],
   "results": [{"name": "%2", "shape": [8], "dtype": "f32"}]},
  {"op": "stablehlo.add", "operands": ["%2", "%1"],
   "results": [{"name": "%3", "shape": [8], "dtype": "f32"}]},
  {"op": "stablehlo.add", "operands": ["%3", "%0"],
   "results": [{"name": "%4", "shape": [8], "dtype": "f32"}]},
  {"op": "func.return", "operands": ["%4"]})";

std::vector<OpId> constants(const Module& m, StringId name) {
  std::vector<OpId> ops;
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].name == name) ops.push_back(op);
  });
  return ops;
}

TEST_CASE("constants without data that were read apart stay apart") {
  check_unchanged("constant-or-scalar-merger", program("", kA, kF32x8, kTwo));
}

TEST_CASE("copies of one constant without data become one again") {
  Module m = read(program("", kA, kF32x8, kTwo));
  REQUIRE(run_text(m, "constant-or-scalar-splitter"));
  CHECK(constants(m, known::kSdyConstant).size() == 3);
  REQUIRE(run_text(m, "constant-or-scalar-merger"));
  const std::vector<OpId> left = constants(m, known::kSdyConstant);
  REQUIRE(left.size() == 2);
  CHECK_FALSE(has_one_use(m, result(m, left[0], 0)));
  CHECK(has_one_use(m, result(m, left[1], 0)));
}

TEST_CASE("copies in a copied function become one, apart from those of another constant") {
  const std::string body =
      func("f", kA, kF32x8, kTwo, kPrivate) + ", " + func("main", kA, kF32x8, R"(
        {"op": "func.call", "operands": ["%a"], "attributes": {"callee": "f"},
         "results": [{"name": "%0", "shape": [8], "dtype": "f32"}]},
        {"op": "func.call", "operands": ["%0"], "attributes": {"callee": "f"},
         "results": [{"name": "%1", "shape": [8], "dtype": "f32"}]},
        {"op": "func.return", "operands": ["%1"]})");
  Module m = read(module_of("", {body}));
  REQUIRE(run_text(m, "constant-or-scalar-splitter,flatten-call-graph"));
  CHECK(constants(m, known::kSdyConstant).size() == 6);
  REQUIRE(run_text(m, "constant-or-scalar-merger"));
  CHECK(constants(m, known::kSdyConstant).size() == 4);
}

}  // namespace
}  // namespace shardprop::test::constant_or_scalar_merger_cases
