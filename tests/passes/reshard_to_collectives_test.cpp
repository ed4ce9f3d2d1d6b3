// reshard-to-collectives.
#include <algorithm>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/collectives/reshard_to_collectives.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::reshard_to_collectives_cases {
namespace {

std::string reshard_program(std::string_view from, std::string_view to) {
  return with({{"$from", from}, {"$to", to}}, R"(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "w"=2]>
sdy.mesh @mixed = <["a"=4, "b"=3, "c"=6]>
sdy.mesh @swapped = <["x"=2, "y"=2, "z"=2, "w"=2],
                     device_ids=[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]>
sdy.mesh @one = <[], device_ids=[3]>
func.func @main(%a: tensor<48x48x48xf32> {sdy.sharding = #sdy.sharding$from})
    -> (tensor<48x48x48xf32> {sdy.sharding = #sdy.sharding$to}) {
  %0 = sdy.reshard %a $to : tensor<48x48x48xf32>
  return %0 : tensor<48x48x48xf32>
})");
}

// The operations that a reshard comes to, each with the sharding of its result.
std::string steps(std::string_view from, std::string_view to,
                  std::string_view pass = "reshard-to-collectives") {
  Module m = program(reshard_program(from, to));
  run_well(m, pass);
  std::string out;
  walk_ops(m, [&](OpId op) {
    if (op_name(m, op) == "func.return") return;
    out += fmt::format("{}{} {}", out.empty() ? "" : "; ", op_name(m, op).substr(4),
                       text_of(m, m.value_shardings[result(m, op, 0)]));
  });
  return out;
}

TEST_CASE("a reshard cannot end a partial sum, nor begin one") {
  const std::string_view sharded = R"(<@mesh, [{"x"}, {}, {}]>)";
  const std::string_view partial = R"(<@mesh, [{"x"}, {}, {}], unreduced={"y"}>)";
  check_refused("reshard-to-collectives", reshard_program(partial, sharded),
                "passes.reshard_unreduced");
  check_refused("reshard-to-collectives", reshard_program(sharded, partial),
                "passes.reshard_unreduced");
  CHECK(steps(partial, R"(<@mesh, [{}, {}, {}], unreduced={"y"}>)") ==
        R"(all_gather <@mesh, [{}, {}, {}], unreduced={"y"}>)");
}

struct ReshardCase {
  std::string_view from;
  std::string_view to;
  std::string_view expected;
};

TEST_CASE("reshard-to-collectives takes the cheapest steps first") {
  const ReshardCase cases[] = {
      // One kind.
      {R"(<@mesh, [{"x"}, {}, {}]>)", R"(<@mesh, [{"x"}, {}, {}]>)", ""},
      {R"(<@mesh, [{"x"}, {}, {}]>)", R"(<@mesh, [{"x"}, {"y", "z"}, {}]>)",
       R"(all_slice <@mesh, [{"x"}, {"y", "z"}, {}]>)"},
      {R"(<@mesh, [{"x", "y"}, {"z"}, {}]>)", R"(<@mesh, [{"x"}, {}, {}]>)",
       R"(all_gather <@mesh, [{"x"}, {}, {}]>)"},
      {R"(<@mesh, [{"x", "y"}, {}, {}]>)", R"(<@mesh, [{"x"}, {"y"}, {}]>)",
       R"(all_to_all <@mesh, [{"x"}, {"y"}, {}]>)"},
      {R"(<@mesh, [{"x", "y"}, {}, {}]>)", R"(<@mesh, [{"y", "x"}, {}, {}]>)",
       R"(collective_permute <@mesh, [{"y", "x"}, {}, {}]>)"},
      // One axis takes the place of another.
      {R"(<@mesh, [{"x"}, {}, {}]>)", R"(<@mesh, [{"y"}, {}, {}]>)",
       R"(collective_permute <@mesh, [{"y"}, {}, {}]>)"},
      // Both axes change places with dimensions: each all-to-all brings one to its place.
      {R"(<@mesh, [{"y"}, {"x"}, {}]>)", R"(<@mesh, [{}, {}, {"x", "y"}]>)",
       R"(all_to_all <@mesh, [{"y"}, {}, {"x"}]>; all_to_all <@mesh, [{}, {}, {"x", "y"}]>)"},
      // Slicing where the room is, then a permute.
      {R"(<@mesh, [{"y"}, {}, {}]>)", R"(<@mesh, [{"x"}, {"y"}, {}]>)",
       R"(all_slice <@mesh, [{"y"}, {"x"}, {}]>; collective_permute <@mesh, [{"x"}, {"y"}, {}]>)"},
      // Slicing at the source lets one all-to-all move all.
      {R"(<@mesh, [{}, {"x"}, {}]>)", R"(<@mesh, [{}, {}, {"x", "y"}]>)",
       R"(all_slice <@mesh, [{}, {"x", "y"}, {}]>; all_to_all <@mesh, [{}, {}, {"x", "y"}]>)"},
      // An axis to gather must not stand after one to move.
      {R"(<@mesh, [{"x", "y"}, {}, {}]>)", R"(<@mesh, [{}, {"x"}, {}]>)",
       R"(collective_permute <@mesh, [{"y", "x"}, {}, {}]>; all_to_all <@mesh, [{"y"}, {"x"}, {}]>; )"
       R"(all_gather <@mesh, [{}, {"x"}, {}]>)"},
      // Sub-axes: only the part that differs moves.
      {R"(<@mixed, [{"a"}, {}, {}]>)", R"(<@mixed, [{"a":(1)2}, {"a":(2)2}, {}]>)",
       R"(all_to_all <@mixed, [{"a":(1)2}, {"a":(2)2}, {}]>)"},
      // Sizes that do not divide each other.
      {R"(<@mixed, [{"a"}, {}, {}]>)", R"(<@mixed, [{"b"}, {}, {}]>)",
       R"(all_slice <@mixed, [{"a", "b"}, {}, {}]>; collective_permute <@mixed, [{"b", "a"}, {}, )"
       R"({}]>; all_gather <@mixed, [{"b"}, {}, {}]>)"},
      // Parts of one axis that no list can hold together.
      {R"(<@mixed, [{"c":(1)2}, {}, {}]>)", R"(<@mixed, [{"c":(1)3}, {}, {}]>)",
       R"(all_gather <@mixed, [{}, {}, {}]>; all_slice <@mixed, [{"c":(1)3}, {}, {}]>)"},
      // What is unreduced stays so.
      {R"(<@mesh, [{"x"}, {}, {}], unreduced={"z"}>)",
       R"(<@mesh, [{}, {}, {"x"}], unreduced={"z"}>)",
       R"(all_to_all <@mesh, [{}, {}, {"x"}], unreduced={"z"}>)"},
  };
  for (const ReshardCase& c : cases) {
    INFO(c.from << " to " << c.to);
    CHECK(steps(c.from, c.to) == c.expected);
  }
}

TEST_CASE("reshard-to-collectives between meshes") {
  CHECK(steps(R"(<@mesh, [{"x"}, {}, {}]>)", R"(<@swapped, [{"x"}, {}, {}]>)") ==
        R"(collective_permute <@swapped, [{"x"}, {}, {}]>)");
  // A replicated result needs no other mesh.
  CHECK(steps(R"(<@mesh, [{"x"}, {}, {}]>)", "<@mixed, [{}, {}, {}]>") ==
        "all_gather <@mesh, [{}, {}, {}]>");
  CHECK(steps(R"(<@mesh, [{"x"}, {}, {}]>)", R"(<@mixed, [{"a"}, {}, {}]>)") ==
        R"(reshard <@mixed, [{"a"}, {}, {}]>)");
  CHECK(steps(R"(<@mesh, [{"x"}, {}, {}]>)", "<@one, []>") == "reshard <@one, []>");
}

TEST_CASE("reshard-to-collectives keeps redundant reshards on request") {
  CHECK(steps(R"(<@mesh, [{"x"}, {}, {}]>)", R"(<@mesh, [{"x", ?}, {}, {}]>)",
              "reshard-to-collectives{keep-redundant-reshards=true}") ==
        R"(reshard <@mesh, [{"x", ?}, {}, {}]>)");
  CHECK(steps(R"(<@mesh, [{"x"}, {}, {}]>)", "<@mesh, [{}, {}, {}]>",
              "reshard-to-collectives{keep-redundant-reshards=true}") ==
        "all_gather <@mesh, [{}, {}, {}]>");
}

// All ways to put axes of sizes 2, 2 (parts of y), 2 and 3 on two dimensions, in every order.
std::vector<TensorSharding> all_shardings(const Module& m, MeshId mesh) {
  const AxisRef axes[] = {full_axis(m.meshes[mesh], 0), sub_axis(1, 1, 2), sub_axis(1, 2, 2),
                          full_axis(m.meshes[mesh], 2)};
  std::vector<TensorSharding> out;
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    for (std::size_t first = 0; first <= order.size(); ++first) {
      for (std::size_t second = first; second <= order.size(); ++second) {
        TensorSharding s = closed_sharding(mesh, 2);
        for (std::size_t i = 0; i < second; ++i)
          append_or_merge(s.dims[i < first ? 0 : 1].axes, axes[order[i]], m.meshes[mesh]);
        if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

// From every such sharding to many others: each step obeys the constraints of its operation, which
// the verifier checks against operand and result, and the last one gives what was asked for.
TEST_CASE("reshard-to-collectives arrives, whatever the shardings") {
  Module m = program(R"(
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=3]>
func.func @main(%a: tensor<24x24xf32>) {
  return
})");
  const std::vector<TensorSharding> shardings = all_shardings(m, m.meshes.find("mesh"));
  REQUIRE(shardings.size() > 200);
  const BlockId body = m.funcs[m.func_order[0]].body;
  const OpId last = terminator(m, body);
  const ValueId argument[] = {m.blocks[body].arguments[0]};
  const TypeId type[] = {type_of(m, argument[0])};
  const auto add = [&](std::string_view name, ValueId from, const TensorSharding& s) {
    const ValueId operands[] = {from};
    const OpId op = create_op(m, before(m, last), {name, operands, type, {}});
    m.value_shardings[result(m, op, 0)] = m.shardings.intern(s);
    return result(m, op, 0);
  };
  std::vector<std::pair<OpId, const TensorSharding*>> wanted;
  for (std::size_t from = 0; from < shardings.size(); ++from) {
    const ValueId start = add("stablehlo.abs", argument[0], shardings[from]);
    for (std::size_t to = from % 7; to < shardings.size(); to += 7) {
      const ValueId end = add("sdy.reshard", start, shardings[to]);
      const ValueId operands[] = {end};
      wanted.emplace_back(create_op(m, before(m, last), {"stablehlo.abs", operands, type, {}}),
                          &shardings[to]);
    }
  }
  const Result<bool> changed = reshard_to_collectives(m);
  REQUIRE(changed);
  REQUIRE(*changed);
  Diagnostics errors;
  verify_module(standard_ops(), m, errors);
  CHECK(to_string(errors) == "");
  std::size_t arrived = 0;
  for (const auto& [op, sharding] : wanted)
    arrived += is_same_placement(tensor_sharding_of(m, operand(m, op, 0)), *sharding) ? 1 : 0;
  CHECK(arrived == wanted.size());
  walk_ops(m, [&](OpId op) { REQUIRE(op_name(m, op) != "sdy.reshard"); });
}

}  // namespace
}  // namespace shardprop::test::reshard_to_collectives_cases
