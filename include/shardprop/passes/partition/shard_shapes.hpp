// Sizes of shards. A dimension of n elements that is split s times has shards of ceil(n / s)
// elements; the last ones are short, or empty, where s does not divide n. Padding it to s times that
// size makes all shards full.
//
// Worked example: 10 elements on 4 devices are shards of 3, 3, 3 and 1; padded 12.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shardprop/ir/module.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop::detail {

// Of non-negative `a`.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

constexpr std::int64_t round_up(std::int64_t size, std::int64_t shards) {
  return ceil_div(size, shards) * shards;
}

inline std::int64_t shard_count(const TensorSharding& s, std::size_t dim) {
  return total_size(s.dims[dim].axes);
}

// `shape` with each dimension padded to a multiple of its shards. A dimension of an unknown size
// stays so.
inline Shape divisible_shape(std::span<const std::int64_t> shape, const TensorSharding& s) {
  Shape padded(shape.begin(), shape.end());
  for (std::size_t d = 0; d < padded.size() && d < s.rank(); ++d) {
    if (padded[d] != kDynamic) padded[d] = round_up(padded[d], shard_count(s, d));
  }
  return padded;
}

// The same for a type; anything but a tensor, and a tensor without a sharding, stays as it is.
inline TypeId divisible_type(Module& m, TypeId type, const TensorSharding* s) {
  if (!s || !m.types.is_tensor(type) || shards_no_dimension(*s)) return type;
  const Shape shape = divisible_shape(m.types.shape(type), *s);
  return std::ranges::equal(shape, m.types.shape(type)) ? type : with_shape(m, type, shape);
}

}  // namespace shardprop::detail
