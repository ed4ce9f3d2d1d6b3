// A reference to a mesh axis or to a part of one, and the algebra of such references.
//
// A sub-axis `x:(p)s` of an axis x of size n is what is left of x after its major part of size p
// was split off, cut to size s. With the axis seen as nested digits, major to minor, it covers the
// stretch from p to p*s; the whole axis covers 1 to n. Worked example, x of size 8 = 2*2*2: x:(1)2
// is the major digit, x:(2)2 the middle one, x:(2)4 the two minor ones, so x:(2)2 is a prefix of
// x:(2)4, x:(1)2 and x:(2)4 do not overlap and merge to x.
//
// All functions take references to the same mesh and are O(1).
#pragma once

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstdint>
#include <optional>

#include "shardprop/sharding/mesh.hpp"

namespace shardprop {

// Axis number `axis` of a mesh, from `pre_size` on, `size` wide. `is_full` marks the whole axis
// (then `pre_size` is 1). The order is that of the mesh, then major to minor.
struct AxisRef {
  std::uint16_t axis = 0;
  std::uint16_t is_full = 0;
  std::int32_t pre_size = 1;
  std::int32_t size = 1;

  std::int64_t next_pre_size() const { return std::int64_t{pre_size} * size; }
  friend constexpr bool operator==(const AxisRef&, const AxisRef&) = default;
  friend constexpr std::strong_ordering operator<=>(const AxisRef& a, const AxisRef& b) {
    if (a.axis != b.axis) return a.axis <=> b.axis;
    if (a.pre_size != b.pre_size) return a.pre_size <=> b.pre_size;
    return a.size <=> b.size;
  }
};

inline AxisRef full_axis(const Mesh& mesh, std::size_t axis) {
  return {static_cast<std::uint16_t>(axis), 1, 1, static_cast<std::int32_t>(mesh.axes[axis].size)};
}

// A part of an axis; sizes are positive, and the part is smaller than the axis.
constexpr AxisRef sub_axis(std::size_t axis, std::int64_t pre_size, std::int64_t size) {
  return {static_cast<std::uint16_t>(axis), 0, static_cast<std::int32_t>(pre_size),
          static_cast<std::int32_t>(size)};
}

// Whether every device group that `b` distinguishes is within what `a` distinguishes.
inline bool contains(AxisRef a, AxisRef b) {
  return a.axis == b.axis && a.pre_size <= b.pre_size && a.next_pre_size() >= b.next_pre_size();
}

inline bool is_prefix(AxisRef a, AxisRef of) {
  return contains(of, a) && a.pre_size == of.pre_size;
}
inline bool is_strict_prefix(AxisRef a, AxisRef of) { return a != of && is_prefix(a, of); }
inline bool is_suffix(AxisRef a, AxisRef of) {
  return contains(of, a) && a.next_pre_size() == of.next_pre_size();
}

inline bool overlaps(AxisRef a, AxisRef b) {
  if (a.axis != b.axis) return false;
  if (a.is_full || b.is_full) return true;
  return a.pre_size < b.next_pre_size() && b.pre_size < a.next_pre_size();
}

// Whether one split of the axis into nested digits can hold both: x:(1)2 and x:(1)3 of an axis of
// size 6 cannot.
inline bool can_coexist(AxisRef a, AxisRef b) {
  if (a.axis != b.axis || a.is_full || b.is_full) return true;
  // Of two arguments std::minmax would return references to temporaries.
  const auto [min_pre, max_pre] = std::minmax<std::int64_t>({a.pre_size, b.pre_size});
  const auto [min_next, max_next] = std::minmax({a.next_pre_size(), b.next_pre_size()});
  if (min_next <= max_pre) return max_pre % min_next == 0;  // disjoint: the gap must be a digit
  return min_next % max_pre == 0 && max_pre % min_pre == 0 && max_next % min_next == 0;
}

// What both have in common, if they overlap and can coexist.
inline std::optional<AxisRef> overlap(AxisRef a, AxisRef b) {
  if (!overlaps(a, b) || !can_coexist(a, b)) return std::nullopt;
  if (a.is_full) return b;
  if (b.is_full) return a;
  const std::int64_t pre = std::max(a.pre_size, b.pre_size);
  const std::int64_t next = std::min(a.next_pre_size(), b.next_pre_size());
  return sub_axis(a.axis, pre, next / pre);
}

// The longest prefix of `a` that does not overlap `b`; none if that is empty or the two cannot
// coexist.
inline std::optional<AxisRef> prefix_without_overlap(AxisRef a, AxisRef b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (!overlaps(a, b)) return a;
  if (a.pre_size >= b.pre_size) return std::nullopt;
  return sub_axis(a.axis, a.pre_size, b.pre_size / a.pre_size);
}

// The longest suffix of `a` that does not overlap `b`; none if that is empty or the two cannot
// coexist.
inline std::optional<AxisRef> suffix_without_overlap(AxisRef a, AxisRef b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (!overlaps(a, b)) return a;
  if (a.next_pre_size() <= b.next_pre_size()) return std::nullopt;
  return sub_axis(a.axis, b.next_pre_size(), a.next_pre_size() / b.next_pre_size());
}

// The shorter of the two, if it is a prefix of the other and the two can coexist.
inline std::optional<AxisRef> common_prefix(AxisRef a, AxisRef b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (is_prefix(a, b)) return a;
  if (is_prefix(b, a)) return b;
  return std::nullopt;
}

// Whether `minor` begins where `major` ends, so that the two are one (sub-)axis.
inline bool can_merge(AxisRef major, AxisRef minor) {
  return major.axis == minor.axis && !major.is_full && !minor.is_full &&
         major.next_pre_size() == minor.pre_size;
}

inline AxisRef merge(AxisRef major, AxisRef minor, const Mesh& mesh) {
  assert(can_merge(major, minor));
  const std::int64_t size = std::int64_t{major.size} * minor.size;
  if (mesh.axes[major.axis].size == size) return full_axis(mesh, major.axis);
  return sub_axis(major.axis, major.pre_size, size);
}

}  // namespace shardprop
