// explicit-gather-scatter-batching.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::explicit_gather_scatter_batching_cases {
namespace {

constexpr std::string_view kPass = "explicit-gather-scatter-batching";
constexpr std::string_view kArguments =
    R"({"name": "%x", "shape": [4, 8], "dtype": "f32"}, {"name": "%i", "shape": [4, 1], "dtype": "i32"},
       {"name": "%both", "shape": [4, 2], "dtype": "i32"})";
constexpr std::string_view kResult = R"({"shape": [4, 1], "dtype": "f32"})";

std::string iota(std::size_t size = 4) {
  return fmt::format(R"({{"op": "stablehlo.iota", "attributes": {{"iota_dimension": 0}},
                         "results": [{{"name": "%iota", "shape": [{}, 1], "dtype": "i32"}}]}},)",
                     size);
}

std::string concatenate(std::string_view parts) {
  return fmt::format(
      R"({{"op": "stablehlo.concatenate", "operands": [{}], "attributes": {{"dimension": 1}},
                         "results": [{{"name": "%indices"}}]}},)",
      parts);
}

std::string gather(std::string_view indices, std::string_view numbers) {
  return fmt::format(R"({{"op": "stablehlo.gather", "operands": ["%x", "{}"],
      "attributes": {{"dimension_numbers": {{{}}}, "indices_are_sorted": false, "slice_sizes": [1, 1]}},
      "results": [{{"name": "%g", "shape": [4, 1], "dtype": "f32"}}]}},
      {{"op": "func.return", "operands": ["%g"]}})",
                     indices, numbers);
}

constexpr std::string_view kImplicit =
    R"("offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0, 1], "index_vector_dim": 1)";
constexpr std::string_view kExplicit =
    R"("offset_dims": [1], "start_index_map": [1], "index_vector_dim": 1, "operand_batching_dims": [0],
       "start_indices_batching_dims": [0])";

std::string with(std::string_view ops) { return program("", kArguments, kResult, ops); }

TEST_CASE("an iota among the indices of a gather becomes a batching dimension") {
  check_golden(kPass,
               with(iota() + concatenate(R"("%iota", "%i")") + gather("%indices", kImplicit)),
               with(gather("%i", kExplicit)));
}

TEST_CASE("an iota that is reshaped counts, and other uses of it stay") {
  const std::string reshape =
      R"({"op": "stablehlo.iota", "attributes": {"iota_dimension": 0}, "results": [{"name": "%0", "shape": [4], "dtype": "i32"}]},
         {"op": "stablehlo.reshape", "operands": ["%0"], "results": [{"name": "%iota", "shape": [4, 1], "dtype": "i32"}]},
         {"op": "sdy.sharding_group", "operands": ["%0"], "attributes": {"group_id": 0}},)";
  const std::string rest =
      R"({"op": "stablehlo.iota", "attributes": {"iota_dimension": 0}, "results": [{"name": "%0", "shape": [4], "dtype": "i32"}]},
         {"op": "sdy.sharding_group", "operands": ["%0"], "attributes": {"group_id": 0}},)";
  check_golden(kPass,
               with(reshape + concatenate(R"("%iota", "%i")") + gather("%indices", kImplicit)),
               with(rest + gather("%i", kExplicit)));
}

TEST_CASE("a scatter gets batching dimensions as well") {
  const auto scatter = [](std::string_view indices, std::string_view numbers) {
    return fmt::format(R"({{"op": "stablehlo.scatter", "operands": ["%x", "{}", "%u"],
        "attributes": {{"scatter_dimension_numbers": {{{}}}}},
        "results": [{{"name": "%s", "shape": [4, 8], "dtype": "f32"}}],
        "blocks": [{{"arguments": [{{"name": "%l", "shape": [], "dtype": "f32"}}, {{"name": "%r", "shape": [], "dtype": "f32"}}],
                     "ops": [{{"op": "stablehlo.return", "operands": ["%r"]}}]}}]}},
        {{"op": "func.return", "operands": ["%s"]}})",
                       indices, numbers);
  };
  const auto scatter_program = [](std::string_view ops) {
    return program("",
                   fmt::format(R"({}, {{"name": "%u", "shape": [4], "dtype": "f32"}})", kArguments),
                   R"({"shape": [4, 8], "dtype": "f32"})", ops);
  };
  check_golden(
      kPass,
      scatter_program(
          iota() + concatenate(R"("%iota", "%i")") +
          scatter(
              "%indices",
              R"("inserted_window_dims": [0, 1], "scatter_dims_to_operand_dims": [0, 1], "index_vector_dim": 1)")),
      scatter_program(scatter(
          "%i",
          R"("inserted_window_dims": [1], "scatter_dims_to_operand_dims": [1], "index_vector_dim": 1,
             "input_batching_dims": [0], "scatter_indices_batching_dims": [0])")));
}

TEST_CASE("a gather that is no batch stays as it is") {
  check_unchanged(kPass, with(gather("%both", kImplicit)));  // no iota
  check_unchanged(kPass, with(gather("%i", kExplicit)));     // explicit already
  check_unchanged(kPass,
                  with(iota() + concatenate(R"("%i", "%iota")") + gather("%indices", kImplicit)));
}

}  // namespace
}  // namespace shardprop::test::explicit_gather_scatter_batching_cases
