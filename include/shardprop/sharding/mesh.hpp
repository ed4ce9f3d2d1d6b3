// A device mesh: named axes with sizes, major to minor, and optionally the order of the devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/support/id.hpp"

namespace shardprop {

struct MeshTag;
using MeshId = Id<MeshTag>;

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;

  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

// Axes and device ids. No `device_ids` means 0, 1, ..., n-1. No axes and one device id is a maximal
// mesh: all work stands on that device. Neither axes nor device ids is the empty mesh, which any
// other mesh can take the place of.
struct Mesh {
  std::string name;  // empty for a mesh that a sharding carries inline
  std::vector<MeshAxis> axes;
  std::vector<std::int64_t> device_ids;

  bool is_maximal() const { return axes.empty() && device_ids.size() == 1; }
  bool is_empty() const { return axes.empty() && device_ids.empty(); }

  // The position of the axis called `axis`, or -1.
  int find_axis(std::string_view axis) const {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].name == axis) return static_cast<int>(i);
    }
    return -1;
  }

  // The number of devices: the product of the axis sizes.
  std::int64_t device_count() const {
    std::int64_t count = 1;
    for (const MeshAxis& axis : axes) count *= axis.size;
    return count;
  }

  // Whether both have the same axes and devices; names do not count.
  bool same_content(const Mesh& other) const {
    return axes == other.axes && device_ids == other.device_ids;
  }
};

// The meshes of a module, in order. A named mesh is a row of its own; inlined meshes of equal
// content share a row.
class MeshTable {
 public:
  MeshId add(Mesh mesh) {
    MeshId content = rows_.next_id();
    for (MeshId id : rows_.ids()) {
      if (!rows_[id].same_content(mesh)) continue;
      content = contents_[id];
      if (mesh.name.empty() && rows_[id].name.empty()) return id;
    }
    contents_.push(content);
    return rows_.push(static_cast<Mesh&&>(mesh));
  }

  // The mesh called `name`, or none.
  MeshId find(std::string_view name) const {
    for (MeshId id : rows_.ids()) {
      if (!rows_[id].name.empty() && rows_[id].name == name) return id;
    }
    return MeshId();
  }

  // Gives a mesh another name; without a name it is one that shardings carry inline.
  void rename(MeshId id, std::string name) { rows_[id].name = static_cast<std::string&&>(name); }

  const Mesh& operator[](MeshId id) const { return rows_[id]; }
  // The first mesh of the table that has the content of `id`: equal for two meshes that mean the
  // same devices.
  MeshId content(MeshId id) const { return contents_[id]; }
  std::size_t size() const { return rows_.size(); }
  IdRange<MeshId> ids() const { return rows_.ids(); }

 private:
  IdVector<MeshId, Mesh> rows_;
  IdVector<MeshId, MeshId> contents_;
};

}  // namespace shardprop
