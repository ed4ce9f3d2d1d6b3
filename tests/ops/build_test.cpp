#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/graph_builder.hpp"

#include <string>
#include <vector>

#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::build_cases {

struct Program {
  OpTable table = standard_ops();
  Module m;
  GraphBuilder b{m, table};

  ValueId begin(const std::vector<std::int64_t>& shape) {
    const Param param{b.tensor("f32", shape)};
    return b.begin_func("main", {&param, 1})[0];
  }
  std::string type(ValueId value) const { return to_string(m, type_of(m, value)); }
  std::string verify() {
    Diagnostics out;
    verify_module(table, m, out);
    return to_string(out);
  }
};

TEST_CASE("the builder infers types", "[ops]") {
  Program p;
  const ValueId x = p.begin({8, 32});
  CHECK(p.type(p.b.op("stablehlo.add", {x, x})) == "tensor<8x32xf32>");
  CHECK(p.type(p.b.transpose(x, {1, 0})) == "tensor<32x8xf32>");
  CHECK(p.type(p.b.convert(x, "bf16")) == "tensor<8x32xbf16>");
  CHECK(p.type(p.b.reshape(x, {2, 4, 32})) == "tensor<2x4x32xf32>");
  CHECK(p.type(p.b.slice(x, {{0, 4}, {8, 20}})) == "tensor<8x16xf32>");
  CHECK(p.type(p.b.slice(x, {{0, 4}, {8, 20}, {2, 1}})) == "tensor<4x16xf32>");
  CHECK(p.type(p.b.concatenate({x, x, x}, 1)) == "tensor<8x96xf32>");
  CHECK(p.type(p.b.compare(x, x, "LT")) == "tensor<8x32xi1>");
  CHECK(p.type(p.b.broadcast_in_dim(x, {8, 3, 32}, {0, 2})) == "tensor<8x3x32xf32>");
  CHECK(p.type(p.b.dot_general(x, x, {.lhs_contracting = {1}, .rhs_contracting = {1}})) ==
        "tensor<8x8xf32>");
  CHECK(p.type(p.b.dot_general(x, x, {{0}, {0}, {1}, {1}})) == "tensor<8xf32>");
  CHECK(p.type(p.b.iota(p.b.tensor("i32", {4, 4}), 1)) == "tensor<4x4xi32>");
  const ValueId zero = p.b.constant(0.0, "f32");
  const ValueId sum = p.b.reduce(x, zero, {1}, "stablehlo.add");
  CHECK(p.type(sum) == "tensor<8xf32>");
  p.b.end_func({sum});
  CHECK(p.b.errors().empty());
  CHECK(p.verify() == "");
}

TEST_CASE("the builder numbers values and keeps names", "[ops]") {
  Program p;
  const Param params[] = {{p.b.tensor("f32", {4})}, {p.b.tensor("f32", {4}), {}, "%bias"}};
  const auto args = p.b.begin_func("main", params);
  const ValueId sum = p.b.op("stablehlo.add", {args[0], args[1]});
  const ValueId twice = p.b.named(p.b.op("stablehlo.add", {sum, sum}), "%twice");
  p.b.end_func({twice});
  const std::vector<std::string> names = {name_of(p.m, args[0]), name_of(p.m, args[1]),
                                          name_of(p.m, sum), name_of(p.m, twice)};
  CHECK(names == std::vector<std::string>{"%arg0", "%bias", "%0", "%twice"});
}

TEST_CASE("the builder reads shardings on its mesh", "[ops]") {
  Program p;
  p.b.add_mesh("mesh", {{"x", 2}, {"y", 4}});
  const ShardingId sharding = p.b.sharding(R"([{"y":(1)2, ?}p1, {"x"}])");
  REQUIRE(sharding.valid());
  CHECK(to_string(p.m.shardings[sharding], p.m.meshes) == R"(<@mesh, [{"y":(1)2, ?}p1, {"x"}]>)");
  CHECK_FALSE(p.b.sharding(R"([{"z"}])").valid());
  REQUIRE(p.b.errors().size() == 1);
  CHECK(p.b.errors()[0].code == "sharding.unknown_axis");
}

TEST_CASE("an operation that does not type-check is left out with all that follows from it",
          "[ops]") {
  Program p;
  const ValueId x = p.begin({8, 32});
  const ValueId wrong = p.b.dot_general(x, x, {.lhs_contracting = {1}, .rhs_contracting = {0}});
  CHECK_FALSE(wrong.valid());
  CHECK_FALSE(p.b.op("stablehlo.add", {x, wrong}).valid());
  CHECK_FALSE(p.b.reshape(wrong, {4}).valid());
  CHECK_FALSE(p.b.reduce(x, p.b.constant(0.0, "f32"), {7}, "stablehlo.add").valid());
  CHECK_FALSE(p.b.op("my.unknown", {x}).valid());
  p.b.end_func({x});
  REQUIRE(p.b.errors().size() == 3);
  CHECK(p.b.errors()[0].code.starts_with("stablehlo.dot_general."));
  CHECK(p.b.errors()[1].code.starts_with("stablehlo.reduce."));
  CHECK(p.b.errors()[2].code == "my.unknown.cannot_infer");
  CHECK(p.verify() == "");  // the constant and the return are what is left
  std::size_t left = 0;
  walk_ops(p.m, [&](OpId) { ++left; });
  CHECK(left == 2);
}

TEST_CASE("the builder makes a caller's own operations", "[ops]") {
  Program p;
  CustomOp twice;
  twice.name = "my.twice";
  twice.infer = [](const InferInput& in) {
    return std::optional(std::vector<TypeId>{type_of(in.m, operand(in.m, in.op, 0))});
  };
  REQUIRE(p.table.add(std::move(twice)).empty());
  const ValueId x = p.begin({8, 32});
  CHECK(p.type(p.b.op("my.twice", {x})) == "tensor<8x32xf32>");
  CHECK(p.type(p.b.op_of_type("my.flat", {x}, p.b.tensor("i8", {256}))) == "tensor<256xi8>");
}

// --- Regions, calls, several results ---

namespace {

Values twice(OpBuilder& b, ValueId x) { return {b.op("stablehlo.add", {x, x})}; }

std::vector<std::string> codes(const Diagnostics& errors) {
  std::vector<std::string> out;
  for (const Diagnostic& d : errors) out.push_back(d.code);
  return out;
}
using Codes = std::vector<std::string>;

}  // namespace

TEST_CASE("the builder makes loops, branches and calls", "[ops]") {
  Program p;
  GraphBuilder& b = p.b;
  const TypeId vector = b.tensor("f32", {8});
  const auto x = b.begin_func("double", {{vector}});
  b.end_func({twice(b, x[0])});

  const auto args = b.begin_func("main", {{vector}, {b.tensor("i1", {})}, {b.tensor("i32", {})}});
  const ValueId one = b.constant(1, "i32");
  const auto loop = b.while_loop(
      {args[0], args[2]}, [&](auto at) { return b.compare(at[1], one, "LT"); },
      [&](auto at) {
        return Values{b.call("double", {at[0]})[0], b.op("stablehlo.add", {at[1], one})};
      });
  CHECK(loop.size() == 2);
  const auto chosen = b.if_else(
      args[1], [&] { return Values{loop[0]}; }, [&] { return twice(b, args[0]); });
  const auto picked = b.case_of(loop[1], {[&] {
                                            return Values{chosen[0], args[1]};
                                          },
                                          [&] {
                                            return Values{args[0], args[1]};
                                          }});
  b.end_func({picked[0], picked[1]});
  CHECK(to_string(b.errors()) == "");
  CHECK(p.verify() == "");
  CHECK(p.type(loop[1]) == "tensor<i32>");
  CHECK(p.type(picked[0]) == "tensor<8xf32>");
  CHECK(p.type(picked[1]) == "tensor<i1>");
}

TEST_CASE("the builder makes an operation of any results and regions", "[ops]") {
  Program p;
  const ValueId x = p.begin({8});
  const TypeId vector = p.b.tensor("f32", {8});
  const auto made =
      p.b.build("my.scan", {x},
                {.regions = {{{vector}, [&](auto at) { return twice(p.b, at[0]); }}, {{}, {}}},
                 .types = std::vector{vector, p.b.tensor("i32", {})},
                 .terminator = "my.yield"});
  REQUIRE(made.size() == 2);
  CHECK(block_count(p.m, defining_op(p.m, made[0])) == 2);
  CHECK(name_of(p.m, made[0]) == "%0");
  CHECK(name_of(p.m, made[1]) == "%1");
  p.b.build("my.print", {made[1]}, {.types = std::vector<TypeId>{}});
  p.b.end_func({made[0]});
  CHECK(to_string(p.b.errors()) == "");
  CHECK(p.verify() == "");
}

TEST_CASE("the builder constrains and annotates inner values, on any mesh", "[ops]") {
  Program p;
  GraphBuilder& b = p.b;
  b.add_mesh("first", {{"x", 2}});
  b.add_mesh("second", {{"x", 4}, {"y", 2}});
  const ValueId x = p.begin({8});
  const ValueId y = b.constrain(x, b.sharding(R"([{"y"}])"));
  const ValueId z = b.set_sharding(twice(b, y)[0], b.sharding(R"([{"x"}])", "first"));
  b.end_func({z}, {b.sharding(R"(<@second, [{"x", "y"}]>)")});
  CHECK(to_string(b.errors()) == "");
  CHECK(p.verify() == "");
  CHECK(to_string(sharding_of(p.m, y)) == R"(<@second, [{"y"}]>)");
  CHECK(to_string(sharding_of(p.m, z)) == R"(<@first, [{"x"}]>)");
  CHECK(to_string(sharding_of(p.m, FuncId(0), 0)) == R"(<@second, [{"x", "y"}]>)");
}

TEST_CASE("an operation outside of a function is an error that is kept", "[ops]") {
  Program p;
  CHECK_FALSE(p.b.constant(1, "f32").valid());
  CHECK_FALSE(p.b.iota(p.b.tensor("i32", {4}), 0).valid());
  p.b.end_func({});
  const ValueId x = p.begin({8});
  p.b.end_func({x});
  CHECK_FALSE(p.b.op("stablehlo.add", {x, x}).valid());
  CHECK_FALSE(p.b.reduce(x, x, {0}, "stablehlo.add").valid());
  CHECK(codes(p.b.errors()) == Codes(5, "builder.no_function"));
  CHECK(p.verify() == "");
}

TEST_CASE("functions do not nest", "[ops]") {
  Program p;
  const ValueId x = p.begin({8});
  const auto y = p.b.if_else(
      p.b.constant(1, "i1"),
      [&] {
        CHECK(p.b.begin_func("inner", {}).empty());
        p.b.end_func({x});
        return Values{x};
      },
      [&] { return Values{x}; });
  CHECK(y.size() == 1);
  p.b.begin_func("second", {});
  CHECK(codes(p.b.errors()) == Codes(3, "builder.open_function"));
}

TEST_CASE("values are used only where they are visible", "[ops]") {
  Program p;
  ValueId inner;
  const ValueId x = p.begin({8});
  const auto leak = [&] {
    inner = twice(p.b, x)[0];
    return Values{inner};
  };
  p.b.if_else(p.b.constant(1, "i1"), leak, leak);
  CHECK_FALSE(p.b.op("stablehlo.add", {x, inner}).valid());
  p.b.end_func({x});
  p.b.begin_func("second", {});
  p.b.end_func({x});
  CHECK(codes(p.b.errors()) == Codes(2, "builder.not_visible"));
}

TEST_CASE("what is given is checked where it is given", "[ops]") {
  const auto code_of = [](auto&& use) {
    Program p;
    p.b.add_mesh("mesh", {{"x", 2}});
    use(p.b, p.begin({8}));
    REQUIRE_FALSE(p.b.errors().empty());
    return p.b.errors().front().code;
  };
  using B = GraphBuilder;
  const auto is = [&](std::string_view code, void (*use)(B&, ValueId)) {
    CHECK(code_of(use) == code);
  };
  is("builder.dtype", [](B& b, ValueId) { b.tensor("float", {8}); });
  is("builder.dtype", [](B& b, ValueId x) { b.convert(x, "token"); });
  is("builder.shape", [](B& b, ValueId x) { b.reshape(x, {2, -4}); });
  is("stablehlo.reshape.c2", [](B& b, ValueId x) { b.reshape(x, {2, 5}); });
  is("builder.mesh", [](B& b, ValueId) { b.add_mesh("mesh", {{"y", 2}}); });
  is("builder.mesh", [](B& b, ValueId) { b.add_mesh("", {{"y", 2}}); });
  is("mesh.axis_size", [](B& b, ValueId) { b.add_mesh("other", {{"y", 0}}); });
  is("sharding.unknown_mesh", [](B& b, ValueId) { b.sharding("[{}]", "other"); });
  is("sharding.rank_mismatch", [](B& b, ValueId x) { b.constrain(x, b.sharding("[{}, {}]")); });
  is("sharding.rank_mismatch", [](B& b, ValueId x) { b.set_sharding(x, b.sharding("[]")); });
  is("sharding.rank_mismatch", [](B& b, ValueId x) { b.end_func({x}, {b.sharding("[]")}); });
  is("builder.sharding_count", [](B& b, ValueId x) { b.end_func({x}, {b.sharding("[{}]"), {}}); });
  is("builder.sharding_count", [](B& b, ValueId x) {
    b.build("stablehlo.abs", {x}, {.shardings = {b.sharding("[{}]"), {}}});
  });
  is("builder.unknown_value", [](B& b, ValueId) { b.op("stablehlo.abs", {ValueId()}); });
  is("builder.unknown_value", [](B& b, ValueId) { b.op("stablehlo.abs", {ValueId(99)}); });
  is("builder.unknown_value", [](B& b, ValueId) { b.end_func({ValueId()}); });
  is("builder.unknown_type", [](B& b, ValueId x) { b.op_of_type("my.op", {x}, TypeId()); });
  is("builder.unknown_type", [](B& b, ValueId x) { b.op_of_type("my.op", {x}, TypeId(99)); });
  is("builder.unknown_attribute", [](B& b, ValueId x) { b.op("my.op", {x}, AttrId(99)); });
  is("builder.unknown_attribute", [](B& b, ValueId x) { b.op("my.op", {x}, b.ints({1})); });
  is("builder.unknown_attribute", [](B& b, ValueId) { b.dict({{"key", AttrId()}}); });
  is("builder.unknown_sharding", [](B& b, ValueId x) { b.set_sharding(x, ShardingId(99)); });
  is("func.call.unknown_callee", [](B& b, ValueId x) { b.call("none", {x}); });
  is("func.call.operand_types", [](B& b, ValueId x) { b.call("main", {x, x}); });
  is("stablehlo.while.c2", [](B& b, ValueId x) {
    b.while_loop(
        {x}, [&](auto) { return b.constant(1, "i1"); }, [&](auto) { return Values{}; });
  });
  is("stablehlo.case.c1", [](B& b, ValueId) { b.case_of(b.constant(1, "i32"), {}); });
}

}  // namespace shardprop::test::build_cases
