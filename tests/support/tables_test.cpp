// Tables that grow: interners, memos, small vectors.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardprop/support/id.hpp"
#include "shardprop/support/interner.hpp"
#include "shardprop/support/memo.hpp"
#include "shardprop/support/small_vector.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::tables_cases {
namespace {

struct Row {
  std::string text;
  friend bool operator==(const Row&, const Row&) = default;
};

// So bad a hash that rows collide.
std::uint64_t hash_value(const Row& row) { return row.text.size(); }

struct RowTag;
using RowTable = Interner<Id<RowTag>, Row>;

TEST_CASE("an interner gives equal rows one id, in a copy too") {
  RowTable table;
  const Id<RowTag> ab = table.intern({"ab"});
  const Id<RowTag> cd = table.intern({"cd"});
  CHECK(ab != cd);
  CHECK(table.intern({"ab"}) == ab);
  RowTable copy = table;
  CHECK(copy.intern({"cd"}) == cd);
  CHECK(copy.intern({"e"}).index == 2);
  CHECK(table.size() == 2);
  CHECK(table.find(2, [](const Row& row) { return row.text == "cd"; }) == cd);
  CHECK_FALSE(table.find(2, [](const Row& row) { return row.text == "xy"; }).valid());
}

TEST_CASE("a pool takes a view of itself") {
  std::vector<int> pool = {1, 2, 3};
  pool.shrink_to_fit();
  append_to_pool(pool, std::span<const int>(pool).subspan(1));
  CHECK(pool == std::vector<int>{1, 2, 3, 2, 3});
  append_to_pool(pool, std::span<const int>());
  CHECK(pool.size() == 5);
}

TEST_CASE("a small vector takes elements of itself, inline and on the heap") {
  for (const std::size_t size : {2u, 4u, 8u, 9u}) {
    std::vector<int> expected(size);
    std::iota(expected.begin(), expected.end(), 1);
    const SmallVector<int, 4> items{std::span<const int>(expected)};
    const auto same = [](const SmallVector<int, 4>& a, const std::vector<int>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    INFO(size);

    SmallVector<int, 4> doubled = items;
    doubled.append(doubled);
    doubled.append(std::span<const int>(doubled).subspan(1, 2));
    std::vector<int> twice = expected;
    twice.insert(twice.end(), expected.begin(), expected.end());
    twice.insert(twice.end(), {twice[1], twice[2]});
    CHECK(same(doubled, twice));

    SmallVector<int, 4> added = items;
    for (std::size_t i = 0; i < 2 * size; ++i) added.push_back(added[0]);
    added.insert_at(0, added[1]);
    added.resize(added.size() + 9, added[2]);
    std::vector<int> filled = expected;
    filled.resize(3 * size, 1);
    filled.insert(filled.begin(), filled[1]);
    filled.resize(filled.size() + 9, filled[2]);
    CHECK(same(added, filled));

    SmallVector<int, 4> cut = items;
    cut.assign(std::span<const int>(cut).subspan(1));
    CHECK(same(cut, {expected.begin() + 1, expected.end()}));
  }
}

TEST_CASE("a memo gives what was stored, in whatever order keys come") {
  std::mt19937 random(7);
  Memo<std::uint32_t, std::size_t> memo;
  std::map<std::pair<std::uint64_t, std::vector<std::uint32_t>>, std::size_t> expected;
  for (std::size_t step = 0; step < 20000; ++step) {
    std::vector<std::uint32_t> words(random() % 4);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random() % 5);
    const MemoKey<std::uint32_t> key = {random() % 2, words};
    const std::size_t* const found = memo.find(key);
    const auto [row, is_new] = expected.emplace(std::pair(key.head, words), step);
    REQUIRE((found == nullptr) == is_new);
    if (is_new) memo.insert(key, step);
    if (found) REQUIRE(*found == row->second);
  }
  CHECK(memo.size() == expected.size());
  CHECK(memo.hits() == 20000 - expected.size());
  memo.clear();
  CHECK(memo.find({0, {}}) == nullptr);
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
