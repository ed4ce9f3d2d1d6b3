// Groups of replicas that are given by axes of a mesh instead of lists of numbers, in MLIR text.
#pragma once

#include "shardprop/io/text/write/attribute.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/values.hpp"

namespace shardprop::detail {

// `<name = "x", size = 2>`, which is the opaque form of JSON.
inline bool write_mesh_axis(TextWriteContext& c, AttrId axis) {
  if (c.m.attrs.kind(axis) != AttrKind::kDict || c.m.attrs.entries(axis).size() != 1) return false;
  const AttrId text = field_of(c.m, axis, "opaque");
  if (c.m.attrs.kind(text) != AttrKind::kString) return false;
  c.out.append(c.m.strings[c.m.attrs.as_string(text)]);
  return true;
}

// `@mesh`, or `#stablehlo.mesh<axes = [<name = "x", size = 2>]>` with device ids where it has any.
inline bool write_mesh_of_groups(TextWriteContext& c, AttrId mesh) {
  if (c.m.attrs.kind(mesh) == AttrKind::kString) return write_symbol_of(c, mesh);
  if (c.m.attrs.kind(mesh) != AttrKind::kDict) return false;
  const AttrId axes = field_of(c.m, mesh, "axes");
  if (!axes.valid()) return false;
  c.out.append("#stablehlo.mesh<axes = ");
  if (!write_items(c, axes, write_mesh_axis)) return false;
  const AttrId ids = field_of(c.m, mesh, "device_ids");
  if (c.m.attrs.entries(mesh).size() != (ids.valid() ? 2u : 1u)) return false;
  if (ids.valid()) {
    if (c.m.attrs.kind(ids) != AttrKind::kInts) return false;
    c.out.append(", device_ids = dense<[");
    append_ints(c.out, c.m.attrs.as_ints(ids));
    c.out.append("]> : tensor<");
    append_integer(c.out, c.m.attrs.as_ints(ids).size());
    c.out.append("xi64>");
  }
  c.out += '>';
  return true;
}

// Whether `dict` has `key` first: the notation says the entries in one order.
inline bool begins_with(const Module& m, AttrId dict, std::string_view key) {
  const auto entries = m.attrs.entries(dict);
  return !entries.empty() && m.strings[entries[0].key] == key;
}

// `#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>`
inline bool write_axis_ref(TextWriteContext& c, AttrId axis) {
  if (c.m.attrs.kind(axis) != AttrKind::kDict || !begins_with(c.m, axis, "name")) return false;
  const AttrId name = field_of(c.m, axis, "name");
  if (c.m.attrs.kind(name) != AttrKind::kString) return false;
  c.out.append("#stablehlo.axis_ref<name = ");
  write_attribute(c, name);
  const AttrId part = field_of(c.m, axis, "sub_axis_info");
  if (c.m.attrs.entries(axis).size() != (part.valid() ? 2u : 1u)) return false;
  if (part.valid()) {
    if (c.m.attrs.kind(part) != AttrKind::kDict || c.m.attrs.entries(part).size() != 2 ||
        !begins_with(c.m, part, "pre_size"))
      return false;
    const AttrId before = field_of(c.m, part, "pre_size");
    const AttrId size = field_of(c.m, part, "size");
    if (!before.valid() || !size.valid()) return false;
    c.out.append(", sub_axis_info = (");
    if (!write_scalar(c, before, "i64", false)) return false;
    c.out += ')';
    if (!write_scalar(c, size, "i64", false)) return false;
  }
  c.out += '>';
  return true;
}

// `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>`
inline bool write_mesh_axes(TextWriteContext& c, AttrId value) {
  const AttrId mesh = field_of(c.m, value, "mesh");
  const AttrId axes = field_of(c.m, value, "axes");
  if (!mesh.valid() || !axes.valid() || c.m.attrs.entries(value).size() != 2) return false;
  c.out.append("#stablehlo.replica_group_mesh_axes<mesh = ");
  if (!write_mesh_of_groups(c, mesh)) return false;
  c.out.append(", axes = ");
  if (!write_items(c, axes, write_axis_ref)) return false;
  c.out += '>';
  return true;
}

}  // namespace shardprop::detail
