// communication: counts and bytes against the formulas, worked by hand.
#include "shardprop/passes/communication.hpp"

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

}  // namespace
}  // namespace shardprop::test::communication_cases
