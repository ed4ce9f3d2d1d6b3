// Axis lists against the model, for random lists on all meshes of up to two small axes.
#include "shardprop/sharding/axis_list.hpp"

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

// Two lists and the digits they are made of.
struct Pair {
  const Mesh& mesh;
  std::vector<AxisRef> first;
  std::vector<AxisRef> second;
  Digits split;
  Digits first_digits;
  Digits second_digits;
};

// Calls `check(pair)` for random pairs whose splits nest; it returns the name of what is wrong, or
// nothing.
template <class Check>
void for_random_pairs(Check&& check) {
  Random random(7);
  std::size_t pairs = 0;
  for (const Mesh& mesh : small_meshes()) {
    for (int i = 0; i < 200; ++i) {
      Pair p{mesh, random_list(random, mesh, 5), random_list(random, mesh, 5), {}, {}, {}};
      // Half of the second lists begin as the first, or prefixes would be rare.
      if (i % 2 == 0) {
        p.second = p.first;
        if (!p.second.empty() && i % 4 == 0) p.second.pop_back();
      }
      std::vector<AxisRef> both = p.first;
      both.insert(both.end(), p.second.begin(), p.second.end());
      const std::optional<Digits> all = split(mesh, both);
      if (!all) continue;
      p.split = *all;
      p.first_digits = digits_of(AxisSpan(p.first), p.split);
      p.second_digits = digits_of(AxisSpan(p.second), p.split);
      const std::string wrong = check(p);
      if (!wrong.empty())
        FAIL_CHECK(wrong << " of " << text(mesh, p.first) << " and " << text(mesh, p.second));
      ++pairs;
    }
  }
  REQUIRE(pairs > 5000);
}

std::vector<AxisRef> vec(AxisSpan list) { return {list.begin(), list.end()}; }

}  // namespace

TEST_CASE("axis lists: the total size is the number of shards", "[sharding]") {
  for_random_pairs([](const Pair& p) -> std::string {
    const std::vector<std::int64_t> shards = labels(p.mesh, AxisSpan(p.first));
    const std::set<std::int64_t> distinct(shards.begin(), shards.end());
    return total_size(p.first) == static_cast<std::int64_t>(distinct.size()) ? "" : "total_size";
  });
}

TEST_CASE("axis lists: prefixes are those of the digits", "[sharding]") {
  int strict = 0;
  int equal_lists = 0;
  for_random_pairs([&](const Pair& p) -> std::string {
    const std::size_t shorter = std::min(p.first_digits.size(), p.second_digits.size());
    std::size_t same = 0;
    while (same < shorter && p.first_digits[same] == p.second_digits[same]) ++same;
    const bool is_prefix = same == p.first_digits.size();
    const bool is_equal = is_prefix && same == p.second_digits.size();
    const PrefixOrder expected = is_equal    ? PrefixOrder::kEqual
                                 : is_prefix ? PrefixOrder::kStrictPrefix
                                             : PrefixOrder::kNotPrefix;
    strict += expected == PrefixOrder::kStrictPrefix;
    equal_lists += is_equal;
    if (prefix_order(p.first, p.second) != expected) return "prefix_order";
    if (is_strict_prefix(AxisSpan(p.first), p.second) != (is_prefix && !is_equal))
      return "is_strict_prefix";
    const Digits prefix(p.first_digits.begin(),
                        p.first_digits.begin() + static_cast<std::ptrdiff_t>(same));
    const AxisList common = common_prefix(AxisSpan(p.first), p.second);
    return digits_of(AxisSpan(common), p.split) == prefix ? "" : "common_prefix";
  });
  CHECK(strict > 500);
  CHECK(equal_lists > 500);
}

TEST_CASE("axis lists: a strict prefix makes shards that the longer list divides", "[sharding]") {
  for_random_pairs([](const Pair& p) -> std::string {
    if (prefix_order(p.first, p.second) == PrefixOrder::kNotPrefix) return "";
    const std::int64_t ratio = total_size(p.second) / total_size(p.first);
    const std::vector<std::int64_t> coarse = labels(p.mesh, AxisSpan(p.first));
    const std::vector<std::int64_t> fine = labels(p.mesh, AxisSpan(p.second));
    for (std::size_t d = 0; d < fine.size(); ++d) {
      if (fine[d] / ratio != coarse[d]) return "prefix_order";
    }
    return "";
  });
}

TEST_CASE("axis lists: overlap, what is left, and what comes before it", "[sharding]") {
  for_random_pairs([](const Pair& p) -> std::string {
    Digits left;
    Digits before;
    bool hit = false;
    std::vector<AxisRef> parts;
    for (AxisRef axis : p.first) {
      Digits rest;
      for (const Digit& d : digits_of(axis, p.split)) {
        const bool shared = has(p.second_digits, d);
        hit = hit || shared;
        if (!shared) rest.push_back(d);
        if (!hit) before.push_back(d);
      }
      for (AxisRef part : runs(rest, p.mesh)) parts.push_back(part);
    }
    if (overlaps(AxisSpan(p.first), p.second) != hit) return "overlaps";
    if (vec(difference(p.first, p.second)) != parts) return "difference";
    AxisList cut{AxisSpan(p.first)};
    truncate_at_overlap(cut, p.second);
    return digits_of(AxisSpan(cut), p.split) == before ? "" : "truncate_at_overlap";
  });
}

TEST_CASE("axis lists: the longest prefix of one axis that is free of a list", "[sharding]") {
  for_random_pairs([](const Pair& p) -> std::string {
    for (AxisRef axis : p.first) {
      Digits free;
      for (const Digit& d : digits_of(axis, p.split)) {
        if (has(p.second_digits, d)) break;
        free.push_back(d);
      }
      if (prefix_without_overlap(axis, AxisSpan(p.second)) != one_run(free, p.mesh)) {
        return "prefix_without_overlap";
      }
    }
    return "";
  });
}

TEST_CASE("axis lists: sorting and merging gives the longest parts in mesh order", "[sharding]") {
  int merged = 0;
  for_random_pairs([&](const Pair& p) -> std::string {
    AxisList list{AxisSpan(p.first)};
    sort_and_merge(list, p.mesh);
    Digits sorted = p.first_digits;
    std::sort(sorted.begin(), sorted.end());
    merged += list.size() < p.first.size();
    return vec(list) == runs(sorted, p.mesh) ? "" : "sort_and_merge";
  });
  CHECK(merged > 50);
}

TEST_CASE("axis lists: appending part by part rebuilds a list", "[sharding]") {
  for_random_pairs([](const Pair& p) -> std::string {
    AxisList list;
    for (const Digit& d : p.first_digits) {
      const bool full = d.pre == 1 && d.next == p.mesh.axes[d.axis].size;
      append_or_merge(list, full ? whole(p.mesh, d.axis) : part(d.axis, d.pre, d.next), p.mesh);
    }
    return vec(list) == p.first ? "" : "append_or_merge";
  });
}

}  // namespace shardprop
