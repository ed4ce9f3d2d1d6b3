// The rule oracle: each operation's rule is proved by running the operation on shards.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/ops/stablehlo/custom_call_rules.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/oracle/findings.hpp"
#include "tests/oracle/mutated_rules.hpp"
#include "tests/oracle/pairings.hpp"
#include "tests/oracle/programs.hpp"

namespace oracle::rule_oracle_cases {
namespace {

std::set<std::string> missing_of(const Case& test, const OpShardingRule& rule) {
  return missing_pairings(test, &rule);
}

// Whether the oracle finds `mutated` worse than `rule`: a factor that cannot be computed, or a
// pairing that it lacks and `rule` does not.
bool is_refused(const Case& test, const OpShardingRule& rule, const OpShardingRule& mutated) {
  if (!check_rule(test, mutated).empty()) return true;
  const std::set<std::string> before = missing_of(test, rule);
  const std::set<std::string> after = missing_of(test, mutated);
  return !std::includes(before.begin(), before.end(), after.begin(), after.end());
}

TEST_CASE("shards compute what each rule says", "[oracle]") {
  const OpTable table = shardprop::standard_ops();
  for (const Program& program : all_programs(table)) {
    const Case test = prepare(table, program);
    INFO(to_string(*program.m, program.op));
    CHECK(test.rule.has_value() == (table.find(test.op.name)->def.rule != nullptr));
    for (const auto& rule : {test.rule, test.conservative_rule}) {
      if (!rule) continue;
      INFO(to_string(*rule));
      CHECK(check_rule(test, *rule) == "");
    }
  }
}

TEST_CASE("every row and custom call with a rule is computed or says why not", "[oracle]") {
  const OpTable table = shardprop::standard_ops();
  std::set<std::string> computed;
  for (const Program& program : all_programs(table)) computed.insert(prepare(table, program).name);
  for (const InexactRule& row : kInexactRules)
    computed.insert(prepare(table, programs_of(row.program, table)[0]).name);
  std::set<std::string> stated;
  for (const NotComputed& row : kNotComputed) stated.insert(row.what);
  for (const shardprop::OpRow& row : table.rows()) {
    const std::string name(row.def.name);
    INFO(name);
    if (!row.def.rule || name == "stablehlo.custom_call") continue;
    CHECK(computed.contains(name) != stated.contains(name));
  }
  for (const auto& target : shardprop::detail::kCustomCallTargets) {
    const std::string name(target.name);
    INFO(name);
    CHECK(computed.contains("stablehlo.custom_call " + name) != stated.contains(name));
  }
}

TEST_CASE("rules that are inexact in the reference are still found to be so", "[oracle]") {
  const OpTable table = shardprop::standard_ops();
  for (const InexactRule& row : kInexactRules) {
    INFO(row.program);
    const Case test = prepare(table, programs_of(row.program, table)[0]);
    REQUIRE(test.rule);
    CHECK(check_rule(test, *test.rule) != "");
  }
}

TEST_CASE("exactly the stated pairings are missing", "[oracle]") {
  const OpTable table = shardprop::standard_ops();
  std::set<std::string> found;
  for (const Program& program : all_programs(table)) {
    const Case test = prepare(table, program);
    for (const std::string& pairing : missing_pairings(test, test.rule ? &*test.rule : nullptr))
      found.insert(test.op.name + " " + pairing);
  }
  std::set<std::string> stated;
  for (const MissingPairing& row : kMissingPairings)
    stated.insert(std::string(row.op) + " " + row.pairing);
  CHECK(found == stated);
}

TEST_CASE("the oracle refuses wrong rules", "[oracle]") {
  const OpTable table = shardprop::standard_ops();
  std::size_t mutations = 0;
  for (const Program& program : all_programs(table)) {
    const Case test = prepare(table, program);
    if (!test.rule) continue;
    for (const OpShardingRule& mutated : mutated_rules(test, *test.rule)) {
      ++mutations;
      // A mutation may happen to be what is stated as missing; then it lacks less than the rule.
      const bool is_stated = missing_of(test, mutated).size() < missing_of(test, *test.rule).size();
      INFO(test.name << "\n" << to_string(*test.rule) << " as\n" << to_string(mutated));
      CHECK((is_stated || is_refused(test, *test.rule, mutated)));
    }
  }
  CHECK(mutations > 1000);
}

}  // namespace
}  // namespace oracle::rule_oracle_cases
