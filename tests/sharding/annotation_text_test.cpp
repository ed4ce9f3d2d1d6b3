// The text forms that users give from outside of a program: annotations, short meshes, GSPMD strings.
#include "shardprop/sharding/annotation_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/gspmd_text.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::annotation_text_cases {
namespace {

// An annotation in one spelling: `@f result 0=@mesh [a*b:(1)2?p1, ]`, with `...` where it pads.
std::string spelled(const Annotation& a) {
  std::string out = a.func.empty() ? "" : "@" + a.func + " ";
  out += (a.of_result ? "result " : "") + a.pattern + "=";
  if (!a.mesh.empty()) out += "@" + a.mesh + " ";
  if (!a.sdy_text.empty()) return out + a.sdy_text;
  out += "[";
  for (const AnnotatedDim& dim : a.dims) {
    if (&dim != &a.dims.front()) out += ", ";
    for (const AnnotatedAxis& axis : dim.axes) {
      if (&axis != &dim.axes.front()) out += "*";
      out += axis.name;
      if (axis.size > 0) out += fmt::format(":({}){}", axis.pre_size, axis.size);
    }
    if (dim.open) out += "?";
    if (dim.priority != kNoPriority) out += fmt::format("p{}", dim.priority);
  }
  return out + (a.pads ? ", ...]" : "]");
}

std::string parsed(std::string_view text) {
  const Result<std::vector<Annotation>> read = parse_annotations(text, "f");
  if (!read) return to_string(read.errors().front());
  std::string out;
  for (const Annotation& a : *read) out += (out.empty() ? "" : "\n") + spelled(a);
  return out;
}

TEST_CASE("annotations: every spelling of a sharding") {
  CHECK(parsed("%a=data,-") == "%a=[data, ]");
  CHECK(parsed("  %a = data , - ") == "%a=[data, ]");
  CHECK(parsed("%a=[data*model, ?]") == "%a=[data*model, ?]");
  CHECK(parsed("%a=data?,data*?p2") == "%a=[data?, data?p2]");
  CHECK(parsed("%a=data:p1,?:p0") == "%a=[datap1, ?p0]");
  CHECK(parsed("%a=x:(2)4*y:p3") == "%a=[x:(2)4*yp3]");
  CHECK(parsed("%a=[]") == "%a=[]");
  CHECK(parsed(R"(%a=[{"x", "y":(1)2, ?}p1, {}, {?}])") == "%a=[x*y:(1)2?p1, , ?]");
  CHECK(parsed("%a=P('x', None)") == "%a=[x, , ...]");
  CHECK(parsed("%a=PartitionSpec(('x', \"y\"), None, 'z',)") == "%a=[x*y, , z, ...]");
  CHECK(parsed("%a=jax.sharding.PartitionSpec()") == "%a=[, ...]");
  CHECK(parsed("%a=P(PartitionSpec.UNCONSTRAINED, 'x')") == "%a=[?, x, ...]");
  CHECK(parsed("%a='my axis',\"other-axis\"") == "%a=[my axis, other-axis]");
  CHECK(parsed(R"(%a=<@mesh, [{"x"}]> )") == R"(%a=<@mesh, [{"x"}]>)");
  CHECK(parsed("%a=@pod p,-") == "%a=@pod [p, ]");
}

TEST_CASE("annotations: targets, lines and comments") {
  CHECK(parsed("%arg{1-18}=x") == "%arg{1-18}=[x]");
  CHECK(parsed("result 0=x") == "result 0=[x]");
  CHECK(parsed("@layer result {0,2}=x") == "@layer result {0,2}=[x]");
  CHECK(parsed("@layer %x=x") == "@layer %x=[x]");
  CHECK(parsed("results=x") == "results=[x]");
  CHECK(parsed("# all\n%a=x # one\n\n  \n%0#1=y\r\n") == "%a=[x]\n%0#1=[y]");
}

TEST_CASE("annotations: an error has the file, the line and the column") {
  CHECK(parsed("%a=x\n%b=x y").starts_with("error[annotation.syntax] f:2:6: "));
  CHECK(parsed("%a").starts_with("error[annotation.syntax] f:1:3: expected '='"));
  CHECK(parsed("=x").starts_with("error[annotation.syntax] f:1:1: "));
  CHECK(parsed("%a=P('x'").starts_with("error[annotation.syntax] f:1:9: "));
  CHECK(parsed("%a=x:p99999999999").starts_with("error[sharding.priority] f:1:6: "));
  CHECK(parsed("%a='x").starts_with("error[annotation.syntax] f:1:4: expected a closing quote"));
  CHECK(parsed("%a={x,?,y}").starts_with("error[annotation.syntax] f:1:9: "));
}

std::string mesh_of(std::string_view text) {
  const Result<Mesh> mesh = parse_short_mesh(text, "f");
  return mesh ? mesh->name + " " + to_string(*mesh) : to_string(mesh.errors().front());
}

TEST_CASE("short meshes") {
  CHECK(mesh_of("data=4,model=2") == R"(mesh <["data"=4, "model"=2]>)");
  CHECK(mesh_of(" pod : x = 2 ") == R"(pod <["x"=2]>)");
  CHECK(mesh_of("data").starts_with("error[mesh.syntax] f:1:5: "));
  CHECK(mesh_of("data=4,").starts_with("error[mesh.syntax] f:1:8: "));
  CHECK(mesh_of("data=0").starts_with("error[mesh.axis_size] f:1:1: "));
  CHECK(mesh_of("a=2,a=2").starts_with("error[mesh.duplicate_axis] f:1:1: "));
}

// `[2:4 1:2][]`: the digits of each tile dimension, stride and size.
std::string digits(std::string_view text) {
  const auto read = parse_gspmd_sharding(text);
  if (!read) return read.errors().front().code;
  const auto found = find_digits(read->front());
  if (!found) return "none";
  std::string out;
  for (const DeviceDigits& dim : *found) {
    out += "[";
    for (const DeviceDigit& d : dim)
      out += fmt::format("{}{}:{}", out.back() == '[' ? "" : " ", d.stride, d.size);
    out += "]";
  }
  return out;
}

TEST_CASE("GSPMD strings: the digits of the device number that cut each dimension") {
  CHECK(digits("{devices=[4,1,2]<=[8] last_tile_dim_replicate}") == "[2:4][][1:2]");
  CHECK(digits("{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}") == "[1:2][][2:4]");
  CHECK(digits("{devices=[1,4]<=[2,2]T(1,0)}") == "[][1:2 2:2]");
  CHECK(digits("{devices=[2,2]0,2,1,3}") == "[1:2][2:2]");
  CHECK(digits("{devices=[4]0,2,1,3}") == "[1:2 2:2]");
  CHECK(digits("{devices=[3,2]<=[2,3]}") == "[2:3][1:2]");
  CHECK(digits("{devices=[6]<=[2,3]T(1,0)}") == "[1:3 3:2]");
  CHECK(digits("{devices=[3,2]<=[2,3]T(1,0)}") == "[1:3][3:2]");
  CHECK(digits("{devices=[2,3]<=[2,3]T(1,0)}") == "none");
  CHECK(digits("{devices=[2,2]0,3,1,2}") == "none");
  CHECK(digits("{devices=[2]<=[2] metadata={op_name=\"a}{\"}}") == "[1:2]");
  CHECK(digits("{devices=[2,2,2]<=[8] last_tile_dims={replicated, manual}}") == "[4:2][2:2][1:2]");
}

// A list says the same as the transposed array that makes it.
TEST_CASE("GSPMD strings: a list has the digits of the array that it lists") {
  const std::vector<std::vector<std::int64_t>> shapes = {{2, 4}, {4, 2}, {2, 2, 2}, {2, 3, 4}};
  for (const std::vector<std::int64_t>& shape : shapes) {
    std::vector<std::int64_t> order(shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    do {
      GspmdSharding iota;
      iota.kind = GspmdKind::kTiled;
      iota.reshape = shape;
      iota.transpose = order;
      for (std::int64_t dim : order) iota.tiles.push_back(shape[static_cast<std::size_t>(dim)]);
      GspmdSharding list = iota;
      list.reshape.clear();
      list.transpose.clear();
      for (std::int64_t i = 0; i < iota.device_count(); ++i) {
        std::int64_t rest = i;
        std::int64_t number = 0;
        for (std::size_t t = order.size(); t-- > 0; rest /= iota.tiles[t]) {
          std::int64_t stride = 1;
          for (std::size_t k = static_cast<std::size_t>(order[t]) + 1; k < shape.size(); ++k)
            stride *= shape[k];
          number += rest % iota.tiles[t] * stride;
        }
        list.devices.push_back(number);
      }
      CHECK(find_digits(list) == find_digits(iota));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE("GSPMD strings: other kinds, tuples, and what is wrong") {
  CHECK(parse_gspmd_sharding("{replicated}")->front().kind == GspmdKind::kReplicated);
  CHECK(parse_gspmd_sharding("{manual}")->front().kind == GspmdKind::kManual);
  CHECK(parse_gspmd_sharding("{maximal device=3}")->front().device == 3);
  CHECK(parse_gspmd_sharding("{{replicated}, {maximal device=1}}")->size() == 2);
  for (const char* wrong :
       {"", "{", "{}", "{devices=[2]}", "{devices=[2]<=[3]}", "{devices=[2]0}",
        "{devices=[0]<=[0]}", "{devices=[2]<=[2]T(1)}", "{devices=[2,2]<=[2,2]T(0,0)}",
        "{replicated} x", "{devices=[2147483647,2147483647]<=[4]}",
        "{devices=[2]<=[2] last_tile_dims={}}", "{replicated metadata={",
        "{devices=[2]<=[2] last_tile_dims={a,b}}"}) {
    INFO(wrong);
    const auto read = parse_gspmd_sharding(wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.errors().front().code == "gspmd.syntax");
  }
}

}  // namespace
}  // namespace shardprop::test::annotation_text_cases
