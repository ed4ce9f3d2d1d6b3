// Shards of tensors: which part a device has, and what the operations of sdy make of the parts.
#include "tests/run/machine_case.hpp"

#include "shardprop/io/stablehlo_text.hpp"

namespace shardprop::test::placement_cases {

// A mesh, a sharding of it, a shape: the shard of each device of 0, 1, 2, ...
struct PlacementCase {
  std::string_view title;
  std::string_view mesh;
  std::string_view sharding;
  std::string_view type;
  std::string_view shards;
};

constexpr PlacementCase kShards[] = {
    {"rows over the first axis, columns over the second", R"(["x"=2, "y"=2])", R"([{"x"}, {"y"}])",
     "tensor<2x4xi64>", "[[0, 1]]; [[2, 3]]; [[4, 5]]; [[6, 7]]"},
    {"axes of a dimension count major to minor", R"(["x"=2, "y"=2])", R"([{"y", "x"}])",
     "tensor<4xi64>", "[0]; [2]; [1]; [3]"},
    {"an axis that is not used has copies", R"(["x"=2, "y"=2])", R"([{"y"}])", "tensor<2xi64>",
     "[0]; [1]; [0]; [1]"},
    {"a part of an axis", R"(["x"=4])", R"([{"x":(2)2}])", "tensor<2xi64>", "[0]; [1]; [0]; [1]"},
    {"the last shards are padded", R"(["x"=4])", R"([{"x"}])", "tensor<5xi64>",
     "[0, 1]; [2, 3]; [4, 0]; [0, 0]"},
    {"devices in another order", R"(["x"=4], device_ids=[2, 0, 3, 1])", R"([{"x"}])",
     "tensor<4xi64>", "[1]; [3]; [0]; [2]"},
    {"a sum that is not done is zero but on the first device", R"(["x"=2, "y"=2])",
     R"([{"x"}], unreduced={"y"})", "tensor<4xi64>", "[0, 1]; [0, 0]; [2, 3]; [0, 0]"},
    {"a maximum that is not done is everywhere", R"(["x"=2])", R"([{}], unreduced=max{"x"})",
     "tensor<2xi64>", "[0, 1]; [0, 1]"},
    {"all on one device", "[], device_ids=[1]", "[]", "tensor<2xi64>", "[0, 1]"},
};

TEST_CASE("tensors are cut into shards and put together", "[run]") {
  for (const PlacementCase& c : kShards) {
    INFO(c.title);
    const Module m = unverified(fmt::format(R"(
sdy.mesh @mesh = <{}>
func.func @main(%a: {} {{sdy.sharding = #sdy.sharding<@mesh, {}>}}) {{
  return
}})",
                                            c.mesh, c.type, c.sharding));
    const ValueId a = m.blocks[m.funcs[FuncId(0)].body].arguments[0];
    const TensorSharding s = *tensor_sharding_of(m, a);
    const Mesh& mesh = m.meshes[s.mesh];
    const Tensor tensor = counted(Element::kI64, detail::shape_copy(m, type_of(m, a)));
    Tensors shards;
    std::string text;
    for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.device_count()); ++d) {
      shards.push_back(slice_tensor(tensor, s, mesh, d));
      text += (d == 0 ? "" : "; ") + elements_text(shards.back());
    }
    CHECK(text == c.shards);
    CHECK(to_string(assemble_tensor(shards, s, mesh, tensor.shape())) == to_string(tensor));
  }
}

TEST_CASE("padding may be told from data", "[run]") {
  const Mesh mesh{"mesh", {{"x", 2}}, {}};
  TensorSharding s = closed_sharding(MeshId(0), 1);
  s.dims[0].axes.push_back(full_axis(mesh, 0));
  const Tensor shard = slice_tensor(counted(Element::kI8, {3}), s, mesh, 1, std::byte{0x55});
  CHECK(to_string(shard) == "[2, 85] : tensor<2xi8>");
}

TEST_CASE("summands may be any that add up", "[run]") {
  const Mesh mesh{"mesh", {{"x", 2}, {"y", 2}}, {}};
  TensorSharding s = closed_sharding(MeshId(0), 1);
  s.dims[0].axes.push_back(full_axis(mesh, 0));
  s.unreduced.push_back(full_axis(mesh, 1));
  const auto of = [](std::int64_t a) { return tensor_of(Element::kI64, {1}, std::vector{a}); };
  const Tensors shards = {of(1), of(20), of(300), of(4000)};
  CHECK(to_string(assemble_tensor(shards, s, mesh, {2})) == "[21, 4300] : tensor<2xi64>");
  s.reduction = ReductionOp::kMax;
  CHECK(to_string(assemble_tensor(shards, s, mesh, {2})) == "[20, 4000] : tensor<2xi64>");
  s.reduction = ReductionOp::kMin;
  CHECK(to_string(assemble_tensor(shards, s, mesh, {2})) == "[1, 300] : tensor<2xi64>");
}

// The result of @main, whose argument counts from 0, with its shards really moved.
std::string moved(std::string_view text) {
  static const EvalTable table = standard_evaluators();
  const Module m = program(text);
  const FuncId func = find_func(m, "main");
  EvalOptions options;
  options.move_shards = true;
  const Result<Tensors> results =
      evaluate(m, table, func, std::move(numbered_arguments(m, func, 1)[0]), options);
  if (!results) return fmt::format("{}: {}", results.errors()[0].code, results.errors()[0].message);
  return elements_text((*results)[0]);
}

constexpr std::string_view kCollectives[] = {
    R"(%r = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x4xi64>)",
    R"(%r = sdy.all_gather [{"x", "y"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi64>)",
    R"(%r = sdy.all_slice [{}, {"z"}] %a out_sharding=<@mesh, [{"x", "y"}, {"z"}]> : tensor<4x4xi64>)",
    R"(%r = sdy.all_to_all [{"y"}: 0->1] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x4xi64>)",
    R"(%r = sdy.collective_permute %a out_sharding=<@mesh, [{"y", "z"}, {}]> : tensor<4x4xi64>)",
    R"(%r = sdy.collective_permute %a out_sharding=<@turned, [{"x", "y"}, {}]> : tensor<4x4xi64>)",
    R"(%r = sdy.all_reduce {"z"} %a out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<4x4xi64>)",
    R"(%r = sdy.reduce_scatter [{}, {"z"}] %a out_sharding=<@mesh, [{"x", "y"}, {"z"}]> : tensor<4x4xi64>)",
    R"(%r = sdy.sharded_to_unreduced [{"y"}, {}] %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<4x4xi64>)",
    R"(%r = sdy.replicated_to_unreduced {"z"} %a out_sharding=<@mesh, [{"x", "y"}, {}], unreduced={"z"}> : tensor<4x4xi64>)",
};

TEST_CASE("a collective of sdy that does what its sharding says does not change the tensor",
          "[run]") {
  for (std::string_view collective : kCollectives) {
    INFO(collective);
    CHECK(moved(fmt::format(R"(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
sdy.mesh @turned = <["x"=2, "y"=2, "z"=2], device_ids=[7, 5, 3, 1, 0, 2, 4, 6]>
func.func @main(%a: tensor<4x4xi64> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", "y"}}, {{}}]>}}) -> tensor<4x4xi64> {{
  {}
  return %r : tensor<4x4xi64>
}})",
                            collective)) == elements_text(counted(Element::kI64, {4, 4})));
  }
}

TEST_CASE("collectives of sdy on devices in another order", "[run]") {
  constexpr std::string_view kTurned[] = {
      R"(%r = sdy.all_gather [{"y", "z"}, {}] %a out_sharding=<@turned, [{"x"}, {}]> : tensor<8x4xi64>)",
      R"(%r = sdy.all_to_all [{"z"}: 0->1] %a out_sharding=<@turned, [{"x", "y"}, {"z"}]> : tensor<8x4xi64>)",
  };
  for (std::string_view collective : kTurned) {
    INFO(collective);
    CHECK(moved(fmt::format(R"(
sdy.mesh @turned = <["x"=2, "y"=2, "z"=2], device_ids=[7, 5, 3, 1, 0, 2, 4, 6]>
func.func @main(%a: tensor<8x4xi64> {{sdy.sharding = #sdy.sharding<@turned, [{{"x", "y", "z"}}, {{}}]>}}) -> tensor<8x4xi64> {{
  {}
  return %r : tensor<8x4xi64>
}})",
                            collective)) == elements_text(counted(Element::kI64, {8, 4})));
  }
}

TEST_CASE("a permutation of summands keeps one of each", "[run]") {
  CHECK(moved(R"(
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"z"}>}) -> tensor<4xi64> {
  %r = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}], unreduced={"z"}> : tensor<4xi64>
  return %r : tensor<4xi64>
})") == "[0, 1, 2, 3]");
}

TEST_CASE("a dimension may be cut in more shards than it has elements", "[run]") {
  CHECK(moved(R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<2x3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<2x3xi64> {
  %s = sdy.all_slice [{}, {"x", "y"}] %a out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<2x3xi64>
  %r = sdy.all_gather [{}, {"y"}] %s out_sharding=<@mesh, [{}, {"x"}]> : tensor<2x3xi64>
  return %r : tensor<2x3xi64>
})") == "[[0, 1, 2], [3, 4, 5]]");
}

TEST_CASE("shards of shards are those of the padded dimension", "[run]") {
  CHECK(moved(R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<5xi64> {
  %r = sdy.all_gather [{"y"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<5xi64>
  return %r : tensor<5xi64>
})") == "[0, 1, 2, 3, 4]");
}

// The result of @main on a mesh x=2, y=2, whose argument counts from 0.
std::string on_four(std::string_view body, std::string_view type = "tensor<4x4xi64>") {
  const std::size_t colon = body.find(':', body.rfind("return"));
  return moved(fmt::format(R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: {}) -> ({}) {{
{}
}})",
                           type, body.substr(colon + 1), body));
}

TEST_CASE("the body of a manual computation runs on each device with its part", "[run]") {
  // Each device writes its number.
  CHECK(on_four(R"(
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xi64>) {
    %p = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.convert %p : (tensor<ui32>) -> tensor<i64>
    %d = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<2x2xi64>
    %e = stablehlo.constant dense<100> : tensor<2x2xi64>
    %f = stablehlo.multiply %d, %e : tensor<2x2xi64>
    %g = stablehlo.add %f, %b : tensor<2x2xi64>
    sdy.return %g : tensor<2x2xi64>
  } : (tensor<4x4xi64>) -> tensor<4x4xi64>
  return %r : tensor<4x4xi64>)") ==
        "[[0, 1, 102, 103], [4, 5, 106, 107], [208, 209, 310, 311], [212, 213, 314, 315]]");
}

TEST_CASE("collectives in a manual computation join its devices", "[run]") {
  CHECK(on_four(R"(
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%b: tensor<1xi64>) {
    %s = "stablehlo.all_gather"(%b) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0], [3, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<1xi64>) -> tensor<2xi64>
    sdy.return %s : tensor<2xi64>
  } : (tensor<4xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>)",
                "tensor<4xi64>") == "[2, 0, 3, 1]");
}

TEST_CASE("in a manual computation tensors are whole along free axes", "[run]") {
  CHECK(on_four(R"(
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%b: tensor<2xi64>) {
    %v = stablehlo.reverse %b, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<2xi64>
    %g = sdy.all_gather [{"x"}] %v out_sharding=<@mesh, [{}]> : tensor<2xi64>
    sdy.return %g : tensor<2xi64>
  } : (tensor<4xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>)",
                "tensor<4xi64>") == "[1, 0, 3, 2]");
}

TEST_CASE("manual computations may be nested", "[run]") {
  CHECK(on_four(R"(
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x4xi64>) {
    %s = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%c: tensor<2x2xi64>) {
      %v = stablehlo.reverse %c, dims = [0, 1] : tensor<2x2xi64>
      sdy.return %v : tensor<2x2xi64>
    } : (tensor<2x4xi64>) -> tensor<2x4xi64>
    sdy.return %s : tensor<2x4xi64>
  } : (tensor<4x4xi64>) -> tensor<4x4xi64>
  return %r : tensor<4x4xi64>)") ==
        "[[5, 4, 7, 6], [1, 0, 3, 2], [13, 12, 15, 14], [9, 8, 11, 10]]");
}

TEST_CASE("results of a manual computation that are not summed yet are summed", "[run]") {
  CHECK(on_four(R"(
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x"}], unreduced={"y"}>] manual_axes={"x", "y"} (%b: tensor<1xi64>) {
    sdy.return %b : tensor<1xi64>
  } : (tensor<4xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
                "tensor<4xi64>") == "[1, 5]");
}

}  // namespace shardprop::test::placement_cases
