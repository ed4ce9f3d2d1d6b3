// What names of values stand for, whatever their numbers are and in whatever order they come.
#include "shardprop/io/common/value_name_map.hpp"

#include <cstddef>
#include <cstdint>

#include "shardprop/ir/module.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::value_name_map_cases {
namespace {

using Names = detail::ValueNameMap<ValueId>;

TEST_CASE("numbered names may come in any order", "[io]") {
  for (std::uint32_t step : {1u, 7u, 599u, 1000003u}) {
    Names names;
    constexpr std::uint32_t kCount = 700;
    const auto name = [&](std::uint32_t i) { return numbered_name(i * step % 1000000007u); };
    for (std::uint32_t i = kCount; i-- > 0;) CHECK(names.insert(name(i), ValueId(i)));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      CHECK(names.find(name(i)) == ValueId(i));
      CHECK_FALSE(names.insert(name(i), ValueId(kCount)));
    }
    CHECK_FALSE(names.find(numbered_name(900000001)).valid());
  }
}

TEST_CASE("a name keeps what it was set to last while the list grows", "[io]") {
  constexpr std::uint32_t kCount = 700;
  Names names;
  names.set(numbered_name(150), ValueId(1));  // too far ahead for the list
  for (std::uint32_t i = 151; i < kCount; ++i) {
    names.set(numbered_name(i), ValueId(i));
    names.set(numbered_name(150), ValueId(2 * i));
    CHECK(names.find(numbered_name(150)) == ValueId(2 * i));
    CHECK(names.find(numbered_name(i)) == ValueId(i));
    CHECK_FALSE(names.find(numbered_name(i + 1)).valid());
  }
  names.clear();
  for (std::uint32_t i = 0; i < kCount; ++i) CHECK_FALSE(names.find(numbered_name(i)).valid());
}

// In a list up to the largest number they would take gigabytes.
TEST_CASE("a few names may have numbers that are far apart", "[io]") {
  Names names;
  std::uint32_t count = 0;
  for (std::uint32_t number = 63; number < 1000000000u; number = 2 * number + 65)
    names.set(numbered_name(number), ValueId(count++));
  for (std::uint32_t number = 63, i = 0; i < count; number = 2 * number + 65, ++i)
    CHECK(names.find(numbered_name(number)) == ValueId(i));
}

}  // namespace
}  // namespace shardprop::test::value_name_map_cases
