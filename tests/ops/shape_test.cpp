#include "shardprop/ops/stablehlo/shape.hpp"
#include "shardprop/ir/edit.hpp"

#include <cstdint>
#include <vector>

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/shape.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kShapeRules[] = {
    // Split, merge, both; factors are found major to minor.
    {"stablehlo.reshape", R"({"operands": ["24xf32"], "results": ["2x3x4xf32"]})",
     "([ijk])->([i, j, k]) {i=2, j=3, k=4}"},
    {"stablehlo.reshape", R"({"operands": ["2x3x4xf32"], "results": ["6x4xf32"]})",
     "([i, j, k])->([ij, k]) {i=2, j=3, k=4}"},
    {"stablehlo.reshape", R"({"operands": ["6x8xf32"], "results": ["2x24xf32"]})",
     "([ij, k])->([i, jk]) {i=2, j=3, k=8}"},
    // Sizes without a common divisor: own factors until both sides meet again.
    {"stablehlo.reshape", R"({"operands": ["5x7x2xf32"], "results": ["7x5x2xf32"]})",
     "([i, k, m])->([j, l, m]) {i=5, j=7, k=7, l=5, m=2}"},
    {"stablehlo.reshape", R"({"operands": ["6x10xf32"], "results": ["10x6xf32"]})",
     "([ij, ln])->([ik, mn]) {i=2, j=3, k=5, l=5, m=3, n=2}"},
    // Dimensions of size 1 go with nothing.
    {"stablehlo.reshape", R"({"operands": ["1x8xf32"], "results": ["8x1x1xf32"]})",
     "([i, j])->([j, k, l]) {i=1, j=8, k=1, l=1}"},
    {"stablehlo.reshape", R"({"operands": ["1xf32"], "results": ["f32"]})", "([i])->([]) {i=1}"},
    // Nothing to propagate, or ill-formed.
    {"stablehlo.reshape", R"({"operands": ["0x4xf32"], "results": ["2x0xf32"]})", ""},
    {"stablehlo.reshape", R"({"results": ["5x7xf32"]})", ""},
    {"stablehlo.reshape", R"({"results": ["?x4xf32"]})", ""},
    {"stablehlo.reshape", R"({"operands": ["4294967296x4294967296x4294967296xf32"]})", ""},
    {"stablehlo.reshape", R"({"operands": []})", ""},

    {"stablehlo.transpose", "{}", "([j, k, i])->([i, j, k]) {i=5, j=2, k=3}"},
    {"stablehlo.transpose", R"({"attributes": {"permutation": [0, 0, 1]}})", ""},
    {"stablehlo.transpose", R"({"attributes": {"permutation": [0, 1, 7]}})", ""},
    {"stablehlo.transpose", R"({"attributes": {"permutation": null}})", ""},
    {"stablehlo.transpose", R"({"results": ["5x2xf32"]})", ""},

    {"stablehlo.broadcast_in_dim", "{}", "([k, i])->([i, j, l]) {i=3, j=2, k=1, l=5}"},
    {"stablehlo.broadcast_in_dim", R"({"results": ["3x2x1xf32"]})",
     "([k, i])->([i, j, k]) {i=3, j=2, k=1}"},
    {"stablehlo.broadcast_in_dim",
     R"({"operands": ["f32"], "results": ["4xf32"], "attributes": {"broadcast_dimensions": []}})",
     "([])->([i]) {i=4}"},
    {"stablehlo.broadcast_in_dim", R"({"attributes": {"broadcast_dimensions": [2, 3]}})", ""},
    {"stablehlo.broadcast_in_dim", R"({"attributes": {"broadcast_dimensions": [2, 1]}})", ""},
    {"stablehlo.broadcast_in_dim", R"({"attributes": {"broadcast_dimensions": "all"}})", ""},

    {"stablehlo.broadcast", "{}", ""},
    {"stablehlo.dynamic_reshape", "{}", ""},
    {"stablehlo.get_dimension_size", "{}", ""},
};

}  // namespace

TEST_CASE("shape operations: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kShapeCases);
  op_test::check_rows_have_cases(shardprop::kShapeOps, kShapeCases);
}

TEST_CASE("shape operations: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kShapeCases, kShapeRules);
}

namespace {

// All shapes of `count` elements with at most three dimensions.
std::vector<std::vector<std::int64_t>> shapes_of(std::int64_t count) {
  std::vector<std::vector<std::int64_t>> out;
  for (std::int64_t a = 1; a <= count; ++a) {
    if (count % a != 0) continue;
    out.push_back({a, count / a});
    for (std::int64_t b = 1; b <= count / a; ++b) {
      if (count / a % b == 0) out.push_back({a, b, count / a / b});
    }
  }
  return out;
}

// Whether each dimension is the product of its factors.
bool sizes_fit(const shardprop::OpShardingRule& rule, const shardprop::TensorMapping& mapping,
               const std::vector<std::int64_t>& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::int64_t product = 1;
    for (std::uint32_t factor : mapping[d]) product *= rule.factors[factor].size;
    if (product != shape[d]) return false;
  }
  return true;
}

// The number of elements after each step of factor `f`, on one side.
std::int64_t stride_of(const shardprop::OpShardingRule& rule,
                       const shardprop::TensorMapping& mapping, std::uint32_t f) {
  std::int64_t minor = 0;  // 0: the factor has not come yet
  for (const auto& dim : mapping) {
    for (std::uint32_t factor : dim) {
      if (minor != 0) minor *= rule.factors[factor].size;
      if (factor == f) minor = 1;
    }
  }
  return minor;
}

}  // namespace

TEST_CASE("reshape factors cover all dimensions and common ones move the same elements") {
  const shardprop::OpTable table = shardprop::standard_ops();
  for (std::int64_t count : {12, 30, 36, 72}) {
    for (const auto& from : shapes_of(count)) {
      for (const auto& to : shapes_of(count)) {
        shardprop::Module m;
        const auto in = shardprop::tensor_type(m, "f32", from);
        const auto out = shardprop::tensor_type(m, "f32", to);
        const auto func = create_func(m, {.name = "main", .argument_types = {&in, 1}});
        const auto block = m.funcs[func].body;
        const shardprop::ValueId x = m.blocks[block].arguments[0];
        const auto op =
            create_op(m, shardprop::at_end(block), {"stablehlo.reshape", {&x, 1}, {&out, 1}});
        const auto rule = shardprop::reshape_rule({m, op});
        REQUIRE(rule);
        INFO(to_string(*rule));
        CHECK(sizes_fit(*rule, rule->operands[0], from));
        CHECK(sizes_fit(*rule, rule->results[0], to));
        for (std::uint32_t f = 0; f < rule->factors.size(); ++f) {
          const std::int64_t a = stride_of(*rule, rule->operands[0], f);
          const std::int64_t b = stride_of(*rule, rule->results[0], f);
          if (rule->factors[f].size != 1 && a != 0 && b != 0) CHECK(a == b);
        }
      }
    }
  }
}
