// The text forms of axis references and tensor shardings.
#include "shardprop/sharding/sharding_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "tests/catch.hpp"
#include "tests/sharding/axis_model.hpp"
#include "tests/sharding/codes.hpp"
#include "tests/sharding/random_sharding.hpp"

namespace shardprop {
namespace {

using namespace test;

MeshTable one_mesh() {
  Mesh mesh;
  mesh.name = "mesh";
  mesh.axes = {{"a", 2}, {"b", 4}, {"c", 2}, {"d", 3}};
  MeshTable meshes;
  meshes.add(mesh);
  return meshes;
}

}  // namespace

TEST_CASE("axis text: all axes and parts of small meshes come back", "[sharding]") {
  for (const Mesh& mesh : small_meshes()) {
    for (AxisRef ref : all_refs(mesh)) {
      const Result<AxisRef> back = parse_axis_ref(to_string(ref, mesh), mesh);
      REQUIRE(back.ok());
      REQUIRE(*back == ref);
    }
  }
  const Mesh mesh = make_mesh({8});
  CHECK(to_string(full_axis(mesh, 0), mesh) == "a");
  CHECK(to_string(sub_axis(0, 2, 4), mesh) == "a:(2)4");
}

TEST_CASE("axis text: exactly the proper parts of an axis are read", "[sharding]") {
  for (const std::int64_t size : {1, 2, 3, 4, 6, 8, 12}) {
    const Mesh mesh = make_mesh({size});
    const std::vector<AxisRef> valid = all_refs(mesh);
    for (std::int64_t pre = -1; pre <= 2 * size; ++pre) {
      for (std::int64_t part_size = -1; part_size <= 2 * size; ++part_size) {
        const std::string text = "a:(" + std::to_string(pre) + ")" + std::to_string(part_size);
        bool expected = false;
        for (AxisRef ref : valid) {
          expected = expected || (!ref.is_full && ref.pre_size == pre && ref.size == part_size);
        }
        INFO(text << " of size " << size);
        REQUIRE(parse_axis_ref(text, mesh).ok() == expected);
      }
    }
  }
}

TEST_CASE("axis text: each error has its code", "[sharding]") {
  const Mesh mesh = make_mesh({8, 2});
  const auto code = [&](std::string_view text) { return codes(parse_axis_ref(text, mesh)); };
  CHECK(code("z") == Codes{"sharding.unknown_axis"});
  CHECK(code("") == Codes{"sharding.unknown_axis"});
  CHECK(code("z:(1)2") == Codes{"sharding.unknown_axis"});
  CHECK(code("a:(0)2") == Codes{"sharding.sub_axis_pre_size"});
  CHECK(code("a:(-1)2") == Codes{"sharding.sub_axis_pre_size"});
  CHECK(code("a:(2)1") == Codes{"sharding.sub_axis_size"});
  CHECK(code("a:(3)2") == Codes{"sharding.sub_axis_not_dividing"});
  CHECK(code("a:(4)4") == Codes{"sharding.sub_axis_not_dividing"});
  CHECK(code("a:(1)8") == Codes{"sharding.sub_axis_is_full"});
  CHECK(code("a:(4611686018427387904)4611686018427387904") ==
        Codes{"sharding.sub_axis_not_dividing"});
  for (const char* text : {"a:(", "a:(1", "a:(1)", "a:()2", "a:(1)2x", "a:(1) 2", "a:(x)2",
                           "a:(1)99999999999999999999"}) {
    INFO(text);
    CHECK(code(text) == Codes{"sharding.syntax"});
  }
  const Mesh none;
  CHECK(codes(parse_axis_ref("a", none)) == Codes{"sharding.unknown_axis"});
}

TEST_CASE("sharding text: the forms of the notation", "[sharding]") {
  MeshTable meshes = one_mesh();
  Mesh odd;
  odd.name = "my mesh";
  odd.axes = {{"x", 2}};
  meshes.add(odd);
  for (const std::string text :
       {R"(<@mesh, [{"a", "b":(1)2, ?}p1, {}], replicated={"c"}, unreduced={"d"}>)", "<@mesh, []>",
        "<@mesh, [{}, {?}, {?}p0]>", R"(<@mesh, [{"b":(2)2, "a"}p12], unreduced=max{"c", "d"}>)",
        R"(<@mesh, [], replicated={"b":(1)2}, unreduced=min{"b":(2)2}>)",
        R"(<@"my mesh", [{"x"}]>)", R"(<mesh<["a"=2]>, [{"a"}]>)",
        R"(<mesh<["a"=2], device_ids=[1, 0]>, [{"a", ?}]>)", "<mesh<[], device_ids=[3]>, []>",
        "<mesh<[]>, [{}]>"}) {
    const Result<TensorSharding> sharding = parse_sharding(text, meshes);
    INFO(text);
    REQUIRE(sharding.ok());
    CHECK(to_string(*sharding, meshes) == text);
    CHECK(*parse_sharding("#sdy.sharding" + text, meshes) == *sharding);
  }
  CHECK(*parse_sharding("<@mesh, [], unreduced{\"d\"}>", meshes) ==
        *parse_sharding("<@mesh, [], unreduced={\"d\"}>", meshes));
  CHECK_FALSE(parse_sharding("<@mesh, [], unreduced=max{}>", meshes));
  const auto loose = parse_sharding(
      "< @mesh ,[ { \"a\",\n? } p1,{}],unreduced=sum{\"d\"}, replicated={\"c\"} >", meshes);
  REQUIRE(loose.ok());
  CHECK(to_string(*loose, meshes) ==
        R"(<@mesh, [{"a", ?}p1, {}], replicated={"c"}, unreduced={"d"}>)");
}

TEST_CASE("sharding text: what is read is what was meant", "[sharding]") {
  MeshTable meshes = one_mesh();
  const auto s =
      parse_sharding(R"(<@mesh, [{"b":(2)2, "a", ?}p3, {}], unreduced=min{"d"}>)", meshes);
  REQUIRE(s.ok());
  CHECK(s->mesh == meshes.find("mesh"));
  REQUIRE(s->rank() == 2);
  CHECK(s->dims[0].axes == AxisList{sub_axis(1, 2, 2), full_axis(meshes[s->mesh], 0)});
  CHECK(s->dims[0].open);
  CHECK(s->dims[0].priority == 3);
  CHECK(s->dims[1] == DimSharding());
  CHECK(s->replicated.empty());
  CHECK(s->unreduced == AxisList{full_axis(meshes[s->mesh], 3)});
  CHECK(s->reduction == ReductionOp::kMin);
}

TEST_CASE("sharding text: random shardings come back and verify", "[sharding]") {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    MeshTable meshes;
    Mesh mesh = random_mesh(random);
    const std::vector<std::string> names = {"", "m_0", "0", "a mesh", "$x"};
    mesh.name = names[pick(random, names.size())];
    const MeshId id = meshes.add(mesh);
    const TensorSharding s = random_sharding(random, id, mesh);
    const std::string text = to_string(s, meshes);
    INFO(text);
    const Result<TensorSharding> back = parse_sharding(text, meshes);
    REQUIRE(back.ok());
    REQUIRE(*back == s);
    REQUIRE(meshes.size() == 1);
    const std::vector<std::int64_t> shape(s.rank(), 16);
    Diagnostics out;
    REQUIRE(verify_sharding(s, meshes, {true, shape}, {}, out));
  }
}

TEST_CASE("sharding text: syntax errors have a place", "[sharding]") {
  MeshTable meshes = one_mesh();
  struct Case {
    const char* text;
    const char* at;
  };
  for (const Case& c : {Case{"", "1:1"},
                        Case{"@mesh, []", "1:1"},
                        Case{"<mesh, []>", "1:6"},
                        Case{"<x, []>", "1:2"},
                        Case{"<@, []>", "1:3"},
                        Case{"<@\"\", []>", "1:5"},
                        Case{"<@mesh>", "1:7"},
                        Case{"<@mesh, {}>", "1:9"},
                        Case{"<@mesh, [{}", "1:12"},
                        Case{"<@mesh, [{},]>", "1:13"},
                        Case{"<@mesh, [{a}]>", "1:11"},
                        Case{R"(<@mesh, [{"a" "b"}]>)", "1:15"},
                        Case{R"(<@mesh, [{"a",}]>)", "1:15"},
                        Case{R"(<@mesh, [{?, "a"}]>)", "1:12"},
                        Case{R"(<@mesh, [{"b":1(2)}]>)", "1:15"},
                        Case{R"(<@mesh, [{"b":(1}]>)", "1:17"},
                        Case{R"(<@mesh, [{"b":(1)}]>)", "1:18"},
                        Case{"<@mesh, [{?}p]>", "1:13"},
                        Case{"<@mesh, [{?}p01]>", "1:13"},
                        Case{"<@mesh, [{?}q1]>", "1:13"},
                        Case{"<@mesh, [{?}p1x]>", "1:13"},
                        Case{"<@mesh, [{?}p-1]>", "1:13"},
                        Case{"<@mesh, [], x={}>", "1:13"},
                        Case{R"(<@mesh, [], replicated{"a"}>)", "1:23"},
                        Case{"<@mesh, [], replicated={}>", "1:25"},
                        Case{R"(<@mesh, [], replicated={"a"}, replicated={"b"}>)", "1:31"},
                        Case{R"(<@mesh, [], unreduced=mean{"a"}>)", "1:23"},
                        Case{"<@mesh, []", "1:11"},
                        Case{"<@mesh,\n []> x", "2:6"}}) {
    const Result<TensorSharding> s = parse_sharding(c.text, meshes);
    INFO(c.text);
    CHECK(codes(s) == Codes{"sharding.syntax"});
    CHECK(position(s) == c.at);
  }
}

TEST_CASE("sharding text: errors of meaning have a place and are all reported", "[sharding]") {
  MeshTable meshes = one_mesh();
  const auto parse = [&](std::string_view text) { return parse_sharding(text, meshes); };
  CHECK(codes(parse("<@no, [{\"a\"}]>")) == Codes{"sharding.unknown_mesh"});
  CHECK(position(parse("<@no, [{\"a\"}]>")) == "1:2");
  CHECK(codes(parse("<@mesh, [{?}p4294967296]>")) == Codes{"sharding.priority"});
  CHECK(position(parse("<@mesh, [{}, {?}p4294967296]>")) == "1:17");
  const auto many =
      parse(R"(<@mesh, [{"x", "b":(1)4}, {"b":(3)2}], replicated={"b":(0)2, "y":(1)2}>)");
  CHECK(codes(many) == Codes{"sharding.unknown_axis", "sharding.sub_axis_is_full",
                             "sharding.sub_axis_not_dividing", "sharding.sub_axis_pre_size",
                             "sharding.unknown_axis"});
  CHECK(many.errors()[4].place.column == 62);
  CHECK(codes(parse(R"(<mesh<["a"=2, "a"=2]>, [{"a"}]>)")) == Codes{"mesh.duplicate_axis"});
  CHECK(position(parse(R"(<mesh<["a"=2, "a"=2]>, [{"a"}]>)")) == "1:6");
  CHECK(codes(parse(R"(<mesh<["a"=2]>, [{"b"}]>)")) == Codes{"sharding.unknown_axis"});
  CHECK(meshes.size() == 1);
}

TEST_CASE("sharding text: damaged texts give errors, or shardings that come back", "[sharding]") {
  Random random(5);
  const std::string alphabet = "<>[]{}()@\"\\:,=?p012-amesh \n\xC3";
  int errors = 0;
  int shardings = 0;
  for (int i = 0; i < 5000; ++i) {
    MeshTable meshes = one_mesh();
    std::string text =
        i % 2 == 0 ? R"(<@mesh, [{"a", "b":(1)2, ?}p1, {}], replicated={"c"}, unreduced=max{"d"}>)"
                   : R"(#sdy.sharding<mesh<["a"=2, "b"=4], device_ids=[7, 6]>, [{"a"}p0]>)";
    damage(random, alphabet, text);
    const Result<TensorSharding> s = parse_sharding(text, meshes);
    INFO(text);
    if (s) {
      const Result<TensorSharding> back = parse_sharding(to_string(*s, meshes), meshes);
      REQUIRE(back.ok());
      REQUIRE(*back == *s);
      ++shardings;
      continue;
    }
    REQUIRE(meshes.size() == 1);
    for (const Diagnostic& d : s.errors()) {
      REQUIRE(d.place.line >= 1);
      REQUIRE(d.place.column >= 1);
    }
    ++errors;
  }
  CHECK(errors > 1000);
  CHECK(shardings > 50);
}

}  // namespace shardprop
