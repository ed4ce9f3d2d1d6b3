// The command line as a user meets it: exit codes, streams, diagnostics, and files that are left
// alone.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fmt/format.h"
#include "tests/catch.hpp"

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string text;  // standard output and error together
};

// Runs `shardprop ARGUMENTS` by the shell, in which $P is the program.
Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(fmt::format("P='{}'; {{ {}; }} 2>&1", SHARDPROP_CLI, command).c_str(), "r");
  REQUIRE(pipe);
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

bool has(const Outcome& outcome, std::string_view text) {
  return outcome.text.find(text) != std::string::npos;
}

// A folder of the test's own, removed at its end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("shardprop_cli_test_{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path path_;
};

const std::string kGood =
    R"({"meshes": [{"name": "mesh", "axes": [{"name": "x", "size": 2}]}], "functions": [
  {"name": "main", "arguments": [{"name": "%a", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}]>"}],
   "results": [{"shape": [8], "dtype": "f32"}],
   "ops": [{"op": "stablehlo.tanh", "operands": ["%a"], "results": [{"name": "%b"}]},
           {"op": "func.return", "operands": ["%b"]}]}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

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
  CHECK(has(explain, "x, from input: 0"));
  CHECK(has(explain, "%a -> %b through stablehlo.tanh"));
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

}  // namespace
