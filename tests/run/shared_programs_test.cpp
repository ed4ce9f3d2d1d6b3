// The programs of the shared folder that check their own results: those that JAX made, and those of
// StableHLO's own interpreter, of one process and of several.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/run/run_case.hpp"
#include "tests/support/conformance_cases.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::shared_programs_cases {

namespace fs = std::filesystem;

struct Count {
  std::size_t programs = 0;
  std::vector<std::string> failed;          // with what was said
  std::vector<std::string> passed_control;  // that must not
};

bool is_function_to_run(const Module& m, FuncId f, bool has_main) {
  if (has_main) return m.strings[m.funcs[f].name] == "main";
  return !m.funcs[f].is_private && m.blocks[m.funcs[f].body].arguments.empty();
}

// Empty where every check holds.
std::string run_program(const std::string& text, const EvalTable& table) {
  const Module m = unverified(text);
  const bool has_main = find_func(m, "main").valid();
  for (FuncId f : m.func_order) {
    if (!is_function_to_run(m, f, has_main)) continue;
    const Result<Tensors> results = evaluate(m, table, f, {});
    if (!results) return to_string(results.errors());
  }
  return {};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Count run_files(const std::vector<fs::path>& files) {
  const EvalTable table = standard_evaluators();
  Count count;
  for (const fs::path& file : files) {
    for_each_case(file, 1, [&](std::size_t, const nlohmann::json& c) {
      const std::string said = run_program(c.at("text").get<std::string>(), table);
      const std::string name = file.stem().string() + ": " + c.at("name").get<std::string>();
      if (c.contains("must_fail")) {
        if (said.empty()) count.passed_control.push_back(name);
        return;
      }
      ++count.programs;
      if (!said.empty()) count.failed.push_back(name + ": " + said);
    });
  }
  return count;
}

TEST_CASE("the programs that JAX made give the numbers that it gave", "[run][shared]") {
  const fs::path folder = fs::path(SHARDPROP_SHARED) / "run" / "testdata";
  if (!is_shared(folder)) return;
  const Count count = run_files(files_in(folder));
  for (const std::string& failed : count.failed) UNSCOPED_INFO(failed);
  CHECK(count.failed.empty());
  CHECK(count.passed_control.empty());
  CHECK(count.programs >= 1283);
}

TEST_CASE("the programs of StableHLO's interpreter hold, also on several processes",
          "[run][shared]") {
  const fs::path folder = fs::path(SHARDPROP_SHARED) / "run" / "interpret";
  if (!is_shared(folder)) return;
  const auto check = [&](std::vector<fs::path> files, std::size_t programs) {
    for (fs::path& file : files) file = folder / file;
    const Count count = run_files(files);
    for (const std::string& failed : count.failed) UNSCOPED_INFO(failed);
    CHECK(count.failed.empty());
    CHECK(count.passed_control.empty());
    CHECK(count.programs >= programs);
  };
  check({"parallel.jsonl"}, 16);
  check({"single.jsonl", "chlo.jsonl", "controls.jsonl"}, 262);
}

}  // namespace shardprop::test::shared_programs_cases
