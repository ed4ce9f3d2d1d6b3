#include "examples/cli/show_table.hpp"

#include <string>
#include <utility>
#include <vector>

#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "tests/catch.hpp"

using namespace shardprop;

namespace {

// Two layers x = x w on a mesh of 2 x 4, rows over data and the first dimension of each weight over
// model.
Module two_layers(const OpTable& table, bool named) {
  Module m;
  GraphBuilder b(m, table);
  b.add_mesh("mesh", {{"data", 2}, {"model", 4}});
  const Param weight{b.tensor("bf16", {30, 30}), b.sharding(R"([{?}, {"model", ?}])")};
  std::vector<Param> params = {
      {b.tensor("bf16", {8, 30}), b.sharding(R"([{"data"}, {}])"), "%x"}, weight, weight};
  if (named) {
    params[1].name = "%layers.0.weight";
    params[2].name = "%layers.1.weight";
  }
  const auto args = b.begin_func("main", params);
  const DotSpec product = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  ValueId x = b.dot_general(args[0], args[1], product);
  if (named) b.named(x, "%layers.0.out");
  x = b.dot_general(x, args[2], product);
  if (named) b.named(x, "%layers.1.out");
  b.end_func({x});
  REQUIRE(b.errors().empty());
  return m;
}

std::string table_of(const Module& before, const OpTable& table, bool colour = false) {
  Module after = before;
  Result<PropagationReport> report = propagate(after, table);
  REQUIRE(report.ok());
  report->seconds = 0.0123;
  return cli::show_table(before, after, *report, {}, colour);
}

// The line that starts with `start`, runs of blanks made one.
std::string line_of(const std::string& text, const std::string& start) {
  const std::size_t at = ("\n" + text).find("\n" + start);
  if (at == std::string::npos) return "no line " + start;
  std::string out;
  for (char c : text.substr(at, text.find('\n', at) - at)) {
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  }
  return out;
}

}  // namespace

TEST_CASE("the table shows mesh, time, arguments, values and results", "[demo]") {
  const OpTable table = standard_ops();
  const std::string text = table_of(two_layers(table, true), table);
  INFO(text);
  CHECK(line_of(text, "mesh") == "mesh @mesh: data=2 x model=4 (8 devices)");
  CHECK(line_of(text, "program") ==
        "program 3 operations, 5 values, 3 of them with a sharding from the user");
  CHECK(line_of(text, "propagation").starts_with("propagation to the fixed point in 12.3 ms: "));
  CHECK(line_of(text, "%x") == "%x bf16[8, 30] [data, -] [4, 30] 240 B given");
  CHECK(line_of(text, "%layers.{0-1}.out") ==
        "%layers.{0-1}.out bf16[8, 30] [data, model] [4, 8] 64 B found");
  CHECK(line_of(text, "result 0") == "result 0 bf16[8, 30] [data, model] [4, 8] 64 B found");
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("the table tells what propagation added to a user's sharding", "[demo]") {
  const OpTable table = standard_ops();
  Module m;
  GraphBuilder b(m, table);
  b.add_mesh("mesh", {{"data", 2}, {"model", 4}});
  const Param params[] = {{b.tensor("f32", {8, 8}), b.sharding(R"([{"data", ?}, {?}])")},
                          {b.tensor("f32", {8, 8}), b.sharding(R"([{?}, {"model", ?}])")}};
  const auto args = b.begin_func("main", params);
  b.end_func({b.op("stablehlo.add", {args[0], args[1]})});
  const std::string text = table_of(m, table);
  INFO(text);
  // The two arguments end alike, so that they share a row.
  CHECK(line_of(text, "%arg{0-1}") == "%arg{0-1} f32[8, 8] [data, model] [4, 2] 32 B extended");
}

TEST_CASE("without names the table shows products, alike ones in one row", "[demo]") {
  const OpTable table = standard_ops();
  const std::string text = table_of(two_layers(table, false), table);
  INFO(text);
  CHECK(line_of(text, "%{0-1} (stablehlo.dot_general)") ==
        "%{0-1} (stablehlo.dot_general) bf16[8, 30] [data, model] [4, 8] 64 B found");
}

TEST_CASE("colours do not move columns", "[demo]") {
  const OpTable table = standard_ops();
  const Module m = two_layers(table, true);
  std::string coloured = table_of(m, table, true);
  CHECK(coloured.find("\x1b[36mdata\x1b[0m") != std::string::npos);
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
       at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  CHECK(coloured == table_of(m, table));
}

TEST_CASE("names fold every number that differs, and say which where that is short", "[demo]") {
  const auto label = [](const std::vector<std::string>& names) {
    cli::detail::FoldedNames folded;
    for (const std::string& name : names) folded.add(cli::detail::split_name(name));
    return folded.label();
  };
  CHECK(label({"%layers.3.key"}) == "%layers.3.key");
  CHECK(label({"%layers.3.key", "%layers.4.key", "%layers.5.key"}) == "%layers.{3-5}.key");
  CHECK(label({"%layers.3.key", "%layers.5.key", "%layers.9.key"}) == "%layers.{3,5,9}.key");
  CHECK(label({"%w1_0", "%w1_1", "%w1_2"}) == "%w1_{0-2}");
  CHECK(label({"%a0.b1", "%a0.b2", "%a1.b1", "%a1.b2"}) == "%a{0-1}.b{1-2}");
  CHECK(label({"%a0.b1", "%a1.b2"}) == "%a0.b1 and 1 more");
  CHECK(label({"%1", "%3", "%5", "%7", "%9", "%11", "%13"}) == "%1 and 6 more");
  CHECK(label({"%a007", "%a12345678901"}) == "%a007 and 1 more");
}
