// docs/ops.md says what the operation table says. With SHARDPROP_BLESS=1 in the environment its
// generated part is written anew.
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.hpp"
#include "tests/oracle/op_page.hpp"

namespace {

const std::string kPath = std::string(SHARDPROP_SOURCE_DIR) + "/docs/ops.md";
const std::string kMarker = "<!-- Generated from here on";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("docs/ops.md is what the operation table gives", "[docs]") {
  const std::string text = read_file(kPath);
  const std::size_t marker = text.find(kMarker);
  REQUIRE(marker != std::string::npos);
  const std::size_t begin = text.find('\n', marker) + 1;
  const std::string generated = oracle::generated_page();
  if (text.substr(begin) == generated) return;
  const char* bless = std::getenv("SHARDPROP_BLESS");
  if (bless && std::string(bless) == "1") {
    std::ofstream(kPath, std::ios::binary) << text.substr(0, begin) << generated;
    return;
  }
  FAIL("docs/ops.md is out of date; run the tests once with SHARDPROP_BLESS=1");
}

TEST_CASE("docs/ops.md shows every operation in its family", "[docs]") {
  std::size_t shown = 0;
  for (const oracle::Family& family : oracle::kFamilies) shown += family.rows.size();
  CHECK(shown == shardprop::standard_ops().rows().size());
}
