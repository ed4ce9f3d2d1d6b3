// Instruction counts, which unlike times are the same on each run: the program runs itself under
// valgrind's callgrind.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

#include "bench/families.hpp"
#include "bench/measure.hpp"
#include "fmt/core.h"

namespace shardprop::bench {

// The number in the line `summary: N` or `totals: N` of a file of callgrind; 0 if there is none.
inline double instructions_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    for (const std::string_view key : {"summary: ", "totals: "}) {
      if (line.starts_with(key)) return std::strtod(line.c_str() + key.size(), nullptr);
    }
  }
  return 0;
}

// The instructions of each part on one graph. All costs stay 0 if valgrind cannot be run.
inline Row count_instructions(const std::string& program, const Family& family,
                              std::size_t operations, std::size_t real_operations) {
  namespace fs = std::filesystem;
  Row row;
  row.family = &family;
  row.operations = real_operations;
  std::error_code ignored;
  const fs::path folder =
      fs::temp_directory_path(ignored) / fmt::format("shardprop_bench_{}", std::random_device()());
  fs::create_directories(folder, ignored);
  const fs::path out = folder / "out";
  // One file per call of the function, numbered from 1 on.
  const std::string command = fmt::format(
      "valgrind -q --tool=callgrind --collect-atstart=no --toggle-collect=measured_part "
      "--dump-after=measured_part --callgrind-out-file='{}' '{}' --once all {} {} >/dev/null 2>&1",
      out.string(), program, family.name, operations);
  if (std::system(command.c_str()) == 0) {
    for (std::size_t w = 0; w < kWorkCount; ++w)
      row.cost[w] = instructions_in(fmt::format("{}.{}", out.string(), w + 1));
  }
  fs::remove_all(folder, ignored);
  return row;
}

}  // namespace shardprop::bench
