// A tensor sharding with its mesh and axes by name, as plain data of its own. This is the form for
// code outside of a module: a framework's own program, a printed table, a test.
//
// Worked example: `<@mesh, [{"data", "model":(1)2}, {?}p1]>` is the mesh `mesh`, dimension 0 with the
// axes `data` and `model:(1)2`, and dimension 1 without axes, open, of priority 1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

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

namespace detail {

inline NamedAxes named_axes(AxisSpan axes, const Mesh& mesh) {
  NamedAxes names;
  for (AxisRef axis : axes) {
    names.push_back(to_string(axis, mesh));
  }
  return names;
}

// `x:(1)2` in the sdy notation: `"x":(1)2`.
inline std::string quoted_name(std::string_view axis) {
  const std::size_t part = std::min(axis.rfind(":("), axis.size());
  return detail::quoted(axis.substr(0, part)).append(axis.substr(part));
}

inline std::string quoted_names(const NamedAxes& axes) { return comma_list(axes, quoted_name); }

inline AxisList find_axes(const NamedAxes& names, const Mesh& mesh, Diagnostics& errors) {
  AxisList axes;
  for (const std::string& name : names) {
    if (const Result<AxisRef> axis = parse_axis_ref(name, mesh)) {
      axes.push_back(*axis);
    } else {
      errors.push_back(axis.errors().front());
    }
  }
  return axes;
}

// The mesh that `name` stands for. One without a name is added to `meshes`.
inline Result<MeshId> find_mesh(std::string_view name, MeshTable& meshes) {
  if (name.starts_with("mesh<")) {
    Result<Mesh> inlined = parse_mesh(name);
    if (!inlined) return std::move(inlined.errors());
    return meshes.add(*std::move(inlined));
  }
  if (const MeshId found = meshes.find(name); found.valid()) return found;
  return Diagnostic{"sharding.unknown_mesh", fmt::format("there is no mesh {}", mesh_symbol(name)),
                    "add the mesh before the shardings that name it"};
}

}  // namespace detail

// The sdy notation, as of a TensorSharding.
inline std::string to_string(const NamedSharding& s) {
  std::string dims;
  for (const NamedDim& dim : s.dims) {
    std::string axes = detail::quoted_names(dim.axes);
    if (dim.open) axes += axes.empty() ? "?" : ", ?";
    dims += fmt::format("{}{{{}}}", dims.empty() ? "" : ", ", axes);
    if (dim.priority != kNoPriority) dims += fmt::format("p{}", dim.priority);
  }
  const bool inlined = s.mesh.starts_with("mesh<");
  std::string out = fmt::format("<{}, [{}]", inlined ? s.mesh : detail::mesh_symbol(s.mesh), dims);
  if (!s.replicated.empty())
    out += fmt::format(", replicated={{{}}}", detail::quoted_names(s.replicated));
  if (!s.unreduced.empty()) {
    out += fmt::format(", unreduced={}{{{}}}",
                       s.reduction == ReductionOp::kSum ? "" : to_string(s.reduction),
                       detail::quoted_names(s.unreduced));
  }
  return out + '>';
}

// The names of a sharding. A mesh or an axis that is not in `meshes` has no name: the mesh is then
// empty, the axis `#` and its number. O(size of the sharding).
inline NamedSharding named(const TensorSharding& sharding, const MeshTable& meshes) {
  static const Mesh kNoMesh;
  const bool known = sharding.mesh.index < meshes.size();
  const Mesh& mesh = known ? meshes[sharding.mesh] : kNoMesh;
  NamedSharding out;
  if (known) out.mesh = mesh.name.empty() ? "mesh" + to_string(mesh) : mesh.name;
  for (const DimSharding& dim : sharding.dims)
    out.dims.push_back({detail::named_axes(dim.axes, mesh), dim.open, dim.priority});
  out.replicated = detail::named_axes(sharding.replicated, mesh);
  out.unreduced = detail::named_axes(sharding.unreduced, mesh);
  out.reduction = sharding.reduction;
  return out;
}

// The sharding that names stand for. Errors, without a place: `sharding.unknown_mesh` and those of
// `parse_axis_ref`. What the axes mean together is for `verify_sharding`.
inline Result<TensorSharding> sharding_from_names(const NamedSharding& names, MeshTable& meshes) {
  const Result<MeshId> mesh = detail::find_mesh(names.mesh, meshes);
  if (!mesh) return mesh.errors();
  Diagnostics errors;
  const auto axes = [&](const NamedAxes& list) {
    return detail::find_axes(list, meshes[*mesh], errors);
  };
  TensorSharding out;
  out.mesh = *mesh;
  for (const NamedDim& dim : names.dims)
    out.dims.push_back({axes(dim.axes), dim.open, dim.priority});
  out.replicated = axes(names.replicated);
  out.unreduced = axes(names.unreduced);
  out.reduction = names.reduction;
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace shardprop
