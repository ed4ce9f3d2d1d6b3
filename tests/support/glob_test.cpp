// Patterns of names, and the nearest of several names.
#include "shardprop/support/glob.hpp"

#include <string_view>
#include <vector>

#include "shardprop/support/nearest_name.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::glob_cases {
namespace {

TEST_CASE("a pattern fits by texts, any text, any character, ranges and choices") {
  CHECK(glob_match("%arg0", "%arg0"));
  CHECK_FALSE(glob_match("%arg0", "%arg01"));
  CHECK(glob_match("*", ""));
  CHECK(glob_match("*.weight", "layers.0.weight"));
  CHECK_FALSE(glob_match("*.weight", "layers.0.weights"));
  CHECK(glob_match("a*b*c", "aXbXbXc"));
  CHECK(glob_match("%arg?", "%arg7"));
  CHECK_FALSE(glob_match("%arg?", "%arg"));
  CHECK(glob_match("%arg{1-18}", "%arg1"));
  CHECK(glob_match("%arg{1-18}", "%arg18"));
  CHECK_FALSE(glob_match("%arg{1-18}", "%arg0"));
  CHECK_FALSE(glob_match("%arg{1-18}", "%arg19"));
  CHECK_FALSE(glob_match("%arg{1-18}", "%arg01"));
  CHECK(glob_match("l{0-3}.{q,k,v}", "l2.k"));
  CHECK_FALSE(glob_match("l{0-3}.{q,k,v}", "l2.o"));
  CHECK(glob_match("%{0-2,5}", "%5"));
  CHECK(glob_match("%{1-2}3", "%13"));
  CHECK(glob_match("{a-b}", "a-b"));
  // A brace that is not closed stands for itself.
  CHECK(glob_match("a{1", "a{1"));
  CHECK(is_glob("a*"));
  CHECK_FALSE(is_glob("%arg0"));
}

TEST_CASE("the nearest name is one that few changes or a swap lead to") {
  const std::vector<std::string_view> names = {"show", "mesh", "propagate"};
  CHECK(nearest("shwo", names) == "show");
  CHECK(nearest("mehs", names) == "mesh");
  CHECK(nearest("propagat", names) == "propagate");
  CHECK(nearest("xyz", names).empty());
  CHECK(did_you_mean("show") == "did you mean 'show'?");
  CHECK(did_you_mean("", "else") == "else");
}

}  // namespace
}  // namespace shardprop::test::glob_cases
