// Vector, compared with std::vector.
#include "shardprop/support/vector.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

namespace shardprop::test::vector_cases {
namespace {

template <class T>
bool are_equal(const Vector<T>& own, const std::vector<T>& expected) {
  return std::equal(own.begin(), own.end(), expected.begin(), expected.end());
}

// One random edit of both. Long strings own memory, so that a sanitizer sees what is kept too long.
void edit(std::mt19937& random, Vector<std::string>& own, std::vector<std::string>& expected) {
  const std::size_t place = random() % (expected.size() + 1);
  const auto offset = static_cast<std::ptrdiff_t>(place);
  const std::string text(20 + random() % 30, static_cast<char>('a' + random() % 26));
  const std::vector<std::string> several(random() % 4, text);
  switch (random() % 9) {
    case 0:
      own.push_back(text);
      expected.push_back(text);
      return;
    case 1:
      CHECK(*own.insert(own.begin() + offset, text) == text);
      expected.insert(expected.begin() + offset, text);
      return;
    case 2:
      own.append(several.begin(), several.end());
      expected.insert(expected.end(), several.begin(), several.end());
      return;
    case 3:
      if (place == expected.size()) return;
      CHECK(own.erase(own.begin() + offset) == own.begin() + offset);
      expected.erase(expected.begin() + offset);
      return;
    case 4:
      CHECK(own.erase(own.begin() + offset / 2, own.begin() + offset) == own.begin() + offset / 2);
      expected.erase(expected.begin() + offset / 2, expected.begin() + offset);
      return;
    case 5:
      own.resize(place + 2, text);
      expected.resize(place + 2, text);
      return;
    case 6:
      erase_if(own, [&](const std::string& item) { return item[0] == text[0]; });
      std::erase_if(expected, [&](const std::string& item) { return item[0] == text[0]; });
      return;
    case 7:
      own.assign(several.begin(), several.end());
      expected = several;
      return;
    default:
      own.shrink_to_fit();
      own.emplace_back(place, 'x');
      expected.emplace_back(place, 'x');
  }
}

TEST_CASE("a vector holds what a standard vector holds, after any edits") {
  std::mt19937 random(11);
  Vector<std::string> own;
  std::vector<std::string> expected;
  for (int step = 0; step < 20000; ++step) {
    edit(random, own, expected);
    REQUIRE(are_equal(own, expected));
    REQUIRE(own.capacity() >= own.size());
  }
  const Vector<std::string> copy = own;
  Vector<std::string> moved = std::move(own);
  CHECK(copy == moved);
  moved.push_back("more");
  CHECK_FALSE(copy == moved);
  moved = copy;
  CHECK(are_equal(moved, expected));
}

TEST_CASE("a vector is made from lists, counts, ranges and views") {
  const std::vector<int> standard = {1, 2, 3};
  CHECK(Vector<int>(standard) == Vector<int>{1, 2, 3});
  const std::list<int> list = {1, 2, 3};
  CHECK(Vector<int>(list.begin(), list.end()) == Vector<int>{1, 2, 3});
  CHECK(Vector<int>(3, 7) == Vector<int>{7, 7, 7});
  CHECK(Vector<int>(2) == Vector<int>{0, 0});
  CHECK(Vector<int>(standard) != Vector<int>{1, 2});
  CHECK(Vector<bool>(3, true) == Vector<bool>{true, true, true});
}

TEST_CASE("an element of the vector itself may be added while the vector grows") {
  Vector<std::string> own = {std::string(40, 'a')};
  for (int i = 0; i < 40; ++i) own.push_back(own[0]);
  for (int i = 0; i < 40; ++i) own.emplace_back(own[0]);
  own.insert(own.begin(), own.back());
  CHECK(own.size() == 82);
  CHECK(std::all_of(own.begin(), own.end(), [&](const std::string& s) { return s == own[0]; }));
}

TEST_CASE("memory is kept until it is given back") {
  Vector<std::uint64_t> own;
  own.reserve(100);
  const std::uint64_t* const place = own.data();
  for (std::uint64_t i = 0; i < 100; ++i) own.push_back(i);
  CHECK(own.data() == place);
  own.clear();
  CHECK(own.capacity() == 100);
  own.shrink_to_fit();
  CHECK(own.capacity() == 0);
  CHECK(own.data() == nullptr);
}

TEST_CASE("elements that cannot be copied are moved") {
  Vector<std::unique_ptr<int>> own;
  for (int i = 0; i < 20; ++i) own.push_back(std::make_unique<int>(i));
  own.erase(own.begin());
  own.insert(own.begin() + 3, std::make_unique<int>(77));
  CHECK(*own[3] == 77);
  CHECK(*own.back() == 19);
  const Vector<std::unique_ptr<int>> moved = std::move(own);
  CHECK(moved.size() == 20);
}

}  // namespace
}  // namespace shardprop::test::vector_cases
