// Whole propagations: rounds, priorities, groups, the report, and what must not change the answer.
#include "shardprop/propagate/propagate.hpp"

#include "examples/models/transformer.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::propagate_cases {
namespace {

// Attributes of an argument or a result of the sharding given, if it is not empty.
std::string sharded(std::string_view sharding) {
  return sharding.empty()
             ? ""
             : with({{"$sharding", sharding}}, "{sdy.sharding = #sdy.sharding$sharding}");
}

Module chain(std::string_view a, std::string_view b, std::string_view result = "") {
  return program(
      with({{"$a", sharded(a)}, {"$b", sharded(b)}, {"$result", sharded(result)}}, on_mesh(R"(
func.func @main(%a: tensor<8x8xf32> $a, %b: tensor<8x8xf32> $b) -> (tensor<8x8xf32> $result) {
  %c = stablehlo.add %a, %b : tensor<8x8xf32>
  %d = stablehlo.tanh %c : tensor<8x8xf32>
  return %d : tensor<8x8xf32>
})")));
}

// %a, a vector, and %b in one sharding group, and %c, which is made of %b.
Module group(std::string_view a, std::string_view b, std::string_view type_of_b = "tensor<8xf32>") {
  return program(with({{"$a", sharded(a)}, {"$b", sharded(b)}, {"$type", type_of_b}}, on_mesh(R"(
func.func @main(%a: tensor<8xf32> $a, %b: $type $b) -> $type {
  sdy.sharding_group %a group_id=0 : tensor<8xf32>
  sdy.sharding_group %b group_id=0 : $type
  %c = stablehlo.tanh %b : $type
  return %c : $type
})")));
}

TEST_CASE("a function's result sharding moves back to its arguments") {
  Module m = chain("", "", R"(<@mesh, [{"x"}, {?}]>)");
  const PropagationReport report = run(m);
  for (const char* name : {"%a", "%b", "%c", "%d"})
    CHECK(sharding(m, name) == R"(<@mesh, [{"x", ?}, {?}]>)");
  CHECK(report.stop_reason == StopReason::kFixedPoint);
  CHECK(report.operations == 3);
  CHECK(report.unresolved.empty());
}

TEST_CASE("user priorities: a lower number wins an axis that two want") {
  // Both want x: %a for rows at priority 1, %b for columns at priority 0.
  Module m = chain(R"(<@mesh, [{"x"}p1, {?}]>)", R"(<@mesh, [{?}, {"x"}p0]>)");
  run(m);
  CHECK(sharding(m, "%d") == R"(<@mesh, [{?}, {"x", ?}]>)");
  CHECK(sharding(m, "%a") == R"(<@mesh, [{"x"}, {?}]>)");  // restored when its turn comes
  Module other = chain(R"(<@mesh, [{"x"}p0, {?}]>)", R"(<@mesh, [{?}, {"x"}p1]>)");
  run(other);
  CHECK(sharding(other, "%d") == R"(<@mesh, [{"x", ?}, {?}]>)");
}

TEST_CASE("members of a sharding group are sharded alike") {
  Module m = group(R"(<@mesh, [{"x", ?}]>)", "");
  run(m);
  CHECK(sharding(m, "%b") == R"(<@mesh, [{"x", ?}]>)");
  CHECK(sharding(m, "%c") == R"(<@mesh, [{"x", ?}]>)");
}

TEST_CASE("members of a group that disagree get open constraints and a warning") {
  Module m = group(R"(<@mesh, [{"x"}]>)", R"(<@mesh, [{"y"}]>)");
  const PropagationReport report = run(m);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "propagate.group_conflict");
  CHECK(sharding(m, "%a") == R"(<@mesh, [{"x"}]>)");
  CHECK(sharding(m, "%b") == R"(<@mesh, [{"y"}]>)");
}

TEST_CASE("a group of values of different ranks is left out, with a warning") {
  Module m = group(R"(<@mesh, [{"x"}]>)", "", "tensor<8x8xf32>");
  const PropagationReport report = run(m);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "propagate.group_rank");
  CHECK(sharding(m, "%a") == R"(<@mesh, [{"x"}]>)");
  CHECK(sharding(m, "%b") == "none");
  CHECK(sharding(m, "%c") == "none");
}

TEST_CASE("a propagation barrier lets shardings pass one way") {
  const auto make = [](std::string_view direction) {
    return program(with({{"$direction", direction}}, on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %b = sdy.propagation_barrier %a allowed_direction=$direction : tensor<8xf32>
  return %b : tensor<8xf32>
})")));
  };
  Module forward = make("FORWARD");
  run(forward);
  CHECK(sharding(forward, "%b") == R"(<@mesh, [{"x", ?}]>)");
  Module backward = make("BACKWARD");
  run(backward);
  CHECK(sharding(backward, "%b") == "none");
}

TEST_CASE("an operation without a rule stops shardings and is reported") {
  Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %b = "my.op"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = "my.op"(%b) : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
})"));
  const PropagationReport report = run(m);
  CHECK(sharding(m, "%b") == "none");
  REQUIRE(report.without_rule.size() == 1);
  CHECK(report.without_rule[0].name == "my.op");
  CHECK(report.without_rule[0].count == 2);
  CHECK(report.without_rule[0].first.value == "%b");
}

TEST_CASE("a rule in the program overrides the table and stays if it is custom") {
  Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8x4xf32> {
  %b = stablehlo.tanh %a {sdy.sharding_rule =
      #sdy.op_sharding_rule<([i, j])->([k, j]) {i=8, j=4, k=8}, custom>} : tensor<8x4xf32>
  return %b : tensor<8x4xf32>
})"));
  run(m);
  CHECK(sharding(m, "%b") == "none");
  CHECK(m.ops[m.blocks[m.funcs[m.func_order[0]].body].first_op].rule.valid());
}

TEST_CASE("a caller's own operation propagates by its rule text") {
  OpTable ops = standard_ops();
  REQUIRE(ops.add({.name = "my.matmul", .rule_text = "([i, k], [k, j])->([i, j]) reduction={k}"})
              .empty());
  Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
                %b: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x16xf32> {
  %c = "my.matmul"(%a, %b) : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
})"),
                     ops);
  run(m, {}, ops);
  CHECK(sharding(m, "%c") == R"(<@mesh, [{"x", ?}, {"y", ?}]>)");
}

TEST_CASE("dynamic shapes are refused and the module stays as it was") {
  Module m = program(R"(
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %b = stablehlo.tanh %a : tensor<?xf32>
  return %b : tensor<?xf32>
})");
  const std::string before = write_json(m);
  const Result<PropagationReport> report = propagate(m, standard_ops());
  REQUIRE_FALSE(report);
  CHECK(report.errors()[0].code == "propagate.dynamic_shape");
  CHECK(report.errors()[0].place.value == "%b");
  CHECK(write_json(m) == before);
}

TEST_CASE("a visit limit stops the run and says so") {
  Module m = chain(R"(<@mesh, [{"x"}, {?}]>)", "");
  PropagateOptions options;
  options.max_visits = 1;
  CHECK(run(m, options).stop_reason == StopReason::kVisitLimit);
}

TEST_CASE("the memo does not change the answer") {
  const Module original = *models::transformer(standard_ops(), {.layers = 3});
  Module with = original;
  Module without = original;
  PropagateOptions options;
  const PropagationReport report = run(with, options);
  CHECK(report.memo_hits > report.memo_entries);
  options.memoise = false;
  CHECK(run(without, options).memo_hits == 0);
  CHECK(write_json(with) == write_json(without));
}

TEST_CASE("a copied module propagates by itself") {
  Module m = chain(R"(<@mesh, [{"x"}, {?}]>)", "");
  Module copy = m;
  run(copy);
  CHECK(sharding(m, "%d") == "none");
  CHECK(sharding(copy, "%d") == R"(<@mesh, [{"x", ?}, {?}]>)");
}

}  // namespace
}  // namespace shardprop::test::propagate_cases
