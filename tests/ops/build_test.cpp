#include "shardprop/ops/graph_builder.hpp"

#include <string>
#include <vector>

#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "tests/catch.hpp"

using namespace shardprop;

namespace {

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

}  // namespace

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
