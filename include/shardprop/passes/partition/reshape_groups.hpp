// How the dimensions of a reshape belong together, and whether each device can do its part alone.
//
// A group is the least number of dimensions of operand and result that have the same number of
// elements. Worked example, 6x8 to 2x3x8: the groups are [6] and [2, 3], [8] and [8].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop::detail {

struct DimRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

struct ReshapeGroup {
  DimRange in;
  DimRange out;
};

inline std::vector<ReshapeGroup> reshape_groups(const Shape& in, const Shape& out) {
  std::vector<ReshapeGroup> groups;
  std::size_t i = 0;
  std::size_t o = 0;
  while (i < in.size() || o < out.size()) {
    ReshapeGroup group{{i, i}, {o, o}};
    std::int64_t in_count = i < in.size() ? in[i++] : 1;
    std::int64_t out_count = o < out.size() ? out[o++] : 1;
    while (in_count != out_count) {
      if (in_count < out_count && i < in.size()) {
        in_count *= in[i++];
      } else if (out_count < in_count && o < out.size()) {
        out_count *= out[o++];
      } else {
        break;
      }
    }
    group.in.end = i;
    group.out.end = o;
    groups.push_back(group);
  }
  return groups;
}

// The dimensions of `range` that have more than one element.
inline std::size_t count_large(const Shape& shape, DimRange range) {
  std::size_t count = 0;
  for (std::size_t d = range.begin; d < range.end; ++d) count += shape[d] != 1 ? 1 : 0;
  return count;
}

inline bool is_divisible(const Shape& shape, const TensorSharding& s, DimRange range) {
  for (std::size_t d = range.begin; d < range.end; ++d) {
    if (shape[d] % shard_count(s, d) != 0) return false;
  }
  return true;
}

inline AxisList axes_of(const TensorSharding& s, DimRange range) {
  AxisList axes;
  for (std::size_t d = range.begin; d < range.end; ++d) axes.append(s.dims[d].axes);
  return axes;
}

// Where an axis splits the elements of a tensor: `step` elements, in row-major order, from one of its
// shards to the next; or into `parts` before it does. A step rounds up, parts do not.
struct AxisPosition {
  AxisRef axis;
  std::int64_t step = 0;
  std::int64_t parts = 0;
  bool fills_dim = false;  // alone, element by element
};

enum class SplitBy : std::uint8_t { kStep, kParts };

// The positions of all axes in `range`, major to minor. Parts of one axis that follow each other by
// `measure` are merged; by kParts only those that fill their dimension, as in the reference.
inline std::vector<AxisPosition> axis_positions(const Shape& shape, const TensorSharding& s,
                                                const Mesh& mesh, DimRange range, SplitBy measure) {
  std::vector<AxisPosition> positions;
  std::int64_t parts = 1;
  std::int64_t elements = 1;
  for (std::size_t d = range.begin; d < range.end; ++d) elements *= shape[d];
  for (std::size_t d = range.begin; d < range.end; ++d) {
    elements = shape[d] == 0 ? 0 : elements / shape[d];  // of the dimensions after this one
    const std::int64_t shards = shard_count(s, d);
    std::int64_t before = 1;
    for (AxisRef axis : s.dims[d].axes) {
      AxisPosition at{axis, 0, parts * before, before == 1 && axis.size == shape[d]};
      before *= axis.size;
      at.step = elements * ceil_div(shape[d], shards) * (shards / before);
      AxisPosition* last = positions.empty() ? nullptr : &positions.back();
      const bool follows = last && can_merge(last->axis, axis) &&
                           (measure == SplitBy::kStep
                                ? last->step == at.step * axis.size
                                : last->fills_dim && at.parts == last->parts * last->axis.size);
      if (follows) {
        *last = {merge(last->axis, axis, mesh), at.step, last->parts, at.fills_dim};
      } else {
        positions.push_back(at);
      }
    }
    parts *= shape[d];
  }
  return positions;
}

// Whether operand and result are split in the same way: in the same order at the same places. By
// kStep a device then has the same elements of both, padding at the end of a dimension apart; by
// kParts it would have if all sizes divided.
inline bool is_split_alike(const Shape& in, const TensorSharding& from, DimRange in_dims,
                           const Shape& out, const TensorSharding& to, DimRange out_dims,
                           const Mesh& mesh, SplitBy measure) {
  const auto a = axis_positions(in, from, mesh, in_dims, measure);
  const auto b = axis_positions(out, to, mesh, out_dims, measure);
  return std::ranges::equal(a, b, [&](const AxisPosition& x, const AxisPosition& y) {
    return x.axis == y.axis && (measure == SplitBy::kStep ? x.step == y.step : x.parts == y.parts);
  });
}

}  // namespace shardprop::detail
