#include "shardprop/embed/propagate_step.hpp"

#include <string>
#include <vector>

#include "shardprop/sharding/rule_text.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::propagate_step_cases {

const Mesh kMesh = {"mesh", {{"data", 4}, {"model", 2}}, {}};

OpShardingRule matmul() {
  return *parse_rule("([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}");
}

NamedSharding dims(std::vector<NamedDim> of) { return {"mesh", std::move(of)}; }

std::string text(const std::optional<NamedSharding>& s) { return s ? to_string(*s) : "none"; }

TEST_CASE("one step on plain data shards the result of a matrix product", "[embed]") {
  const TensorShardings given = {dims({{{"data"}}, {}}), dims({{}, {{"model"}, true}}),
                                 std::nullopt};
  const auto after = propagate_step(matmul(), kMesh, given);
  REQUIRE(after);
  CHECK((*after)[0] == given[0]);
  CHECK((*after)[1] == given[1]);
  CHECK(text((*after)[2]) == R"(<@mesh, [{"data", ?}, {"model", ?}]>)");
}

TEST_CASE("one step goes backward, splits axes, and can be told the direction", "[embed]") {
  const OpShardingRule reshape = *parse_rule("([ij])->([i, j]) {i=2, j=4}");
  const TensorShardings given = {std::nullopt, NamedSharding{"", {{{"data:(1)2"}}, {{"model"}}}}};
  const auto after = propagate_step(reshape, kMesh, given);
  REQUIRE(after);
  CHECK(text((*after)[0]) == R"(<@mesh, [{"data":(1)2, "model", ?}]>)");
  StepKind forward = kWholeStep;
  forward.directions = both_ways(Direction::kForward);
  CHECK((*propagate_step(reshape, kMesh, given, forward)) == given);
}

TEST_CASE("one step without shardings changes nothing", "[embed]") {
  const TensorShardings none(3);
  CHECK(*propagate_step(matmul(), kMesh, none) == none);
  CHECK(*propagate_step(matmul(), {}, none) == none);
}

TEST_CASE("what does not fit together is an error of the step", "[embed]") {
  const auto code = [](const OpShardingRule& rule, const Mesh& mesh, const TensorShardings& given) {
    const auto after = propagate_step(rule, mesh, given);
    return after ? std::string("none") : after.errors().front().code;
  };
  const TensorShardings none(3);
  CHECK(code(matmul(), kMesh, {}) == "rule.tensor_count");
  CHECK(code(matmul(), kMesh, TensorShardings(4)) == "rule.tensor_count");
  CHECK(code(matmul(), {"mesh", {{"data", 0}}, {}}, none) == "mesh.axis_size");
  CHECK(code(matmul(), kMesh, {dims({}), {}, {}}) == "sharding.rank_mismatch");
  CHECK(code(matmul(), kMesh, {dims({{{"x"}}, {}}), {}, {}}) == "sharding.unknown_axis");
  CHECK(code(matmul(), kMesh, {{}, NamedSharding{"other", {{}, {}}}, {}}) ==
        "sharding.unknown_mesh");
  OpShardingRule wrong = matmul();
  wrong.operands[0][0][0] = 17;
  CHECK(code(wrong, kMesh, none) == "rule.unknown_factor");
  CHECK(code({}, kMesh, {}) == "rule.no_tensors");
}

}  // namespace shardprop::test::propagate_step_cases
