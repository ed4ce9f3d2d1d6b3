// docs/ops.md says what the operation table says. With SHARDPROP_BLESS=1 in the environment its
// generated part is written anew.
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "tests/catch.hpp"
#include "tests/oracle/op_page.hpp"

namespace oracle::op_page_cases {
namespace {

const std::string kPath = std::string(SHARDPROP_SOURCE_DIR) + "/docs/ops.md";
const std::string kMarker = "<!-- Generated from here on";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("docs/ops.md is what the operation table gives", "[docs]") {
  const std::string text = read_file(kPath);
  const std::size_t marker = text.find(kMarker);
  REQUIRE(marker != std::string::npos);
  const std::size_t begin = text.find('\n', marker) + 1;
  const std::string generated = generated_page();
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
  for (const Family& family : kFamilies) shown += family.rows.size();
  CHECK(shown == shardprop::standard_ops().rows().size());
}

// The example of the page's hand-written part.
TEST_CASE("the operation that docs/ops.md registers has its rule", "[docs]") {
  shardprop::OpTable table = shardprop::standard_ops();
  using shardprop::rule;
  const shardprop::Diagnostics errors =
      table.add({.name = "my.attention",
                 .traits = shardprop::kPure,
                 .signature = {.min_operands = 3, .max_operands = 3},
                 .rule = rule<"([i, j, k], [i, l, k], [i, l, m]) -> ([i, j, m]) "
                              "need_replication={k, l}">});
  REQUIRE(errors.empty());
  const OpCase test = {
      "my.attention", "ok",
      R"({"operands": ["2x3x4xf32", "2x5x4xf32", "2x5x6xf32"], "results": ["2x3x6xf32"]})"};
  CHECK(op_test::errors_of(table, op_test::module_of(test, test), false).empty());
  shardprop::Result<shardprop::Module> m = shardprop::read_json(op_test::module_of(test, test));
  REQUIRE(m.ok());
  for (shardprop::OpId id : preorder(*m)) {
    if (op_name(*m, id) != "my.attention") continue;
    const auto made = create_rule(*table.find("my.attention"), {*m, id, false});
    REQUIRE(made);
    CHECK(to_string(*made) ==
          "([i, j, k], [i, l, k], [i, l, m])->([i, j, m]) {i=2, j=3, k=4, l=5, m=6} "
          "need_replication={k, l}");
  }
}

}  // namespace
}  // namespace oracle::op_page_cases
