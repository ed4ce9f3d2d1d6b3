#include "shardprop/ops/sharding_view.hpp"

#include <string>
#include <vector>

#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::sharding_view_cases {

using Shape = std::vector<std::int64_t>;

// A value %x of a function on the mesh data=2, model=4.
struct Program {
  OpTable table = standard_ops();
  Module m;
  GraphBuilder b{m, table};
  ValueId x;

  Program(std::string_view dtype, const Shape& shape, std::string_view dims) {
    b.add_mesh("mesh", {{"data", 2}, {"model", 4}});
    const Param param{b.tensor(dtype, shape), b.sharding(dims), "%x"};
    x = b.begin_func("main", {&param, 1})[0];
    b.end_func({x});
  }
};

TEST_CASE("a view tells mesh, axes by name, and the part that a device holds", "[ops]") {
  const Program p("f32", {8, 6}, R"([{"data"}, {"model", ?}p1])");
  const auto view = sharding_of(p.m, p.x);
  REQUIRE(view);
  CHECK(view->mesh == "mesh");
  REQUIRE(view->dims.size() == 2);
  CHECK(view->dims[0] == NamedDim{{"data"}});
  CHECK(view->dims[1] == NamedDim{{"model"}, true, 1});
  CHECK(view->local_shape == Shape{4, 2});
  CHECK(view->local_bytes == 32);
  CHECK_FALSE(view->is_replicated);
  CHECK(to_string(view) == R"(<@mesh, [{"data"}, {"model", ?}p1]>)");
}

TEST_CASE("a view names parts of axes, and tells replicated from partial", "[ops]") {
  const Program p("i1", {8, 6}, R"([{"model":(2)2}, {}])");
  CHECK(sharding_of(p.m, p.x)->dims[0].axes == NamedAxes{"model:(2)2"});
  CHECK(sharding_of(p.m, p.x)->local_bytes == 24);
  CHECK(sharding_of(Program("f32", {8, 6}, "[{}, {?}]").m, p.x)->is_replicated);

  Program partial("f32", {8, 6}, "[{}, {}]");
  partial.m.value_shardings[partial.x] = partial.m.shardings.intern(
      *parse_sharding(R"(<@mesh, [{}, {}], unreduced={"data"}>)", partial.m.meshes));
  CHECK_FALSE(sharding_of(partial.m, partial.x)->is_replicated);
  CHECK(sharding_of(partial.m, partial.x)->unreduced == NamedAxes{"data"});
}

TEST_CASE("a value without a sharding, or that does not exist, has no view", "[ops]") {
  Program p("f32", {8, 6}, "[{}, {}]");
  p.m.value_shardings[p.x] = ShardingId();
  CHECK_FALSE(sharding_of(p.m, p.x));
  CHECK(to_string(sharding_of(p.m, p.x)) == "none");
  CHECK_FALSE(sharding_of(p.m, ValueId()));
  CHECK_FALSE(sharding_of(p.m, ValueId(1000)));
  CHECK_FALSE(sharding_of(p.m, FuncId(0), 0));
  CHECK_FALSE(sharding_of(p.m, FuncId(0), 7));
  CHECK_FALSE(sharding_of(p.m, FuncId(), 0));
}

TEST_CASE("a sharding and its names stand for each other", "[ops]") {
  for (std::string_view text :
       {R"(<@mesh, [{"data", "model":(1)2, ?}p3, {?}], replicated={"model":(2)2}>)",
        R"(<@mesh, [{}], unreduced=max{"data"}>)", R"(<mesh<["x"=2]>, [{"x"}]>)", "<@mesh, []>"}) {
    Module m;
    m.meshes.add({"mesh", {{"data", 2}, {"model", 4}}, {}});
    const Result<TensorSharding> sharding = parse_sharding(text, m.meshes);
    REQUIRE(sharding);
    const NamedSharding names = named(*sharding, m.meshes);
    CHECK(to_string(names) == text);
    const Result<TensorSharding> again = sharding_from_names(names, m.meshes);
    REQUIRE(again);
    CHECK(*again == *sharding);
  }
}

TEST_CASE("names that the meshes do not have are errors", "[ops]") {
  MeshTable meshes;
  meshes.add({"mesh", {{"data", 2}}, {}});
  const auto code = [&](const NamedSharding& names) {
    return sharding_from_names(names, meshes).errors().front().code;
  };
  CHECK(code({"other", {}}) == "sharding.unknown_mesh");
  CHECK(code({"", {}}) == "sharding.unknown_mesh");
  CHECK(code({"mesh<[", {}}) == "mesh.syntax");
  CHECK(code({"mesh", {{{"model"}}}}) == "sharding.unknown_axis");
  CHECK(code({"mesh", {}, {"data:(1)x"}}) == "sharding.syntax");
}

}  // namespace shardprop::test::sharding_view_cases
