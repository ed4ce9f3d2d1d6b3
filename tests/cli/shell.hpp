// The command line as a user meets it: a shell, a folder of the test's own, small programs.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "fmt/format.h"
#include "tests/catch.hpp"

namespace shardprop::test {

struct Outcome {
  int code = -1;
  std::string text;  // standard output and error together
};

// Runs `shardprop ARGUMENTS` by the shell, in which $P is the program.
inline Outcome shell(const std::string& command) {
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

inline bool has(const Outcome& outcome, std::string_view text) {
  return outcome.text.find(text) != std::string::npos;
}

// A folder of the test's own, removed at its end.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("shardprop_cli_test_{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline const std::string kGood =
    R"({"meshes": [{"name": "mesh", "axes": [{"name": "x", "size": 2}]}], "functions": [
  {"name": "main", "arguments": [{"name": "%a", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}]>"}],
   "results": [{"shape": [8], "dtype": "f32"}],
   "ops": [{"op": "stablehlo.tanh", "operands": ["%a"], "results": [{"name": "%b"}]},
           {"op": "func.return", "operands": ["%b"]}]}]})";

inline const std::string kText = R"(module @jit_f attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {jax.result_info = ""}) {
    %0 = stablehlo.tanh %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)";

// Two layers without mesh or sharding, as a framework prints them: names in attributes and
// locations.
inline const std::string kBare = R"(module {
  func.func public @main(%arg0: tensor<8x16xf32> {ttir.name = "x"}, %arg1: tensor<16x32xf32> {ttir.name = "layers.0.weight"}, %arg2: tensor<32x16xf32> loc("layers.1.weight")) -> (tensor<8x16xf32> {jax.result_info = "out"}) {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.dot %0, %arg2 : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
)";

}  // namespace shardprop::test
