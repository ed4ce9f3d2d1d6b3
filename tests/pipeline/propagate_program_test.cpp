// The main job: what the pipeline finds, on the program's own operations.
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/conformance_programs.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::propagate_program_cases {
namespace {

PropagationReport propagate_whole(Module& m, const PropagateProgramOptions& options = {}) {
  Result<PropagationReport> report = propagate_program(m, standard_ops(), options);
  if (!report) FAIL(to_string(report.errors()));
  Diagnostics errors;
  verify_module(standard_ops(), m, errors);
  CHECK(to_string(errors) == "");
  return *std::move(report);
}

std::vector<std::string> codes(const PropagationReport& report) {
  std::vector<std::string> all;
  for (const Diagnostic& d : report.diagnostics) all.push_back(d.code);
  return all;
}

std::size_t operations(const Module& m) {
  std::size_t count = 0;
  walk_ops(m, [&](OpId) { ++count; });
  return count;
}

TEST_CASE("a constant whose uses need different shardings stays open, and the report says so") {
  Module m = program(R"(
    sdy.mesh @mesh = <["x"=2, "y"=4]>
    func.func @main(
        %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
        %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
        -> (tensor<8x8xf32>, tensor<8x8xf32>) {
      %c = stablehlo.constant dense<2.0> : tensor<8x8xf32>
      %0 = stablehlo.multiply %a, %c : tensor<8x8xf32>
      %1 = stablehlo.multiply %b, %c : tensor<8x8xf32>
      return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
    }
  )");
  const std::size_t before = operations(m);
  const PropagationReport report = propagate_whole(m);
  CHECK(sharding(m, "%0") == R"(<@mesh, [{"x"}, {}]>)");
  CHECK(sharding(m, "%1") == R"(<@mesh, [{}, {"y"}]>)");
  CHECK(sharding(m, "%c") == "none");
  CHECK(codes(report) == std::vector<std::string>{"propagate.constant_open"});
  CHECK(operations(m) == before);
}

TEST_CASE("a constant whose uses agree has their sharding") {
  Module m = program(R"(
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
      %c = stablehlo.constant dense<2.0> : tensor<8xf32>
      %0 = stablehlo.multiply %a, %c : tensor<8xf32>
      %1 = stablehlo.add %0, %c : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
  )");
  const PropagationReport report = propagate_whole(m);
  CHECK(sharding(m, "%c") == R"(<@mesh, [{"x"}]>)");
  CHECK(report.diagnostics.empty());
}

constexpr std::string_view kTwoCalls = R"(
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(
      %p: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
      %q: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})
      -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = func.call @f(%p) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = func.call @f(%q) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %y = stablehlo.negate %x : tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
)";

TEST_CASE("a function whose calls need different shardings is copied") {
  Module m = program(kTwoCalls);
  const PropagationReport report = propagate_whole(m);
  CHECK(sharding(m, "%0") == R"(<@mesh, [{"a"}, {}]>)");
  CHECK(sharding(m, "%1") == R"(<@mesh, [{}, {"a"}]>)");
  CHECK(sharding(m, "%x") == R"(<@mesh, [{"a"}, {}]>)");
  CHECK(sharding(m, "%y") == R"(<@mesh, [{"a"}, {}]>)");
  REQUIRE(m.func_order.size() == 3);
  const Function& copy = m.funcs[m.func_order[2]];
  CHECK(m.strings[copy.name] == "f_0");
  CHECK(copy.is_private);
  CHECK(text_of(m, copy.results[0].sharding) == R"(<@mesh, [{}, {"a"}]>)");
  CHECK(codes(report) == std::vector<std::string>{"propagate.function_copied"});
  CHECK(report.diagnostics[0].place.value == "%1");
}

TEST_CASE("a function that may not be copied has the shardings of its first call") {
  Module m = program(kTwoCalls);
  const PropagationReport report = propagate_whole(m, {.copy_functions = false});
  CHECK(m.func_order.size() == 2);
  CHECK(sharding(m, "%y") == R"(<@mesh, [{"a"}, {}]>)");
  CHECK(codes(report) == std::vector<std::string>{"propagate.calls_disagree"});
}

TEST_CASE("shardings pass through a while loop, and the program is as it was") {
  Module m = program(R"(
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
      %n = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<8xf32>
        cond {
          %c = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %w = stablehlo.negate %v : tensor<8xf32>
          stablehlo.return %i, %w : tensor<i32>, tensor<8xf32>
        }
      %1 = stablehlo.negate %0#1 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
  )");
  const std::size_t before = operations(m);
  propagate_whole(m);
  CHECK(sharding(m, "%w") == R"(<@mesh, [{"x"}]>)");
  CHECK(sharding(m, "%1") == R"(<@mesh, [{"x"}]>)");
  CHECK(result_sharding(m, 0) == R"(<@mesh, [{"x"}]>)");
  CHECK(operations(m) == before);
}

TEST_CASE("what does not divide is cut where values enter and leave, and the report says so") {
  Module m = program(R"(
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
      %0 = stablehlo.negate %a : tensor<6xf32>
      return %0 : tensor<6xf32>
    }
  )");
  const PropagationReport report = propagate_whole(m);
  CHECK(sharding(m, "%a") == R"(<@mesh, [{"x":(1)2}]>)");
  CHECK(sharding(m, "%0") == R"(<@mesh, [{"x"}]>)");
  CHECK(codes(report) == std::vector<std::string>(2, "propagate.cut_at_boundary"));
  CHECK(report.diagnostics[0].place.value == "%a");
  CHECK(report.diagnostics[0].message.find(R"(from <@mesh, [{"x"}]> to <@mesh, [{"x":(1)2}]>)") !=
        std::string::npos);
}

TEST_CASE("a program that cannot be propagated is left as it was") {
  Module m = program(R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
  )");
  const std::string before = write_json(m);
  CHECK_FALSE(propagate_program(m, standard_ops()));
  CHECK(write_json(m) == before);
}

TEST_CASE("a module that does not verify is refused, unless the caller has verified it") {
  Module m = unverified(R"(
    func.func @main(%a: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
      %0 = "stablehlo.add"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
  )");
  CHECK_FALSE(propagate_program(m, standard_ops()));
  CHECK(propagate_program(m, standard_ops(), {.verify = false}));
}

// The shardings of a program by place: function and name of a value, or number of a result.
using Placed = std::unordered_map<std::string, std::string>;

Placed placed_shardings(const Module& m) {
  Placed all;
  for (FuncId f : m.func_order) {
    const std::string func(m.strings[m.funcs[f].name]);
    for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i)
      all[fmt::format("{} result {}", func, i)] = text_of(m, m.funcs[f].results[i].sharding);
    const auto add = [&](IdRange<ValueId> values) {
      for (ValueId value : values)
        all[fmt::format("{} {}", func, name_of(m, value))] = text_of(m, m.value_shardings[value]);
    };
    add(m.blocks[m.funcs[f].body].arguments);
    walk_block(m, m.funcs[f].body, [&](OpId op) { add(results(m, op)); });
  }
  return all;
}

// Whether the pipeline gives copies of `op` to its uses, of which one has the name.
bool is_made_of_constants(const Module& m, OpRows& rows, OpId op) {
  if (op_name(m, op) == "func.call" || op_name(m, op) == "sdy.named_computation") return true;
  if (traits_of(rows[op], m, op) & (kConstantLike | kBroadcasts)) return true;
  const IdRange<UseId> uses = operand_uses(m, op);
  return std::all_of(uses.begin(), uses.end(), [&](UseId use) {
    const OpId maker = defining_op(m, m.uses[use].value);
    return maker.valid() && is_made_of_constants(m, rows, maker);
  });
}

// Checks each argument, result and value of `main` against what the pipeline made of it.
void check_against_pipeline(const Module& input) {
  Module m = input;
  propagate_whole(m);
  Module outcome = input;
  const auto calls = parse_pipeline("propagation-pipeline{avoid-export-for-partitioning=true}");
  REQUIRE(calls);
  REQUIRE(run_passes(outcome, standard_ops(), *calls));
  const Placed expected = placed_shardings(outcome);
  const Placed found = placed_shardings(m);
  const OpTable ops = standard_ops();
  OpRows rows(ops, input);
  for (FuncId f : input.func_order) {
    if (input.funcs[f].is_private) continue;
    const std::string func(input.strings[input.funcs[f].name]);
    const auto check = [&](const std::string& place) {
      INFO(place);
      const auto at = expected.find(place);
      if (at != expected.end()) CHECK(found.at(place) == at->second);
    };
    for (std::size_t i = 0; i < input.funcs[f].results.size(); ++i)
      check(fmt::format("{} result {}", func, i));
    for (ValueId value : input.blocks[input.funcs[f].body].arguments)
      check(fmt::format("{} {}", func, name_of(input, value)));
    walk_block(input, input.funcs[f].body, [&](OpId op) {
      if (is_made_of_constants(input, rows, op)) return;
      for (ValueId value : results(input, op))
        check(fmt::format("{} {}", func, name_of(input, value)));
    });
  }
}

void check_folder(const std::filesystem::path& folder, std::string_view kind) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().find(kind) == std::string::npos) continue;
    for_each_program(entry.path(), 1,
                     [](std::size_t, const Module& input) { check_against_pipeline(input); });
  }
}

TEST_CASE("each value has the sharding that the pipeline gives it: the sample") {
  check_folder(sample_folder(), ".jsonl");
}

TEST_CASE("each value has the sharding that the pipeline gives it: generated cases", "[shared]") {
  const std::filesystem::path cases = std::filesystem::path(SHARDPROP_SHARED) / "conformance";
  check_folder(cases / "generated", ".propagation-pipeline");
  check_folder(cases / "generated", ".import-pipeline");
  check_folder(cases / "real", ".jsonl");
}

}  // namespace
}  // namespace shardprop::test::propagate_program_cases
