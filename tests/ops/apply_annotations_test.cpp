// apply_annotations: shardings from outside, as who embeds the library gives them.
#include "shardprop/ops/apply_annotations.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/program.hpp"

namespace shardprop::test::apply_annotations_cases {
namespace {

const std::string kProgram = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @pod = <["p"=2]>
func.func @main(%a: tensor<8x16xf32>, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x16xf32> {
  %c = stablehlo.add %a, %b : tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
)";

std::string written(const Module& m) {
  const Result<std::string> text = write_stablehlo_text(m);
  REQUIRE(text.ok());
  return *text;
}

// The shardings of %a, %b, %c and the result after these annotations, or the codes of the errors.
std::string applied(std::string_view text) {
  Module m = program(kProgram);
  const std::string before = written(m);
  const Result<std::vector<Annotation>> annotations = parse_annotations(text);
  REQUIRE(annotations.ok());
  const Result<AnnotationReport> report = apply_annotations(m, *annotations);
  if (!report) {
    CHECK(written(m) == before);
    std::string codes;
    for (const Diagnostic& d : report.errors())
      codes += fmt::format("{}:{} {}\n", d.place.line, d.place.column, d.code);
    return codes;
  }
  std::string out = fmt::format("{}:", report->values);
  const auto add = [&](ShardingId id) {
    out += " " + (id.valid() ? to_string(m.shardings[id], m.meshes) : "-");
  };
  for (ValueId value : m.values.ids()) add(m.value_shardings[value]);
  add(m.funcs[m.func_order[0]].results[0].sharding);
  return out;
}

TEST_CASE("annotations shard arguments, values and results; the last one holds") {
  CHECK(applied("") == R"(0: - <@mesh, [{"y"}, {}]> - -)");
  CHECK(applied("%a=x,-\n%c=?,y\nresult 0=-,-") ==
        R"(3: <@mesh, [{"x"}, {}]> <@mesh, [{"y"}, {}]> <@mesh, [{?}, {"y"}]> <@mesh, [{}, {}]>)");
  CHECK(applied("%*=x,-\n%b=-,x") == R"(3: <@mesh, [{"x"}, {}]> <@mesh, [{}, {"x"}]> - -)");
  CHECK(applied("a=P()") == R"(1: <@mesh, [{}, {}]> <@mesh, [{"y"}, {}]> - -)");
}

TEST_CASE("annotations find the mesh that has their axes") {
  CHECK(applied("%a=p,-") == R"(1: <@pod, [{"p"}, {}]> <@mesh, [{"y"}, {}]> - -)");
  CHECK(applied("%a=@pod -,p") == R"(1: <@pod, [{}, {"p"}]> <@mesh, [{"y"}, {}]> - -)");
  CHECK(applied("%a=@pod x,-") == "1:9 sharding.unknown_axis\n");
  CHECK(applied("%a=x*p,-") == "1:6 sharding.unknown_axis\n");
}

TEST_CASE("wrong annotations change nothing and are all told") {
  CHECK(applied("%a=x,-\n%q=x\n%a=x\n%b=z,-\nresult 1=x") ==
        "2:1 annotation.no_match\n3:4 annotation.rank\n4:4 sharding.unknown_axis\n"
        "5:8 annotation.no_match\n");
}

TEST_CASE("a result of a manual computation has its shardings in an attribute") {
  Module m = program(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
    %d = stablehlo.abs %c : tensor<4xf32>
    sdy.return %d : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}
)");
  const auto code = [&](std::string_view text) {
    const auto report = apply_annotations(m, *parse_annotations(text));
    return report ? std::string() : report.errors().front().code;
  };
  CHECK(code("%b=x") == "annotation.computation");
  CHECK(code("%d=x") == "sharding.manual_axis");
  CHECK(code("%d=-") == "");
}

TEST_CASE("add_mesh gives a mesh that is there already, and refuses another of its name") {
  Module m = program(kProgram);
  CHECK(*add_mesh(m, *parse_short_mesh("pod:p=2")) == m.meshes.find("pod"));
  CHECK(m.meshes.size() == 2);
  CHECK(add_mesh(m, *parse_short_mesh("other:p=2")).ok());
  CHECK(add_mesh(m, *parse_short_mesh("pod:p=4")).errors().front().code ==
        "annotation.mesh_exists");
}

}  // namespace
}  // namespace shardprop::test::apply_annotations_cases
