// The verifier's own checks: form, signature, shardings, rules; how it goes on after an error.
#include "shardprop/ops/verify.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"

using namespace shardprop;

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

// The codes of a module of one function, given by the field `ops` and, if there are any, its
// arguments.
Codes codes_of(const std::string& ops, const std::string& arguments = "[]",
               const OpTable& table = standard_ops()) {
  const std::string text =
      R"({"meshes": [{"name": "m", "axes": [{"name": "a", "size": 2}, {"name": "b", "size": 4}]}],
    "functions": [{"name": "main", "arguments": )" +
      arguments + R"(, "ops": )" + ops + "}]}";
  Result<Module> m = read_json(text);
  INFO(text);
  if (!m) {
    INFO(to_string(m.errors()));
    REQUIRE(m);
  }
  return codes_of(*m, table);
}

constexpr const char* kTwoVectors =
    R"([{"name": "%x", "shape": [8], "dtype": "f32"}, {"name": "%y", "shape": [8], "dtype": "f32"}])";

}  // namespace

TEST_CASE("a correct module has no errors", "[ops]") {
  CHECK(
      codes_of(
          R"([{"op": "stablehlo.add", "operands": ["%x", "%y"], "results": [{"name": "%z", "shape": [8], "dtype": "f32"}]},
                     {"op": "func.return"}])",
          kTwoVectors) == Codes{});
}

TEST_CASE("every error is reported with its place", "[ops]") {
  Result<Module> m = read_json(
      R"({"functions": [{"name": "main", "arguments": [{"name": "%x", "shape": [8], "dtype": "f32"}],
    "ops": [{"op": "stablehlo.negate", "results": [{"name": "%1", "shape": [8], "dtype": "f32"}]},
            {"op": "stablehlo.abs", "operands": ["%x"], "results": [{"name": "%2", "shape": [9], "dtype": "f32"}]},
            {"op": "stablehlo.floor", "operands": ["%x"], "results": [{"name": "%3", "shape": [8], "dtype": "f32"}]},
            {"op": "func.return"}]}]})");
  REQUIRE(m);
  Diagnostics out;
  verify_module(standard_ops(), *m, out);
  REQUIRE(out.size() >= 2);
  CHECK(out[0].code == "op.operand_count");
  CHECK(to_string(out[0].place) == "@main, stablehlo.negate %1");
  CHECK(to_string(out.back().place) == "@main, stablehlo.abs %2");
}

TEST_CASE("operands and results are counted and classed from the row", "[ops]") {
  const std::string end = R"(, {"op": "func.return"}])";
  CHECK(
      codes_of(
          R"([{"op": "stablehlo.add", "operands": ["%x"], "results": [{"name": "%z", "shape": [8], "dtype": "f32"}]})" +
              end,
          kTwoVectors) == Codes{"op.operand_count"});
  CHECK(
      codes_of(
          R"([{"op": "stablehlo.while", "operands": ["%x"], "results": [{"name": "%z", "shape": [8], "dtype": "f32"}]})" +
              end,
          kTwoVectors) == Codes{"op.block_count"});
  CHECK(
      codes_of(
          R"([{"op": "stablehlo.popcnt", "operands": ["%x"], "results": [{"name": "%z", "shape": [8], "dtype": "f32"}]})" +
              end,
          kTwoVectors)
          .front() == "stablehlo.popcnt.i1");
  CHECK(
      codes_of(
          R"([{"op": "sdy.propagation_barrier", "operands": ["%t"], "results": [{"name": "%z", "dtype": "stablehlo.token"}],
                      "attributes": {"allowed_direction": "NONE"}})" +
              end,
          R"([{"name": "%t", "dtype": "stablehlo.token"}])") ==
      Codes{"op.operand_type", "op.result_type"});
}

TEST_CASE("a region ends with the terminator of its dialect", "[ops]") {
  CHECK(
      codes_of(
          R"([{"op": "stablehlo.if", "operands": ["%p"], "blocks": [{"ops": [{"op": "sdy.return"}]}, {"ops": [{"op": "stablehlo.return"}]}]},
                     {"op": "func.return"}])",
          R"([{"name": "%p", "shape": [], "dtype": "i1"}])") == Codes{"op.terminator"});
}

TEST_CASE("an unknown operation is checked for form only", "[ops]") {
  CHECK(
      codes_of(
          R"([{"op": "custom.thing", "operands": ["%x"], "blocks": [{"ops": [{"op": "custom.end"}]}]}, {"op": "func.return"}])",
          kTwoVectors) == Codes{});
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
  const auto body = [](const std::string& axis) {
    return R"([{"op": "sdy.manual_computation", "operands": ["%x"], "attributes": {"manual_axes": ["a"],
                "in_shardings": [{"mesh": "m", "dims": [{"axes": ["a"]}]}], "out_shardings": []},
                "blocks": [{"arguments": [{"name": "%1", "shape": [4], "dtype": "f32"}],
                            "ops": [{"op": "stablehlo.negate", "operands": ["%1"],
                                     "results": [{"name": "%2", "shape": [4], "dtype": "f32",
                                                  "sharding": {"mesh": "m", "dims": [{"axes": [")" +
           axis + R"("]}]}}]}, {"op": "sdy.return"}]}]}, {"op": "func.return"}])";
  };
  CHECK(codes_of(body("b"), kTwoVectors) == Codes{});
  CHECK(codes_of(body("a"), kTwoVectors) == Codes{"sharding.manual_axis"});
}

TEST_CASE("an operation without results stands on one device or on all", "[ops]") {
  const auto call = [](const std::string& dims) {
    return R"([{"op": "stablehlo.custom_call", "operands": ["%x"], "attributes": {"call_target_name": "f"},
                "sharding": [{"mesh": "m", "dims": )" +
           dims + R"(}]}, {"op": "func.return"}])";
  };
  CHECK(codes_of(call("[]"), kTwoVectors) == Codes{});
  CHECK(codes_of(call(R"([{"axes": ["a"]}])"), kTwoVectors) == Codes{"sharding.no_results"});
}

TEST_CASE("records of propagation are checked", "[ops]") {
  const auto negate = [](const std::string& record) {
    return R"([{"op": "stablehlo.negate", "operands": ["%x"], "attributes": {"sdy.propagation_edges": )" +
           record + R"(},
                "results": [{"name": "%z", "shape": [8], "dtype": "f32", "sharding": {"mesh": "m", "dims": [{"axes": ["a"]}]}}]},
               {"op": "func.return"}])";
  };
  const auto text = [](const std::string& moves) {
    return R"({"opaque": "#sdy.propagation_edges<[)" + moves + R"(]>"})";
  };
  const Codes wrong{"stablehlo.negate.propagation_edges"};
  CHECK(codes_of(negate(text(R"({step-1 = [{\"a\" = result-0 -> [operand-0]}]})")), kTwoVectors) ==
        Codes{});
  CHECK(codes_of(negate(text(R"({step-1 = [{\"b\":(1)2 = result-0 -> [operand-0]}]})")),
                 kTwoVectors) == Codes{});
  CHECK(codes_of(negate(text(R"({step-1 = [{\"z\" = result-0 -> [operand-0]}]})")), kTwoVectors) ==
        wrong);
  CHECK(codes_of(negate(text(R"({step-1 = [{\"a\" = result-0 -> [operand-1]}]})")), kTwoVectors) ==
        wrong);
  CHECK(codes_of(negate(text(R"({step-1 = [{\"a\" = result-0 -> [result-0]}]})")), kTwoVectors) ==
        wrong);
  CHECK(codes_of(negate(text(R"({step-1 = [{\"a\" = result-0 -> [operand-0, operand-0]}]})")),
                 kTwoVectors) == wrong);
  CHECK(codes_of(negate(text(R"({step-1 = [{\"a\" = operand-0 -> []}]})")), kTwoVectors) == wrong);
  CHECK(codes_of(negate(text("{step-1}")), kTwoVectors) == wrong);
  CHECK(codes_of(negate("64"), kTwoVectors) == wrong);
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
  const auto program = [](const std::string& size, const std::string& attributes) {
    return R"([{"op": "custom.double", "operands": ["%x"], "results": [{"name": "%z", "shape": [)" +
           size + R"(], "dtype": "f32"}], "attributes": )" + attributes +
           R"(}, {"op": "func.return"}])";
  };
  CHECK(codes_of(program("16", R"({"times": 2})"), kTwoVectors, table) == Codes{});
  CHECK(codes_of(program("17", R"({"times": 2})"), kTwoVectors, table) ==
        Codes{"custom.double.result_type"});
  CHECK(codes_of(program("16", "{}"), kTwoVectors, table) == Codes{"custom.double.times"});
  op.rule_text = "([i, j])->([i])";
  REQUIRE(table.replace(op).empty());
  CHECK(codes_of(program("16", R"({"times": 2})"), kTwoVectors, table) ==
        Codes{"custom.double.rule"});
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
  Result<Module> m = read_json(
      R"({"functions": [{"name": "main", "arguments": [{"name": "%x", "shape": [8], "dtype": "f32"}],
    "ops": [{"op": "stablehlo.negate", "results": [{"name": "%1", "shape": [8], "dtype": "f32"}]},
            {"op": "test.make", "results": [{"name": "%2", "shape": [8], "dtype": "f32"}]},
            {"op": "stablehlo.constant", "results": [{"name": "%3", "shape": [], "dtype": "f32"}], "attributes": {"value": 1}},
            {"op": "func.return"}]}]})");
  REQUIRE(m);
  const OpTable table = standard_ops();
  Codes codes;
  for (OpId op : preorder(*m)) {
    if (m->ops[op].result_count == 0) continue;
    Diagnostics out;
    CHECK_FALSE(infer_types(table, *m, op, out));
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
