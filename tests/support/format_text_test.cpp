// Text from patterns.
#include "shardprop/support/format_text.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "tests/catch.hpp"

namespace shardprop::test::format_text_cases {
namespace {

TEST_CASE("each {} takes the next argument") {
  const std::string text = "a";
  const std::string_view view = "b";
  CHECK(format_text("{}", text) == "a");
  CHECK(format_text("<{}{}>", view, "c") == "<bc>");
  CHECK(format_text("{} {} {}", text, "", 'd') == "a  d");
  CHECK(format_text("{}{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6, 7) == "1234567");
}

TEST_CASE("a brace that is written twice stands for itself") {
  CHECK(format_text("{{{}}}", "x") == "{x}");
  CHECK(format_text("{}{{}}", "{}") == "{}{}");
}

TEST_CASE("an argument's own braces are text") { CHECK(format_text("[{}]", "{}{") == "[{}{]"); }

template <class T>
void check_integer(T number) {
  CHECK(format_text("{}", number) == fmt::format("{}", number));
}

TEST_CASE("integers are written as fmt writes them") {
  check_integer(0);
  check_integer(-1);
  check_integer(std::numeric_limits<int>::min());
  check_integer(std::numeric_limits<std::int64_t>::min());
  check_integer(std::numeric_limits<std::int64_t>::max());
  check_integer(std::numeric_limits<std::uint64_t>::max());
  check_integer(std::numeric_limits<unsigned>::max());
  check_integer(std::uint16_t{65535});
  check_integer(std::int8_t{-7} + 0);
  check_integer(std::size_t{100});
}

}  // namespace
}  // namespace shardprop::test::format_text_cases
