// Meshes: their table, their text, what is refused.
#include "shardprop/sharding/mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "tests/catch.hpp"
#include "tests/sharding/axis_model.hpp"
#include "tests/sharding/codes.hpp"
#include "tests/sharding/random_sharding.hpp"

namespace shardprop {
namespace {

using namespace test;

Codes mesh_codes(const Mesh& mesh) {
  Diagnostics out;
  const bool valid = verify_mesh(mesh, Place{"", "", "", "/meshes/0"}, out);
  for (const Diagnostic& d : out) CHECK(d.place.pointer == "/meshes/0");
  CHECK(valid == out.empty());
  return codes(out);
}

}  // namespace

TEST_CASE("mesh table: named meshes keep rows, inlined ones share by content", "[sharding]") {
  MeshTable meshes;
  Mesh a = make_mesh({2, 4});
  Mesh b = a;
  b.name = "other";
  Mesh inlined = a;
  inlined.name.clear();
  const MeshId first = meshes.add(a);
  const MeshId second = meshes.add(b);
  const MeshId third = meshes.add(inlined);
  CHECK(first != second);
  CHECK(third != first);
  CHECK(meshes.add(inlined) == third);
  CHECK(meshes.content(second) == first);
  CHECK(meshes.content(third) == first);
  CHECK(meshes.find("other") == second);
  CHECK_FALSE(meshes.find("").valid());
  Mesh larger = make_mesh({2, 8});
  larger.name = "larger";
  const MeshId fourth = meshes.add(larger);
  CHECK(meshes.content(fourth) == fourth);
}

TEST_CASE("mesh text: the forms of the notation", "[sharding]") {
  for (const std::string text : {R"(<["data"=4, "model"=8]>)", R"(<["a"=2], device_ids=[1, 0]>)",
                                 "<[], device_ids=[3]>", "<[]>", R"(<["a \22 b \\ \C3\BC"=2]>)"}) {
    const Result<Mesh> mesh = parse_mesh(text);
    REQUIRE(mesh.ok());
    CHECK(to_string(*mesh) == text);
    CHECK(parse_mesh("mesh" + text)->same_content(*mesh));
    CHECK(parse_mesh("#sdy.mesh" + text)->same_content(*mesh));
  }
  CHECK(parse_mesh("<[], device_ids=[3]>")->is_maximal());
  CHECK(parse_mesh("<[]>")->is_empty());
  CHECK(parse_mesh(R"( < [ "a\"\t\n" = 2 ] > )")->axes[0].name == "a\"\t\n");
}

TEST_CASE("mesh text: default device ids are dropped", "[sharding]") {
  CHECK(to_string(*parse_mesh(R"(<["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>)")) ==
        R"(<["a"=2, "b"=2]>)");
  CHECK(codes(parse_mesh(R"(<["a"=2, "b"=2], device_ids=[0, 1]>)")) == Codes{"mesh.device_count"});
}

TEST_CASE("mesh text: random meshes come back", "[sharding]") {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Mesh mesh = random_mesh(random);
    REQUIRE(mesh_codes(mesh).empty());
    const Result<Mesh> back = parse_mesh(to_string(mesh));
    REQUIRE(back.ok());
    REQUIRE(back->same_content(mesh));
  }
}

TEST_CASE("mesh text: syntax errors have a place", "[sharding]") {
  struct Case {
    const char* text;
    const char* at;
  };
  for (const Case& c :
       {Case{"", "1:1"}, Case{"[", "1:1"}, Case{"<", "1:2"}, Case{"<[", "1:3"},
        Case{"<[a=2]>", "1:3"}, Case{R"(<["a)", "1:3"}, Case{R"(<["a\)", "1:5"},
        Case{R"(<["a\4q"=2]>)", "1:5"}, Case{R"(<["a" 2]>)", "1:7"}, Case{R"(<["a"=]>)", "1:7"},
        Case{R"(<["a"=99999999999999999999]>)", "1:7"}, Case{R"(<["a"=2,]>)", "1:9"},
        Case{R"(<["a"=2>)", "1:8"}, Case{R"(<["a"=2]])", "1:9"}, Case{R"(<["a"=2],>)", "1:10"},
        Case{R"(<["a"=2], device_ids=[]>)", "1:23"}, Case{"<[\"a\"=2]>\n x", "2:2"}}) {
    const Result<Mesh> mesh = parse_mesh(c.text);
    INFO(c.text);
    CHECK(codes(mesh) == Codes{"mesh.syntax"});
    CHECK(position(mesh) == c.at);
  }
}

TEST_CASE("mesh verification: each code", "[sharding]") {
  const auto mesh = [](std::vector<MeshAxis> axes, std::vector<std::int64_t> ids) {
    return Mesh{"m", std::move(axes), std::move(ids)};
  };
  CHECK(mesh_codes(mesh({}, {})).empty());
  CHECK(mesh_codes(mesh({}, {7})).empty());
  CHECK(mesh_codes(mesh({{"a", 2}, {"b", 2}}, {0, 2, 1, 3})).empty());
  CHECK(mesh_codes(mesh({{"a", 1}}, {})).empty());
  CHECK(mesh_codes(mesh({{"a", 0}}, {})) == Codes{"mesh.axis_size"});
  CHECK(mesh_codes(mesh({{"a", 2}, {"a", 2}}, {})) == Codes{"mesh.duplicate_axis"});
  CHECK(mesh_codes(mesh({}, {-1})) == Codes{"mesh.negative_device_id"});
  CHECK(mesh_codes(mesh({{"a", 2}}, {-1, 0})) == Codes{"mesh.negative_device_id"});
  CHECK(mesh_codes(mesh({}, {1, 2})) == Codes{"mesh.device_ids_without_axes"});
  CHECK(mesh_codes(mesh({{"a", 2}}, {1, 0, 2})) == Codes{"mesh.device_count"});
  CHECK(mesh_codes(mesh({{"a", 2}}, {0, 1})) == Codes{"mesh.redundant_device_ids"});
  CHECK(mesh_codes(mesh({{"a", 2}}, {1, 1})) == Codes{"mesh.not_a_permutation"});
  CHECK(mesh_codes(mesh({{"a", 2}}, {2, 1})) == Codes{"mesh.not_a_permutation"});
  CHECK(mesh_codes(mesh({{"a", 1 << 30}, {"b", 4}}, {})) == Codes{"mesh.too_many_devices"});
  CHECK(mesh_codes(mesh({{"a", std::int64_t{1} << 62}, {"b", 4}}, {})) ==
        Codes{"mesh.too_many_devices"});
  Mesh wide;
  for (std::size_t i = 0; i <= kMaxAxes; ++i) wide.axes.push_back({std::to_string(i), 1});
  CHECK(mesh_codes(wide) == Codes{"mesh.too_many_axes"});
}

TEST_CASE("mesh verification: all errors are reported", "[sharding]") {
  CHECK(
      mesh_codes(Mesh{"m", {{"a", 0}, {"b", -3}, {"a", 2}}, {-1}}) ==
      Codes{"mesh.axis_size", "mesh.axis_size", "mesh.duplicate_axis", "mesh.negative_device_id"});
  CHECK(codes(parse_mesh(R"(<["a"=0, "a"=2]>)")) == Codes{"mesh.axis_size", "mesh.duplicate_axis"});
}

}  // namespace shardprop
