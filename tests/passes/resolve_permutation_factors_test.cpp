// resolve-permutation-factors. What the reference does is in the conformance cases; here is what no
// case shows.
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/partition/halo_plan.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "tests/passes/golden.hpp"
#include "tests/run/run_case.hpp"

namespace shardprop::test::resolve_permutation_factors_cases {
namespace {

constexpr std::string_view kPass = "resolve-permutation-factors";
constexpr std::string_view kOnlyLocal = "resolve-permutation-factors{only-local=true}";
constexpr std::string_view kUnsharding = "resolve-permutation-factors{enable-halo-exchange=false}";

// An operation on %a, 8 elements on 4 devices, and its result, which is sharded alike.
std::string on_four(std::string_view result, std::string_view operation) {
  return with({{"$result", result}, {"$operation", operation}}, R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %f: tensor<f32>)
    -> ($result {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = $operation {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
      : (tensor<8xf32>$more) -> $result
  return %0 : $result
})");
}

std::string pad_by(std::string_view amounts, std::string_view result) {
  return with({{"$more", ", tensor<f32>"}},
              on_four(result, fmt::format("stablehlo.pad %a, %f, {}", amounts)));
}

std::string slice_of(std::string_view range, std::string_view result) {
  return with({{"$more", ""}}, on_four(result, fmt::format("stablehlo.slice %a {}", range)));
}

std::size_t count_of(const Module& m, std::string_view name) {
  std::size_t count = 0;
  walk_ops(m, [&](OpId op) { count += op_name(m, op) == name ? 1 : 0; });
  return count;
}

std::size_t count_after(std::string_view text, std::string_view name) {
  Module m = program(text);
  run_well(m, kPass);
  return count_of(m, name);
}

TEST_CASE("a device without a neighbour has the padding value, not what nobody sent") {
  // Element -1 is that of a neighbour of device 0.
  const std::string shifted = pad_by("low = [1], high = [-1], interior = [0]", "tensor<8xf32>");
  const std::string grown = pad_by("low = [1], high = [3], interior = [0]", "tensor<12xf32>");
  CHECK(count_after(grown, "stablehlo.collective_permute") == 1);
  CHECK(count_after(grown, "stablehlo.select") == 1);
  // Device 1 takes elements of both on its right, which devices 2 and 3 do not have.
  CHECK(count_after(pad_by("low = [-1], high = [5], interior = [0]", "tensor<12xf32>"),
                    "stablehlo.select") == 2);
  CHECK(count_after(shifted, "stablehlo.select") == 0);  // has no permutation factor
}

TEST_CASE("a slice with a stride takes every other element of what it exchanged") {
  Module m = program(slice_of("[1:8:2]", "tensor<4xf32>"));
  run_well(m, kPass);
  CHECK(count_of(m, "stablehlo.collective_permute") == 0);
  CHECK(count_of(m, "stablehlo.dynamic_slice") == 1);
  // One element a device, at step 2 in 2.
  CHECK(written(m).find("multiply") != std::string::npos);
  Module far = program(slice_of("[0:8:3]", "tensor<3xf32>"));
  run_well(far, kPass);
  CHECK(count_of(far, "stablehlo.collective_permute") == 1);
}

struct NumbersCase {
  std::string_view operand;
  std::string_view from;
  std::string_view operation;  // of %x and the scalar %f
  std::string_view types;
  std::string_view result;
  std::string_view to;
};

constexpr std::string_view kTwoMeshes[] = {
    "<[\"x\"=4, \"y\"=2]>", "<[\"x\"=4, \"y\"=2], device_ids=[5, 2, 7, 0, 1, 4, 3, 6]>"};

constexpr NumbersCase kNumbers[] = {
    {"tensor<8xf32>", R"([{"x"}])", "stablehlo.pad %x, %f, low = [3], high = [1], interior = [0]",
     ", tensor<f32>", "tensor<12xf32>", R"([{"x"}])"},
    {"tensor<7xf32>", R"([{"y", "x"}])",
     "stablehlo.pad %x, %f, low = [-1], high = [4], interior = [2]", ", tensor<f32>",
     "tensor<22xf32>", R"([{"y", "x"}])"},
    {"tensor<5x6xf32>", R"([{"x"}, {"y"}])",
     "stablehlo.pad %x, %f, low = [1, 0], high = [0, 3], interior = [0, 1]", ", tensor<f32>",
     "tensor<6x14xf32>", R"([{"x"}, {"y"}])"},
    {"tensor<3x4xf32>", R"([{"x":(1)2}, {}])",
     "stablehlo.pad %x, %f, low = [2, 1], high = [2, 1], interior = [0, 1]", ", tensor<f32>",
     "tensor<7x9xf32>", R"([{"x":(1)2}, {}])"},
    {"tensor<16xf32>", R"([{"x"}])", "stablehlo.slice %x [3:16:2]", "", "tensor<7xf32>",
     R"([{"x"}])"},
    {"tensor<9x5xf32>", R"([{"x"}, {}])", "stablehlo.slice %x [2:8, 0:5:2]", "", "tensor<6x3xf32>",
     R"([{"x"}, {}])"},
    {"tensor<8xf32>", R"([{"y"}])", "stablehlo.slice %x [1:7]", "", "tensor<6xf32>", R"([{"y"}])"},
    {"tensor<6x5xf32>", R"([{"x":(2)2}, {"y"}])", "stablehlo.reverse %x, dims = [0, 1]", "",
     "tensor<6x5xf32>", R"([{"x":(2)2}, {"y"}])"},
    {"tensor<5x9xf32>", R"([{"x":(1)2}, {"x":(2)2}])", "stablehlo.reverse %x, dims = [0]", "",
     "tensor<5x9xf32>", R"([{"x":(1)2}, {"x":(2)2}])"},
    {"tensor<6xf32>", R"([{"x"}])", "stablehlo.reshape %x", "", "tensor<2x3xf32>",
     R"([{"x":(1)2}, {"x":(2)2}])"},
    {"tensor<2x3x5xf32>", R"([{"x"}, {}, {"y"}])", "stablehlo.reshape %x", "", "tensor<6x5xf32>",
     R"([{"x"}, {"y"}])"},
};

TEST_CASE("what is resolved has the numbers of the program, on devices in any order") {
  for (std::string_view mesh : kTwoMeshes) {
    for (const NumbersCase& c : kNumbers) {
      for (std::string_view pass : {kPass, kUnsharding}) {
        INFO(c.operation << " " << c.from << " on " << mesh << " by " << pass);
        const bool is_reverse = c.operation.find("reverse") != std::string_view::npos;
        const std::string types = is_reverse
                                      ? std::string(c.operand)
                                      : fmt::format("({}{}) -> {}", c.operand, c.types, c.result);
        Module m =
            program(fmt::format(R"(
sdy.mesh @mesh = {0}
func.func @main(%a: {1}, %f: tensor<f32>) -> {2} {{
  %x = sdy.reshard %a <@mesh, {3}> : {1}
  %0 = {4} {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, {5}>]>}} : {6}
  return %0 : {2}
}})",
                                mesh, c.operand, c.result, c.from, c.operation, c.to, types));
        const TypeId type = type_of(m, value(m, "%a"));
        const Tensors arguments = {counted(Element::kF32, detail::shape_copy(m, type)),
                                   tensor_of(Element::kF32, {}, std::vector<double>{7})};
        EvalOptions on_devices;
        on_devices.move_shards = true;
        const std::string before = outcome_of(m, "main", on_devices, arguments);
        run_well(m, pass);
        CHECK(outcome_of(m, "main", on_devices, arguments) == before);
      }
    }
  }
}

struct PlanCase {
  detail::HaloDim dim;
  std::int64_t in;
  std::int64_t out;
  std::int64_t left;
  std::int64_t right;
  bool lacks_left;
  bool lacks_right;
};

TEST_CASE("a plan says how far elements come, and what nobody has") {
  const auto dim = [](std::int64_t shards, std::int64_t in_size, std::int64_t out_size,
                      std::int64_t low, std::int64_t stride = 1, std::int64_t dilation = 1) {
    detail::HaloDim d;
    d.shards = shards;
    d.in_size = in_size;
    d.out_size = out_size;
    d.low = low;
    d.stride = stride;
    d.dilation = dilation;
    return d;
  };
  const PlanCase cases[] = {
      {dim(4, 2, 3, 3), 8, 12, 1, 0, true, false},        // pad by 3 and 1
      {dim(4, 2, 3, -1), 8, 12, 0, 2, false, true},       // pad by -1 and 5
      {dim(4, 2, 2, -3), 8, 5, 0, 2, false, false},       // slice [3:8]
      {dim(4, 2, 1, 0, 3), 8, 3, 0, 1, false, false},     // slice [0:8:3]
      {dim(2, 4, 9, 2, 1, 2), 8, 17, 1, 1, true, false},  // a pad by 2, and 1 between all
      {dim(2, 4, 4, 0), 8, 8, 0, 0, false, false},
  };
  for (PlanCase c : cases) {
    INFO(c.dim.low << " " << c.dim.stride << " " << c.dim.dilation);
    plan_halo(c.dim, c.in);
    find_missing(c.dim, c.out);
    CHECK(c.dim.left == c.left);
    CHECK(c.dim.right == c.right);
    CHECK(c.dim.lacks_left == c.lacks_left);
    CHECK(c.dim.lacks_right == c.lacks_right);
  }
}

TEST_CASE("a reverse pads all dimensions that share an axis with one that it pads") {
  Module m = program(R"(
sdy.mesh @mesh = <["a"=4]>
func.func @main(%a: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %0 = sdy.reshard %a <@mesh, [{"a":(1)2}, {"a":(2)2}]> : tensor<5x9xf32>
  %1 = stablehlo.reverse %0, dims = [0]
      {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {"a":(2)2}]>]>} : tensor<5x9xf32>
  return %1 : tensor<5x9xf32>
})");
  run_well(m, kPass);
  CHECK(written(m).find("high = [1, 1]") != std::string::npos);
}

TEST_CASE("with only-local, what has no permutation factor is resolved as well") {
  const std::string shifted = pad_by("low = [1], high = [-1], interior = [0]", "tensor<8xf32>");
  check_unchanged(kPass, shifted);
  Module moved = program(shifted);
  run_well(moved, kOnlyLocal);
  CHECK(count_of(moved, "stablehlo.collective_permute") == 1);
  // Devices have columns 0 to 2 and 3 to 5 of the one, 0 and 1 and 2 and 3 of the other.
  const std::string_view reshaped = R"(
sdy.mesh @mesh = <["a"=2]>
func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})
    -> tensor<6x4xf32> {
  %0 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>}
      : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
})";
  Module kept = program(reshaped);
  run_well(kept, kPass);
  CHECK(written(kept).find("<@mesh, [{}, {}]> : tensor<4x6xf32>") == std::string::npos);
  Module gathered = program(reshaped);
  run_well(gathered, kOnlyLocal);
  CHECK(written(gathered).find("<@mesh, [{}, {}]> : tensor<4x6xf32>") != std::string::npos);
}

TEST_CASE("resolve-permutation-factors without halo exchange unshards") {
  check_golden(kUnsharding, slice_of("[3:8]", "tensor<5xf32>"), R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %f: tensor<f32>)
    -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  %1 = stablehlo.slice %0 [3:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
      : (tensor<8xf32>) -> tensor<5xf32>
  %2 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
})");
}

TEST_CASE("resolve-permutation-factors refuses counts that do not go together") {
  const std::string text = slice_of("[3:8]", "tensor<5xf32>");
  check_refused("resolve-permutation-factors{replica-count=2 partition-count=2}", text,
                "resolve_permutation_factors.counts");
  check_refused("resolve-permutation-factors{partition-count=0}", text, "pipeline.option_value");
}

}  // namespace
}  // namespace shardprop::test::resolve_permutation_factors_cases
