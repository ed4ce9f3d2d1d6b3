// Lists of axis references, major to minor, as they shard one dimension or one factor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shardprop/sharding/axis_ref.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop {

using AxisList = SmallVector<AxisRef, 4>;
using AxisSpan = std::span<const AxisRef>;

inline bool equal(AxisSpan a, AxisSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// The number of shards that the axes make: the product of their sizes.
inline std::int64_t total_size(AxisSpan axes) {
  std::int64_t size = 1;
  for (AxisRef axis : axes) size *= axis.size;
  return size;
}

enum class PrefixOrder : std::uint8_t { kEqual, kStrictPrefix, kNotPrefix };

// Whether `first` shards as `second` does, only less far. The last axis of `first` may be a
// sub-axis that begins the axis of `second` in its place: [a, b:(1)2] is a strict prefix of [a, b].
inline PrefixOrder prefix_order(AxisSpan first, AxisSpan second) {
  if (first.size() > second.size()) return PrefixOrder::kNotPrefix;
  if (first.empty()) return second.empty() ? PrefixOrder::kEqual : PrefixOrder::kStrictPrefix;
  const std::size_t last = first.size() - 1;
  if (!equal(first.first(last), second.first(last))) return PrefixOrder::kNotPrefix;
  if (first[last] == second[last]) {
    return first.size() == second.size() ? PrefixOrder::kEqual : PrefixOrder::kStrictPrefix;
  }
  return is_prefix(first[last], second[last]) ? PrefixOrder::kStrictPrefix
                                              : PrefixOrder::kNotPrefix;
}

inline bool is_strict_prefix(AxisSpan first, AxisSpan of) {
  return prefix_order(first, of) == PrefixOrder::kStrictPrefix;
}

inline bool overlaps(AxisSpan a, AxisSpan b) {
  for (AxisRef x : a) {
    for (AxisRef y : b) {
      if (overlaps(x, y)) return true;
    }
  }
  return false;
}

// The longest prefix of `axis` that overlaps none of `others`.
inline std::optional<AxisRef> prefix_without_overlap(AxisRef axis, AxisSpan others) {
  std::optional<AxisRef> rest = axis;
  for (AxisRef other : others) {
    rest = prefix_without_overlap(*rest, other);
    if (!rest) break;
  }
  return rest;
}

// The longest list that is a prefix of both; the last axis may be cut to a sub-axis.
inline AxisList common_prefix(AxisSpan a, AxisSpan b) {
  AxisList prefix;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::optional<AxisRef> shared = common_prefix(a[i], b[i]);
    if (shared) prefix.push_back(*shared);
    if (a[i] != b[i]) break;
  }
  return prefix;
}

// Cuts `axes` before the first overlap with `others`.
inline void truncate_at_overlap(AxisList& axes, AxisSpan others) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::optional<AxisRef> rest = prefix_without_overlap(axes[i], others);
    if (rest && *rest == axes[i]) continue;
    axes.truncate(rest ? i + 1 : i);
    if (rest) axes[i] = *rest;
    return;
  }
}

// Appends `axis`, merged into the last one where the two are consecutive sub-axes.
inline void append_or_merge(AxisList& axes, AxisRef axis, const Mesh& mesh) {
  if (!axes.empty() && can_merge(axes.back(), axis)) {
    axes.back() = merge(axes.back(), axis, mesh);
  } else {
    axes.push_back(axis);
  }
}

// Brings axes that do not overlap to the order of the mesh and merges consecutive sub-axes.
inline void sort_and_merge(AxisList& axes, const Mesh& mesh) {
  std::ranges::sort(axes);
  AxisList merged;
  for (AxisRef axis : axes) append_or_merge(merged, axis, mesh);
  axes = merged;
}

// The parts of `axes` that overlap none of `removed`, in the order of `axes`.
inline AxisList difference(AxisSpan axes, AxisSpan removed) {
  AxisList out;
  for (AxisRef axis : axes) {
    std::optional<AxisRef> rest = axis;
    while (rest) {
      const AxisRef* first = nullptr;
      for (const AxisRef& other : removed) {
        if (overlaps(*rest, other) && (!first || other < *first)) first = &other;
      }
      if (!first) {
        out.push_back(*rest);
        break;
      }
      if (auto before = prefix_without_overlap(*rest, *first)) out.push_back(*before);
      rest = suffix_without_overlap(*rest, *first);
    }
  }
  return out;
}

}  // namespace shardprop
