// The table of operations: what it refuses of a caller's operation, and rules as text.
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::op_table_cases {
namespace {

using Codes = std::vector<std::string>;

Codes codes_of(const Diagnostics& diagnostics) {
  Codes codes;
  for (const Diagnostic& d : diagnostics) codes.push_back(d.code);
  return codes;
}

// The rule that `made` gives test.op of two operands and a result of these shapes, such as "[2, 3]".
std::string rule_of(RuleFn made, std::string_view lhs, std::string_view rhs, std::string_view out) {
  const Result<Module> m = read_json(fmt::format(
      R"({{"functions": [{{"name": "main", "arguments": [
          {{"name": "%a", "shape": {}, "dtype": "f32"}}, {{"name": "%b", "shape": {}, "dtype": "f32"}}],
        "ops": [{{"op": "test.op", "operands": ["%a", "%b"], "results": [{{"name": "%c", "shape": {}, "dtype": "f32"}}]}},
                {{"op": "func.return"}}]}}]}})",
      lhs, rhs, out));
  REQUIRE(m.ok());
  const auto rule = made({*m, m->blocks[m->funcs[m->func_order[0]].body].first_op});
  return rule ? to_string(*rule) : "none";
}

}  // namespace

TEST_CASE("a caller's operation is added, or every error of it is told", "[ops]") {
  OpTable table = standard_ops();
  CHECK(table.add({.name = "my.op", .rule_text = "([..., i])->([..., i])"}).empty());
  REQUIRE(table.find("my.op"));
  const std::size_t rows = table.rows().size();

  const auto codes = [&](CustomOp op) { return codes_of(table.add(std::move(op))); };
  CHECK(codes({.name = ""}) == Codes{"op.no_name"});
  CHECK(codes({.name = "my.op"}) == Codes{"op.duplicate_name"});
  CHECK(codes({.name = "stablehlo.add"}) == Codes{"op.duplicate_name"});
  CHECK(codes({.name = "my.a", .rule_text = "(i)->"}) == Codes{"rule.syntax"});
  CHECK(codes({.name = "my.a", .rule_text = "([i, i])->([i]) reduction={k}"}) ==
        Codes{"rule.reused_factor", "rule.unknown_factor"});
  CHECK(codes({.name = "my.a", .traits = 1u << 30}) == Codes{"op.unknown_traits"});
  CHECK(codes({.name = "my.a", .traits = kElementwise | kBroadcasts}) ==
        Codes{"op.duplicate_traits"});
  CHECK(codes({.name = "my.a", .signature = {.min_operands = 2, .max_operands = 1}}) ==
        Codes{"op.signature"});
  CHECK(codes({.name = "my.a", .rule_text = "([i])->([i])", .rule = pointwise<>}) ==
        Codes{"op.two_rules"});
  CustomOp no_edges{.name = "my.a"};
  no_edges.data_flow.get_sharding = [](Module&, OpId, ValueId) { return ShardingId(); };
  CHECK(codes(no_edges) == Codes{"op.data_flow"});
  CHECK(table.rows().size() == rows);
  CHECK(table.find("my.a") == nullptr);

  const Diagnostics errors = table.add({.name = "my.a", .rule_text = "([i, k])->([i"});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].place.operation == "my.a");
  CHECK(errors[0].place.column == 14);
}

TEST_CASE("a caller's operation takes the place of a row on request only", "[ops]") {
  OpTable table = standard_ops();
  const std::size_t rows = table.rows().size();
  CHECK_FALSE(table.add({.name = "stablehlo.add", .traits = kPure}).empty());
  CHECK(table.find("stablehlo.add")->def.rule);
  CHECK(table.replace({.name = "stablehlo.add", .traits = kPure}).empty());
  CHECK(table.find("stablehlo.add")->custom);
  CHECK(codes_of(table.replace({.name = "stablehlo.add", .rule_text = "("})) ==
        Codes{"rule.syntax"});
  CHECK(table.rows().size() == rows);
}

TEST_CASE("a rule as text is the first that fits the ranks", "[ops]") {
  constexpr RuleFn kDot = rule<"([k], [k]) -> ([]) reduction={k}",
                               "([..., i, k], [..., k, j]) -> ([..., i, j]) reduction={k}">;
  CHECK(rule_of(kDot, "[4]", "[4]", "[]") == "([i], [i])->([]) {i=4} reduction={i}");
  CHECK(rule_of(kDot, "[2, 3]", "[3, 5]", "[2, 5]") ==
        "([i, k], [k, j])->([i, j]) {i=2, j=5, k=3} reduction={k}");
  CHECK(rule_of(kDot, "[7, 2, 3]", "[7, 3, 5]", "[7, 2, 5]") ==
        "([i, j, l], [i, l, k])->([i, j, k]) {i=7, j=2, k=5, l=3} reduction={l}");
  CHECK(rule_of(kDot, "[7, 2, 3]", "[3, 5]", "[7, 2, 5]") == "none");
  CHECK(rule_of(kDot, "[4]", "[4, 5]", "[5]") == "none");
}

TEST_CASE("sizes of factors follow from dimensions, also from empty ones", "[ops]") {
  constexpr RuleFn kMerge = rule<"([ij], [j]) -> ([i, j])">;
  CHECK(rule_of(kMerge, "[6]", "[2]", "[3, 2]") == "([ij], [j])->([i, j]) {i=3, j=2}");
  CHECK(rule_of(kMerge, "[0]", "[0]", "[3, 0]") == "([ij], [j])->([i, j]) {i=3, j=0}");
  CHECK(rule_of(kMerge, "[-1]", "[2]", "[3, 2]") == "none");
  CHECK(rule_of(rule<"([ij], []) -> ([])">, "[6]", "[]", "[]") == "none");
}

}  // namespace shardprop::test::op_table_cases
