// The command line as a user meets it: exit codes, streams, diagnostics, and files that are left
// alone.
#include <filesystem>
#include <fstream>
#include <string>

#include "nlohmann/json.hpp"
#include "tests/cli/shell.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::cli_cases {
namespace {

namespace fs = std::filesystem;

TEST_CASE("propagate writes the sharded graph to a file or to standard output") {
  const Folder folder;
  const std::string in = folder.write("in.json", kGood);
  const Outcome to_file =
      shell(fmt::format("$P propagate '{}' -o '{}' --report", in, folder.path("out.json")));
  CHECK(to_file.code == 0);
  CHECK(has(to_file, "2 operations"));
  CHECK(folder.read("out.json").find("\"x\"") != std::string::npos);
  const Outcome piped = shell(fmt::format("cat '{}' | $P propagate - -o -", in));
  CHECK(piped.code == 0);
  CHECK(piped.text == folder.read("out.json"));
}

TEST_CASE("run without passes infers types; with passes it runs, times and dumps them") {
  const Folder folder;
  const std::string in = folder.write("in.json", kGood);
  CHECK(
      has(shell(fmt::format("$P run '{}'", in)), R"("name": "%b", "shape": [8], "dtype": "f32")"));
  const Outcome run = shell(
      fmt::format("$P run --passes='populate-op-sharding-rules,user-priority-propagate' --timing "
                  "--verify-each --dump-dir '{}' '{}' -o '{}'",
                  folder.path("dump"), in, folder.path("out.json")));
  INFO(run.text);
  CHECK(run.code == 0);
  CHECK(has(run, "user-priority-propagate 0."));
  CHECK(fs::exists(folder.path("dump/00-input.json")));
  CHECK(fs::exists(folder.path("dump/02-user-priority-propagate.json")));
}

TEST_CASE("passes, rules, check and show") {
  const Folder folder;
  const std::string in = folder.write("in.json", kGood);
  CHECK(has(shell("$P passes"), "user-priority-propagate"));
  CHECK(has(shell(fmt::format("$P rules '{}'", in)), "([i])->([i]) {i=8}"));
  const Outcome check = shell(fmt::format("$P check '{}'", in));
  CHECK(check.code == 0);
  CHECK(has(check, "no errors"));
  CHECK(has(shell(fmt::format("$P show '{}'", in)), "%b"));
  const Outcome explain = shell(fmt::format("$P explain '{}' %b", in));
  CHECK(has(explain, "x on dimension 0: you gave it on %a\n"));
  CHECK(has(explain, "%a -> %b: forward through stablehlo.tanh"));
  CHECK(shell(fmt::format("$P explain '{}' %none", in)).code == 1);
}

TEST_CASE("collectives and what they cost") {
  const Folder folder;
  const std::string dot =
      R"({"meshes": [{"name": "mesh", "axes": [{"name": "x", "size": 2}]}], "functions": [
    {"name": "main", "arguments": [
      {"name": "%a", "shape": [8, 4], "dtype": "f32", "sharding": "<@mesh, [{}, {\"x\"}]>"},
      {"name": "%b", "shape": [4, 8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}, {}]>"}],
     "results": [{"shape": [8, 8], "dtype": "f32"}],
     "ops": [{"op": "stablehlo.dot", "operands": ["%a", "%b"], "results": [{"name": "%c"}]},
             {"op": "func.return", "operands": ["%c"]}]}]})";
  const std::string in = folder.write("dot.json", dot);
  const Outcome collectives = shell(fmt::format("$P propagate --collectives '{}'", in));
  CHECK(collectives.code == 0);
  CHECK(has(collectives, "sdy.all_reduce"));
  const Outcome cost = shell(fmt::format("$P propagate --collectives '{}' | $P cost -", in));
  CHECK(cost.code == 0);
  CHECK(has(cost, "all_reduce"));
  CHECK(has(shell(fmt::format("$P propagate --collectives '{}' | $P cost --json -", in)), "{"));
}

TEST_CASE("help goes to standard output, bad usage to standard error with code 2") {
  CHECK(shell("$P --help 2>/dev/null").text.find("example") != std::string::npos);
  CHECK(shell("$P run --help").code == 0);
  CHECK(has(shell("$P --version"), "shardprop 0."));
  for (const char* command :
       {"$P", "$P nothing", "$P propagate", "$P propagate a b", "$P propagate --no-option a",
        "$P run --passes", "$P run --passes=nothing x.json",
        "$P propagate x.json --strategy bold"}) {
    INFO(command);
    CHECK(shell(command).code == 2);
  }
}

TEST_CASE("malformed input gives code 1, a JSON pointer, and no output file") {
  struct Case {
    std::string from;
    std::string to;
    std::string code;
    std::string pointer;
  };
  const Case cases[] = {
      {R"("operands": ["%a"])", R"("operands": ["%z"])", "json.unknown_value",
       "/functions/0/ops/0/operands/0"},
      {R"("operands": ["%a"])", R"("operandz": ["%a"])", "json.unknown_field",
       "/functions/0/ops/0"},
      {R"({"name": "%b"})", R"({"name": "%a"})", "json.duplicate_value",
       "/functions/0/ops/0/results/0"},
      {R"([{\"x\"}])", R"([{\"y\"}])", "sharding.unknown_axis",
       "/functions/0/arguments/0/sharding"},
      {R"([{\"x\"}])", R"([{\"x\"}, {}])", "sharding.rank", "/functions/0/arguments/0/sharding"},
      {R"("size": 2)", R"("size": 0)", "mesh.axis_size", "/meshes/0"},
      {R"([{\"x\"}])", R"([{\"x\":(1)2, \"x\"}])", "sharding.",
       "/functions/0/arguments/0/sharding"},
      {R"("functions")", R"("funktions")", "json.unknown_field", "/funktions"},
  };
  const Folder folder;
  for (const Case& c : cases) {
    const std::string in = folder.write("in.json", replaced(kGood, c.from, c.to));
    const Outcome outcome =
        shell(fmt::format("$P propagate '{}' -o '{}'", in, folder.path("out.json")));
    INFO(c.to << "\n" << outcome.text);
    CHECK(outcome.code == 1);
    CHECK(has(outcome, c.code));
    CHECK(has(outcome, c.pointer));
    CHECK_FALSE(fs::exists(folder.path("out.json")));
  }
}

TEST_CASE("a syntax error names line and column; a missing file is bad input") {
  const Folder folder;
  const Outcome syntax =
      shell(fmt::format("$P check '{}'", folder.write("in.json", "{\n  \"meshes\": [,]}")));
  CHECK(syntax.code == 1);
  CHECK(has(syntax, "2:"));
  CHECK(shell(fmt::format("$P check '{}'", folder.path("absent.json"))).code == 1);
}

TEST_CASE("a writer that fails leaves the old file") {
  const Folder folder;
  const std::string in = folder.write("in.json", replaced(kGood, "%a\"]", "%z\"]"));
  const std::string out = folder.write("out.json", "precious");
  CHECK(shell(fmt::format("$P propagate '{}' -o '{}'", in, out)).code == 1);
  CHECK(folder.read("out.json") == "precious");
  const std::string good = folder.write("good.json", kGood);
  CHECK(shell(fmt::format("$P propagate '{}' -o '{}/none/out.json'", good, folder.path(""))).code ==
        1);
}

TEST_CASE("check prints every error of a program in one run") {
  const Folder folder;
  const std::string two = replaced(
      replaced(kGood, R"({"name": "%b"})", R"({"name": "%b", "shape": [9], "dtype": "f32"})"),
      R"("results": [{"shape": [8])", R"("results": [{"shape": [7])");
  const Outcome outcome = shell(fmt::format("$P check '{}'", folder.write("in.json", two)));
  CHECK(outcome.code == 1);
  CHECK(has(outcome, "stablehlo.tanh"));
  CHECK(has(outcome, "func.return"));
}

TEST_CASE("commands take MLIR text by its content and answer in it") {
  const Folder folder;
  const std::string in = folder.write("program.txt", kText);
  const Outcome text = shell(fmt::format("$P propagate '{}'", in));
  INFO(text.text);
  CHECK(text.code == 0);
  CHECK(has(text,
            "%0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, "
            "[{\"x\"}]>]>} : tensor<8xf32>\n"));
  CHECK(has(text, "mhlo.num_partitions = 2 : i32"));
  CHECK(shell(fmt::format("cat '{}' | $P propagate -", in)).text == text.text);
  CHECK(shell(fmt::format("$P check '{}'", in)).code == 0);
  CHECK(has(shell(fmt::format("$P rules '{}'", in)), "([i])->([i]) {i=8}"));
  CHECK(has(shell(fmt::format("$P show '{}'", in)), "%arg0"));
  CHECK(
      has(shell(fmt::format("$P explain '{}' %0", in)), "x on dimension 0: you gave it on %arg0"));
  const Outcome dump = shell(
      fmt::format("$P run --passes=symbol-dce --dump-dir '{}' '{}'", folder.path("dump"), in));
  CHECK(dump.code == 0);
  CHECK(folder.read("dump/01-symbol-dce.mlir").starts_with("module @jit_f"));
}

TEST_CASE("the name after -o says the format; convert changes it") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kText);
  const std::string json = folder.path("out.json");
  CHECK(shell(fmt::format("$P propagate '{}' -o '{}'", in, json)).code == 0);
  CHECK(folder.read("out.json").starts_with("{\n  \"meshes\""));
  const std::string mlir = folder.path("out.mlir");
  CHECK(shell(fmt::format("$P convert '{}' -o '{}'", json, mlir)).code == 0);
  CHECK(folder.read("out.mlir").starts_with("module @jit_f attributes"));
  // Without a name that says it, the other format.
  CHECK(shell(fmt::format("$P convert '{}'", mlir)).text == folder.read("out.json"));
  CHECK(has(shell(fmt::format("$P convert '{}'", json)), "stablehlo.tanh %arg0"));
  CHECK(has(shell(fmt::format("$P convert --generic '{}'", json)), "\"stablehlo.tanh\"(%arg0)"));
  CHECK(shell(fmt::format("$P convert --to mlir '{}'", mlir)).text == folder.read("out.mlir"));
  CHECK(shell(fmt::format("$P convert --max-elements x '{}'", mlir)).code == 2);
  CHECK(shell(fmt::format("$P convert --to text '{}'", mlir)).code == 2);
  const std::string located = folder.write(
      "located.mlir",
      replaced(kText, "%arg0 : tensor<8xf32>\n", "%arg0 : tensor<8xf32> loc(\"f.py\":1:2)\n"));
  CHECK(has(shell(fmt::format("$P convert --to mlir '{}'", located)), "loc(\"f.py\":1:2)"));
  CHECK_FALSE(has(shell(fmt::format("$P convert --no-locations --to mlir '{}'", located)), "loc("));
}

TEST_CASE("an error in text shows line, column, the line with a caret, and what was expected") {
  const Folder folder;
  const std::string in =
      folder.write("in.mlir", replaced(kText, "stablehlo.tanh %arg0 :", "stablehlo.tanh %arg0, :"));
  const std::string out = folder.write("out.mlir", "precious");
  const Outcome outcome = shell(fmt::format("$P propagate '{}' -o '{}'", in, out));
  INFO(outcome.text);
  CHECK(outcome.code == 1);
  CHECK(has(outcome, ":4:30: error[text.syntax]: "));
  CHECK(has(outcome, "expected"));
  CHECK(has(outcome,
            "    4 |     %0 = stablehlo.tanh %arg0, : tensor<8xf32>\n"
            "      |                              ^\n"));
  CHECK(folder.read("out.mlir") == "precious");
}

TEST_CASE("shardings in strings are imported where a command propagates") {
  const Folder folder;
  const std::string text =
      R"(module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) -> tensor<8xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)";
  const std::string in = folder.write("in.mlir", text);
  const Outcome propagated = shell(fmt::format("$P propagate '{}'", in));
  CHECK(has(propagated, "sdy.mesh @mesh = <[\"x\"=2]>"));
  CHECK(has(propagated, "-> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})"));
  CHECK_FALSE(has(propagated, "frontend_attributes"));
  CHECK(shell(fmt::format("$P convert --to mlir '{}'", in)).text == text);
}

// The shardings with which values enter and leave public functions, in order, by function.
nlohmann::json shardings_of(const nlohmann::json& graph) {
  nlohmann::json out;
  for (const nlohmann::json& func : graph["functions"]) {
    if (func.value("private", false)) continue;
    nlohmann::json& list = out[func["name"].get<std::string>()];
    for (const char* values : {"arguments", "results"}) {
      for (const nlohmann::json& value : func[values])
        list.push_back(value.value("sharding", nlohmann::json()));
    }
  }
  return out;
}

TEST_CASE("propagate gives the reference's shardings on a real program, in text and in JSON",
          "[shared]") {
  const fs::path shared(SHARDPROP_SHARED);
  const std::string name = "tenstorrent__gpt_oss_120b_tp_decode_frontend";
  const fs::path program = shared / "data/mlir" / (name + ".mlir");
  if (!shardprop::test::is_shared(program)) return;
  nlohmann::json expected;
  std::ifstream cases(shared / "conformance/real" / (name + ".jsonl"));
  for (std::string line; std::getline(cases, line) && expected.is_null();) {
    if (line.find("/propagation-pipeline\"") > 200) continue;
    expected = shardings_of(nlohmann::json::parse(line)["expected"]);
  }
  REQUIRE(expected["main"].size() > 500);
  const Folder folder;
  for (const char* out : {"out.json", "out.mlir"}) {
    CHECK(
        shell(fmt::format("$P propagate '{}' -o '{}'", program.string(), folder.path(out))).code ==
        0);
  }
  CHECK(shell(fmt::format("$P convert '{}' -o '{}'", folder.path("out.mlir"),
                          folder.path("from_text.json")))
            .code == 0);
  for (const char* json : {"out.json", "from_text.json"}) {
    const nlohmann::json actual = nlohmann::json::parse(folder.read(json));
    CHECK((shardings_of(actual) == expected));
  }
}

}  // namespace
}  // namespace shardprop::test::cli_cases
