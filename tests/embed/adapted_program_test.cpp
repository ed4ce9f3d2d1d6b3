#include "shardprop/embed/adapted_program.hpp"

#include <random>
#include <string>
#include <vector>

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/embed/toy_framework.hpp"

namespace shardprop::test::adapted_program_cases {

NamedSharding along(const NamedAxes& axes, bool open = false) { return {"mesh", {{axes, open}}}; }

// Sums, a constant with two uses, a loop and a constraint, so that values share shardings in all
// the ways that the pipeline knows.
Toy toy() {
  Toy f;
  f.blocks.resize(3);
  f.blocks[0] = {{"%x", "%y", "%z"}, {"%out", "%tied"}, {}};
  f.dtypes = {{"%i", "i1"}, {"%j", "i1"}, {"%go", "i1"}, {"%on", "i1"}};
  f.add({"stablehlo.constant", {}, {"%c"}, {{"value", 1.0}}});
  f.add({"stablehlo.add", {"%x", "%c"}, {"%p"}});
  f.add({"stablehlo.add", {"%y", "%c"}, {"%q"}});
  f.add({"stablehlo.constant", {}, {"%go"}, {{"value", true}}});
  f.add({"stablehlo.while", {"%p", "%go"}, {"%loop", "%on"}, {}, {1, 2}});
  f.blocks[1] = {{"%s", "%i"}, {"%i"}, {}};
  f.blocks[2] = {{"%t", "%j"}, {"%u", "%j"}, {}};
  f.add({"stablehlo.add", {"%t", "%z"}, {"%u"}}, 2);
  f.add({"sdy.sharding_constraint", {"%q"}, {"%tied"}});
  f.shardings.emplace("%tied", along({}, true));
  f.add({"stablehlo.multiply", {"%loop", "%q"}, {"%out"}});
  return f;
}

std::string text(const Toy& f, const std::string& value) {
  const auto at = f.shardings.find(value);
  return at == f.shardings.end() ? "none" : to_string(at->second);
}

TEST_CASE("propagation writes to the framework's values, also to those of regions", "[embed]") {
  Toy f = toy();
  f.shardings.emplace("%x", along({"a"}));
  const auto report = propagate_through(f, standard_ops());
  REQUIRE(report);
  for (const char* value : {"%x", "%p", "%loop", "%t", "%u", "%s", "%out", "%z", "%q", "%y"})
    CHECK(text(f, value) == R"(<@mesh, [{"a"}]>)");
  CHECK(text(f, "%i") == text(f, "%on"));
  CHECK(text(f, "%c") == text(f, "%p"));  // its two copies agree
}

TEST_CASE("a framework changes shardings and asks again: as a run from the beginning", "[embed]") {
  const OpTable ops = standard_ops();
  std::mt19937 random(7);
  const Names edited = {"%x", "%y", "%z", "%p", "%tied", "%out", "%loop"};
  const std::vector<std::optional<NamedSharding>> choices = {
      std::nullopt, along({"a"}),       along({"b"}),      along({"b", "a"}), along({}, true),
      along({}),    along({"a"}, true), along({"a:(1)2"}), along({"b"}, true)};
  Toy f = toy();
  std::map<std::string, NamedSharding> annotations = f.shardings;
  auto program = AdaptedProgram<Toy>::read(f, ops);
  REQUIRE(program);
  std::size_t failed = 0;
  for (int round = 0; round < 60; ++round) {
    for (std::size_t edits = random() % 3; edits > 0; --edits) {
      const std::string& value = edited[random() % edited.size()];
      const auto& choice = choices[random() % choices.size()];
      if (!choice && value == "%tied") continue;  // a constraint needs its sharding
      if (f.sharding(value) == choice) continue;  // not a change
      f.set_sharding(value, std::nullopt);
      annotations.erase(value);
      if (choice) {
        f.shardings.emplace(value, *choice);
        annotations.emplace(value, *choice);
      }
    }
    Toy fresh = toy();
    fresh.shardings = annotations;
    const auto expected = propagate_through(fresh, ops);
    const auto report = program->propagate();
    CAPTURE(round);
    REQUIRE(static_cast<bool>(report) == static_cast<bool>(expected));
    if (!report) {  // a:(1)2 is a whole axis: taken back
      ++failed;
      CHECK(report.errors().front().code == expected.errors().front().code);
      for (auto* side : {&f.shardings, &annotations})
        std::erase_if(*side, [](const auto& at) {
          return !at.second.dims.empty() && at.second.dims[0].axes == NamedAxes{"a:(1)2"};
        });
      if (!annotations.contains("%tied")) {
        annotations.emplace("%tied", along({"b"}));
        f.shardings.emplace("%tied", along({"b"}));
      }
      continue;
    }
    CHECK(f.shardings == fresh.shardings);
  }
  CHECK(failed > 0);
}

TEST_CASE("asking again without a change writes nothing", "[embed]") {
  const OpTable ops = standard_ops();
  Toy f = toy();
  f.shardings.emplace("%x", along({"a"}));
  auto program = AdaptedProgram<Toy>::read(f, ops);
  REQUIRE(program->propagate());
  f.writes = 0;
  REQUIRE(program->propagate());
  CHECK(f.writes == 0);
  CHECK(to_string(sharding_of(program->module(), program->find("%out"))) == text(f, "%out"));
  CHECK_FALSE(program->find("%none").valid());
}

TEST_CASE("operations that are added are read again, with the annotations as they were",
          "[embed]") {
  const OpTable ops = standard_ops();
  Toy f = toy();
  f.shardings.emplace("%x", along({"a"}));
  auto program = AdaptedProgram<Toy>::read(f, ops);
  REQUIRE(program->propagate());
  f.add({"stablehlo.negate", {"%out"}, {"%more"}});
  f.blocks[0].returned = {"%more"};
  f.shardings.erase("%x");
  f.shardings.insert_or_assign("%y", along({"b"}));
  CHECK(program->reread().empty());
  REQUIRE(program->propagate());
  Toy fresh = toy();
  fresh.add({"stablehlo.negate", {"%out"}, {"%more"}});
  fresh.blocks[0].returned = {"%more"};
  fresh.shardings.insert_or_assign("%y", along({"b"}));
  REQUIRE(propagate_through(fresh, ops));
  CHECK(f.shardings == fresh.shardings);
  CHECK(text(f, "%more") == R"(<@mesh, [{"b"}]>)");
}

TEST_CASE("arguments of regions of the framework's own operations are sharded too", "[embed]") {
  CustomOp repeat{.name = "my.repeat", .signature = kAnySignature};
  repeat.data_flow.edges = [](const Module& m, OpId op, std::vector<DataFlowEdge>& edges) {
    const BlockId body = block_of(m, op, 0);
    edges.push_back({result(m, op, 0),
                     {operand_uses(m, op)[0], operand_uses(m, terminator(m, body))[0]},
                     {m.blocks[body].arguments[0]}});
  };
  OpTable ops = standard_ops();
  REQUIRE(ops.add(std::move(repeat)).empty());
  Toy f;
  f.blocks.resize(2);
  f.blocks[0] = {{"%x"}, {"%y"}, {}};
  f.blocks[1] = {{"%at"}, {"%next"}, {}};
  f.add({"my.repeat", {"%x"}, {"%y"}, {}, {1}});
  f.add({"stablehlo.abs", {"%at"}, {"%next"}}, 1);
  f.shardings.emplace("%y", along({"a"}));
  REQUIRE(propagate_through(f, ops));
  for (const char* value : {"%x", "%at", "%next"}) CHECK(text(f, value) == R"(<@mesh, [{"a"}]>)");
}

TEST_CASE("attributes of all kinds reach the operation", "[embed]") {
  CustomOp op{.name = "my.op", .signature = kAnySignature};
  Module seen;
  OpId at;
  op.verify = [&](const VerifyInput& in) {
    seen = in.m;
    at = in.op;
  };
  OpTable ops = standard_ops();
  REQUIRE(ops.add(std::move(op)).empty());
  Toy f;
  f.blocks[0].arguments = {"%x"};
  using Fields = std::vector<NamedAttribute>;
  f.add({"my.op",
         {"%x"},
         {},
         {{"flag", true},
          {"count", std::int64_t{3}},
          {"scale", 0.5},
          {"mode", "fast"},
          {"dims", std::vector<std::int64_t>{1, 2}},
          {"fields", Fields{{"a", false}}},
          {"list", std::vector<Attribute>{"x", 2.5}},
          {"out", along({"a"})}}});
  REQUIRE(propagate_through(f, ops));
  const auto attr = [&](std::string_view key) { return attribute(seen, at, key); };
  CHECK(seen.attrs.as_bool(attr("flag")));
  CHECK(seen.attrs.as_int(attr("count")) == 3);
  CHECK(seen.attrs.as_float(attr("scale")) == 0.5);
  CHECK(seen.strings[seen.attrs.as_string(attr("mode"))] == "fast");
  CHECK(seen.attrs.as_ints(attr("dims")).size() == 2);
  CHECK(seen.attrs.entries(attr("fields")).size() == 1);
  CHECK(seen.attrs.items(attr("list")).size() == 2);
  CHECK(seen.shardings[seen.attrs.as_sharding(attr("out"))].rank() == 1);
}

TEST_CASE("what is wrong with a framework's program is an error that names the value", "[embed]") {
  const auto error = [](auto&& change) {
    Toy f = toy();
    change(f);
    const auto shardings = f.shardings;
    const auto report = propagate_through(f, standard_ops());
    REQUIRE_FALSE(report);
    CHECK(f.shardings == shardings);
    return report.errors().front().code;
  };
  CHECK(error([](Toy& f) { f.all[1].operands = {"%x", "%none"}; }) == "embed.undefined_value");
  CHECK(error([](Toy& f) { f.blocks[0].returned = {"%u"}; }) == "builder.not_visible");
  CHECK(error([](Toy& f) { f.all[2].results = {"%p"}; }) == "embed.value_defined_twice");
  CHECK(error([](Toy& f) { f.shardings.emplace("%t", along({"a"})); }) == "embed.region_argument");
  CHECK(error([](Toy& f) { f.shardings.emplace("%x", along({"c"})); }) == "sharding.unknown_axis");
  CHECK(error([](Toy& f) {
          f.shardings.emplace("%x", NamedSharding{"mesh", {}});
        }) == "sharding.rank_mismatch");
  CHECK(error([](Toy& f) { f.shardings.erase("%tied"); }) == "sdy.sharding_constraint.sharding");
  CHECK(error([](Toy& f) { f.dtypes["%x"] = "text"; }) == "builder.dtype");
  CHECK(error([](Toy& f) { f.mesh_list[0].axes[0].size = 0; }) == "mesh.axis_size");
  CHECK(error([](Toy& f) { f.mesh_list.push_back(f.mesh_list[0]); }) == "builder.mesh");

  Toy f = toy();
  const OpTable ops = standard_ops();
  auto program = AdaptedProgram<Toy>::read(f, ops);
  REQUIRE(program->propagate());
  f.shardings.insert_or_assign("%x", along({"c"}));
  const auto report = program->propagate();
  REQUIRE_FALSE(report);
  CHECK(report.errors().front().place.value == "%x");
}

}  // namespace shardprop::test::adapted_program_cases
