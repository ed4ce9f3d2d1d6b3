// Sorting, compared with std::stable_sort.
#include "shardprop/support/sort.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shardprop/support/vector.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::sort_cases {
namespace {

TEST_CASE("sorting keeps the order of what is equal, whatever the number of elements") {
  std::mt19937 random(5);
  for (std::size_t count = 0; count < 150; ++count) {
    std::vector<std::pair<int, std::string>> expected;
    for (std::size_t i = 0; i < count; ++i)
      expected.emplace_back(random() % 20, "element number " + std::to_string(i));
    Vector<std::pair<int, std::string>> items(expected.begin(), expected.end());
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), less);
    sort(items, less);
    INFO(count);
    REQUIRE(std::equal(items.begin(), items.end(), expected.begin(), expected.end()));
  }
}

TEST_CASE("sorting without an order of its own takes that of the elements") {
  Vector<std::string> names = {"c", "a", "b", "a"};
  sort(names);
  CHECK(names == Vector<std::string>{"a", "a", "b", "c"});
}

}  // namespace
}  // namespace shardprop::test::sort_cases
