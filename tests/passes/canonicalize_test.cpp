// canonicalize.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::canonicalize_cases {
namespace {

constexpr std::string_view kGrid =
    R"({"name": "mesh", "axes": [{"name": "x", "size": 2}, {"name": "y", "size": 2}, {"name": "z", "size": 2}, {"name": "one", "size": 1}]})";

// A tensor of 8x8; `sharding` in the sdy notation with ' for ".
std::string tensor(std::string_view name, std::string_view sharding) {
  std::string quoted;
  for (char c : sharding) quoted += c == '\'' ? std::string("\\\"") : std::string(1, c);
  return fmt::format(R"({{"name": "{}", "shape": [8, 8], "dtype": "f32", "sharding": "{}"}})", name,
                     quoted);
}

// An operation on `operand`. `axes` is its attributes but out_sharding, which is that of the
// result.
std::string on(std::string_view op, std::string_view operand, std::string_view name,
               std::string_view sharding, std::string_view axes = "") {
  return fmt::format(R"({{"op": "{}", "operands": ["{}"], "results": [{}]{}}})", op, operand,
                     tensor(name, sharding),
                     axes.empty() ? "" : fmt::format(R"(, "attributes": {{{}}})", axes));
}

std::string grid_program(std::string_view argument_sharding, std::initializer_list<std::string> ops,
                         std::string_view returned) {
  std::string list;
  for (const std::string& op : ops) list += op + ", ";
  return program(kGrid, tensor("%a", argument_sharding), R"({"shape": [8, 8], "dtype": "f32"})",
                 fmt::format(R"({}{{"op": "func.return", "operands": ["{}"]}})", list, returned));
}

constexpr std::string_view kNone = "<@mesh, [{}, {}]>";
constexpr std::string_view kX = "<@mesh, [{'x'}, {}]>";
constexpr std::string_view kXonY = "<@mesh, [{'x'}, {'y'}]>";

TEST_CASE("canonicalize makes reduce_scatter of all_reduce and all_slice") {
  const std::string reduce = on("sdy.all_reduce", "%a", "%0", kNone,
                                R"("reduction_axes": ["x", "y"], "reduction_op": "max")");
  const auto slice = [](std::string_view name) {
    return on("sdy.all_slice", "%0", name, "<@mesh, [{'x', 'z'}, {'y'}]>",
              R"("slicing_axes": [["x", "z"], ["y"]])");
  };
  const std::string scatter = on("sdy.reduce_scatter", "%a", "%0", kXonY,
                                 R"("reduce_scatter_axes": [["x"], ["y"]], "reduction_op": "max")");
  const std::string rest = on("sdy.all_slice", "%0", "%1", "<@mesh, [{'x', 'z'}, {'y'}]>",
                              R"("slicing_axes": [["z"], []])");
  check_golden("canonicalize", grid_program(kNone, {reduce, slice("%1")}, "%1"),
               grid_program(kNone, {scatter, rest}, "%1"));
  // Slices that are alike become one.
  check_golden("canonicalize",
               grid_program(kNone,
                            {reduce, slice("%1"), slice("%2"),
                             R"({"op": "stablehlo.add", "operands": ["%1", "%2"],
                                 "results": [{"name": "%3", "shape": [8, 8], "dtype": "f32"}]})"},
                            "%3"),
               grid_program(kNone,
                            {scatter, rest,
                             R"({"op": "stablehlo.add", "operands": ["%1", "%1"],
                                 "results": [{"name": "%3", "shape": [8, 8], "dtype": "f32"}]})"},
                            "%3"));
  // Not where the whole sum is used as well, nor where a reduction axis is not sliced first.
  check_unchanged("canonicalize", grid_program(kNone, {reduce, slice("%1")}, "%0"));
  check_unchanged(
      "canonicalize",
      grid_program(kNone,
                   {reduce, on("sdy.all_slice", "%0", "%1", "<@mesh, [{'z', 'x'}, {'y'}]>",
                               R"("slicing_axes": [["z", "x"], ["y"]])")},
                   "%1"));
}

TEST_CASE("canonicalize drops collectives that do nothing") {
  const std::string_view gathers = R"("gathering_axes": [["x"], []])";
  const std::string_view slices = R"("slicing_axes": [["x"], []])";
  const std::string gather = on("sdy.all_gather", "%a", "%0", kNone, gathers);
  check_golden("canonicalize",
               grid_program(kX, {gather, on("sdy.all_slice", "%0", "%1", kX, slices)}, "%1"),
               grid_program(kX, {gather}, "%a"));
  check_golden("canonicalize",
               grid_program(kX,
                            {on("sdy.all_gather", "%a", "%0", kX, R"("gathering_axes": [[], []])"),
                             on("sdy.collective_permute", "%0", "%1", "<@mesh, [{'x', ?}, {}]>"),
                             on("sdy.all_reduce", "%1", "%2", kX,
                                R"("reduction_axes": [], "reduction_op": "sum")")},
                            "%2"),
               grid_program(kX, {}, "%a"));
}

TEST_CASE("canonicalize joins all_to_alls of different dimensions") {
  const auto param = [](std::string_view axis, int source, int target) {
    return fmt::format(R"({{"axes": ["{}"], "source_dimension": {}, "target_dimension": {}}})",
                       axis, source, target);
  };
  const auto program_with = [](std::initializer_list<std::string> ops) {
    std::string list;
    std::size_t last = 0;
    for (const std::string& op : ops) {
      list += op + ", ";
      ++last;
    }
    const std::string_view argument =
        R"({"name": "%a", "shape": [8, 8, 8, 8], "dtype": "f32", "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}, {"axes": ["y"]}, {"axes": []}, {"axes": []}]}})";
    return program(
        kGrid, argument, R"({"shape": [8, 8, 8, 8], "dtype": "f32"})",
        fmt::format(R"({}{{"op": "func.return", "operands": ["%{}"]}})", list, last - 1));
  };
  const auto exchange = [](std::string_view operand, std::string_view name,
                           std::string_view sharding, std::string_view params) {
    return fmt::format(
        R"({{"op": "sdy.all_to_all", "operands": ["{}"], "results": [{{"name": "{}", "shape": [8, 8, 8, 8], "dtype": "f32"}}],
            "attributes": {{"params": [{}], "out_sharding": {{"mesh": "mesh", "dims": [{}]}}}}}})",
        operand, name, params, sharding);
  };
  const std::string_view end = R"({"axes": []}, {"axes": []}, {"axes": ["x"]}, {"axes": ["y"]})";
  check_golden(
      "canonicalize{enabled-patterns=sdy-collective}",
      program_with(
          {exchange("%a", "%0", R"({"axes": ["x"]}, {"axes": []}, {"axes": []}, {"axes": ["y"]})",
                    param("y", 1, 3)),
           exchange("%0", "%1", end, param("x", 0, 2))}),
      program_with({exchange("%a", "%0", end, param("x", 0, 2) + ", " + param("y", 1, 3))}));
}

TEST_CASE("canonicalize joins reshards, and reuses equal ones") {
  const std::string chain = grid_program(
      kNone, {on("sdy.reshard", "%a", "%0", kX), on("sdy.reshard", "%0", "%1", kXonY)}, "%1");
  check_golden("canonicalize{enabled-patterns=sdy-reshard}", chain,
               grid_program(kNone, {on("sdy.reshard", "%a", "%0", kXonY)}, "%0"));
  check_unchanged("canonicalize{enabled-patterns=sdy-collective}", chain);

  const std::string transposed =
      on("stablehlo.transpose", "%a", "%1", kNone, R"("permutation": [1, 0])");
  const std::string_view add = R"({"op": "stablehlo.add", "operands": ["%0", "%2"],
      "results": [{"name": "%3", "shape": [8, 8], "dtype": "f32"}]})";
  check_golden(
      "canonicalize",
      grid_program(kNone,
                   {on("sdy.reshard", "%a", "%0", "<@mesh, [{'x'}, {'y'}]>"), transposed,
                    on("sdy.reshard", "%1", "%2", "<@mesh, [{'y'}, {'x'}]>"), std::string(add)},
                   "%3"),
      grid_program(kNone,
                   {on("sdy.reshard", "%a", "%0", "<@mesh, [{'x'}, {'y'}]>"),
                    on("stablehlo.transpose", "%0", "%2", kNone, R"("permutation": [1, 0])"),
                    std::string(add)},
                   "%3"));
  // What had no users before stays.
  check_unchanged("canonicalize", grid_program(kNone, {transposed}, "%a"));
}

TEST_CASE("canonicalize drops what a manual computation does not need") {
  const auto manual = [](std::string_view axis) {
    return program(kGrid, tensor("%a", kNone) + ", " + tensor("%b", kNone),
                   R"({"shape": [8, 8], "dtype": "f32"})",
                   fmt::format(R"({{"op": "sdy.manual_computation", "operands": ["%a", "%b"],
              "results": [{{"name": "%0", "shape": [8, 8], "dtype": "f32"}}],
              "attributes": {{"manual_axes": ["{0}"],
                 "in_shardings": ["<@mesh, [{{\"{0}\"}}, {{}}]>", "<@mesh, [{{\"{0}\"}}, {{}}]>"],
                 "out_shardings": ["<@mesh, [{{\"{0}\"}}, {{}}]>"]}},
              "blocks": [{{"arguments": [{{"name": "%c", "shape": [{1}, 8], "dtype": "f32"}}, {{"name": "%d", "shape": [{1}, 8], "dtype": "f32"}}],
                "ops": [{{"op": "stablehlo.abs", "operands": ["%d"], "results": [{{"name": "%1", "shape": [{1}, 8], "dtype": "f32"}}]}},
                        {{"op": "sdy.return", "operands": ["%1"]}}]}}]}},
            {{"op": "func.return", "operands": ["%0"]}})",
                               axis, axis == "one" ? 8 : 4));
  };
  // An axis of size 1: the body alone is left.
  check_golden(
      "canonicalize", manual("one"),
      program(
          kGrid, tensor("%a", kNone) + ", " + tensor("%b", kNone),
          R"({"shape": [8, 8], "dtype": "f32"})",
          R"({"op": "stablehlo.abs", "operands": ["%b"], "results": [{"name": "%1", "shape": [8, 8], "dtype": "f32"}]},
                 {"op": "func.return", "operands": ["%1"]})"));
  Module m = read(manual("x"));
  REQUIRE(run_text(m, "canonicalize"));
  const OpId op = m.blocks[m.funcs[m.func_order[0]].body].first_op;
  CHECK(m.ops[op].operand_count == 1);
  CHECK(operand(m, op, 0) == value(m, "%b"));
  CHECK(sharding_list(m, op, "in_shardings")->size() == 1);
}

}  // namespace
}  // namespace shardprop::test::canonicalize_cases
