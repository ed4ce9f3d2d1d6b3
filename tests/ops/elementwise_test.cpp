#include "shardprop/ops/stablehlo/elementwise.hpp"

#include "shardprop/ops/stablehlo/constants.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/constants.hpp"
#include "tests/ops/cases/elementwise.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kElementwiseRules[] = {
    {"stablehlo.negate", "{}", "([i, j])->([i, j]) {i=2, j=3}"},
    {"stablehlo.subtract", "{}", "([i, j], [i, j])->([i, j]) {i=2, j=3}"},
    {"stablehlo.compare", "{}", "([i], [i])->([i]) {i=2}"},
    {"stablehlo.convert", "{}", "([i])->([i]) {i=2}"},
    {"stablehlo.add", R"({"operands": ["f32", "f32"], "results": ["f32"]})", "([], [])->([])"},
    {"stablehlo.add", R"({"operands": ["0x3xf32", "0x3xf32"], "results": ["0x3xf32"]})",
     "([i, j], [i, j])->([i, j]) {i=0, j=3}"},
    {"stablehlo.clamp", "{}", "([], [i], [i])->([i]) {i=2}"},
    {"stablehlo.select", "{}", "([], [i], [i])->([i]) {i=2}"},
    {"stablehlo.select", R"({"operands": ["2xi1", "2xf32", "2xf32"]})",
     "([i], [i], [i])->([i]) {i=2}"},
    {"stablehlo.bitcast_convert", "{}", "([i])->([i, j]) {i=2, j=2} need_replication={j}"},
    {"stablehlo.bitcast_convert", R"({"operands": ["2x4xi8"], "results": ["2xf32"]})",
     "([i, j])->([i]) {i=2, j=4} need_replication={j}"},
    {"stablehlo.bitcast_convert", R"({"results": ["2xi32"]})", "([i])->([i]) {i=2}"},
    {"stablehlo.map", "{}", ""},
    {"stablehlo.uniform_quantize", "{}", ""},
    // Ill-formed, or of unknown shape.
    {"stablehlo.add", R"({"operands": ["2x3xf32", "2xf32"]})", ""},
    {"stablehlo.add", R"({"operands": ["2x?xf32", "2x3xf32"]})", ""},
    {"stablehlo.add", R"({"results": []})", ""},
    {"stablehlo.add", R"({"results": ["!stablehlo.token"]})", ""},
    {"stablehlo.clamp", R"({"operands": ["2x3xf32", "2xf32", "2xf32"]})", ""},
    {"stablehlo.select", R"({"results": []})", ""},
    {"stablehlo.bitcast_convert", R"({"results": ["2x2x2xi8"]})", ""},
    {"stablehlo.bitcast_convert", R"({"operands": []})", ""},
};

shardprop::Traits traits_in(const char* json) {
  const shardprop::OpTable table = shardprop::standard_ops();
  const OpCase test = {"stablehlo.bitcast_convert", "ok", json};
  auto m = shardprop::read_json(op_test::module_of(test, test));
  REQUIRE(m.ok());
  const shardprop::OpId op(0);
  return traits_of(table.find(op_name(*m, op)), *m, op);
}

}  // namespace

TEST_CASE("element-wise operations: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kElementwiseCases);
  op_test::check_rows_have_cases(shardprop::kElementwiseOps, kElementwiseCases);
}

TEST_CASE("element-wise operations: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kElementwiseCases, kElementwiseRules);
}

TEST_CASE("bitcast_convert is element-wise where it keeps the shape") {
  using shardprop::kElementwise;
  CHECK((traits_in(R"({"operands": ["2xf32"], "results": ["2xi32"]})") & kElementwise) != 0);
  CHECK((traits_in(R"({"operands": ["2xf32"], "results": ["2x2xf16"]})") & kElementwise) == 0);
}

TEST_CASE("constants: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kConstantCases);
  op_test::check_rows_have_cases(shardprop::kConstantOps, kConstantCases);
}
