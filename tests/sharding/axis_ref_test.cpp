// The algebra of axis references, against the model, for all pairs on all meshes of up to two small
// axes.
#include "shardprop/sharding/axis_ref.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shardprop/sharding/mesh.hpp"
#include "tests/catch.hpp"
#include "tests/sharding/axis_model.hpp"

namespace shardprop {
namespace {

using namespace test;

// Calls `check(mesh, a, b)` for all pairs, which returns the name of what is wrong, or nothing.
template <class Check>
void for_all_pairs(Check&& check) {
  std::size_t pairs = 0;
  for (const Mesh& mesh : small_meshes()) {
    const std::vector<AxisRef> refs = all_refs(mesh);
    for (AxisRef a : refs) {
      for (AxisRef b : refs) {
        const std::string wrong = check(mesh, a, b);
        if (!wrong.empty())
          FAIL_CHECK(wrong << " of " << text(mesh, a) << " and " << text(mesh, b));
        ++pairs;
      }
    }
  }
  REQUIRE(pairs > 4000);
}

template <class T>
std::string differ(const char* name, const T& actual, const T& expected) {
  return actual == expected ? "" : name;
}

bool coexist_in_model(const Mesh& mesh, AxisRef a, AxisRef b) {
  return split(mesh, {a, b}).has_value();
}

}  // namespace

TEST_CASE("axis references: containment and overlap are those of what they cover", "[sharding]") {
  for_all_pairs([](const Mesh&, AxisRef a, AxisRef b) -> std::string {
    const std::set<std::int64_t> in_a = covered(a);
    const std::set<std::int64_t> in_b = covered(b);
    const bool all = std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end());
    const bool any =
        std::any_of(in_b.begin(), in_b.end(), [&](std::int64_t at) { return in_a.count(at) != 0; });
    const bool same_begin = *in_a.begin() == *in_b.begin();
    const bool same_end = *in_a.rbegin() == *in_b.rbegin();
    return differ("contains", contains(a, b), all) + differ("overlaps", overlaps(a, b), any) +
           differ("is_prefix", is_prefix(b, a), all && same_begin) +
           differ("is_strict_prefix", is_strict_prefix(b, a), all && same_begin && !same_end) +
           differ("is_suffix", is_suffix(b, a), all && same_end);
  });
}

TEST_CASE("axis references: the order is that of the mesh, then major to minor", "[sharding]") {
  for_all_pairs([](const Mesh&, AxisRef a, AxisRef b) -> std::string {
    const std::set<std::int64_t> in_a = covered(a);
    const std::set<std::int64_t> in_b = covered(b);
    const bool before = *in_a.begin() < *in_b.begin() ||
                        (*in_a.begin() == *in_b.begin() && in_a.size() < in_b.size());
    return differ("<", a < b, before) + differ("==", a == b, in_a == in_b);
  });
}

TEST_CASE("axis references: two coexist if one split has both", "[sharding]") {
  for_all_pairs([](const Mesh& mesh, AxisRef a, AxisRef b) -> std::string {
    return differ("can_coexist", can_coexist(a, b), coexist_in_model(mesh, a, b));
  });
}

TEST_CASE("axis references: common and remaining parts are those of the digits", "[sharding]") {
  for_all_pairs([](const Mesh& mesh, AxisRef a, AxisRef b) -> std::string {
    const std::optional<Digits> all = split(mesh, {a, b});
    if (!all) {
      const bool none = !overlap(a, b) && !prefix_without_overlap(a, b) &&
                        !suffix_without_overlap(a, b) && !common_prefix(a, b);
      return none ? "" : "a result of references that cannot coexist";
    }
    const Digits of_a = digits_of(a, *all);
    const Digits of_b = digits_of(b, *all);
    Digits shared;
    Digits before;
    Digits after;
    for (const Digit& d : of_a) {
      if (has(of_b, d)) shared.push_back(d);
      if (!has(of_b, d) && shared.empty()) before.push_back(d);
      if (!has(of_b, d) && !shared.empty()) after.push_back(d);
    }
    if (shared.empty()) after = before;
    Digits prefix;
    for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()) && of_a[i] == of_b[i]; ++i) {
      prefix.push_back(of_a[i]);
    }
    return differ("overlap", overlap(a, b), one_run(shared, mesh)) +
           differ("prefix_without_overlap", prefix_without_overlap(a, b), one_run(before, mesh)) +
           differ("suffix_without_overlap", suffix_without_overlap(a, b), one_run(after, mesh)) +
           differ("common_prefix", common_prefix(a, b), one_run(prefix, mesh));
  });
}

TEST_CASE("axis references: consecutive parts merge to what their digits make", "[sharding]") {
  for_all_pairs([](const Mesh& mesh, AxisRef a, AxisRef b) -> std::string {
    const std::optional<Digits> all = split(mesh, {a, b});
    bool consecutive = false;
    std::optional<AxisRef> merged;
    if (all && a.axis == b.axis) {
      Digits both = digits_of(a, *all);
      const Digits minor = digits_of(b, *all);
      consecutive = both.back().next == minor.front().pre && mesh.axes[a.axis].size > 1;
      both.insert(both.end(), minor.begin(), minor.end());
      merged = one_run(both, mesh);
    }
    if (can_merge(a, b) != consecutive) return "can_merge";
    return consecutive ? differ("merge", merge(a, b, mesh), *merged) : "";
  });
}

TEST_CASE("axis references: the algebra says how devices are grouped", "[sharding]") {
  for_all_pairs([](const Mesh& mesh, AxisRef a, AxisRef b) -> std::string {
    const std::vector<std::int64_t> of_a = labels(mesh, a);
    const std::vector<std::int64_t> of_b = labels(mesh, b);
    std::string wrong;
    if (std::set<std::int64_t>(of_a.begin(), of_a.end()).size() !=
        static_cast<std::size_t>(a.size)) {
      wrong += "number of shards";
    }
    // Where splits do not nest, neither question has an answer in labels.
    if (!coexist_in_model(mesh, a, b)) return wrong;
    if (a.axis == b.axis) wrong += differ("contains", contains(a, b), refines(of_a, of_b));
    if (a.size > 1 && b.size > 1)
      wrong += differ("overlaps", overlaps(a, b), !independent(of_a, of_b));
    if (can_merge(a, b)) {
      const AxisRef pair[] = {a, b};
      wrong += differ("merge", labels(mesh, merge(a, b, mesh)), labels(mesh, AxisSpan(pair)));
    }
    return wrong;
  });
}

TEST_CASE("axis references: the worked example of the documentation", "[sharding]") {
  const Mesh mesh = make_mesh({8});
  const AxisRef major = sub_axis(0, 1, 2);
  const AxisRef middle = sub_axis(0, 2, 2);
  const AxisRef minor = sub_axis(0, 2, 4);
  CHECK(is_prefix(middle, minor));
  CHECK_FALSE(overlaps(major, minor));
  CHECK(can_merge(major, minor));
  CHECK(merge(major, minor, mesh) == full_axis(mesh, 0));
  CHECK_FALSE(can_coexist(sub_axis(0, 1, 2), sub_axis(0, 1, 3)));
  CHECK(common_prefix(sub_axis(0, 1, 2), sub_axis(0, 1, 3)) == std::nullopt);
}

}  // namespace shardprop
