// `shardprop eval` as a user meets it.
#include "tests/cli/shell.hpp"

namespace shardprop::test::eval_cases {

const std::string kProgram =
    R"(func.func @main(%x: tensor<2x2xf32>, %k: tensor<2xi32>) -> (tensor<2x2xf32>, tensor<2xi32>) {
  %y = stablehlo.add %x, %x : tensor<2x2xf32>
  %j = stablehlo.multiply %k, %k : tensor<2xi32>
  return %y, %j : tensor<2x2xf32>, tensor<2xi32>
}
)";

const std::string kChecked = R"(func.func @main() -> tensor<3xi32> {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<[1, 2, $]> : tensor<3xi32>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
  return %a : tensor<3xi32>
}
)";

TEST_CASE("cli: eval shows what a program returns", "[cli]") {
  const Folder folder;
  const std::string in = folder.write("p.mlir", kProgram);
  const Outcome shown = shell(fmt::format("$P eval {} --arg %x=iota --arg 1=iota", in));
  CHECK(shown.code == 0);
  CHECK(shown.text ==
        "result0 = [[0, 2], [4, 6]] : tensor<2x2xf32>\nresult1 = [0, 1] : tensor<2xi32>\n");
  const Outcome random =
      shell(fmt::format("$P eval {0} --arg '*=random' > {0}.1; $P eval {0} "
                        "--arg '*=random' | cmp - {0}.1",
                        in));
  CHECK(random.code == 0);
}

TEST_CASE("cli: eval reads and writes NumPy files", "[cli]") {
  const Folder folder;
  const std::string in = folder.write("p.mlir", kProgram);
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
  header.append(127 - 10 - header.size(), ' ');
  std::string npy = "\x93NUMPY\x01";
  npy += std::string("\0\x76\0", 3) + header + "\n" + std::string("\5\0\0\0\7\0\0\0", 8);
  folder.write("k.npy", npy);
  const Outcome read =
      shell(fmt::format("$P eval {} --arg 0=iota --arg 1={}", in, folder.path("k.npy")));
  CHECK(has(read, "result1 = [25, 49] : tensor<2xi32>"));
  const Outcome wrong = shell(fmt::format("$P eval {} --arg '*={}'", in, folder.path("k.npy")));
  CHECK(wrong.code == 1);
  CHECK(has(wrong, "npy.type"));
  const std::string out = folder.path("r.npz");
  CHECK(shell(fmt::format("$P eval {} --arg '*=iota' -o {}", in, out)).code == 0);
  CHECK(folder.read("r.npz").find("result1.npy") != std::string::npos);
  const std::string text = folder.path("r.txt");
  CHECK(shell(fmt::format("$P eval {} --arg '*=iota' -o {}", in, text)).code == 0);
  CHECK(folder.read("r.txt").starts_with("result0 = [[0, 2], [4, 6]]"));
}

TEST_CASE("cli: eval ends with 1 where a check does not hold, and says where", "[cli]") {
  const Folder folder;
  const std::string good = folder.write("good.mlir", replaced(kChecked, "$", "3"));
  const std::string bad = folder.write("bad.mlir", replaced(kChecked, "$", "4"));
  CHECK(shell("$P eval " + good).code == 0);
  const Outcome failed = shell("$P eval " + bad);
  CHECK(failed.code == 1);
  CHECK(has(failed, "run.check_failed"));
  CHECK(has(failed, "element [2] is 3, expected 4"));
}

TEST_CASE("cli: eval says what is missing", "[cli]") {
  const Folder folder;
  const std::string in = folder.write("p.mlir", kProgram);
  const Outcome missing = shell(fmt::format("$P eval {} --arg 0=iota", in));
  CHECK(missing.code == 1);
  CHECK(has(missing, "argument 1 (%k: tensor<2xi32>) is not given; for example --arg 1=random"));
  CHECK(has(shell(fmt::format("$P eval {} --arg '*=iota' --arg 7=iota", in)),
            "--arg names an argument that the function does not have; it has 2"));
  CHECK(shell(fmt::format("$P eval {} --arg 0", in)).code == 2);
  CHECK(has(shell(fmt::format("$P eval {} --arg '*=no.npy'", in)), "no.npy"));
  CHECK(has(shell(fmt::format("$P eval {} --function other", in)),
            "the program has no function 'other'"));
}

// A local program for four devices, of a global one with a tensor of 8x3.
const std::string kLocal = R"(module attributes {mhlo.num_partitions = 4 : i32} {
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3xf32>, tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<ui32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %r = "stablehlo.all_reduce"(%s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<3xf32>) -> tensor<3xf32>
  %p = stablehlo.partition_id : tensor<ui32>
  %n = stablehlo.negate %a : tensor<2x3xf32>
  return %r, %n, %p : tensor<3xf32>, tensor<2x3xf32>, tensor<ui32>
}
}
)";

TEST_CASE("cli: eval runs a local program on all devices, with global arguments and results",
          "[cli]") {
  const Folder folder;
  const std::string in = folder.write("p.mlir", kLocal);
  const Outcome shown = shell(fmt::format("$P eval {} --devices --arg 0=iota", in));
  CHECK(shown.code == 0);
  CHECK(has(shown, "result0 = [84, 92, 100] : tensor<3xf32>"));
  CHECK(has(shown, "[-21, -22, -23]] : tensor<8x3xf32>"));
  CHECK(has(shown, "result2.device3 = 3 : tensor<ui32>"));
  CHECK(has(shell(fmt::format("$P eval {} --devices --exact --arg 0=iota", in)),
            "result0 = [84, 92, 100] : tensor<3xexact>"));
  const Outcome alone = shell(fmt::format("$P eval {} --arg 0=iota", in));
  CHECK(alone.code == 1);
  CHECK(has(alone, "run.groups"));
  CHECK(has(alone, "`shardprop eval --devices`"));
  const std::string unknown = folder.write("unknown.mlir", R"(
func.func @main() -> tensor<ui32> {
  %p = stablehlo.partition_id : tensor<ui32>
  return %p : tensor<ui32>
})");
  const Outcome asked = shell("$P eval --devices " + unknown);
  CHECK(asked.code == 1);
  CHECK(has(asked, "the program does not say how many devices it is for"));
}

TEST_CASE("cli: eval moves the shards of a program with collectives of sdy", "[cli]") {
  const Folder folder;
  const std::string out = folder.path("c.mlir");
  const std::string in = std::string(SHARDPROP_SOURCE_DIR) + "/examples/jax_mlp.mlir";
  REQUIRE(shell(fmt::format("$P propagate --collectives {} -o {}", in, out)).code == 0);
  CHECK(folder.read("c.mlir").find("sdy.all_reduce") != std::string::npos);
  const Outcome same = shell(
      fmt::format("$P eval {0} --exact --arg '*=random' -o {0}.1 && "
                  "$P eval {0} --exact --devices --arg '*=random' -o {0}.2 && cmp {0}.1 {0}.2",
                  out));
  CHECK(same.code == 0);
  CHECK(same.text.empty());
}

}  // namespace shardprop::test::eval_cases
