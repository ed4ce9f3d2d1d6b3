// Copies of operations and functions, and names of symbols.
#include "shardprop/ir/clone.hpp"

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::clone_cases {
namespace {

Module with_reduction() {
  return program(on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%a init: %zero) across dimensions = [0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%l: tensor<f32>, %r: tensor<f32>) {
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %sum : tensor<f32>
})"));
}

TEST_CASE("a copy of an operation has regions of its own and uses what the map says") {
  Module m = with_reduction();
  const OpId reduce = defining_op(m, value(m, "%sum"));
  const ValueId a = value(m, "%a");
  ValueMap copies;
  const OpId zero = clone_op(m, defining_op(m, value(m, "%zero")), before(m, reduce), copies);
  const OpId copy = clone_op(m, reduce, before(m, reduce), copies);
  CHECK(operand(m, copy, 0) == a);
  CHECK(operand(m, copy, 1) == result(m, zero, 0));
  CHECK(m.value_shardings[result(m, copy, 0)] == m.value_shardings[result(m, reduce, 0)]);
  CHECK(copies.at(result(m, reduce, 0).index) == result(m, copy, 0));
  const BlockId body = block_of(m, copy, 0);
  const OpId add = m.blocks[body].first_op;
  CHECK(op_name(m, add) == "stablehlo.add");
  CHECK(argument_block(m, operand(m, add, 0)) == body);
  CHECK(operand(m, terminator(m, body), 0) == result(m, add, 0));
  // The copy's use is newer than the original's.
  CHECK(m.uses[m.values[a].first_use].user == copy);
  Diagnostics errors;
  verify_module(standard_ops(), m, errors);
  CHECK(to_string(errors) == "");
}

TEST_CASE("a copy of a function is listed and named by its maker") {
  Module m = with_reduction();
  const std::string before = write_json(m);
  const FuncId copy = clone_func(m, m.func_order[0]);
  CHECK(write_json(m) == before);
  Symbols symbols(m);
  symbols.add(m, copy, "main");
  CHECK(m.strings[m.funcs[copy].name] == "main_0");
  CHECK(symbols.func(m.strings.find("main_0")) == copy);
  std::size_t ops = 0;
  walk_block(m, m.funcs[copy].body, [&](OpId) { ++ops; });
  CHECK(ops == 5);
  CHECK(enclosing_func(m, m.layout[m.blocks[m.funcs[copy].body].last_op].block) == copy);
}

TEST_CASE("numbers after names count on, whatever the name") {
  Module m = with_reduction();
  Symbols symbols(m);
  CHECK(symbols.take("free") == "free");
  CHECK(symbols.take("mesh") == "mesh_0");
  CHECK(symbols.take("main") == "main_1");
  CHECK(symbols.take("mesh") == "mesh_2");
}

}  // namespace
}  // namespace shardprop::test::clone_cases
