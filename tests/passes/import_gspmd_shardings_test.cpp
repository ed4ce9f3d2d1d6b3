// import-gspmd-shardings: shardings that a program carries as lists of devices.
#include "shardprop/passes/import/import_gspmd_shardings.hpp"

#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::gspmd_import_cases {
namespace {

// Two arguments of 8x16 with these strings and, after a constraint of `constraint`, a result.
std::string carried(std::string_view a, std::string_view b, std::string_view result,
                    std::string_view constraint, std::string_view meshes = "") {
  return fmt::format(
      R"({}
func.func @main(%a: tensor<8x16xf32> {{kept = 1 : i64, mhlo.sharding = "{}"}}, %b: tensor<8x16xf32> {{mhlo.sharding = "{}"}}) -> (tensor<8x16xf32> {{mhlo.sharding = "{}"}}) {{
  %c = stablehlo.add %a, %b : tensor<8x16xf32>
  %d = stablehlo.custom_call @Sharding(%c) {{backend_config = "unspecified_dims=[1]", mhlo.sharding = "{}"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}}
)",
      meshes, a, b, result, constraint);
}

constexpr std::string_view kRows = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}";
constexpr std::string_view kColumns = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}";

TEST_CASE("import-gspmd-shardings makes a mesh of the tile sizes and reads strings over it") {
  check_golden("import-gspmd-shardings",
               carried(kRows, kColumns, "{replicated}", "{devices=[2,4]<=[8]}"),
               R"(sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2, "axis_2"=2]>
func.func @main(%a: tensor<8x16xf32> {kept = 1 : i64, sdy.sharding = #sdy.sharding<@mesh, [{"axis_0", "axis_1"}, {}]>}, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"axis_2"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %c = stablehlo.add %a, %b : tensor<8x16xf32>
  %d = sdy.sharding_constraint %c <@mesh, [{"axis_0"}, {"axis_1", "axis_2", ?}]> : tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}
)");
}

TEST_CASE("import-gspmd-shardings takes the axes of a mesh that is there, and parts of them") {
  Module m =
      program(carried(kRows, kColumns, "{maximal device=3}", "{devices=[2,4]0,1,2,3,4,5,6,7}",
                      R"(sdy.mesh @pod = <["data"=4, "model"=2]>)"));
  const GspmdImport imported = import_gspmd_shardings(m);
  CHECK(imported.imported == 4);
  CHECK(imported.warnings.empty());
  const auto of = [&](ShardingId id) { return to_string(m.shardings[id], m.meshes); };
  const BlockId body = m.funcs[m.func_order[0]].body;
  CHECK(of(m.value_shardings[m.blocks[body].arguments[0]]) == R"(<@pod, [{"data"}, {}]>)");
  CHECK(of(m.value_shardings[m.blocks[body].arguments[1]]) == R"(<@pod, [{}, {"model"}]>)");
  CHECK(of(m.value_shardings[operand(m, terminator(m, body), 0)]) ==
        R"(<@pod, [{"data":(1)2}, {"data":(2)2, "model", ?}]>)");
  CHECK(of(m.funcs[m.func_order[0]].results[0].sharding) == "<@maximal_mesh_3, []>");
}

// The codes of the warnings, and how many shardings were read.
std::string outcome(std::string_view a, std::string_view b) {
  Module m = program(carried(a, b, "{replicated}", "{replicated}"));
  const std::string before = written(m);
  const GspmdImport imported = import_gspmd_shardings(m);
  std::string out = std::to_string(imported.imported);
  for (const Diagnostic& d : imported.warnings) {
    CHECK(d.severity == Severity::kWarning);
    CHECK(d.hint.find("jax_use_shardy_partitioner") != std::string::npos);
    out += " " + d.code + " " + d.place.value;
  }
  if (imported.imported == 0) CHECK(written(m) == before);
  return out;
}

TEST_CASE("import-gspmd-shardings warns of what does not map, and where nothing is split") {
  CHECK(outcome(kRows, kColumns) == "4");
  CHECK(outcome("{replicated}", "{replicated}") == "0 gspmd.nothing_split %a");
  CHECK(outcome(kRows, "{devices=[2,4]0,1,2,3,4,5,7,6}") == "3 gspmd.not_mapped %b");
  CHECK(outcome(kRows, "{devices=[2,3]<=[6]}") == "3 gspmd.not_mapped %b");
  CHECK(outcome(kRows, "{manual}") == "3 gspmd.not_mapped %b");
  CHECK(outcome(kRows, "not at all") == "3 gspmd.not_mapped %b");
  CHECK(outcome(kRows, "{devices=[8]<=[8]}") == "3 gspmd.not_mapped %b");
  CHECK(outcome("{manual}", "{replicated}").starts_with("0 gspmd.not_mapped"));
}

TEST_CASE("the pass import-gspmd-shardings hands its warnings to the report") {
  Module m = program(carried(kRows, "{manual}", "{replicated}", "{replicated}"));
  const Result<PipelineReport> report = run_text(m, "import-gspmd-shardings");
  REQUIRE(report.ok());
  CHECK(report->passes[0].changed);
  REQUIRE(report->warnings.size() == 1);
  CHECK(report->warnings[0].code == "gspmd.not_mapped");
}

}  // namespace
}  // namespace shardprop::test::gspmd_import_cases
