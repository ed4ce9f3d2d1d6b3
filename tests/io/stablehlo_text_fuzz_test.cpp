// Replays the corpus of the fuzzer (tests/fuzz): inputs that once found something, and one for each
// part of the notation.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/io/text_law.hpp"

namespace shardprop::test::stablehlo_text_fuzz_cases {
namespace {

namespace fs = std::filesystem;

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> corpus() {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(SHARDPROP_SOURCE_DIR) / "tests/data/fuzz/stablehlo_text";
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("every input of the fuzzer's corpus obeys the law of reading and writing") {
  const std::vector<fs::path> files = corpus();
  REQUIRE(files.size() >= 10);
  for (const fs::path& file : files) {
    INFO(file.filename().string());
    CHECK(text_law_broken(file_text(file)) == "");
  }
}

TEST_CASE("no prefix of a program of the corpus breaks the law") {
  for (const fs::path& file : corpus()) {
    const std::string text = file_text(file);
    INFO(file.filename().string());
    const std::size_t step = std::max<std::size_t>(1, text.size() / 97);
    for (std::size_t size = 0; size < text.size(); size += step)
      CHECK(text_law_broken(text.substr(0, size)) == "");
  }
}

}  // namespace
}  // namespace shardprop::test::stablehlo_text_fuzz_cases
