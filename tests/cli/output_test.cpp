// Answers that cannot be written, interrupts, help, and what `cost` and `show` print.
#include <filesystem>
#include <string>

#include "nlohmann/json.hpp"
#include "tests/cli/shell.hpp"

namespace shardprop::test::output_cases {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a write to standard output that fails is told, whatever the command") {
  if (!fs::exists("/dev/full")) return;
  const Folder folder;
  const std::string in = folder.write("in.mlir", kText);
  for (const std::string command : {"propagate $I", "show $I", "show --json $I", "explain $I %0",
                                    "report $I", "cost $I", "convert $I", "rules $I", "run $I",
                                    "passes", "--help", "--version", "help show", "cost --help"}) {
    const Outcome out = shell(fmt::format("I='{}'; $P {} > /dev/full", in, command));
    INFO(command << "\n" << out.text);
    CHECK(out.code == 1);
    CHECK(has(out, "error[output.write]: cannot write to standard output: "));
  }
}

TEST_CASE("a folder for dumps that cannot be made is an error before anything runs") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kText);
  const std::string file = folder.write("file", "");
  const Outcome out = shell(fmt::format("$P propagate --dump-dir '{}/dump' '{}' -o '{}'", file, in,
                                        folder.path("out.mlir")));
  INFO(out.text);
  CHECK(out.code == 1);
  CHECK(has(out, "cannot make the folder"));
  CHECK_FALSE(fs::exists(folder.path("out.mlir")));
  CHECK(shell(fmt::format("$P propagate --dump-dir '{}' '{}'", file, in)).code == 1);
}

TEST_CASE("an interrupted write leaves no temporary file, and the old file or the whole new one") {
  const Folder folder;
  std::string text = "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n";
  constexpr int kOps = 20000;
  for (int i = 0; i < kOps; ++i) {
    const std::string from = i == 0 ? "%arg0" : fmt::format("%{}", i - 1);
    text += fmt::format("  %{} = stablehlo.tanh {} : tensor<8xf32>\n", i, from);
  }
  text += fmt::format("  return %{} : tensor<8xf32>\n}}\n", kOps - 1);
  const std::string in = folder.write("in.mlir", text);
  const std::string out = folder.path("out.mlir");
  REQUIRE(shell(fmt::format("$P convert --to mlir '{}' -o '{}'", in, out)).code == 0);
  const std::string whole = folder.read("out.mlir");
  for (const char* signal : {"INT", "TERM"}) {
    for (const char* seconds : {"0.05", "0.15", "0.25", "0.35", "0.5", "0.8"}) {
      folder.write("out.mlir", "precious");
      shell(fmt::format("timeout -s {} {} $P convert --to mlir '{}' -o '{}'", signal, seconds, in,
                        out));
      INFO(signal << " after " << seconds);
      const std::string left = folder.read("out.mlir");
      CHECK((left == "precious" || left == whole));
      CHECK(std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator()) == 2);
    }
  }
}

TEST_CASE("help of a command comes from the table: options, details and an example") {
  const Outcome all = shell("$P help");
  CHECK(all.code == 0);
  for (const char* command : {"propagate", "show", "explain", "report", "cost", "convert", "check",
                              "rules", "run", "passes"}) {
    CHECK(has(all, fmt::format("\n  {} ", command)));
    const Outcome help = shell(fmt::format("$P help {}", command));
    CHECK(help.code == 0);
    CHECK(has(help, "\nexample:\n  shardprop "));
    CHECK(help.text == shell(fmt::format("$P {} --help", command)).text);
  }
  CHECK(has(shell("$P help propagate"), "--shard NAME=SHARDING"));
  CHECK(has(shell("$P --version"), "shardprop 0."));
}

TEST_CASE("cost has units and a total, and says when there is nothing to sum") {
  const Folder folder;
  const std::string in = folder.write("bare.mlir", kBare);
  const std::string shard = "--mesh d=2 --shard '%arg0=-,d' --shard '%arg1=d,-'";
  const Outcome cost = shell(fmt::format("$P cost {} '{}'", shard, in));
  INFO(cost.text);
  CHECK(has(cost, "note: the program has no collectives; these are what propagation makes"));
  CHECK(has(cost, "1.0 KiB"));
  CHECK(has(cost, "\ntotal "));
  CHECK(has(cost, "by each device"));
  const auto json = nlohmann::json::parse(
      shell(fmt::format("$P cost --json {} '{}' 2>/dev/null", shard, in)).text);
  CHECK(json["total"]["bytes_sent"] == 1024.0);
  CHECK(json["unit"] == "bytes of each device");
  const Outcome nothing = shell(fmt::format("$P cost --mesh d=2 --shard '%arg0=d,-' '{}'", in));
  CHECK(has(nothing, "nothing to sum up: there are no collectives"));
}

// Three private functions, two of them alike; products, named constants and numbered names.
const std::string kLayers = R"(module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%w1_0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w1_1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w1_2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %cst = stablehlo.constant dense<1.0> : tensor<8x8xf32>
    %cst_0 = stablehlo.constant dense<2.0> : tensor<8x8xf32>
    %0 = stablehlo.dot %w1_0, %cst : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = func.call @relu_0(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = func.call @relu_1(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = func.call @sum(%2, %cst_0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  func.func private @relu_1(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  func.func private @sum(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
)";

TEST_CASE("show folds every number of a name, puts products first and alike functions together") {
  const Folder folder;
  const std::string in = folder.write("layers.mlir", kLayers);
  const Outcome show = shell(fmt::format("$P show '{}'", in));
  INFO(show.text);
  CHECK(show.code == 0);
  CHECK(has(show, "\n%w1_{0-2} "));
  CHECK(has(show, "\n@relu_{0-1}: 2 private functions, all alike\n"));
  CHECK(has(show, "\n@sum\n"));
  const std::size_t dot = show.text.find("(stablehlo.dot)");
  const std::size_t constant = show.text.find("\n%cst");
  CHECK(dot < constant);
  CHECK(constant != std::string::npos);
}

TEST_CASE("show prints one function, every value, or JSON") {
  const Folder folder;
  const std::string in = folder.write("layers.mlir", kLayers);
  const Outcome one = shell(fmt::format("$P show --function 'relu_*' '{}'", in));
  CHECK(has(one, "@relu_{0-1}"));
  CHECK_FALSE(has(one, "@main"));
  CHECK_FALSE(has(shell(fmt::format("$P show '{}'", in)), "stablehlo.add"));
  CHECK(has(shell(fmt::format("$P show --all '{}'", in)), "stablehlo.add"));
  CHECK(shell(fmt::format("$P show --function sun '{}'", in)).code == 1);
  CHECK(has(shell(fmt::format("$P show --function sun '{}'", in)), "did you mean 'sum'?"));
  const auto json = nlohmann::json::parse(shell(fmt::format("$P show --json '{}'", in)).text);
  CHECK(json["functions"].size() == 4);
  CHECK(json["functions"][0]["arguments"][1]["name"] == "%w1_1");
  CHECK(json["functions"][0]["arguments"][1]["sharding"] == "[x, -]");
}

TEST_CASE("the legend of show tells only of what is there") {
  const Folder folder;
  const Outcome bare =
      shell(fmt::format("$P show '{}' 2>/dev/null", folder.write("b.mlir", kBare)));
  INFO(bare.text);
  CHECK(has(bare, "- is not split"));
  CHECK_FALSE(has(bare, "by the user"));
  CHECK_FALSE(has(bare, "stands for several"));
  const Outcome layers = shell(fmt::format("$P show '{}'", folder.write("layers.mlir", kLayers)));
  CHECK(has(layers, "given: by the user; found: by propagation."));
  CHECK(has(layers, "A row such as %w1_{0-2} stands for several values"));
}

}  // namespace
}  // namespace shardprop::test::output_cases
