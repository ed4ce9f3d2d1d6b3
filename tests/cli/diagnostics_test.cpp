// What the command line says when something is wrong.
#include <string>

#include "tests/cli/shell.hpp"

namespace shardprop::test::diagnostics_cases {
namespace {

Outcome check(const Folder& folder, const std::string& name, const std::string& text) {
  return shell(fmt::format("$P check '{}'", folder.write(name, text)));
}

TEST_CASE("a diagnostic says file, line, column and code, and shows the line") {
  const Folder folder;
  const Outcome out = check(folder, "in.mlir", replaced(kText, "%arg0 :", "%arg1 :"));
  INFO(out.text);
  CHECK(out.code == 1);
  CHECK(has(out, "in.mlir:4:25: error[text.unknown_value]: @main, stablehlo.tanh: "));
  CHECK(has(out,
            "    4 |     %0 = stablehlo.tanh %arg1 : tensor<8xf32>\n"
            "      |                         ^\n"));
}

TEST_CASE("a wrong sharding on an argument points at that argument and names it") {
  const Folder folder;
  const Outcome out = check(folder, "in.mlir", replaced(kText, R"([{"x"}])", R"([{"x"}, {}])"));
  INFO(out.text);
  CHECK(has(out, "in.mlir:3:26: error[sharding.rank_mismatch]: @main, %arg0: "));
}

TEST_CASE("all unknown axes and meshes of a file are told in one run") {
  const Folder folder;
  std::string text = replaced(kText, R"(@mesh, [{"x"}])", R"(@mesh, [{"y"}])");
  text = replaced(text, R"({jax.result_info = ""})",
                  R"({sdy.sharding = #sdy.sharding<@mehs, [{"x"}]>})");
  text = replaced(
      text, "%arg0 :", R"(%arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}]>]>} :)");
  const Outcome out = check(folder, "in.mlir", text);
  INFO(out.text);
  CHECK(out.code == 1);
  CHECK(has(out, R"(the mesh has no axis "y")"));
  CHECK(has(out, "there is no mesh @mehs"));
  CHECK(has(out, "did you mean 'mesh'?"));
  CHECK(has(out, R"(the mesh has no axis "z")"));
}

TEST_CASE("an error that has no line of its own shows where the value is defined") {
  const Folder folder;
  const Outcome out = check(folder, "in.mlir",
                            "func.func @main(%arg0: tensor<8xf32>) -> tensor<9xf32> {\n"
                            "  %0 = \"stablehlo.tanh\"(%arg0) : (tensor<8xf32>) -> tensor<9xf32>\n"
                            "  return %0 : tensor<9xf32>\n}\n");
  INFO(out.text);
  CHECK(has(out, "in.mlir:2:3: error[stablehlo.tanh."));
  CHECK(has(out, "tensor<8xf32>"));
  CHECK(has(out, "tensor<9xf32>"));
  const Outcome json = check(folder, "in.json", replaced(kGood, R"(["%a"])", R"(["%q"])"));
  INFO(json.text);
  CHECK(has(json, "in.json:4:50: error[json.unknown_value]: @main, stablehlo.tanh"));
}

TEST_CASE("an operand's two types are both told where they differ") {
  const Folder folder;
  const Outcome out =
      check(folder, "in.mlir",
            replaced(kText, "tanh %arg0 : tensor<8xf32>",
                     "add %arg0, %arg0 : (tensor<8xf32>, tensor<9xf32>) -> tensor<8xf32>"));
  INFO(out.text);
  CHECK(has(out, "operand 1 is of type tensor<8xf32>, the text says tensor<9xf32>"));
}

TEST_CASE("an unknown operation of StableHLO is an error of check, with the nearest name") {
  const Folder folder;
  const Outcome pretty =
      check(folder, "in.mlir", replaced(kText, "stablehlo.tanh", "stablehlo.tahn"));
  CHECK(pretty.code == 1);
  CHECK(has(pretty, "did you mean 'stablehlo.tan"));
  const std::string generic =
      replaced(kText, "stablehlo.tanh %arg0 : tensor<8xf32>",
               R"("stablehlo.tahn"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>)");
  const Outcome out = check(folder, "in.mlir", generic);
  INFO(out.text);
  CHECK(out.code == 1);
  CHECK(has(out, "in.mlir:4:5: error[op.unknown]: @main, stablehlo.tahn %0"));
  // A dialect of the user's own is no mistake, and propagation goes on.
  CHECK(check(folder, "own.mlir", replaced(generic, "stablehlo.tahn", "my.tahn")).code == 0);
  CHECK(shell(fmt::format("$P propagate '{}'", folder.path("in.mlir"))).code == 0);
}

TEST_CASE("what is not a program is recognised and named") {
  struct Case {
    std::string name;
    std::string text;
    std::string says;
  };
  const Case cases[] = {
      {"hlo.txt", "HloModule jit_f\n\nENTRY main { }\n", "HLO text"},
      {"f.mlirbc", "ML\xEFR\x01", "MLIR bytecode"},
      {"f.mlir.gz", "\x1F\x8B\x08", "gzip"},
      {"utf16.mlir", std::string("\xFF\xFEm\0o\0", 6), "UTF-16"},
      {"blank.mlir", " \n\n", "nothing but blanks"},
      {"empty.json", "", "the file is empty"},
  };
  const Folder folder;
  for (const Case& c : cases) {
    const Outcome out = check(folder, c.name, c.text);
    INFO(out.text);
    CHECK(out.code == 1);
    CHECK(has(out, c.name + ": error[input."));
    CHECK(has(out, c.says));
    CHECK(has(out, "help: "));
  }
  CHECK(has(shell("$P check - < /dev/null"), "<stdin>: error[input.empty]"));
}

TEST_CASE("no name of the library's interface stands in what the command line says") {
  const Folder folder;
  const Outcome out = check(folder, "deep.json", std::string(5000, '['));
  INFO(out.text.substr(0, 500));
  CHECK(out.code == 1);
  CHECK_FALSE(has(out, "ReadOptions"));
  CHECK_FALSE(has(out, "::"));
}

TEST_CASE("conflicts are told by dimensions, not by factors") {
  const Folder folder;
  const std::string in = folder.write("bare.mlir", kBare);
  const Outcome out = shell(fmt::format(
      "$P propagate --mesh d=2,m=2 --shard '%arg0=-,d' --shard '%arg1=m,-' --report '{}'", in));
  INFO(out.text);
  CHECK(has(out,
            "dimension 1 of operand 0 is sharded along {d}, dimension 0 of operand 1 along {m}"));
  CHECK_FALSE(has(out, "factor"));
}

TEST_CASE("names that are near are offered: commands, options, values, passes, explained values") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kText);
  struct Case {
    std::string command;
    int code;
    std::string says;
  };
  const Case cases[] = {
      {"propagte", 2, "did you mean 'propagate'?"},
      {"help shwo", 2, "did you mean 'show'?"},
      {"propagate --reprot", 2, "did you mean '--report'?"},
      {"propagate --strategy agressive", 2, "did you mean 'aggressive'?"},
      {"convert --to jsn", 2, "did you mean 'json'?"},
      {"run --passes=symbol-dec", 2, "did you mean 'symbol-dce'?"},
      {"run --passes='user-priority-propagate{keep-sharding-rule=true}'", 2,
       "did you mean 'keep-sharding-rules'?"},
      {"run --passes='user-priority-propagate{propagation-strategy=basc}'", 2,
       "did you mean 'basic'?"},
  };
  for (const Case& c : cases) {
    const Outcome out = shell(fmt::format("$P {} '{}'", c.command, in));
    INFO(c.command << "\n" << out.text);
    CHECK(out.code == c.code);
    CHECK(has(out, c.says));
  }
  CHECK(has(shell(fmt::format("$P explain '{}' %argo", in)), "did you mean '%arg0'?"));
}

}  // namespace
}  // namespace shardprop::test::diagnostics_cases
