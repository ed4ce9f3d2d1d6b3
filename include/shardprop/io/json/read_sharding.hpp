// Meshes and tensor shardings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/read_fields.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/sharding/verify_sharding.hpp"

namespace shardprop::detail {

inline void read_mesh_axes(ReadContext& c, NodeId list, Mesh& mesh) {
  if (!expect_list(c, list, "the axes")) return;
  for (NodeId item : c.tape.items(list)) {
    ObjectFields fields;
    if (!collect_fields(c, item, kAxisObject, fields)) continue;
    const auto name = read_name(c, fields[Field::kName], "the name of an axis");
    const auto size = read_int(c, fields[Field::kSize], "the size of an axis");
    if (name && size) mesh.axes.push_back({std::string(*name), *size});
  }
}

inline void read_device_ids(ReadContext& c, NodeId list, Mesh& mesh) {
  if (!expect_list(c, list, "the device ids")) return;
  for (NodeId item : c.tape.items(list)) {
    if (const auto id = read_int(c, item, "a device id")) mesh.device_ids.push_back(*id);
  }
}

// A mesh that is well-formed, or nothing.
inline std::optional<Mesh> read_mesh(ReadContext& c, NodeId at, const ObjectSpec& spec) {
  const std::size_t before = c.error_count;
  ObjectFields fields;
  if (!collect_fields(c, at, spec, fields)) return std::nullopt;
  Mesh mesh;
  if (fields.has(Field::kName)) {
    if (const auto name = read_name(c, fields[Field::kName], "the name of a mesh"))
      mesh.name = std::string(*name);
  }
  read_mesh_axes(c, fields[Field::kAxes], mesh);
  if (fields.has(Field::kDeviceIds)) read_device_ids(c, fields[Field::kDeviceIds], mesh);
  if (c.error_count != before) return std::nullopt;
  if (checked_device_count(mesh) > 0) normalize(mesh);
  Diagnostics wrong;
  verify_mesh(mesh, Place(), wrong);
  report_all(c, at, wrong);
  if (c.error_count != before) return std::nullopt;
  return mesh;
}

inline void read_meshes(ReadContext& c, NodeId list) {
  if (!expect_list(c, list, "meshes")) return;
  for (NodeId item : c.tape.items(list)) {
    auto mesh = read_mesh(c, item, kMeshObject);
    if (!mesh) continue;
    if (c.m.meshes.find(mesh->name).valid()) {
      report(c, item, "json.duplicate_mesh",
             fmt::format("two meshes are called \"{}\"", mesh->name),
             "give each mesh a name of its own");
      continue;
    }
    c.m.meshes.add(std::move(*mesh));
  }
}

// The mesh of a sharding: a name or an inlined mesh. None after a diagnostic.
inline MeshId read_mesh_reference(ReadContext& c, NodeId at) {
  if (c.tape.kind(at) == JsonKind::kObject) {
    auto mesh = read_mesh(c, at, kInlineMeshObject);
    return mesh ? c.m.meshes.add(std::move(*mesh)) : MeshId();
  }
  if (c.tape.kind(at) != JsonKind::kString) {
    report_kind(c, at, "a mesh", "its name or an object");
    return MeshId();
  }
  const std::string_view name = c.tape.text(at);
  const MeshId mesh = c.m.meshes.find(name);
  if (mesh.valid()) return mesh;
  std::string known;
  for (MeshId id : c.m.meshes.ids()) {
    const std::string& other = c.m.meshes[id].name;
    if (!other.empty()) known += (known.empty() ? "the meshes are " : ", ") + other;
  }
  report(c, at, "json.unknown_mesh", fmt::format("there is no mesh \"{}\"", name),
         known.empty() ? "the module has no meshes; add it to \"meshes\"" : known);
  return MeshId();
}

inline void read_axes(ReadContext& c, NodeId list, MeshId mesh, AxisList& axes) {
  if (!expect_list(c, list, "a list of axes")) return;
  for (NodeId item : c.tape.items(list)) {
    const auto text = read_string(c, item, "an axis");
    if (!text || !mesh.valid()) continue;
    const Result<AxisRef> axis = parse_axis_ref(*text, c.m.meshes[mesh]);
    if (axis) {
      axes.push_back(*axis);
    } else {
      report_all(c, item, axis.errors());
    }
  }
}

inline void read_dim(ReadContext& c, NodeId at, MeshId mesh, DimSharding& dim) {
  ObjectFields fields;
  if (!collect_fields(c, at, kDimObject, fields)) return;
  if (fields.has(Field::kAxes)) read_axes(c, fields[Field::kAxes], mesh, dim.axes);
  if (fields.has(Field::kOpen))
    dim.open = read_bool(c, fields[Field::kOpen], "open").value_or(false);
  if (!fields.has(Field::kPriority)) return;
  const auto priority = read_int(c, fields[Field::kPriority], "a priority");
  if (!priority) return;
  const Result<std::int32_t> checked = checked_priority(*priority);
  if (checked) {
    dim.priority = *checked;
  } else {
    report_all(c, fields[Field::kPriority], checked.errors());
  }
}

inline ReductionOp read_reduction(ReadContext& c, NodeId at) {
  const auto keyword = read_string(c, at, "the reduction");
  if (!keyword) return ReductionOp::kSum;
  if (const auto reduction = parse_reduction(*keyword)) return *reduction;
  report(c, at, "json.unknown_keyword", fmt::format("there is no reduction \"{}\"", *keyword),
         "use sum, max or min");
  return ReductionOp::kSum;
}

inline TensorSharding read_sharding_fields(ReadContext& c, const ObjectFields& fields) {
  TensorSharding s;
  s.mesh = read_mesh_reference(c, fields[Field::kMesh]);
  if (expect_list(c, fields[Field::kDims], "the dimension shardings")) {
    s.dims.reserve(c.tape.count(fields[Field::kDims]));
    for (NodeId item : c.tape.items(fields[Field::kDims]))
      read_dim(c, item, s.mesh, s.dims.emplace_back());
  }
  if (fields.has(Field::kReplicated))
    read_axes(c, fields[Field::kReplicated], s.mesh, s.replicated);
  if (fields.has(Field::kUnreduced)) read_axes(c, fields[Field::kUnreduced], s.mesh, s.unreduced);
  // Without unreduced axes the reduction says nothing; keeping it would make equal shardings
  // differ.
  if (fields.has(Field::kReduction)) {
    const ReductionOp reduction = read_reduction(c, fields[Field::kReduction]);
    if (!s.unreduced.empty()) s.reduction = reduction;
  }
  return s;
}

// A sharding in either form, not checked against any value yet; none after a diagnostic.
inline ShardingId read_sharding(ReadContext& c, NodeId at) {
  if (c.tape.kind(at) == JsonKind::kString) {
    const Result<TensorSharding> parsed = parse_sharding(c.tape.text(at), c.m.meshes);
    if (parsed) return c.m.shardings.intern(*parsed);
    report_all(c, at, parsed.errors());
    return ShardingId();
  }
  if (c.tape.kind(at) != JsonKind::kObject) {
    report_kind(c, at, "a sharding", "an object or its text");
    return ShardingId();
  }
  const std::size_t before = c.error_count;
  ObjectFields fields;
  if (!collect_fields(c, at, kShardingObject, fields)) return ShardingId();
  const TensorSharding sharding = read_sharding_fields(c, fields);
  return c.error_count == before ? c.m.shardings.intern(sharding) : ShardingId();
}

// Checks that `sharding` suits a value of `type`, at the node it was read from.
inline void check_sharding(ReadContext& c, ShardingId sharding, TypeId type, NodeId at) {
  report_all(c, at, c.sharding_check.errors(c.m, sharding, type));
}

// A list of shardings as an attribute; `at` may also be a single sharding where `or_single` is set.
inline AttrId read_sharding_list(ReadContext& c, NodeId at, bool or_single) {
  SmallVector<AttrId, 8> items;
  auto add = [&](NodeId item) {
    const ShardingId sharding = read_sharding(c, item);
    if (sharding.valid()) items.push_back(c.m.attrs.sharding(sharding));
  };
  if (or_single && c.tape.kind(at) != JsonKind::kList) {
    add(at);
  } else if (expect_list(c, at, "a list of shardings")) {
    for (NodeId item : c.tape.items(at)) add(item);
  }
  return c.m.attrs.list({items.data(), items.size()});
}

}  // namespace shardprop::detail
