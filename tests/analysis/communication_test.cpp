// communication: counts and bytes against the formulas, worked by hand.
#include "shardprop/analysis/communication.hpp"
#include "fmt/core.h"

#include "tests/support/program.hpp"

namespace shardprop::test::communication_cases {
namespace {

// A collective on %a, of which 32x64 floats are sharded in rows along x (2): 16 * 64 * 4 = 4096
// bytes a device. y has size 4.
std::string costed(std::string_view op, std::string_view attributes, std::string_view dims,
                   std::string_view more = "") {
  return program(
      kMeshXY,
      fmt::format(R"({{"name": "%a", "shape": [32, 64], "dtype": "f32",
         "sharding": {{"mesh": "mesh", "dims": [{{"axes": ["x"]}}, {{"axes": []}}]{}}}}})",
                  more),
      R"({"shape": [32, 64], "dtype": "f32"})",
      fmt::format(
          R"({{"op": "sdy.{}", "operands": ["%a"], "results": [{{"name": "%0", "shape": [32, 64], "dtype": "f32"}}],
              "attributes": {{{}"out_sharding": {{"mesh": "mesh", "dims": [{}]}}}}}},
             {{"op": "func.return", "operands": ["%0"]}})",
          op, attributes, dims));
}

struct CostCase {
  std::string_view op;
  std::string_view attributes;
  std::string_view dims;
  std::string_view axes;
  double bytes;
};

TEST_CASE("communication follows the ring formulas") {
  const CostCase cases[] = {
      {"all_gather", R"("gathering_axes": [["x"], []], )", R"({"axes": []}, {"axes": []})", "x",
       1 * 4096.0},
      {"all_reduce", R"("reduction_axes": ["y"], "reduction_op": "sum", )",
       R"({"axes": ["x"]}, {"axes": []})", "y", 2 * 3 / 4.0 * 4096},
      {"reduce_scatter", R"("reduce_scatter_axes": [[], ["y"]], "reduction_op": "sum", )",
       R"({"axes": ["x"]}, {"axes": ["y"]})", "y", 3 / 4.0 * 4096},
      {"all_to_all",
       R"("params": [{"axes": ["x"], "source_dimension": 0, "target_dimension": 1}], )",
       R"({"axes": []}, {"axes": ["x"]})", "x", 1 / 2.0 * 4096},
      {"collective_permute", "", R"({"axes": ["y:(1)2"]}, {"axes": []})", "x, y:(1)2", 4096},
  };
  for (const CostCase& c : cases) {
    INFO(c.op);
    const std::string_view unreduced =
        std::string_view(c.op).find("reduce") == std::string_view::npos ? ""
                                                                        : R"(, "unreduced": ["y"])";
    const CommunicationSummary summary =
        communication(read(costed(c.op, c.attributes, c.dims, unreduced)));
    REQUIRE(summary.rows.size() == 1);
    CHECK(summary.rows[0].kind == c.op);
    CHECK(summary.rows[0].axes == c.axes);
    CHECK(summary.rows[0].count == 1);
    CHECK(summary.rows[0].sent == c.bytes);
    CHECK(summary.rows[0].received == c.bytes);
    CHECK(summary.not_counted == 0);
  }
  const CommunicationSummary slice = communication(read(costed(
      "all_slice", R"("slicing_axes": [[], ["y"]], )", R"({"axes": ["x"]}, {"axes": ["y"]})")));
  CHECK(slice.rows.empty());
}

TEST_CASE("communication counts functions once a call, and loops apart") {
  const std::string_view arguments =
      R"({"name": "%a", "shape": [4], "dtype": "f32", "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}]}})";
  const std::string_view f32x4 = R"({"shape": [4], "dtype": "f32"})";
  const std::string text = fmt::format(
      R"({{"meshes": [{0}], "functions": [
        {{"name": "main", "arguments": [{1}], "results": [{2}], "ops": [
          {{"op": "func.call", "operands": ["%a"], "results": [{{"name": "%0", "shape": [4], "dtype": "f32", "sharding": {{"mesh": "mesh", "dims": [{{"axes": ["x"]}}]}}}}], "attributes": {{"callee": "inner"}}}},
          {{"op": "func.call", "operands": ["%0"], "results": [{{"name": "%1", "shape": [4], "dtype": "f32"}}], "attributes": {{"callee": "inner"}}}},
          {{"op": "func.return", "operands": ["%1"]}}]}},
        {{"name": "inner", "private": true, "arguments": [{1}], "results": [{2}], "ops": [
          {{"op": "sdy.all_gather", "operands": ["%a"], "results": [{{"name": "%0", "shape": [4], "dtype": "f32"}}],
            "attributes": {{"gathering_axes": [["x"]], "out_sharding": {{"mesh": "mesh", "dims": [{{"axes": []}}]}}}}}},
          {{"op": "func.return", "operands": ["%0"]}}]}}]}})",
      kMeshXY, arguments, f32x4);
  const CommunicationSummary summary = communication(read(text));
  REQUIRE(summary.rows.size() == 1);
  CHECK(summary.rows[0].count == 2);
  CHECK(summary.rows[0].sent == 2 * 8.0);
  CHECK_FALSE(summary.rows[0].in_loop);
}

// A loop's body counts for one trip, and what a function called there does as well.
TEST_CASE("communication marks what stands in a loop") {
  const std::string_view f32x4 = R"({"shape": [4], "dtype": "f32"})";
  const std::string_view split = R"("sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}]})";
  const std::string_view gather =
      R"({"op": "sdy.all_gather", "operands": ["%b"], "results": [{"name": "%g", "shape": [4], "dtype": "f32"}],
          "attributes": {"gathering_axes": [["x"]], "out_sharding": {"mesh": "mesh", "dims": [{"axes": []}]}}})";
  const std::string argument =
      fmt::format(R"({{"name": "%b", "shape": [4], "dtype": "f32", {}}})", split);
  const std::string text = fmt::format(
      R"({{"meshes": [{0}], "functions": [
        {{"name": "main", "arguments": [{1}], "results": [{2}], "ops": [
          {{"op": "stablehlo.while", "operands": ["%b"],
            "results": [{{"name": "%w", "shape": [4], "dtype": "f32", {4}}}],
            "blocks": [
              {{"arguments": [{{"name": "%c", "shape": [4], "dtype": "f32"}}], "ops": [
                {{"op": "stablehlo.constant", "operands": [], "results": [{{"name": "%t", "shape": [], "dtype": "i1"}}], "attributes": {{"value": true}}}},
                {{"op": "stablehlo.return", "operands": ["%t"]}}]}},
              {{"arguments": [{{"name": "%d", "shape": [4], "dtype": "f32", {4}}}], "ops": [
                {{"op": "func.call", "operands": ["%d"], "results": [{{"name": "%e", "shape": [4], "dtype": "f32", {4}}}], "attributes": {{"callee": "inner"}}}},
                {{"op": "stablehlo.return", "operands": ["%e"]}}]}}]}},
          {{"op": "func.call", "operands": ["%w"], "results": [{{"name": "%f", "shape": [4], "dtype": "f32"}}], "attributes": {{"callee": "inner"}}}},
          {{"op": "func.return", "operands": ["%f"]}}]}},
        {{"name": "inner", "private": true, "arguments": [{1}], "results": [{2}], "ops": [
          {3}, {{"op": "func.return", "operands": ["%g"]}}]}}]}})",
      kMeshXY, argument, f32x4, gather, split);
  const CommunicationSummary summary = communication(read(text));
  REQUIRE(summary.rows.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(summary.rows[i].in_loop == (i == 1));
    CHECK(summary.rows[i].count == 1);
    CHECK(summary.rows[i].sent == 8.0);
  }
}

}  // namespace
}  // namespace shardprop::test::communication_cases
