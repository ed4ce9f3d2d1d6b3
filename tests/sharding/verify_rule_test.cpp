// What a sharding rule must hold to, one case a code.
#include "shardprop/sharding/verify_rule.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"
#include "tests/sharding/codes.hpp"

namespace shardprop {
namespace {

using namespace test;

using Shapes = std::vector<std::vector<std::int64_t>>;

std::vector<ShardedShape> views(const Shapes& shapes) {
  std::vector<ShardedShape> out;
  for (const auto& shape : shapes) out.push_back({true, shape});
  return out;
}

Codes verify(const OpShardingRule& rule, const Shapes& operands, const Shapes& results) {
  const std::vector<ShardedShape> operand_views = views(operands);
  const std::vector<ShardedShape> result_views = views(results);
  Diagnostics out;
  Place place;
  place.operation = "stablehlo.add";
  const bool valid = verify_rule(rule, {operand_views, result_views}, place, out);
  for (const Diagnostic& d : out) CHECK(d.place.operation == "stablehlo.add");
  CHECK(valid == out.empty());
  return codes(out);
}

Codes verify(std::string_view text, const Shapes& operands, const Shapes& results) {
  const Result<OpShardingRule> rule = parse_rule(text);
  REQUIRE(rule.ok());
  return verify(*rule, operands, results);
}

}  // namespace

TEST_CASE("rule verification: valid rules", "[sharding]") {
  CHECK(verify("([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}", {{8, 32}, {32, 16}},
               {{8, 16}})
            .empty());
  CHECK(verify("([ij])->([i, j]) {i=2, j=4}", {{8}}, {{2, 4}}).empty());
  CHECK(verify("([])->([])", {{}}, {{}}).empty());
  CHECK(verify("([i], [i])->([i]) {i=5} permutation={i} blocked_propagation={i}", {{2}, {3}}, {{5}})
            .empty());
  CHECK(verify("([i])->([i]) {i=0}", {{0}}, {{0}}).empty());
}

TEST_CASE("rule verification: each code", "[sharding]") {
  CHECK(verify("([i])->([i]) {i=2}", {{2}, {2}}, {{2}}) == Codes{"rule.operand_count"});
  CHECK(verify("([i])->([i], [i]) {i=2}", {{2}}, {{2}}) == Codes{"rule.result_count"});
  CHECK(verify("()->([i]) {i=2}", {}, {{2}}) == Codes{"rule.no_tensors"});
  CHECK(verify("([i])->() {i=2}", {{2}}, {}) == Codes{"rule.no_tensors"});
  CHECK(verify("([i])->([i]) {i=2}", {{2, 2}}, {{2}}) == Codes{"rule.rank_mismatch"});
  CHECK(verify("([i])->([i]) {i=2}", {{-1}}, {{2}}) == Codes{"rule.not_a_static_tensor"});
  CHECK(verify("([i, i])->([i]) {i=2}", {{2, 2}}, {{2}}) == Codes{"rule.reused_factor"});
  CHECK(verify("([i])->([ii]) {i=2}", {{2}}, {{4}}) == Codes{"rule.reused_factor"});
  CHECK(verify("([ij])->([i, j]) {i=1, j=2}", {{2}}, {{1, 2}}) == Codes{"rule.unit_factor"});
  CHECK(verify("([i])->([i]) {i=2, j=4}", {{2}}, {{2}}) == Codes{"rule.unused_factor"});
  CHECK(verify("([i])->([i]) {i=2} reduction={i}", {{2}}, {{2}}) ==
        Codes{"rule.reduction_in_result"});
  CHECK(verify("([i])->([i]) {i=-2}", {{2}}, {{2}}) == Codes{"rule.factor_size"});
}

TEST_CASE("rule verification: a token has no rule", "[sharding]") {
  const ShardedShape operands[] = {{false, {}}};
  const ShardedShape results[] = {{true, {}}};
  Diagnostics out;
  CHECK_FALSE(verify_rule(*parse_rule("([])->([])"), {operands, results}, {}, out));
  CHECK(codes(out) == Codes{"rule.not_a_static_tensor"});
}

TEST_CASE("rule verification: rules that no text can make", "[sharding]") {
  OpShardingRule rule = *parse_rule("([i])->([i]) {i=2}");
  rule.operands[0][0].clear();
  CHECK(verify(rule, {{2}}, {{2}}) == Codes{"rule.empty_dimension"});
  rule.operands[0][0] = {1};
  CHECK(verify(rule, {{2}}, {{2}}) == Codes{"rule.unknown_factor"});
}

TEST_CASE("rule verification: all errors are reported", "[sharding]") {
  CHECK(verify("([i, i], [])->([jk]) {i=2, j=1, k=2, l=3} reduction={k}", {{2, -1}}, {{1, 2}}) ==
        Codes{"rule.operand_count", "rule.reused_factor", "rule.rank_mismatch", "rule.unit_factor",
              "rule.reduction_in_result", "rule.unused_factor"});
}

}  // namespace shardprop
