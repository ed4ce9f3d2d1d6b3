// How one tensor is split over a mesh: an axis list per dimension, axes along which it must stay
// replicated, and axes along which its shards are still to be reduced.
//
// `TensorSharding` is the form that is built and edited; a module stores each distinct one once
// (`ShardingTable`) and names it by a `ShardingId`, so that equality is equality of ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/interner.hpp"

namespace shardprop {

struct ShardingTag;
using ShardingId = Id<ShardingTag>;

enum class ReductionOp : std::uint8_t { kSum, kMax, kMin };

constexpr std::int32_t kNoPriority = -1;

// The sharding of one dimension. An open dimension may be sharded further by propagation, a closed
// one may not. Priority 0 is propagated first; a dimension without a priority is of priority 0.
struct DimSharding {
  AxisList axes;
  bool open = false;
  std::int32_t priority = kNoPriority;

  std::int32_t priority_or_default() const { return priority == kNoPriority ? 0 : priority; }
  friend bool operator==(const DimSharding&, const DimSharding&) = default;
};

struct TensorSharding {
  MeshId mesh;
  std::vector<DimSharding> dims;
  AxisList replicated;  // in the order of the mesh
  AxisList unreduced;   // in the order of the mesh
  ReductionOp reduction = ReductionOp::kSum;

  std::size_t rank() const { return dims.size(); }
  friend bool operator==(const TensorSharding&, const TensorSharding&) = default;
};

// Replicated and unreduced axes do not count.
inline bool shards_no_dimension(const TensorSharding& s) {
  return std::ranges::all_of(s.dims, [](const DimSharding& dim) { return dim.axes.empty(); });
}

// No axes anywhere: every dimension replicated, none of it by force.
inline bool has_no_axes(const TensorSharding& s) {
  return s.replicated.empty() && s.unreduced.empty() && shards_no_dimension(s);
}

inline bool is_fully_open(const TensorSharding& s) {
  return has_no_axes(s) &&
         std::ranges::all_of(s.dims, [](const DimSharding& dim) { return dim.open; });
}

// Whether every device has all of the tensor.
inline bool is_replicated(const TensorSharding& s) {
  return s.unreduced.empty() && shards_no_dimension(s);
}

// Whether two shardings put the same data on each device. Open or closed, priorities and replicated
// axes do not count, nor the mesh where both are replicated.
inline bool is_same_placement(const TensorSharding& a, const TensorSharding& b) {
  if (is_replicated(a) || is_replicated(b)) return is_replicated(a) && is_replicated(b);
  return a.mesh == b.mesh && a.unreduced == b.unreduced &&
         std::ranges::equal(a.dims, b.dims, {}, &DimSharding::axes, &DimSharding::axes);
}
// As above; no sharding counts as replicated.
inline bool is_same_placement(const std::optional<TensorSharding>& a, const TensorSharding& b) {
  return a ? is_same_placement(*a, b) : is_replicated(b);
}

// A sharding without axes whose dimensions are all open, or all closed.
inline TensorSharding replicated_sharding(MeshId mesh, std::size_t rank, bool open) {
  TensorSharding s;
  s.mesh = mesh;
  s.dims.assign(rank, DimSharding{{}, open, kNoPriority});
  return s;
}

inline TensorSharding open_sharding(MeshId mesh, std::size_t rank) {
  return replicated_sharding(mesh, rank, true);
}
inline TensorSharding closed_sharding(MeshId mesh, std::size_t rank) {
  return replicated_sharding(mesh, rank, false);
}

// Calls `fn(AxisRef)` for each axis of the dimensions, then the replicated, then the unreduced
// ones.
template <class Fn>
void for_each_axis(const TensorSharding& s, Fn&& fn) {
  for (const DimSharding& dim : s.dims) {
    for (AxisRef axis : dim.axes) fn(axis);
  }
  for (AxisRef axis : s.replicated) fn(axis);
  for (AxisRef axis : s.unreduced) fn(axis);
}

inline std::uint64_t hash_axes(std::uint64_t seed, AxisSpan axes) {
  seed = hash_mix(seed, axes.size());
  for (AxisRef a : axes) {
    const std::uint64_t place =
        (std::uint64_t{a.axis} << 32) | static_cast<std::uint32_t>(a.pre_size);
    seed = hash_mix(hash_mix(seed, place), static_cast<std::uint64_t>(a.size));
  }
  return seed;
}

inline std::uint64_t hash_value(const TensorSharding& s) {
  std::uint64_t h = hash_mix(s.mesh.index, s.dims.size());
  for (const DimSharding& dim : s.dims) {
    h = hash_mix(hash_axes(h, dim.axes),
                 static_cast<std::uint64_t>(dim.priority) * 2 + (dim.open ? 1 : 0));
  }
  h = hash_axes(hash_axes(h, s.replicated), s.unreduced);
  return hash_mix(h, static_cast<std::uint64_t>(s.reduction));
}

// The distinct shardings of a module. Interning is O(size of the sharding).
using ShardingTable = Interner<ShardingId, TensorSharding>;

}  // namespace shardprop
