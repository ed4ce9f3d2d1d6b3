// Cuts reshards in two where no chain of collectives leads from one sharding to the other by way of parts
// of equal sizes: first what both have in common is gathered, then it is sliced. O(reshards).
//
// Worked example: 6 elements from {x} of size 2 to {y} of size 3 by an exchange would go through {x, y}, of
// which 6 has 6 parts; 2 x 2 from {x} to {x2} of another mesh would need a permutation of devices that no
// mesh describes. Both go by way of all elements on each device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Whether a dimension of `size` stays even while its axes go from `from` to `to`.
inline bool stays_even(std::int64_t size, AxisSpan from, AxisSpan to) {
  if (size == kDynamic || equal(from, to)) return true;
  return size % (total_size(from) * total_size(difference(to, from))) == 0;
}

// What a reshard goes by way of; none where it can go directly.
inline std::optional<TensorSharding> way_of_reshard(const Module& m, ValueId value,
                                                    const TensorSharding& from,
                                                    const TensorSharding& to) {
  const auto shape = shape_of(m, value);
  TensorSharding way = from;
  if (!m.meshes[from.mesh].has_axes_of(m.meshes[to.mesh])) {
    if (shards_no_dimension(from)) return std::nullopt;
    for (DimSharding& dim : way.dims) dim.axes.clear();
    return way;
  }
  bool even = true;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    even = even && stays_even(shape[d], from.dims[d].axes, to.dims[d].axes);
    way.dims[d].axes = common_prefix(from.dims[d].axes, to.dims[d].axes);
  }
  if (even || way.dims == from.dims || way.dims == to.dims) return std::nullopt;
  return way;
}

}  // namespace detail

inline Result<bool> split_reshards(Module& m) {
  bool changed = false;
  for (OpId op : preorder(m)) {
    if (m.ops[op].name != known::kSdyReshard) continue;
    const ValueId value = operand(m, op, 0);
    const auto from = tensor_sharding_of(m, value);
    const auto to = tensor_sharding_of(m, result(m, op, 0));
    if (!from || !to || m.meshes[from->mesh].is_maximal() || m.meshes[to->mesh].is_maximal())
      continue;
    const auto way = detail::way_of_reshard(m, value, *from, *to);
    if (!way) continue;
    set_operand(
        m, op, 0,
        create_op_on(m, before(m, op), known::kSdyReshard, value, m.shardings.intern(*way)));
    changed = true;
  }
  return changed;
}

}  // namespace shardprop
