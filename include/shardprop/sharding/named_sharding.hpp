// A tensor sharding with its mesh and axes by name, as plain data of its own. This is the form for
// code outside of a module: a framework's own program, a printed table, a test.
//
// Worked example: `<@mesh, [{"data", "model":(1)2}, {?}p1]>` is the mesh `mesh`, dimension 0 with the
// axes `data` and `model:(1)2`, and dimension 1 without axes, open, of priority 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Axes are `x`, or `x:(pre-size)size` for a part of an axis.
using NamedAxes = std::vector<std::string>;

// The fields mean what those of DimSharding do.
struct NamedDim {
  NamedAxes axes;
  bool open = false;
  std::int32_t priority = kNoPriority;

  friend bool operator==(const NamedDim&, const NamedDim&) = default;
};

// The fields mean what those of TensorSharding do. `mesh` is the name of a mesh, or the text
// `mesh<["x"=2]>` of one that has no name.
struct NamedSharding {
  std::string mesh;
  std::vector<NamedDim> dims;
  NamedAxes replicated = {};
  NamedAxes unreduced = {};
  ReductionOp reduction = ReductionOp::kSum;

  friend bool operator==(const NamedSharding&, const NamedSharding&) = default;
};

// The sdy notation, as of a TensorSharding.
SHARDPROP_INLINE std::string to_string(const NamedSharding& s);

// The names of a sharding. A mesh or an axis that is not in `meshes` has no name: the mesh is then
// empty, the axis `#` and its number. O(size of the sharding).
SHARDPROP_INLINE NamedSharding named(const TensorSharding& sharding, const MeshTable& meshes);

// The sharding that names stand for. Errors, without a place: `sharding.unknown_mesh` and those of
// `parse_axis_ref`. What the axes mean together is for `verify_sharding`.
SHARDPROP_INLINE Result<TensorSharding> sharding_from_names(const NamedSharding& names,
                                                            MeshTable& meshes);

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/sharding/named_sharding_inl.hpp"
#endif
