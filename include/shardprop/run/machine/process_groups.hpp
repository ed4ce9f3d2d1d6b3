// The grid of processes, replicas by partitions, and the groups of it that do a collective together
// (specification of StableHLO, section Process grouping). O(number of processes).
//
// Worked example: on 4 replicas of 2 partitions, `replica_groups = [[0, 1], [2, 3]]` without a
// channel are the groups of processes {0, 2}, {1, 3}, {4, 6}, {5, 7}; with a channel
// {0, 2, 1, 3}, {4, 6, 5, 7}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/passes/common/replica_group_mesh.hpp"
#include "shardprop/passes/partition/device_groups.hpp"
#include "shardprop/run/machine/together.hpp"
#include "shardprop/sharding/axis_text.hpp"

namespace shardprop {

// Process (r, p) has the number r * partitions + p, which is also its global id.
struct ProcessGrid {
  std::int64_t replicas = 1;
  std::int64_t partitions = 1;

  std::size_t size() const { return static_cast<std::size_t>(replicas * partitions); }
  std::size_t number(std::int64_t replica, std::int64_t partition) const {
    return static_cast<std::size_t>(replica * partitions + partition);
  }
};

using ProcessGroup = std::vector<std::size_t>;

namespace detail {

template <class T>
std::vector<T> first_numbers(std::size_t count) {
  std::vector<T> out(count);
  std::iota(out.begin(), out.end(), T{0});
  return out;
}

// What the ids of groups stand for.
enum class GroupIds : std::uint8_t { kReplicas, kPartitions, kReplicasAcross, kProcesses };

inline GroupIds group_ids_of(const Module& m, OpId op, Grouping grouping) {
  const bool has_channel = channel_of(m, op) > 0;
  if (grouping != Grouping::kGroups)
    return has_channel ? GroupIds::kPartitions : GroupIds::kReplicas;
  AttributeReader reader(m, op, nullptr);
  if (reader.boolean_or("use_global_device_ids", false)) return GroupIds::kProcesses;
  return has_channel ? GroupIds::kReplicasAcross : GroupIds::kReplicas;
}

inline std::int64_t count_of_ids(const ProcessGrid& grid, GroupIds ids) {
  return ids == GroupIds::kPartitions  ? grid.partitions
         : ids == GroupIds::kProcesses ? grid.replicas * grid.partitions
                                       : grid.replicas;
}

// Groups that are given by axes of a mesh.
inline std::optional<std::vector<Shape>> groups_of_axes(const Module& m, AttrId attr) {
  const AttrId of = m.attrs.find(attr, key::kMesh);
  const StringId name = m.attrs.string_or_none(of);
  std::optional<Mesh> mesh;
  if (!name.valid()) {
    mesh = replica_group_mesh(m, of);
  } else if (const MeshId id = m.meshes.find(m.strings[name]); id.valid()) {
    mesh = m.meshes[id];
  }
  const AttrId list = m.attrs.find(attr, key::kAxes);
  if (!mesh || m.attrs.kind(list) != AttrKind::kList) return std::nullopt;
  AxisList axes;
  for (AttrId item : m.attrs.items(list)) {
    const StringId axis_name = m.attrs.string_or_none(m.attrs.find(item, key::kName));
    const AttrId info = m.attrs.find(item, m.strings.find("sub_axis_info"));
    const int axis = axis_name.valid() ? mesh->find_axis(m.strings[axis_name]) : -1;
    if (axis < 0) return std::nullopt;
    const auto field = [&](std::string_view key) {
      const AttrId value = m.attrs.plain(m.attrs.find(info, m.strings.find(key)));
      return m.attrs.kind(value) == AttrKind::kInt ? m.attrs.as_int(value) : 0;
    };
    const auto number = static_cast<std::size_t>(axis);
    if (!info.valid()) {
      axes.push_back(full_axis(*mesh, number));
      continue;
    }
    if (check_sub_axis(mesh->axes[number], field("pre_size"), field("size"))) return std::nullopt;
    axes.push_back(sub_axis(number, field("pre_size"), field("size")));
  }
  return device_groups(*mesh, axes);
}

// The groups as ids. -1 fills groups up and does not count; no groups, as of a permutation, are one
// of all.
inline std::optional<std::vector<Shape>> group_lists(const Module& m, OpId op, std::int64_t count) {
  const AttrId attr = m.attrs.plain(attribute(m, op, key::kReplicaGroups));
  const AttrKind kind = m.attrs.kind(attr);
  std::optional<std::vector<Shape>> lists = std::vector<Shape>();
  if (attr.valid())
    lists = kind == AttrKind::kDict ? groups_of_axes(m, attr) : integer_rows(m, attr);
  if (!lists) return std::nullopt;
  for (Shape& list : *lists) std::erase(list, -1);
  std::erase_if(*lists, [](const Shape& list) { return list.empty(); });
  if (lists->empty())
    lists->push_back(first_numbers<std::int64_t>(static_cast<std::size_t>(count)));
  return lists;
}

// What is wrong with the lists: each id must be in one of them; with `may_miss` in at most one.
inline std::string wrong_groups(const std::vector<Shape>& lists, std::int64_t count,
                                bool may_miss) {
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  for (const Shape& list : lists) {
    for (std::int64_t id : list) {
      if (id < 0 || id >= count)
        return fmt::format("the groups hold the id {}, and there are {}", id, count);
      if (seen[static_cast<std::size_t>(id)]) return fmt::format("the id {} is in two groups", id);
      seen[static_cast<std::size_t>(id)] = true;
    }
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (may_miss || missing == seen.end()) return {};
  return fmt::format("the id {} is in no group", missing - seen.begin());
}

// The processes of a group of ids.
inline void add_groups(const ProcessGrid& grid, const Shape& list, GroupIds ids,
                       std::vector<ProcessGroup>& out) {
  const auto add = [&](auto number_of) {
    ProcessGroup& group = out.emplace_back();
    for (std::int64_t id : list) group.push_back(number_of(id));
  };
  switch (ids) {
    case GroupIds::kProcesses:
      return add([](std::int64_t id) { return static_cast<std::size_t>(id); });
    case GroupIds::kReplicas:
      for (std::int64_t p = 0; p < grid.partitions; ++p)
        add([&](std::int64_t id) { return grid.number(id, p); });
      return;
    case GroupIds::kPartitions:
      for (std::int64_t r = 0; r < grid.replicas; ++r)
        add([&](std::int64_t id) { return grid.number(r, id); });
      return;
    case GroupIds::kReplicasAcross: {
      ProcessGroup& group = out.emplace_back();
      for (std::int64_t p = 0; p < grid.partitions; ++p) {
        for (std::int64_t id : list) group.push_back(grid.number(id, p));
      }
    }
  }
}

}  // namespace detail

// The groups of processes that do `op` together. Errors: `run.groups`, where they are not a
// partition of the processes.
inline Result<std::vector<ProcessGroup>> process_groups(const Module& m, OpId op,
                                                        const ProcessGrid& grid,
                                                        Grouping grouping) {
  std::vector<ProcessGroup> groups;
  if (grouping == Grouping::kEverybody) {
    groups.push_back(detail::first_numbers<std::size_t>(grid.size()));
    return groups;
  }
  const detail::GroupIds ids = detail::group_ids_of(m, op, grouping);
  const std::int64_t count = detail::count_of_ids(grid, ids);
  auto lists = detail::group_lists(m, op, count);
  if (!lists) return eval_error(m, op, "groups", "the groups of processes are not known");
  if (std::string wrong = detail::wrong_groups(*lists, count, grouping == Grouping::kMembers);
      !wrong.empty()) {
    return eval_error(
        m, op, "groups",
        fmt::format("{} (on {} replicas of {} partitions)", wrong, grid.replicas, grid.partitions),
        "run it on as many devices as it was made for: `shardprop eval --devices`");
  }
  for (const Shape& list : *lists) detail::add_groups(grid, list, ids, groups);
  return groups;
}

}  // namespace shardprop
