// When two shardings mean the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

inline bool shards_no_dimension(const TensorSharding& s) {
  return std::all_of(s.dims.begin(), s.dims.end(),
                     [](const DimSharding& dim) { return dim.axes.empty(); });
}

// Whether two shardings put the same data on each device; none counts as replicated. Open or
// closed, priorities and replicated axes do not count.
inline bool is_same_placement(const std::optional<TensorSharding>& a, const TensorSharding& b) {
  const bool b_replicated = b.unreduced.empty() && shards_no_dimension(b);
  if (!a || (a->unreduced.empty() && shards_no_dimension(*a))) return b_replicated;
  if (a->mesh != b.mesh || a->unreduced != b.unreduced || a->rank() != b.rank()) return false;
  for (std::size_t i = 0; i < b.rank(); ++i) {
    if (a->dims[i].axes != b.dims[i].axes) return false;
  }
  return true;
}

}  // namespace shardprop
