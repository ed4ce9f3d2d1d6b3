// Which elements of a dimension each device needs that others have.
//
// Operand and result of an operation are split alike, into shards of `in_size` and `out_size`
// elements. Element i of the result comes from element (i * stride - low) / dilation of the operand:
// a slice has a stride and -low elements before it, a pad has `low` elements before the operand and
// dilation - 1 between two of its elements. A device needs those of a stretch, its footprint, some of
// which its neighbours have: the halo.
//
// Worked example, slice [3:8] of 8 elements on 4 devices: shards of 2 become shards of 2, of which
// the last two are short. Shard 0 is elements 3 and 4, which shards 1 and 2 have: two from the right.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/sharding/axis_list.hpp"

namespace shardprop::detail {

// One sharded dimension of an exchange.
struct HaloDim {
  std::size_t dim = 0;
  AxisList axes;  // those whose shards these are
  std::int64_t shards = 1;
  std::int64_t in_size = 0;
  std::int64_t out_size = 0;
  std::int64_t low = 0;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  // How far to the left and to the right the shards are of which some device needs elements.
  std::int64_t left = 0;
  std::int64_t right = 0;
  bool sends = false;      // not every device has all that it needs
  bool has_empty = false;  // some device needs nothing but padding
  // Whether some device has in its result, where there must be padding, what it would have received
  // from beyond the first shard, or the last.
  bool lacks_left = false;
  bool lacks_right = false;
  // By shard, where its footprint begins in its own shard; empty where that follows from the above.
  std::vector<std::int64_t> starts = {};

  // The size of the stretch that a device needs, holes of the dilation included.
  std::int64_t footprint() const { return out_size == 0 ? 0 : (out_size - 1) * stride + 1; }
  // Whether every shard of the result is the shard of the operand, and has elements.
  bool is_identity() const {
    return !sends && !has_empty && in_size == out_size && low == 0 && stride == 1 && dilation == 1;
  }
  // Whether neighbours are worth it: not where several hops bring nearly all there is.
  bool is_worth_it() const { return left + right + 1 < shards || (left <= 1 && right <= 1); }
};

// Finds what `dim`, whose operand has `size` elements without padding, exchanges.
inline void plan_halo(HaloDim& dim, std::int64_t size) {
  for (std::int64_t shard = 0; shard < dim.shards; ++shard) {
    const std::int64_t start = (shard * dim.out_size * dim.stride - dim.low) / dim.dilation;
    const std::int64_t first = std::max<std::int64_t>(0, start);
    const std::int64_t last = std::min(size - 1, start + dim.footprint() - 1);
    if (first > last) {
      dim.has_empty = true;
      continue;
    }
    const std::int64_t first_shard = first / dim.in_size;
    const std::int64_t last_shard = last / dim.in_size;
    dim.sends = dim.sends || first_shard != shard || last_shard != shard;
    dim.left = std::max(dim.left, shard - first_shard);
    dim.right = std::max(dim.right, last_shard - shard);
  }
}

// Whether a multiple of `step` is in [first, last].
constexpr bool has_multiple(std::int64_t first, std::int64_t last, std::int64_t step) {
  const std::int64_t rest = (first % step + step) % step;
  return first + (rest == 0 ? 0 : step - rest) <= last;
}

// Finds what `dim`, which was planned, lacks for a result of `size` elements.
inline void find_missing(HaloDim& dim, std::int64_t size) {
  const std::int64_t shard_step = dim.in_size * dim.dilation;
  for (std::int64_t shard = 0; shard < dim.shards; ++shard) {
    const std::int64_t end = std::min((shard + 1) * dim.out_size, size);
    const std::int64_t first = shard * dim.out_size * dim.stride - dim.low;
    const std::int64_t last = (end - 1) * dim.stride - dim.low;
    const std::int64_t left_end = (shard - dim.left) * shard_step;
    const std::int64_t right_end = (shard + dim.right + 1) * shard_step - 1;
    dim.lacks_left = dim.lacks_left || has_multiple(std::max(first, left_end),
                                                    std::min<std::int64_t>(last, -1), dim.dilation);
    dim.lacks_right = dim.lacks_right || has_multiple(std::max(first, dim.shards * shard_step),
                                                      std::min(last, right_end), dim.dilation);
  }
}

}  // namespace shardprop::detail
