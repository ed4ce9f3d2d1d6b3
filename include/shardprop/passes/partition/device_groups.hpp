// Which part of a tensor each device of a mesh has, and which devices a collective joins.
//
// A device is at a place of the mesh: that of its id in `device_ids`, or its id. The place has a
// digit per axis, the last axis being the fastest; a sub-axis is a part of such a digit. The shard
// of a device along a list of axes is the number that their digits make, the last one the fastest.
//
// Worked example, mesh x=2, y=4, device 6: place 6 has the digits x=1, y=2. Along [y, x] it has shard
// 2 * 2 + 1 = 5, along [y:(1)2] shard 1, since y is 2 = 10 in binary. The groups of [x] are
// {0, 4}, {1, 5}, {2, 6}, {3, 7}.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/mesh.hpp"

namespace shardprop {

// The devices of a mesh by place.
class DeviceGrid {
 public:
  explicit DeviceGrid(const Mesh& mesh) : mesh_(mesh), ids_(mesh.device_ids) {
    for (std::size_t i = mesh.axes.size(); i-- > 0;) {
      strides_.insert(strides_.begin(), size_);
      size_ *= mesh.axes[i].size;
    }
    for (std::int64_t i = 0; ids_.size() < static_cast<std::size_t>(size_); ++i) ids_.push_back(i);
  }

  std::int64_t size() const { return size_; }
  std::int64_t id(std::int64_t place) const { return ids_[static_cast<std::size_t>(place)]; }

  // The shard that the device at `place` has along `axes`.
  std::int64_t shard(std::int64_t place, AxisSpan axes) const {
    std::int64_t shard = 0;
    for (AxisRef axis : axes) {
      const std::int64_t below = mesh_.axes[axis.axis].size / axis.next_pre_size();
      shard = shard * axis.size + place / (strides_[axis.axis] * below) % axis.size;
    }
    return shard;
  }

  // The shard along `axes` of each device, by id. The ids are 0, 1, ... in some order.
  std::vector<std::int64_t> shards_by_id(AxisSpan axes) const {
    std::vector<std::int64_t> shards(static_cast<std::size_t>(size_));
    for (std::int64_t place = 0; place < size_; ++place)
      shards[static_cast<std::size_t>(id(place))] = shard(place, axes);
    return shards;
  }

 private:
  const Mesh& mesh_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int64_t> strides_;  // of the axes
  std::int64_t size_ = 1;
};

// The axes of the mesh, in its order, cut wherever one of `axes` begins or ends.
inline AxisList cut_axes(const Mesh& mesh, AxisSpan axes) {
  AxisList out;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    std::vector<std::int64_t> cuts = {1, mesh.axes[i].size};
    for (AxisRef axis : axes) {
      if (axis.axis != i || axis.is_full) continue;
      cuts.push_back(axis.pre_size);
      cuts.push_back(axis.next_pre_size());
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() <= 2) {
      out.push_back(full_axis(mesh, i));
      continue;
    }
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c)
      out.push_back(sub_axis(i, cuts[c], cuts[c + 1] / cuts[c]));
  }
  return out;
}

// The groups of devices that differ only along `axes`. A group is in the order of its shards, groups
// are in that of the mesh.
inline std::vector<std::vector<std::int64_t>> device_groups(const Mesh& mesh, AxisSpan axes) {
  const DeviceGrid grid(mesh);
  AxisList others;
  for (AxisRef axis : cut_axes(mesh, axes)) {
    if (std::ranges::find(axes, axis) == axes.end()) others.push_back(axis);
  }
  const auto members = static_cast<std::size_t>(total_size(axes));
  std::vector<std::vector<std::int64_t>> groups(
      static_cast<std::size_t>(total_size(AxisSpan(others))), std::vector<std::int64_t>(members));
  for (std::int64_t place = 0; place < grid.size(); ++place) {
    auto& group = groups[static_cast<std::size_t>(grid.shard(place, others))];
    group[static_cast<std::size_t>(grid.shard(place, axes))] = grid.id(place);
  }
  return groups;
}

}  // namespace shardprop
