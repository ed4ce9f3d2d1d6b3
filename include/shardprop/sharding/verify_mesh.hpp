// Well-formedness of a mesh on its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// The largest number of devices, and so the largest axis size, of a mesh.
inline constexpr std::int64_t kMaxDevices = std::numeric_limits<std::int32_t>::max();
inline constexpr std::size_t kMaxAxes = std::numeric_limits<std::uint16_t>::max();

// Whether `device_ids` says no more than the default 0, 1, ..., n-1 of a mesh with axes.
inline bool has_default_device_ids(const Mesh& mesh) {
  if (mesh.axes.empty() || mesh.device_ids.empty()) return false;
  for (std::size_t i = 0; i < mesh.device_ids.size(); ++i) {
    if (mesh.device_ids[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

namespace detail {

// The product of the axis sizes, or 0 if it is above `kMaxDevices` or a size is not positive.
inline std::int64_t checked_device_count(const Mesh& mesh) {
  std::int64_t count = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1 || axis.size > kMaxDevices / count) return 0;
    count *= axis.size;
  }
  return count;
}

}  // namespace detail

// Brings a mesh that was read to its one spelling: device ids that are the default are dropped. A
// list of the wrong length stays, for `verify_mesh` to refuse.
inline void normalize(Mesh& mesh) {
  if (!has_default_device_ids(mesh)) return;
  const std::int64_t listed = static_cast<std::int64_t>(mesh.device_ids.size());
  if (detail::checked_device_count(mesh) == listed) mesh.device_ids.clear();
}

namespace detail {

inline void verify_axes(const Mesh& mesh, const Place& place, Diagnostics& out) {
  if (mesh.axes.size() > kMaxAxes) {
    out.push_back({"mesh.too_many_axes", fmt::format("the mesh has {} axes", mesh.axes.size()),
                   fmt::format("use at most {} axes", kMaxAxes), place});
  }
  std::vector<std::string_view> names;
  for (const MeshAxis& axis : mesh.axes) {
    names.push_back(axis.name);
    if (axis.size >= 1) continue;
    out.push_back({"mesh.axis_size", fmt::format("axis \"{}\" has size {}", axis.name, axis.size),
                   "an axis has at least size 1", place});
  }
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] != names[i - 1]) continue;
    out.push_back({"mesh.duplicate_axis", fmt::format("two axes are called \"{}\"", names[i]),
                   "give each axis of the mesh a name of its own", place});
  }
}

// The device ids of a mesh of `count` devices must be 0..count-1 in another order than that.
inline void verify_device_order(const Mesh& mesh, std::int64_t count, const Place& place,
                                Diagnostics& out) {
  const std::size_t listed = mesh.device_ids.size();
  if (static_cast<std::size_t>(count) != listed) {
    out.push_back({"mesh.device_count",
                   fmt::format("the axes make {} devices, {} device ids are given", count, listed),
                   "list each device once, or leave device_ids out", place});
    return;
  }
  if (has_default_device_ids(mesh)) {
    out.push_back({"mesh.redundant_device_ids",
                   "the device ids are 0, 1, ..., which is the default", "leave device_ids out",
                   place});
    return;
  }
  std::vector<std::uint8_t> seen(listed, 0);
  for (std::int64_t id : mesh.device_ids) {
    if (id >= 0 && id < count) seen[static_cast<std::size_t>(id)] = 1;
  }
  const auto missing = std::find(seen.begin(), seen.end(), std::uint8_t{0});
  if (missing == seen.end()) return;
  out.push_back(
      {"mesh.not_a_permutation",
       fmt::format("device {} is not among the {} device ids", missing - seen.begin(), count),
       fmt::format("list each number from 0 to {} once", count - 1), place});
}

}  // namespace detail

// Appends to `out` what is wrong with `mesh`, at `place`; true if nothing is. O(axes log
// axes + device ids).
inline bool verify_mesh(const Mesh& mesh, const Place& place, Diagnostics& out) {
  const std::size_t before = out.size();
  detail::verify_axes(mesh, place, out);
  for (std::int64_t id : mesh.device_ids) {
    if (id >= 0) continue;
    out.push_back({"mesh.negative_device_id", fmt::format("the device id {} is negative", id),
                   "devices are numbered from 0", place});
  }
  if (out.size() != before) return false;
  if (mesh.axes.empty()) {
    if (mesh.device_ids.size() <= 1) return true;
    out.push_back({"mesh.device_ids_without_axes",
                   fmt::format("{} device ids but no axes", mesh.device_ids.size()),
                   "name the axes; a mesh without axes is empty or has one device id", place});
    return false;
  }
  const std::int64_t count = detail::checked_device_count(mesh);
  if (count == 0) {
    out.push_back({"mesh.too_many_devices", "the product of the axis sizes is too large",
                   fmt::format("use at most {} devices", kMaxDevices), place});
    return false;
  }
  if (!mesh.device_ids.empty()) detail::verify_device_order(mesh, count, place, out);
  return out.size() == before;
}

}  // namespace shardprop
