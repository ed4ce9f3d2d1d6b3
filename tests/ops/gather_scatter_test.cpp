#include "shardprop/ops/stablehlo/gather_scatter.hpp"

#include "tests/ops/cases/gather_scatter.hpp"
#include "tests/ops/check_op_cases.hpp"
#include "tests/support/program.hpp"

namespace {

constexpr op_test::RuleCase kGatherScatterRules[] = {
    // Batch dimension j of all three; part of window dimension k.
    {"stablehlo.gather", "{}",
     "([j, l, k], [i, j, m])->([i, j, k]) {i=4, j=3, k=5, l=7, m=1} reduction={l} "
     "need_replication={k, m} blocked_propagation={k}"},
    {"stablehlo.gather", R"({"results": ["4x3x5xf32"], "attributes": {"slice_sizes": [1, 1, 5]}})",
     "([j, l, k], [i, j, m])->([i, j, k]) {i=4, j=3, k=5, l=7, m=1} reduction={l} "
     "need_replication={m}"},
    {"stablehlo.gather", R"({"results": ["4x3x1xf32"]})",
     "([j, m, k], [i, j, n])->([i, j, l]) {i=4, j=3, k=5, l=1, m=7, n=1} reduction={k, m} "
     "need_replication={l, n}"},
    {"stablehlo.gather", R"({"operands": ["3x1x5xf32", "4x3x1xi32"], "results": ["4x3x5xf32"]})",
     "([j, l, k], [i, j, m])->([i, j, k]) {i=4, j=3, k=5, l=1, m=1} need_replication={l, m}"},
    // Numbers that lead out of the shapes.
    {"stablehlo.gather", R"({"attributes": {"dimension_numbers": null}})", ""},
    {"stablehlo.gather", R"({"attributes": {"dimension_numbers": {"offset_dims": [0, 1, 2]}}})",
     ""},
    {"stablehlo.gather", R"({"attributes": {"dimension_numbers": {"collapsed_slice_dims": [9]}}})",
     ""},
    {"stablehlo.gather", R"({"attributes": {"dimension_numbers": {"index_vector_dim": 9}}})", ""},
    {"stablehlo.gather",
     R"({"attributes": {"dimension_numbers": {"start_indices_batching_dims": [-1]}}})", ""},
    {"stablehlo.gather", R"({"operands": ["3x7x5xf32", "?x3x1xi32"]})", ""},
    {"stablehlo.gather", R"({"operands": ["3x7x5xf32"]})", ""},
    {"stablehlo.dynamic_gather", "{}", ""},

    {"stablehlo.scatter", "{}",
     "([j, m, k], [i, j, n], [i, j, l])->([j, m, k]) {i=4, j=3, k=5, l=2, m=7, n=1} "
     "need_replication={i, k, l, n}"},
    {"stablehlo.scatter",
     R"({"operands": ["3x7x5xf32", "3x7x5xi32", "4x3x1xi32", "4x3x5xf32", "4x3x5xi32"],
         "results": ["3x7x5xf32", "3x7x5xi32"]})",
     "([j, l, k], [j, l, k], [i, j, m], [i, j, k], [i, j, k])->([j, l, k], [j, l, k]) "
     "{i=4, j=3, k=5, l=7, m=1} need_replication={i, m}"},
    {"stablehlo.scatter", R"({"operands": ["3x7x5xf32", "4x3x1xi32"]})", ""},
    {"stablehlo.scatter", R"({"operands": []})", ""},
    {"stablehlo.scatter", R"({"results": ["3x7xf32"]})", ""},
    {"stablehlo.scatter", R"({"blocks": []})",
     "([j, m, k], [i, j, n], [i, j, l])->([j, m, k]) {i=4, j=3, k=5, l=2, m=7, n=1} "
     "need_replication={i, k, l, n}"},
};

// The rule of a scatter of rows of a 4x5 update into a 7x5 input by the computation given.
std::string scatter_rule(std::string_view element, std::string_view computation) {
  using namespace shardprop::test;
  const shardprop::Module m =
      program(with({{"$element", element}, {"$computation", computation}}, R"(
func.func @main(%x: tensor<7x5x$element>, %i: tensor<4x1xi32>, %u: tensor<4x5x$element>) {
  %s = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<$element>, %b: tensor<$element>):
    %r = $computation : tensor<$element>
    stablehlo.return %r : tensor<$element>
  }) : (tensor<7x5x$element>, tensor<4x1xi32>, tensor<4x5x$element>) -> tensor<7x5x$element>
  return
})"));
  return op_test::rule_of(shardprop::standard_ops(), m, "stablehlo.scatter");
}

}  // namespace

TEST_CASE("gather and scatter: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kGatherScatterCases);
  op_test::check_rows_have_cases(shardprop::kGatherScatterOps, kGatherScatterCases);
}

TEST_CASE("gather and scatter: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kGatherScatterCases, kGatherScatterRules);
}

TEST_CASE("scatter: indices are reduced where the computation is a reduction") {
  constexpr std::string_view kReduces =
      "([k, j], [i, l], [i, j])->([k, j]) {i=4, j=5, k=7, l=1} reduction={i} need_replication={l}";
  CHECK(scatter_rule("f32", "stablehlo.add %a, %b") == kReduces);
  CHECK(scatter_rule("f32", "stablehlo.maximum %b, %a") == kReduces);
  CHECK(scatter_rule("i1", "stablehlo.or %a, %b") == kReduces);
  // Not of bits, of one argument only, or of another operation.
  constexpr std::string_view kReplicates =
      "([k, j], [i, l], [i, j])->([k, j]) {i=4, j=5, k=7, l=1} need_replication={i, l}";
  CHECK(scatter_rule("i32", "stablehlo.or %a, %b") == kReplicates);
  CHECK(scatter_rule("f32", "stablehlo.add %a, %a") == kReplicates);
  CHECK(scatter_rule("f32", "stablehlo.subtract %a, %b") == kReplicates);
}
