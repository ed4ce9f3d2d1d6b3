// Projection of dimension shardings to factors and back.
#include <vector>

#include "fmt/core.h"
#include "shardprop/propagate/step/projection.hpp"

#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/catch.hpp"

namespace shardprop {
namespace {

struct Setup {
  explicit Setup(std::vector<MeshAxis> axes) { mesh = meshes.add({"mesh", std::move(axes), {}}); }

  TensorSharding sharding(std::string_view text) {
    Result<TensorSharding> s = parse_sharding(text, meshes);
    if (!s) FAIL(to_string(s.errors()));
    return *s;
  }
  std::string axes(AxisSpan list) const {
    std::string out;
    for (AxisRef axis : list) out += (out.empty() ? "" : " ") + to_string(axis, meshes[mesh]);
    return out;
  }
  std::string back(const OpShardingRule& rule, std::size_t tensor, const Projection& p) const {
    TensorSharding out;
    unproject_tensor(rule, tensor, p, mesh, meshes[mesh], out);
    return to_string(out, meshes);
  }

  MeshTable meshes;
  MeshId mesh;
};

OpShardingRule rule_of(std::string_view text) {
  Result<OpShardingRule> rule = parse_rule(text);
  if (!rule) FAIL(to_string(rule.errors()));
  return *rule;
}

TEST_CASE("a dimension of two factors splits an axis between them") {
  Setup s({{"x", 4}, {"y", 2}});
  const OpShardingRule rule = rule_of("([ij])->([i, j]) {i=2, j=4}");
  const TensorSharding operand = s.sharding(R"(<@mesh, [{"x", "y"}]>)");
  Projection p;
  p.reset(rule);
  project_tensor(rule, 0, &operand, s.meshes[s.mesh], p);
  CHECK(s.axes(p.at(0, 0).axes) == "x:(1)2");
  CHECK(s.axes(p.at(0, 1).axes) == "x:(2)2 y");
  CHECK_FALSE(p.at(0, 0).minor_most);
  CHECK(p.at(0, 1).minor_most);
  CHECK(p.at(0, 0).closed);

  project_tensor(rule, 1, nullptr, s.meshes[s.mesh], p);
  for (std::size_t factor : {0u, 1u}) p.at(1, factor).axes = p.at(0, factor).axes;
  CHECK(s.back(rule, 0, p) == R"(<@mesh, [{"x", "y"}]>)");
  CHECK(s.back(rule, 1, p) == R"(<@mesh, [{"x":(1)2, ?}, {"x":(2)2, "y", ?}]>)");
}

TEST_CASE("axes that do not divide a major factor overflow and come back") {
  Setup s({{"x", 2}, {"y", 3}});
  const OpShardingRule rule = rule_of("([ijk])->([i, j, k]) {i=4, j=2, k=2}");
  const TensorSharding operand = s.sharding(R"(<@mesh, [{"x", "y", ?}]>)");
  Projection p;
  p.reset(rule);
  project_tensor(rule, 0, &operand, s.meshes[s.mesh], p);
  CHECK(s.axes(p.at(0, 0).axes) == "x");
  CHECK(s.axes(p.at(0, 0).overflow) == "y");
  CHECK_FALSE(p.at(0, 0).closed);
  CHECK(p.at(0, 1).closed);
  CHECK_FALSE(p.at(0, 2).mapped);
  CHECK(s.back(rule, 0, p) == R"(<@mesh, [{"x", "y", ?}]>)");
}

TEST_CASE("the minor-most factor takes any axes") {
  Setup s({{"x", 3}});
  const OpShardingRule rule = rule_of("([i])->([i]) {i=4}");
  const TensorSharding operand = s.sharding(R"(<@mesh, [{"x"}]>)");
  Projection p;
  p.reset(rule);
  project_tensor(rule, 0, &operand, s.meshes[s.mesh], p);
  CHECK(s.axes(p.at(0, 0).axes) == "x");
  CHECK(p.at(0, 0).overflow.empty());
}

TEST_CASE("a factor that is not full ends its dimension on the way back") {
  Setup s({{"x", 2}, {"y", 2}});
  const OpShardingRule rule = rule_of("([i, j])->([ij]) {i=4, j=2}");
  Projection p;
  p.reset(rule);
  const TensorSharding operand = s.sharding(R"(<@mesh, [{"x"}, {"y"}]>)");
  project_tensor(rule, 0, &operand, s.meshes[s.mesh], p);
  project_tensor(rule, 1, nullptr, s.meshes[s.mesh], p);
  for (std::size_t factor : {0u, 1u}) p.at(1, factor).axes = p.at(0, factor).axes;
  CHECK(s.back(rule, 1, p) == R"(<@mesh, [{"x", ?}]>)");
}

// Every sharding comes back from its projection as it was, whatever the factors of its dimension.
TEST_CASE("projection and back is the identity") {
  Setup s({{"a", 2}, {"b", 4}, {"c", 3}});
  const char* rules[] = {"([i])->([i]) {i=24}", "([ij])->([i, j]) {i=4, j=6}",
                         "([ij])->([i, j]) {i=6, j=4}", "([ijk])->([i, j, k]) {i=2, j=3, k=4}",
                         "([ij])->([i, j]) {i=3, j=8}"};
  const char* lists[] = {"",
                         R"("a")",
                         R"("b")",
                         R"("c")",
                         R"("a", "b")",
                         R"("b", "a")",
                         R"("a", "c")",
                         R"("c", "b")",
                         R"("b":(1)2)",
                         R"("b":(2)2)",
                         R"("b":(2)2, "a")",
                         R"("c", "a", "b")"};
  for (const char* rule_text : rules) {
    const OpShardingRule rule = rule_of(rule_text);
    for (const char* list : lists) {
      const std::string text = fmt::format("<@mesh, [{{{}}}]>", list);
      const TensorSharding sharding = s.sharding(text);
      Projection p;
      p.reset(rule);
      project_tensor(rule, 0, &sharding, s.meshes[s.mesh], p);
      INFO(rule_text << " " << text);
      CHECK(s.back(rule, 0, p) == to_string(sharding, s.meshes));
    }
  }
}

}  // namespace
}  // namespace shardprop
