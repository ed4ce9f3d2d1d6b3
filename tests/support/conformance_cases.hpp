// The conformance cases: each line of a .jsonl file is a case.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "nlohmann/json.hpp"

namespace shardprop::test {

// The cases that are part of the project; it holds .jsonl files only.
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

}  // namespace shardprop::test
