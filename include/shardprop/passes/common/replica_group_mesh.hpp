// The mesh that `replica_groups` of a StableHLO collective carry inline: `{"axes": [...]}`, with
// `"device_ids": [...]` where they are not 0, 1, ...; an axis being an object or, in StableHLO's
// own notation, the text `<name = "x", size = 4>`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/mesh.hpp"

namespace shardprop::detail {

// Reads `<name = "x", size = 4>`.
inline std::optional<MeshAxis> mesh_axis_from_text(std::string_view text) {
  constexpr std::string_view kName = "<name = \"";
  constexpr std::string_view kSize = "\", size = ";
  if (!text.starts_with(kName)) return std::nullopt;
  text.remove_prefix(kName.size());
  const std::size_t end = text.find(kSize);
  if (end == std::string_view::npos) return std::nullopt;
  MeshAxis axis{std::string(text.substr(0, end)), 0};
  text.remove_prefix(end + kSize.size());
  if (text.size() < 2 || text.size() > 18 || text.back() != '>') return std::nullopt;
  text.remove_suffix(1);
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    axis.size = axis.size * 10 + (c - '0');
  }
  return axis;
}

inline std::optional<MeshAxis> replica_group_axis(const Module& m, AttrId attr) {
  if (m.attrs.kind(attr) != AttrKind::kDict) return std::nullopt;
  const StringId opaque = m.attrs.string_or_none(m.attrs.find(attr, key::kOpaque));
  if (opaque.valid()) return mesh_axis_from_text(m.strings[opaque]);
  const StringId name = m.attrs.string_or_none(m.attrs.find(attr, key::kName));
  const AttrId size = m.attrs.find(attr, m.strings.find("size"));
  if (!name.valid() || m.attrs.kind(size) != AttrKind::kInt) return std::nullopt;
  return MeshAxis{std::string(m.strings[name]), m.attrs.as_int(size)};
}

// None where `attr` is not such a mesh.
inline std::optional<Mesh> replica_group_mesh(const Module& m, AttrId attr) {
  if (m.attrs.kind(attr) != AttrKind::kDict) return std::nullopt;
  const AttrId axes = m.attrs.find(attr, key::kAxes);
  if (m.attrs.kind(axes) != AttrKind::kList) return std::nullopt;
  Mesh mesh;
  for (AttrId item : m.attrs.items(axes)) {
    const std::optional<MeshAxis> axis = replica_group_axis(m, item);
    if (!axis) return std::nullopt;
    mesh.axes.push_back(*axis);
  }
  const AttrId devices = m.attrs.find(attr, key::kDeviceIds);
  if (!devices.valid()) return mesh;
  if (m.attrs.kind(devices) != AttrKind::kInts) return std::nullopt;
  const auto ids = m.attrs.as_ints(devices);
  mesh.device_ids.assign(ids.begin(), ids.end());
  return mesh;
}

}  // namespace shardprop::detail
