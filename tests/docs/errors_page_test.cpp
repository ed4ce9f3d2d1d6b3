// docs/errors.md has each code of the library and the command line, and its examples give them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "tests/cli/shell.hpp"
#include "tests/docs/errors_page.hpp"
#include "tests/ops/cases/all_cases.hpp"

namespace shardprop::test::errors_page_cases {
namespace {

using Names = std::set<std::string>;

// The matches of `pattern` in the code of a header, comments left out.
void find_in(const std::filesystem::path& header, const std::regex& pattern, Names& out) {
  std::ifstream file(header);
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.find("// "), line.size()));
    for (std::sregex_iterator at(line.begin(), line.end(), pattern), end; at != end; ++at)
      out.insert((*at)[1]);
  }
}

Names find_in_sources(const std::string& pattern) {
  const std::regex compiled(pattern);
  Names found;
  for (const char* folder : {"/include", "/examples/cli"}) {
    namespace fs = std::filesystem;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(std::string(SHARDPROP_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".hpp") find_in(entry.path(), compiled, found);
    }
  }
  return found;
}

bool is_of_dialect(const std::string& code) {
  static const Names kDialects = {"arith",     "builtin",   "chlo",       "func",
                                  "mhlo",      "stablehlo", "sdy",        "xla",
                                  "algorithm", "check",     "interpreter"};
  return kDialects.contains(code.substr(0, code.find('.')));
}

TEST_CASE("docs/errors.md has each code of the library and the command line, and no other",
          "[docs]") {
  Names codes;
  for (const std::string& code : find_in_sources(R"re("([a-z_]+\.[a-z0-9_]+)")re")) {
    if (!is_of_dialect(code)) codes.insert(code);
  }
  // Made of parts.
  for (const char* what : {"operand", "result", "block"})
    codes.insert(fmt::format("op.{}_count", what));
  for (const char* what : {"value", "type", "attribute", "sharding"})
    codes.insert(fmt::format("builder.unknown_{}", what));
  for (const char* what : {"check_failed", "constant", "copies", "deadlock", "diverged", "groups", "mismatch",
                           "shape", "too_deep", "too_large", "too_long", "unsupported"})
    codes.insert(fmt::format("run.{}", what));
  Names documented;
  for (const ErrorExample& example : read_errors_page().examples) {
    INFO(example.code);
    CHECK_FALSE(example.kind.empty());
    if (is_of_dialect(example.code)) continue;
    CHECK(documented.insert(example.code).second);
  }
  for (const std::string& code : codes) {
    INFO(code << " is a code of the library");
    CHECK(documented.contains(code));
  }
  for (const std::string& code : documented) {
    INFO(code << " is on the page");
    CHECK(codes.contains(code));
  }
}

TEST_CASE("docs/errors.md has each constraint of operations that has a name", "[docs]") {
  Names names = find_in_sources(R"re(report\((?:in_?|m, op, out), "([a-z_]+)")re");
  const std::regex numbered("[ci][0-9]+");
  for (const OpCase& c : all_cases()) {
    if (c.what != "ok" && c.what != "infer" && c.what.find('.') == std::string::npos &&
        !std::regex_match(c.what, numbered)) {
      names.insert(c.what);
    }
  }
  const std::string text = read_errors_page().text;
  for (const std::string& name : names) {
    INFO(name);
    CHECK(text.find("\n| `" + name + "` |") != std::string::npos);
  }
}

TEST_CASE("the codes of docs/errors.md are sorted in each group", "[docs]") {
  const ErrorsPage page = read_errors_page();
  std::string last;
  std::istringstream lines(page.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) last.clear();
    if (!line.starts_with("### ")) continue;
    INFO(line);
    CHECK(last < line);
    last = line;
  }
}

TEST_CASE("each program and command of docs/errors.md gives its code", "[docs]") {
  const ErrorsPage page = read_errors_page();
  const Folder folder;
  folder.write("good.mlir", page.good);
  CHECK(shell(fmt::format("$P check '{}'", folder.path("good.mlir"))).code == 0);
  for (const ErrorExample& example : page.examples) {
    if (example.kind == "cpp") continue;
    const std::string file = "in." + example.kind;
    folder.write(file, example.text);
    const std::string commands =
        example.kind == "sh"
            ? ". ./in.sh"
            : fmt::format("shardprop check {0}; shardprop propagate --report -o out {0}", file);
    const Outcome out = shell(
        fmt::format("shardprop() {{ \"$P\" \"$@\"; }}; cd '{}'; {}", folder.path(""), commands));
    INFO(example.code << " is not in\n" << out.text.substr(0, 2000));
    CHECK(has(out, "[" + example.code + "]"));
  }
}

}  // namespace
}  // namespace shardprop::test::errors_page_cases
