// The verifier's own checks: form, signature, shardings, rules; how it goes on after an error.
#include "shardprop/ops/verify.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/rule_builder.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/infer.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::verify_cases {
namespace {

using Codes = std::vector<std::string>;

Codes codes_of(Module& m, const OpTable& table) {
  Diagnostics out;
  verify_module(table, m, out);
  Codes codes;
  for (const Diagnostic& d : out) {
    if (d.severity == Severity::kError) codes.push_back(d.code);
  }
  return codes;
}

// The codes of a program, which need not verify.
Codes codes_of(std::string_view text, const OpTable& table = standard_ops()) {
  Module m = unverified(text);
  return codes_of(m, table);
}

// A function of two vectors with the operations of `body`, on a mesh of the axes a and b.
std::string of_vectors(std::string_view body) {
  return with({{"$body", body}}, R"(
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) {
$body
  return
})");
}

TEST_CASE("a correct module has no errors", "[ops]") {
  CHECK(codes_of(of_vectors("%z = stablehlo.add %x, %y : tensor<8xf32>")) == Codes{});
}

TEST_CASE("every error is reported with its place", "[ops]") {
  Module m = unverified(R"(
func.func @main(%x: tensor<8xf32>) {
  %1 = "stablehlo.negate"() : () -> tensor<8xf32>
  %2 = stablehlo.abs %x : (tensor<8xf32>) -> tensor<9xf32>
  %3 = stablehlo.floor %x : tensor<8xf32>
  return
})");
  Diagnostics out;
  verify_module(standard_ops(), m, out);
  REQUIRE(out.size() >= 2);
  CHECK(out[0].code == "op.operand_count");
  CHECK(to_string(out[0].place) == "@main, stablehlo.negate %1");
  CHECK(to_string(out.back().place) == "@main, stablehlo.abs %2");
}

TEST_CASE("operands and results are counted and classed from the row", "[ops]") {
  CHECK(codes_of(of_vectors(R"(%z = "stablehlo.add"(%x) : (tensor<8xf32>) -> tensor<8xf32>)")) ==
        Codes{"op.operand_count"});
  CHECK(codes_of(of_vectors(R"(%z = "stablehlo.while"(%x) : (tensor<8xf32>) -> tensor<8xf32>)")) ==
        Codes{"op.block_count"});
  CHECK(codes_of(of_vectors("%z = stablehlo.popcnt %x : tensor<8xf32>")).front() ==
        "stablehlo.popcnt.i1");
  CHECK(codes_of(R"(
func.func @main(%t: !stablehlo.token) {
  %z = sdy.propagation_barrier %t allowed_direction=NONE : !stablehlo.token
  return
})") == Codes{"op.operand_type", "op.result_type"});
}

TEST_CASE("a region ends with the terminator of its dialect", "[ops]") {
  CHECK(codes_of(R"(
func.func @main(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    sdy.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
})") == Codes{"op.terminator"});
}

TEST_CASE("an unknown operation is checked for form only", "[ops]") {
  CHECK(codes_of(of_vectors(
            R"("custom.thing"(%x) ({ "custom.end"() : () -> () }) : (tensor<8xf32>) -> ())")) ==
        Codes{});
}

TEST_CASE("the form of a module is checked", "[ops]") {
  Module m;
  const TypeId vector = tensor_type(m, "f32", std::vector<std::int64_t>{8});
  const FuncId func = create_func(m, {.name = "main", .argument_types = std::vector{vector}});
  const ValueId x = m.blocks[m.funcs[func].body].arguments[0];
  const Cursor end = at_end(m.funcs[func].body);
  const auto negate = [&](ValueId operand) {
    return create_op(m, end,
                     {.name = "stablehlo.negate",
                      .operands = std::vector{operand},
                      .result_types = std::vector{vector}});
  };
  const OpTable table = standard_ops();

  SECTION("an empty block has no terminator") {
    CHECK(codes_of(m, table) == Codes{"ir.terminator"});
  }
  SECTION("the last operation must be a terminator") {
    negate(x);
    CHECK(codes_of(m, table) == Codes{"ir.terminator"});
  }
  SECTION("a terminator must be the last operation") {
    create_op(m, end, {.name = "func.return"});
    negate(x);
    create_op(m, end, {.name = "func.return"});
    CHECK(codes_of(m, table) == Codes{"ir.terminator"});
  }
  SECTION("a value must be defined before its use") {
    const OpId first = negate(x);
    const OpId second = negate(x);
    create_op(m, end, {.name = "func.return"});
    CHECK(codes_of(m, table) == Codes{});
    set_operand(m, first, 0, result(m, second, 0));
    CHECK(codes_of(m, table) == Codes{"ir.dominance"});
  }
  SECTION("a value of a region is not visible outside, nor one from around in an isolated region") {
    const OpId named = create_op(m, end, {.name = "sdy.named_computation"});
    set_attribute(m, named, "name", m.attrs.string(m.strings.intern("n")));
    const BlockId body = append_block(m, named, {});
    const OpId inner = create_op(m, at_end(body),
                                 {.name = "stablehlo.negate",
                                  .operands = std::vector{x},
                                  .result_types = std::vector{vector}});
    create_op(m, at_end(body), {.name = "sdy.return"});
    CHECK(codes_of(m, table) == Codes{"ir.terminator", "ir.dominance"});
    negate(result(m, inner, 0));
    create_op(m, end, {.name = "func.return"});
    CHECK(codes_of(m, table) == Codes{"ir.dominance", "ir.dominance"});
  }
  SECTION("func.return returns what the function declares") {
    create_op(m, end, {.name = "func.return", .operands = std::vector{x}});
    CHECK(codes_of(m, table) == Codes{"ir.return_types"});
    m.funcs[func].results.push_back({vector, ShardingId(), AttrId()});
    CHECK(codes_of(m, table) == Codes{});
  }
  SECTION("two functions have two names") {
    create_op(m, end, {.name = "func.return"});
    const FuncId other = create_func(m, {.name = "main"});
    create_op(m, at_end(m.funcs[other].body), {.name = "func.return"});
    CHECK(codes_of(m, table) == Codes{"ir.duplicate_function"});
  }
}

TEST_CASE("shardings and rules of a module are checked", "[ops]") {
  Module m;
  const MeshId mesh = m.meshes.add({"m", {{"a", 2}, {"b", 4}}, {}});
  const TypeId vector = tensor_type(m, "f32", std::vector<std::int64_t>{8});
  const FuncId func = create_func(m, {.name = "main", .argument_types = std::vector{vector}});
  const ValueId x = m.blocks[m.funcs[func].body].arguments[0];
  const Cursor end = at_end(m.funcs[func].body);
  const OpId op = create_op(m, end,
                            {.name = "stablehlo.negate",
                             .operands = std::vector{x},
                             .result_types = std::vector{vector}});
  create_op(m, end, {.name = "func.return"});
  const OpTable table = standard_ops();
  const ShardingId good = m.shardings.intern(closed_sharding(mesh, 1));
  const ShardingId wrong_rank = m.shardings.intern(closed_sharding(mesh, 2));

  SECTION("of arguments, results and function results") {
    m.value_shardings[x] = good;
    m.value_shardings[result(m, op, 0)] = good;
    CHECK(codes_of(m, table) == Codes{});
    m.value_shardings[x] = wrong_rank;
    m.value_shardings[result(m, op, 0)] = wrong_rank;
    CHECK(codes_of(m, table) == Codes{"sharding.rank_mismatch"});
  }
  SECTION("a rule must fit the operation") {
    OpShardingRule rule = identity_rule(std::vector<std::int64_t>{8}, 1, 1);
    m.ops[op].rule = m.rules.intern(rule);
    CHECK(codes_of(m, table) == Codes{});
    m.ops[op].rule = m.rules.intern(identity_rule(std::vector<std::int64_t>{8}, 2, 1));
    CHECK(codes_of(m, table) == Codes{"rule.operand_count"});
  }
  SECTION("meshes have names of their own and valid axes") {
    m.meshes.add({"m", {{"a", 4}}, {}});
    m.meshes.add({"n", {{"a", 0}}, {}});
    CHECK(codes_of(m, table) == Codes{"mesh.duplicate_name", "mesh.axis_size"});
  }
}

TEST_CASE("a sharding in a manual computation uses free axes only", "[ops]") {
  const auto inside = [](std::string_view axis) {
    return with({{"$axis", axis}}, of_vectors(R"(
  sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}]>] out_shardings=[] manual_axes={"a"}
      (%1: tensor<4xf32>) {
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"$axis"}]>]>} : tensor<4xf32>
    sdy.return
  } : (tensor<8xf32>) -> ())"));
  };
  CHECK(codes_of(inside("b")) == Codes{});
  CHECK(codes_of(inside("a")) == Codes{"sharding.manual_axis"});
}

TEST_CASE("an operation without results stands on one device or on all", "[ops]") {
  CHECK(codes_of(of_vectors(R"(
  stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<8xf32>) -> ())")) ==
        Codes{});
  CHECK(codes_of(of_vectors(R"(
  stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : (tensor<8xf32>) -> ())")) ==
        Codes{"sharding.no_results"});
}

TEST_CASE("records of propagation are checked", "[ops]") {
  const auto recorded = [](std::string_view record) {
    return codes_of(with({{"$record", record}}, of_vectors(R"(
  %z = stablehlo.negate %x {sdy.propagation_edges = $record,
                            sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>)")));
  };
  const auto edges = [&](std::string_view moves) {
    return recorded(with({{"$moves", moves}}, "#sdy.propagation_edges<[$moves]>"));
  };
  const Codes wrong{"stablehlo.negate.propagation_edges"};
  CHECK(edges(R"({step-1 = [{"a" = result-0 -> [operand-0]}]})") == Codes{});
  CHECK(edges(R"({step-1 = [{"b":(1)2 = result-0 -> [operand-0]}]})") == Codes{});
  CHECK(edges(R"({step-1 = [{"z" = result-0 -> [operand-0]}]})") == wrong);
  CHECK(edges(R"({step-1 = [{"a" = result-0 -> [operand-1]}]})") == wrong);
  CHECK(edges(R"({step-1 = [{"a" = result-0 -> [result-0]}]})") == wrong);
  CHECK(edges(R"({step-1 = [{"a" = result-0 -> [operand-0, operand-0]}]})") == wrong);
  CHECK(edges(R"({step-1 = [{"a" = operand-0 -> []}]})") == wrong);
  CHECK(edges("{step-1}") == wrong);
  CHECK(recorded("64") == wrong);
}

TEST_CASE("a caller's operation goes the same way", "[ops]") {
  OpTable table = standard_ops();
  CustomOp op;
  op.name = "custom.double";
  op.signature = {.min_operands = 1, .max_operands = 1, .operand_classes = {kFloat}};
  op.infer = [](const InferInput& in) {
    std::vector<std::int64_t> shape(
        in.m.types.shape(type_of(in.m, operand(in.m, in.op, 0))).begin(),
        in.m.types.shape(type_of(in.m, operand(in.m, in.op, 0))).end());
    shape[0] *= 2;
    return std::optional(std::vector{tensor_type(in.types, "f32", shape)});
  };
  op.verify = [](const VerifyInput& in) {
    if (!attribute(in.m, in.op, "times").valid())
      report(in, "times", "the attribute 'times' is missing");
  };
  op.rule_text = "([i])->([j])";
  REQUIRE(table.add(op).empty());
  const auto doubled = [](std::string_view type, std::string_view attributes) {
    return with({{"$type", type}, {"$attributes", attributes}},
                of_vectors(R"(%z = "custom.double"(%x) $attributes : (tensor<8xf32>) -> $type)"));
  };
  const std::string right = doubled("tensor<16xf32>", "{times = 2}");
  CHECK(codes_of(right, table) == Codes{});
  CHECK(codes_of(doubled("tensor<17xf32>", "{times = 2}"), table) ==
        Codes{"custom.double.result_type"});
  CHECK(codes_of(doubled("tensor<16xf32>", ""), table) == Codes{"custom.double.times"});
  op.rule_text = "([i, j])->([i])";
  REQUIRE(table.replace(op).empty());
  CHECK(codes_of(right, table) == Codes{"custom.double.rule"});
}

// What is wrong with an operation of this rule on vectors of 4 and 8 elements, and how many
// operations have no rule in its propagation.
std::pair<Codes, std::size_t> with_rule(std::string_view rule) {
  OpTable table = standard_ops();
  REQUIRE(table.add({.name = "my.op", .rule_text = std::string(rule)}).empty());
  const std::string text = R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = "my.op"(%a, %b) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
})";
  Module m = unverified(text);
  return {codes_of(text, table), run(m, {}, table).without_rule.size()};
}

TEST_CASE("a text rule does not fit dimensions of different sizes", "[ops]") {
  CHECK(with_rule("([i], [i])->([i])") == std::pair(Codes{"my.op.rule"}, std::size_t{1}));
  CHECK(with_rule("([i], [ij])->([j])") == std::pair(Codes{"my.op.rule"}, std::size_t{1}));
  CHECK(with_rule("([i], [ij])->([ij])") == std::pair(Codes{}, std::size_t{0}));
  CHECK(with_rule("([i], [j])->([j])") == std::pair(Codes{}, std::size_t{0}));
  // What is exchanged, gathered or not carried on may have different sizes.
  CHECK(with_rule("([i], [i])->([i]) permutation={i}") == std::pair(Codes{}, std::size_t{0}));
  CHECK(with_rule("([i], [i])->([i]) need_replication={i}") == std::pair(Codes{}, std::size_t{0}));
  CHECK(with_rule("([i], [i])->([i]) blocked_propagation={i}") ==
        std::pair(Codes{}, std::size_t{0}));
}

TEST_CASE("verification leaves the module as it is", "[ops]") {
  Result<Module> m = read_json(
      R"({"functions": [{"name": "main", "arguments": [{"name": "%x", "shape": [8], "dtype": "f32"}],
    "ops": [{"op": "stablehlo.complex", "operands": ["%x", "%x"],
             "results": [{"name": "%1", "shape": [9], "dtype": "complex<f64>"}]},
            {"op": "func.return"}]}]})");
  REQUIRE(m);
  const Module& before = *m;
  const std::size_t types = before.types.size();
  const std::size_t strings = before.strings.size();
  Diagnostics out;
  verify_module(standard_ops(), before, out);
  REQUIRE(out.size() == 1);
  CHECK(out[0].code == "stablehlo.complex.c2");
  CHECK(out[0].message ==
        "expected result 0 of type tensor<8xcomplex<f32>>, found tensor<9xcomplex<f64>>");
  CHECK(before.types.size() == types);
  CHECK(before.strings.size() == strings);
}

TEST_CASE("inference says why it gives no types", "[ops]") {
  Module m = unverified(R"(
func.func @main(%x: tensor<8xf32>) {
  %1 = "stablehlo.negate"() : () -> tensor<8xf32>
  %2 = "test.make"() : () -> tensor<8xf32>
  %3 = stablehlo.constant dense<1.0> : tensor<f32>
  return
})");
  const OpTable table = standard_ops();
  Codes codes;
  for (OpId op : preorder(m)) {
    if (m.ops[op].result_count == 0) continue;
    Diagnostics out;
    CHECK_FALSE(infer_types(table, m, op, out));
    REQUIRE(out.size() == 1);
    codes.push_back(out[0].code);
  }
  CHECK(codes ==
        Codes{"op.operand_count", "test.make.cannot_infer", "stablehlo.constant.cannot_infer"});
}

TEST_CASE("the input number of an attribute is its place in the row's list", "[ops]") {
  constexpr std::string_view inputs = "operand, numbers.window, numbers.batch, sizes";
  CHECK(detail::input_number(inputs, "operand") == 1);
  CHECK(detail::input_number(inputs, "numbers") == 2);
  CHECK(detail::input_number(inputs, "numbers.batch") == 3);
  CHECK(detail::input_number(inputs, "sizes") == 4);
  CHECK(detail::input_number(inputs, "sizes.low") == 4);
  CHECK(detail::input_number(inputs, "size") == 0);
  CHECK(detail::input_number(inputs, "numbers.other") == 0);
  CHECK(detail::input_number("", "sizes") == 0);
}

}  // namespace
}  // namespace shardprop::test::verify_cases
