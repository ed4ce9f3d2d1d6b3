// A device mesh: named axes with sizes, major to minor, and optionally the order of the devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

struct MeshTag;
using MeshId = Id<MeshTag>;

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;

  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

// Axes and device ids. No `device_ids` means 0, 1, ..., n-1. No axes and one device id is a maximal
// mesh: all work is on that device. Neither axes nor device ids is the empty mesh, which any
// other mesh can take the place of.
struct Mesh {
  std::string name;  // empty for a mesh that a sharding carries inline
  std::vector<MeshAxis> axes;
  std::vector<std::int64_t> device_ids;

  bool is_maximal() const { return axes.empty() && device_ids.size() == 1; }
  bool is_empty() const { return axes.empty() && device_ids.empty(); }
  // Whether the two differ at most in the order of their devices.
  bool has_axes_of(const Mesh& other) const {
    return is_maximal() == other.is_maximal() && axes == other.axes;
  }

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
// content share a row. `add` and `find` are O(size of the mesh, of the name).
class MeshTable {
 public:
  MeshId add(Mesh mesh) {
    const MeshId id = rows_.next_id();
    const MeshId content(content_index_.find_or_insert(
        hash_content(mesh), id.index,
        [&](std::uint32_t row) { return rows_[MeshId(row)].same_content(mesh); }));
    if (content != id && mesh.name.empty() && inlined_[content].first.valid())
      return inlined_[content].first;
    contents_.push(content);
    inlined_.push(Inlined());
    rows_.push(static_cast<Mesh&&>(mesh));
    note_name(id);
    return id;
  }

  // The first mesh called `name`, or none.
  MeshId find(std::string_view name) const {
    MeshId first;
    if (name.empty()) return first;
    name_index_.for_each(hash_text(name), [&](std::uint32_t row) {
      const bool better = !first.valid() || row < first.index;
      if (better && rows_[MeshId(row)].name == name) first = MeshId(row);
    });
    return first;
  }

  // Gives a mesh another name; without a name it is one that shardings carry inline.
  void rename(MeshId id, std::string name) {
    if (rows_[id].name == name) return;
    if (rows_[id].name.empty()) forget_inlined(id);
    rows_[id].name = static_cast<std::string&&>(name);
    note_name(id);
  }

  const Mesh& operator[](MeshId id) const { return rows_[id]; }
  // The first mesh of the table that has the content of `id`: equal for two meshes that mean the
  // same devices.
  MeshId content(MeshId id) const { return contents_[id]; }
  std::size_t size() const { return rows_.size(); }
  IdRange<MeshId> ids() const { return rows_.ids(); }

 private:
  // The inlined meshes of one content.
  struct Inlined {
    MeshId first;
    std::uint32_t count = 0;
  };

  static std::uint64_t hash_content(const Mesh& mesh) {
    std::uint64_t hash = mesh.axes.size();
    for (const MeshAxis& axis : mesh.axes)
      hash = hash_mix(hash_mix(hash, hash_text(axis.name)), static_cast<std::uint64_t>(axis.size));
    for (std::int64_t device : mesh.device_ids)
      hash = hash_mix(hash, static_cast<std::uint64_t>(device));
    return hash_mix(hash, mesh.device_ids.size());
  }

  void note_name(MeshId id) {
    if (!rows_[id].name.empty()) return name_index_.insert(hash_text(rows_[id].name), id.index);
    Inlined& inlined = inlined_[contents_[id]];
    ++inlined.count;
    if (!inlined.first.valid() || id.index < inlined.first.index) inlined.first = id;
  }
  void forget_inlined(MeshId id) {
    Inlined& inlined = inlined_[contents_[id]];
    --inlined.count;
    if (inlined.first != id) return;
    inlined.first = MeshId();
    if (inlined.count == 0) return;
    for (MeshId next(id.index + 1); !inlined.first.valid(); next = MeshId(next.index + 1)) {
      if (rows_[next].name.empty() && contents_[next] == contents_[id]) inlined.first = next;
    }
  }

  IdTable<MeshId, Mesh> rows_;
  IdTable<MeshId, MeshId> contents_;
  IdTable<MeshId, Inlined> inlined_;  // by the first mesh of their content
  HashIndex content_index_;
  HashIndex name_index_;  // also under names that meshes had once
};

}  // namespace shardprop
