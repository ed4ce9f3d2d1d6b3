// Views of elements that lie side by side.
#include "shardprop/support/array_view.hpp"

#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "shardprop/support/small_vector.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::array_view_cases {
namespace {

int sum(ArrayView<const int> view) {
  int total = 0;
  for (int item : view) total += item;
  return total;
}

TEST_CASE("a view is made from whatever holds its elements side by side") {
  const std::vector<int> vector = {1, 2, 3};
  const std::array<int, 2> array = {4, 5};
  const int plain[] = {6, 7};
  SmallVector<int, 2> small = {8, 9, 10};
  CHECK(sum(vector) == 6);
  CHECK(sum(array) == 9);
  CHECK(sum(plain) == 13);
  CHECK(sum(small) == 27);
  CHECK(sum(std::span(vector).first(2)) == 3);
  CHECK(sum({}) == 0);
  CHECK(sum(ArrayView(plain, 1)) == 6);
  CHECK(std::span<const int>(ArrayView<const int>(vector)).size() == 3);
}

TEST_CASE("a view is not made from what has other elements, and does not drop const") {
  CHECK_FALSE(std::is_convertible_v<std::vector<long>, ArrayView<const int>>);
  CHECK_FALSE(std::is_convertible_v<const std::vector<int>&, ArrayView<int>>);
  CHECK_FALSE(std::is_convertible_v<std::vector<bool>, ArrayView<const bool>>);
  CHECK(std::is_convertible_v<std::vector<int>&, ArrayView<int>>);
  CHECK(std::is_convertible_v<ArrayView<int>, ArrayView<const int>>);
}

TEST_CASE("parts of a view") {
  std::vector<int> items = {1, 2, 3, 4};
  const ArrayView<int> view = items;
  CHECK(view.first(1).back() == 1);
  CHECK(view.last(2).front() == 3);
  CHECK(view.subspan(4).empty());
  CHECK(view.subspan(1, 2).size() == 2);
  view.subspan(1, 2)[0] = 20;
  CHECK(items[1] == 20);
  CHECK(std::is_same_v<decltype(ArrayView(items)), ArrayView<int>>);
  CHECK(std::is_same_v<decltype(ArrayView(std::as_const(items))), ArrayView<const int>>);
}

}  // namespace
}  // namespace shardprop::test::array_view_cases
