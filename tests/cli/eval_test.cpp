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

}  // namespace shardprop::test::eval_cases
