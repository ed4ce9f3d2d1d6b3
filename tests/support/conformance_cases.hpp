// The conformance cases as programs for tests: a .jsonl file holds a case a line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "nlohmann/json.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/pipeline/run.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test {

// The cases that are part of the project, a file a folder of the shared ones.
inline std::filesystem::path sample_folder() {
  return std::filesystem::path(SHARDPROP_SOURCE_DIR) / "tests/data/conformance/sample";
}

// Calls `fn(number, case)` for every `every`th case of a file, with its number in the file.
template <class Fn>
void for_each_case(const std::filesystem::path& path, std::size_t every, Fn&& fn) {
  std::ifstream file(path);
  std::string line;
  for (std::size_t number = 0; std::getline(file, line); ++number) {
    if (number % every == 0) fn(number, nlohmann::json::parse(line));
  }
}

// Calls `fn(number, module)` for those of them whose input is a valid program.
template <class Fn>
void for_each_program(const std::filesystem::path& path, std::size_t every, Fn&& fn) {
  for_each_case(path, every, [&](std::size_t number, const nlohmann::json& c) {
    Result<Module> m = read_json(c.at("input").dump());
    if (!m) return;
    Diagnostics errors;
    verify_module(standard_ops(), *m, errors);
    if (has_errors(errors)) return;
    INFO(path.string() << ": " << c.at("name"));
    fn(number, *m);
  });
}

// Adds data-flow edges, between functions too. False if that fails.
inline bool add_all_edges(Module& m) {
  const Result<Vector<PassCall>> calls =
      parse_pipeline("add-data-flow-edges,add-func-data-flow-edges");
  REQUIRE(calls);
  return run_passes(m, standard_ops(), *calls).ok();
}

}  // namespace shardprop::test
