// Tables that grow: small vectors, and the hash map, compared with the standard's.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

#include "shardprop/support/id.hpp"
#include "shardprop/support/key_map.hpp"
#include "shardprop/support/small_vector.hpp"
#include "shardprop/support/vector.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::tables_cases {
namespace {

TEST_CASE("a key map holds what a standard map holds, after any puts and erasures") {
  std::mt19937 random(7);
  KeyMap<std::uint32_t, std::size_t> map;
  std::unordered_map<std::uint32_t, std::size_t> expected;
  for (std::size_t step = 0; step < 20000; ++step) {
    const std::uint32_t key = static_cast<std::uint32_t>(random() % 300);
    if (random() % 3 == 0) {
      map.erase(key);
      expected.erase(key);
    } else {
      CHECK(map.emplace(key, step).second == expected.emplace(key, step).second);
    }
    if (step % 1000 == 0) {
      for (std::uint32_t k = 0; k < 300; ++k) {
        REQUIRE(map.contains(k) == expected.contains(k));
        if (map.contains(k)) REQUIRE(map.at(k) == expected.at(k));
      }
    }
  }
  CHECK(map.size() == expected.size());
  for (const auto& [key, value] : map) CHECK(expected.at(key) == value);
  const KeyMap<std::uint32_t, std::size_t> copy = map;
  map.clear();
  CHECK(map.empty());
  CHECK(map.find(copy.begin()->first) == map.end());
  CHECK(copy.size() == expected.size());
  map[5] = 1;
  CHECK(map.find(5)->second == 1);
}

TEST_CASE("a key map goes over its rows in the order in which they were put in") {
  KeyMap<std::int64_t, std::string> map;
  for (std::int64_t key : {50, -3, 7}) map.emplace(key, std::to_string(key));
  CHECK_FALSE(map.try_emplace(7, "again").second);
  std::string all;
  for (const auto& [key, value] : map) all += value + " ";
  CHECK(all == "50 -3 7 ");
}

TEST_CASE("a small vector puts in and takes out anywhere, inline and on the heap") {
  SmallVector<int, 4> items = {1, 2, 3};
  items.insert_at(0, 0);
  items.insert_at(4, 5);
  items.insert_at(4, 4);
  CHECK(items == SmallVector<int, 4>{0, 1, 2, 3, 4, 5});
  items.erase_at(5);
  items.erase_at(0);
  CHECK(items == SmallVector<int, 4>{1, 2, 3, 4});
  SmallVector<int, 4> moved = std::move(items);
  items = moved;
  items = std::move(moved);
  CHECK(items.back() == 4);
  CHECK_FALSE(items == SmallVector<int, 4>{1, 2, 3, 5});
  CHECK_FALSE(items == SmallVector<int, 4>{1, 2, 3});
}

}  // namespace
}  // namespace shardprop::test::tables_cases
