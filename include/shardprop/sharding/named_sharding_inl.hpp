// Definitions of named_sharding.hpp.
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
#include "shardprop/sharding/named_sharding.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

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

SHARDPROP_INLINE std::string to_string(const NamedSharding& s) {
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

SHARDPROP_INLINE NamedSharding named(const TensorSharding& sharding, const MeshTable& meshes) {
  static const Mesh kNoMesh;
  const bool known = sharding.mesh.index < meshes.size();
  const Mesh& mesh = known ? meshes[sharding.mesh] : kNoMesh;
  NamedSharding out;
  if (known) out.mesh = mesh.name.empty() ? fmt::format("mesh{}", to_string(mesh)) : mesh.name;
  for (const DimSharding& dim : sharding.dims)
    out.dims.push_back({detail::named_axes(dim.axes, mesh), dim.open, dim.priority});
  out.replicated = detail::named_axes(sharding.replicated, mesh);
  out.unreduced = detail::named_axes(sharding.unreduced, mesh);
  out.reduction = sharding.reduction;
  return out;
}

SHARDPROP_INLINE Result<TensorSharding> sharding_from_names(const NamedSharding& names,
                                                            MeshTable& meshes) {
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
