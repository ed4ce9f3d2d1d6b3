// Definitions of sharding_view.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/named_sharding.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

SHARDPROP_INLINE std::string to_string(const std::optional<ShardingView>& view) {
  return view ? to_string(static_cast<const NamedSharding&>(*view)) : "none";
}

namespace detail {

// A part of a dimension is rounded up.
inline std::vector<std::int64_t> local_shape(std::span<const std::int64_t> shape,
                                             const TensorSharding& s) {
  std::vector<std::int64_t> local(shape.begin(), shape.end());
  for (std::size_t d = 0; d < local.size() && d < s.rank(); ++d) {
    const std::int64_t shards = total_size(s.dims[d].axes);
    if (local[d] > 0 && shards > 1) local[d] = (local[d] - 1) / shards + 1;
  }
  return local;
}

SHARDPROP_INLINE double bytes_of(const Module& m, TypeId type, std::span<const std::int64_t> shape) {
  if (!m.types.is_static_tensor(type)) return 0;
  const ElementType element = parse_element_type(m.strings[m.types.dtype(type)]);
  double bits = element.kind == kBool ? 8 : element.bits;
  for (std::int64_t size : shape) bits *= static_cast<double>(size);
  return bits / 8;
}

SHARDPROP_INLINE double local_bytes(const Module& m, ValueId value, const TensorSharding& s) {
  return bytes_of(m, type_of(m, value), local_shape(shape_of(m, value), s));
}

SHARDPROP_INLINE ShardingView view_of(const Module& m, TypeId type, const TensorSharding& s) {
  ShardingView view;
  static_cast<NamedSharding&>(view) = named(s, m.meshes);
  view.local_shape = local_shape(m.types.shape(type), s);
  const double bytes = std::ceil(bytes_of(m, type, view.local_shape));
  view.local_bytes =
      bytes < 9e18 ? static_cast<std::int64_t>(bytes) : std::numeric_limits<std::int64_t>::max();
  const bool one_device = s.mesh.index < m.meshes.size() && m.meshes[s.mesh].is_maximal();
  const bool whole = std::all_of(s.dims.begin(), s.dims.end(),
                                 [](const DimSharding& dim) { return total_size(dim.axes) == 1; });
  view.is_replicated = whole && s.unreduced.empty() && !one_device;
  return view;
}

}  // namespace detail

SHARDPROP_INLINE std::optional<ShardingView> sharding_of(const Module& m, ValueId value) {
  if (value.index >= m.values.size()) return std::nullopt;
  const std::optional<TensorSharding> sharding = tensor_sharding_of(m, value);
  if (!sharding) return std::nullopt;
  return detail::view_of(m, type_of(m, value), *sharding);
}

SHARDPROP_INLINE std::optional<ShardingView> sharding_of(const Module& m, FuncId func,
                                                         std::size_t number) {
  if (func.index >= m.funcs.size() || number >= m.funcs[func].results.size()) return std::nullopt;
  const FuncResult& result = m.funcs[func].results[number];
  if (result.sharding.index >= m.shardings.size()) return std::nullopt;
  return detail::view_of(m, result.type, m.shardings[result.sharding]);
}

}  // namespace shardprop
