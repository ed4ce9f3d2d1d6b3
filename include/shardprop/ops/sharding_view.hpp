// What the sharding of a value means to a reader: the mesh and the axes by name, and the part that
// each device holds. `sharding_of` gives it for a value or a result of a function; it is a copy, so
// that it outlives the module.
//
// Worked example: f32 of 8x6 as `<@mesh, [{"data"}, {"model"}]>` on data=2, model=4 has the local
// shape 4x2 and 32 local bytes. 6 columns do not divide by 4, so that a device holds at most 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/named_sharding.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/inline.hpp"

namespace shardprop {

struct ShardingView : NamedSharding {
  std::vector<std::int64_t> local_shape;  // of the largest part; kDynamic where it is not known
  std::int64_t local_bytes = 0;           // of that part; 0 where the size is not known
  bool is_replicated = false;             // every device of the mesh holds the whole value

  friend bool operator==(const ShardingView&, const ShardingView&) = default;
};

// `<@mesh, [{"data"}, {}]>`, or `none` for a value without a sharding.
SHARDPROP_INLINE std::string to_string(const std::optional<ShardingView>& view);

// The sharding of `value`, wherever it is kept. None where the value has no sharding, and where
// `value` is not a value of `m`. O(size of the sharding).
SHARDPROP_INLINE std::optional<ShardingView> sharding_of(const Module& m, ValueId value);

// The sharding of result `number` of `func`; none where it has no sharding or does not exist.
SHARDPROP_INLINE std::optional<ShardingView> sharding_of(const Module& m, FuncId func,
                                                         std::size_t number);

namespace detail {

// The bytes of a tensor of the element type of `type`; a boolean is a byte. 0 where the shape or the
// element type is not known.
SHARDPROP_INLINE double bytes_of(const Module& m, TypeId type, std::span<const std::int64_t> shape);

// The view of a sharding of a tensor of `type`.
SHARDPROP_INLINE ShardingView view_of(const Module& m, TypeId type, const TensorSharding& s);

// The bytes of a device's part of `value`, where it has sharding `s`. A part of a dimension is
// rounded up; a boolean is a byte. 0 where the shape or the element type is not known.
SHARDPROP_INLINE double local_bytes(const Module& m, ValueId value, const TensorSharding& s);

}  // namespace detail

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/sharding_view_inl.hpp"
#endif
