// Passes on functions and calls.
#include <vector>

#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/calls/func_calls.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::calls_cases {
namespace {

std::string names(const Module& m) {
  std::string all;
  for (FuncId f : m.func_order) all += std::string(m.strings[m.funcs[f].name]) + " ";
  return all;
}

std::string names_after(std::string_view passes, std::string_view input) {
  Module m = program(input);
  run_well(m, passes);
  return names(m);
}

struct Caller {
  std::string_view name;
  std::vector<std::string_view> callees;
};

// Functions of a vector that call others one after the other. All are private but @main.
std::string call_graph(const std::vector<Caller>& callers) {
  std::string text;
  for (const Caller& caller : callers) {
    text += with({{"$private", caller.name == "main" ? "" : "private"}, {"$name", caller.name}},
                 "func.func $private @$name(%a: tensor<8xf32>) -> tensor<8xf32> {\n");
    std::string value = "%a";
    for (std::size_t i = 0; i < caller.callees.size(); ++i) {
      const std::string result = "%" + std::to_string(i);
      text += with({{"$result", result}, {"$callee", caller.callees[i]}, {"$value", value}},
                   "  $result = call @$callee($value) : (tensor<8xf32>) -> tensor<8xf32>\n");
      value = result;
    }
    text += "  return " + value + " : tensor<8xf32>\n}\n";
  }
  return text;
}

TEST_CASE("symbol-dce erases private functions that no public one reaches") {
  CHECK(names_after(
            "symbol-dce",
            call_graph(
                {{"main", {"f"}}, {"f", {"g"}}, {"g", {}}, {"unused", {"also"}}, {"also", {}}})) ==
        "main f g ");
  check_unchanged("symbol-dce", call_graph({{"main", {"f"}}, {"f", {}}}));
}

TEST_CASE("pre-order-funcs puts callers first") {
  CHECK(names_after("pre-order-funcs",
                    call_graph({{"f2", {}}, {"f1", {"f2"}}, {"main", {"f1"}}})) == "main f1 f2 ");
  // Of two functions that are called, the one that is called last comes first.
  CHECK(names_after("pre-order-funcs",
                    call_graph({{"main", {"f", "g"}}, {"f", {"h"}}, {"g", {}}, {"h", {}}})) ==
        "main g f h ");
  CHECK(names_after("pre-order-funcs", R"(
func.func @a() {
  return
}
func.func @b() {
  return
})") == "b a ");
}

TEST_CASE("propagate-sharding-from-func-to-call") {
  const std::string without = on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>)
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %a : tensor<8xf32>
})");
  const auto sharded = [&](std::string_view axis) {
    const std::string call = with({{"$axis", axis}}, R"(@f(%a) {sdy.sharding =
        #sdy.sharding_per_value<[<@mesh, [{"$axis"}]>]>})");
    return with({{"@f(%a) ", call}}, without);
  };
  check_golden("propagate-sharding-from-func-to-call", without, sharded("x"));
  // A call that has shardings keeps them.
  check_unchanged("propagate-sharding-from-func-to-call", sharded("y"));
}

TEST_CASE("flatten-call-graph gives each call functions of its own") {
  Module m = program(call_graph({{"main", {"foo", "foo"}}, {"foo", {"bar", "bar"}}, {"bar", {}}}));
  run_well(m, "flatten-call-graph");
  CHECK(names(m) == "main foo bar bar_0 bar_1 bar_0_2 foo_3 ");
  const FuncId copy = m.func_order.back();
  CHECK(m.strings[original_name(m, copy)] == "foo");
  const Symbols symbols(m);
  std::string callees;
  walk_ops(m, [&](OpId op) {
    if (op_name(m, op) != "func.call") return;
    callees += std::string(m.strings[m.funcs[symbols.callee(m, op)].name]) + " ";
  });
  CHECK(callees == "foo foo_3 bar bar_0 bar_1 bar_0_2 ");
  check_unchanged("flatten-call-graph", call_graph({{"main", {"f"}}, {"f", {"g"}}, {"g", {}}}));
}

TEST_CASE("import-func-calls inlines functions as named computations") {
  const std::string input = on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a, %a) {mine = 7, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                     %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.add %a, %b : tensor<8xf32>
  return %c : tensor<8xf32>
})");
  check_golden("import-func-calls{add-data-flow-edges-on-named-computations=false}", input,
               on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%a, %a)
      in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{"y"}]>]
      (%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
    %c = stablehlo.add %arg0, %arg1 : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } {mine = 7} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"f">(%0, %a)
      in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{?}]>]
      (%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
    %c = stablehlo.add %arg0, %arg1 : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
})"));

  Module m = program(input);
  run_well(m, "import-func-calls");
  std::size_t edges = 0;
  walk_ops(m, [&](OpId op) { edges += op_name(m, op) == "sdy.data_flow_edge" ? 1 : 0; });
  CHECK(edges == 6);  // two arguments and one result of both
}

TEST_CASE("passes that follow calls refuse those that they cannot follow") {
  const std::string unknown = call_graph({{"main", {"missing"}}});
  const std::string recursive = call_graph({{"main", {"f", "f"}}, {"f", {"g"}}, {"g", {"f"}}});
  const std::string_view signature = R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @f() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
})";
  for (const char* pass :
       {"flatten-call-graph", "import-func-calls", "constant-or-scalar-splitter"}) {
    check_refused(pass, unknown, "calls.unknown_callee");
    check_refused(pass, recursive, "calls.recursive");
    check_refused(pass, signature, "calls.signature");
  }
}

}  // namespace
}  // namespace shardprop::test::calls_cases
