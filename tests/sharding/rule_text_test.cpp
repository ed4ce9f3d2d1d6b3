// The text form of sharding rules.
#include "shardprop/sharding/rule_text.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "tests/catch.hpp"
#include "tests/sharding/codes.hpp"
#include "tests/sharding/random_sharding.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop {
namespace {

using namespace test;

// The different texts of the field "sharding_rule" in the graphs of one file.
std::set<std::string> rules_in(const std::filesystem::path& file) {
  constexpr std::string_view kField = "\"sharding_rule\":";
  std::set<std::string> rules;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    for (std::size_t at = line.find(kField); at != std::string::npos; at = line.find(kField, at)) {
      at = line.find('"', at + kField.size()) + 1;
      rules.insert(line.substr(at, line.find('"', at) - at));
    }
  }
  return rules;
}

}  // namespace

TEST_CASE("rule text: factors are i to z, then numbered", "[sharding]") {
  CHECK(factor_symbol(0) == "i");
  CHECK(factor_symbol(17) == "z");
  CHECK(factor_symbol(18) == "z_1");
  CHECK(factor_symbol(29) == "z_12");
}

TEST_CASE("rule text: the forms of the notation", "[sharding]") {
  for (const std::string text :
       {"([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}", "([])->([])", "()->()",
        "([i, j])->([ij]) {i=2, j=4}", "([], [i])->([i], []) {i=1}",
        "([i, j, k, l])->([i, k, l]) {i=2, j=3, k=5, l=7} reduction={j} need_replication={i, l} "
        "permutation={k}, custom",
        "([i, j])->([i, j]) {i=3, j=8} permutation={i} blocked_propagation={i, j}",
        "([])->([]), custom"}) {
    INFO(text);
    const Result<OpShardingRule> rule = parse_rule(text);
    REQUIRE(rule.ok());
    CHECK(to_string(*rule) == text);
    CHECK(*parse_rule("#sdy.op_sharding_rule<" + text + ">") == *rule);
    CHECK(*parse_rule("<" + text + ">") == *rule);
  }
  const auto loose = parse_rule(" ( [i,j] ,[ ] ) -> ([ i , j]){i=2,j=4}reduction={ j },custom ");
  REQUIRE(loose.ok());
  CHECK(to_string(*loose) == "([i, j], [])->([i, j]) {i=2, j=4} reduction={j}, custom");
}

TEST_CASE("rule text: what is read is what was meant", "[sharding]") {
  const auto rule = parse_rule(
      "([i, jk])->([i]) {i=8, j=4, k=2} reduction={j} need_replication={k} "
      "blocked_propagation={i}, custom");
  REQUIRE(rule.ok());
  OpShardingRule expected;
  expected.factors = {{8, FactorKind::kPassThrough, true},
                      {4, FactorKind::kReduction, false},
                      {2, FactorKind::kNeedReplication, false}};
  expected.operands = {{{0}, {1, 2}}};
  expected.results = {{{0}}};
  expected.custom = true;
  CHECK(*rule == expected);
}

TEST_CASE("rule text: random rules come back", "[sharding]") {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const OpShardingRule rule = random_rule(random);
    const std::string text = to_string(rule);
    INFO(text);
    const Result<OpShardingRule> back = parse_rule(text);
    REQUIRE(back.ok());
    REQUIRE(*back == rule);
    REQUIRE(to_string(*back) == text);
  }
}

TEST_CASE("rule text: the rules of the conformance cases come back", "[sharding][shared]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(SHARDPROP_SHARED) / "conformance" / "generated";
  if (!test::is_shared(folder)) return;
  std::size_t count = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (file.path().string().find("populate-op-sharding-rules") == std::string::npos) continue;
    for (const std::string& text : rules_in(file.path())) {
      const Result<OpShardingRule> rule = parse_rule(text);
      INFO(text);
      REQUIRE(rule.ok());
      REQUIRE(to_string(*rule) == text);
      ++count;
    }
  }
  CHECK(count > 1000);
}

TEST_CASE("rule text: syntax errors have a place", "[sharding]") {
  struct Case {
    const char* text;
    const char* at;
  };
  for (const Case& c : {Case{"", "1:1"},
                        Case{"[i]->([i])", "1:1"},
                        Case{"([i]", "1:5"},
                        Case{"([i)", "1:4"},
                        Case{"([i, *])->([i])", "1:6"},
                        Case{"(i)->([i])", "1:2"},
                        Case{"([i],)->([i])", "1:6"},
                        Case{"([i])([i])", "1:6"},
                        Case{"([i])->", "1:8"},
                        Case{"([i])->([i]) {}", "1:15"},
                        Case{"([i])->([i]) {i}", "1:16"},
                        Case{"([i])->([i]) {i=}", "1:17"},
                        Case{"([i])->([i]) {i=2", "1:18"},
                        Case{"([i])->([i]) {i=2} reduction", "1:29"},
                        Case{"([i])->([i]) {i=2} reduction=i", "1:30"},
                        Case{"([i])->([i]) {i=2} reduction={}", "1:31"},
                        Case{"([i])->([i]) {i=2} other={i}", "1:20"},
                        Case{"([i])->([i]) {i=2} permutation={i} reduction={i}", "1:36"},
                        Case{"([i])->([i]) {i=2}, special", "1:21"},
                        Case{"([i])->([i]) {i=2},", "1:20"},
                        Case{"<([i])->([i]) {i=2}", "1:20"},
                        Case{"#sdy.op_sharding_rule([i])->([i]) {i=2}", "1:22"},
                        Case{"([i])->([i]) {i=2}>", "1:19"}}) {
    const Result<OpShardingRule> rule = parse_rule(c.text);
    INFO(c.text);
    CHECK(codes(rule) == Codes{"rule.syntax"});
    CHECK(position(rule) == c.at);
  }
}

TEST_CASE("rule text: errors of meaning have a code and a place", "[sharding]") {
  struct Case {
    const char* text;
    const char* code;
    const char* at;
  };
  for (const Case& c :
       {Case{"([a])->([i]) {i=2}", "rule.factor_symbol", "1:3"},
        Case{"([ija])->([i]) {i=2}", "rule.factor_symbol", "1:5"},
        Case{"([z_])->([i]) {i=2}", "rule.factor_symbol", "1:3"},
        Case{"([z_0])->([i]) {i=2}", "rule.factor_symbol", "1:3"},
        Case{"([z_01])->([i]) {i=2}", "rule.factor_symbol", "1:3"},
        Case{"([z_99999999999])->([i]) {i=2}", "rule.factor_symbol", "1:3"},
        Case{"([i])->([i]) {ij=2}", "rule.factor_symbol", "1:15"},
        Case{"([i])->([i]) {i=2} reduction={ij}", "rule.factor_symbol", "1:31"},
        Case{"([i])->([i]) {j=2}", "rule.factor_order", "1:15"},
        Case{"([i])->([i]) {i=2, k=2}", "rule.factor_order", "1:20"},
        Case{"([i, ])->([i]) {i=2}", "rule.empty_dimension", "1:6"},
        Case{"([, i])->([i]) {i=2}", "rule.empty_dimension", "1:3"},
        Case{"([i, j])->([i]) {i=2}", "rule.unknown_factor", "1:6"},
        Case{"([i])->([i]) {i=2} reduction={k}", "rule.unknown_factor", "1:31"},
        Case{"([i, j])->([i]) {i=2, j=2} reduction={j, i}", "rule.unsorted_factors", "1:42"},
        Case{"([i])->([i]) {i=2} blocked_propagation={i, i}", "rule.duplicate_factor", "1:44"},
        Case{"([i])->([i]) {i=2} reduction={i} permutation={i}", "rule.factor_in_two_sets",
             "1:47"}}) {
    const Result<OpShardingRule> rule = parse_rule(c.text);
    INFO(c.text);
    CHECK(codes(rule) == Codes{c.code});
    CHECK(position(rule) == c.at);
  }
  CHECK(codes(parse_rule("([i, , k])->([]) {i=2} reduction={i, i} permutation={i}")) ==
        Codes{"rule.empty_dimension", "rule.duplicate_factor", "rule.factor_in_two_sets",
              "rule.unknown_factor"});
}

TEST_CASE("rule text: a pattern has no sizes, and its factors are numbered by the alphabet",
          "[sharding]") {
  const auto pattern = parse_rule_pattern("([b, i, k], [b, k, j])->([b, i, j]) reduction={k}");
  REQUIRE(pattern.ok());
  const Factor unknown{kUnknownSize};
  CHECK(pattern->rule.factors ==
        std::vector{unknown, unknown, unknown, Factor{kUnknownSize, FactorKind::kReduction}});
  CHECK(pattern->rule.operands == std::vector<TensorMapping>{{{0}, {1}, {3}}, {{0}, {3}, {2}}});
  CHECK(pattern->rule.results == std::vector<TensorMapping>{{{0}, {1}, {2}}});
  CHECK(pattern->batched == std::vector{false, false, false});

  const auto batched = parse_rule_pattern("([..., i], [...], [])->([..., i]) {i=4}");
  REQUIRE(batched.ok());
  CHECK(batched->batched == std::vector{true, true, false, true});
  CHECK(batched->rule.factors == std::vector{Factor{4}});
  CHECK(batched->rule.operands == std::vector<TensorMapping>{{{0}}, {}, {}});
}

TEST_CASE("rule text: errors of patterns have a code and a place", "[sharding]") {
  struct Case {
    const char* text;
    const char* code;
    const char* at;
  };
  for (const Case& c : {Case{"([i]->([i])", "rule.syntax", "1:5"},
                        Case{"([i, ...])->([i])", "rule.factor_symbol", "1:6"},
                        Case{"([... i])->([i])", "rule.syntax", "1:7"},
                        Case{"([A])->([i])", "rule.factor_symbol", "1:3"},
                        Case{"([i])->([i]) reduction={k}", "rule.unknown_factor", "1:25"},
                        Case{"([i])->([i]) {j=2}", "rule.unknown_factor", "1:15"},
                        Case{"([i])->([i]) {i=-1}", "rule.factor_size", "1:15"},
                        Case{"([a, b])->([a, b]) {b=2, a=2}", "rule.factor_order", "1:26"},
                        Case{"([i, j], [k, ik])->([i])", "rule.reused_factor", "1:15"},
                        Case{"([i])->([i]) reduction={i}", "rule.reduction_in_result", "1:10"}}) {
    const Result<RulePattern> pattern = parse_rule_pattern(c.text);
    INFO(c.text);
    CHECK(codes(pattern) == Codes{c.code});
    CHECK(position(pattern) == c.at);
  }
  CHECK(codes(parse_rule("([...])->([...])")) == Codes{"rule.factor_symbol"});
}

TEST_CASE("rule text: the compiler reads patterns too", "[sharding]") {
  static_assert(is_rule_pattern("([..., i, k], [..., k, j]) -> ([..., i, j]) reduction={k}"));
  static_assert(is_rule_pattern("([ij], [z_12]) -> ([i, j]) blocked_propagation={z_12}"));
}

TEST_CASE("rule text: damaged texts give errors, or rules that come back", "[sharding]") {
  Random random(6);
  const std::string alphabet = "<>[]{}(),=->ijkz_0129 acu";
  int errors = 0;
  int rules = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = to_string(random_rule(random));
    damage(random, alphabet, text);
    const Result<OpShardingRule> rule = parse_rule(text);
    INFO(text);
    if (rule) REQUIRE(*parse_rule(to_string(*rule)) == *rule);
    (rule ? rules : errors) += 1;
  }
  CHECK(errors > 1000);
  CHECK(rules > 50);
}

}  // namespace shardprop
