// Checks of the attributes that say which devices a collective of StableHLO joins: `replica_groups`
// (a list of lists of ids, or axes of a mesh), `channel_handle`, `source_target_pairs`. O(number of
// ids).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"

namespace shardprop {

// The constraints that hold for the groups of an operation, by their numbers, and what it asks of
// them.
struct GroupRules {
  std::string_view form;             // a list of lists, not empty with global device ids
  std::string_view unique;           // no id twice
  std::string_view complete;         // 0, 1, ..., n-1, each
  std::string_view group_size = {};  // each group has `size` ids
  bool padded = false;               // groups may be filled up with -1
  bool any_ids = false;              // ids may be left out, but must not be negative
  std::optional<std::int64_t> size = {};
};

namespace detail {

// Axes of a mesh in place of groups: a mesh that is named must be one of the module.
inline void verify_group_axes(const Module& m, OpId op, AttrId groups, Diagnostics& out) {
  const StringId name = m.attrs.string_or_none(m.attrs.find(groups, key::kMesh));
  if (!name.valid()) return;
  const std::string_view mesh = m.strings[name];
  if (m.meshes.find(mesh).valid()) return;
  report(m, op, out, "unknown_mesh",
         fmt::format("replica_groups name the mesh @{}, which the module lacks", mesh),
         "add the mesh to the module");
}

inline void verify_group_ids(const Module& m, OpId op,
                             const std::vector<std::span<const std::int64_t>>& groups,
                             const GroupRules& rules, Diagnostics& out) {
  std::unordered_set<std::int64_t> seen;
  for (const auto& group : groups) {
    for (std::int64_t id : group) {
      if (id == -1 && rules.padded) continue;
      if (id < 0) {
        report(m, op, out, rules.complete, fmt::format("replica_groups hold the id {}", id),
               "ids count from 0");
      } else if (!seen.insert(id).second) {
        report(m, op, out, rules.unique, fmt::format("replica_groups hold the id {} twice", id));
      }
    }
  }
  if (rules.any_ids) return;
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(seen.size()); ++id) {
    if (seen.contains(id)) continue;
    report(m, op, out, rules.complete,
           fmt::format("replica_groups hold {} ids, and {} is not among them", seen.size(), id),
           "every id from 0 up to the number of ids must be in a group");
    return;
  }
}

}  // namespace detail

// Checks `replica_groups`. The attribute must be there.
inline void verify_replica_groups(const VerifyInput& in, const GroupRules& rules) {
  const AttrId attr = attribute(in.m, in.op, key::kReplicaGroups);
  if (!attr.valid())
    return report(in, rules.form,
                  "attribute 'replica_groups' is missing; expected a list of lists of ids");
  if (is_unknown_data(in.m, attr)) return;
  if (in.m.attrs.kind(attr) == AttrKind::kDict)
    return detail::verify_group_axes(in.m, in.op, attr, in.diagnostics);
  AttributeReader attributes(in.m, in.op, nullptr);
  const auto groups = attributes.int_lists_or_empty("replica_groups");
  if (!attributes.ok())
    return report(in, rules.form, "replica_groups must be a list of lists of ids");
  std::size_t ids = 0;
  for (const auto& group : groups) ids += group.size();
  if (ids == 0 && attributes.boolean_or("use_global_device_ids", false)) {
    report(in, rules.form, "replica_groups must not be empty with use_global_device_ids");
  }
  detail::verify_group_ids(in.m, in.op, groups, rules, in.diagnostics);
  bool sized = !rules.size || !groups.empty();
  for (const auto& group : groups) {
    sized = sized && (!rules.size || static_cast<std::int64_t>(group.size()) == *rules.size);
  }
  if (!sized) report(in, rules.group_size, fmt::format("each group must have {} ids", *rules.size));
}

// With `use_global_device_ids` the channel must be given: its id is at least `lowest`.
inline void verify_channel(const VerifyInput& in, std::string_view constraint,
                           std::int64_t lowest) {
  AttributeReader attributes(in);
  if (!attributes.boolean_or("use_global_device_ids", false)) return;
  const std::int64_t id = attributes.has("channel_handle")
                              ? attributes.dict("channel_handle").integer_or("handle", 0)
                              : 0;
  if (id >= lowest) return;
  report(in, constraint,
         fmt::format("the channel id must be at least {} with use_global_device_ids, found {}",
                     lowest, id));
}

// The groups of cross-replica-sum, an older form of all_reduce, need only be there.
inline void verify_group_lists(const VerifyInput& in) {
  const AttrId attr = attribute(in.m, in.op, key::kReplicaGroups);
  AttributeReader attributes(in.m, in.op, nullptr);
  if (is_unknown_data(in.m, attr)) return;
  attributes.int_lists_or_empty("replica_groups");
  if (!attr.valid() || !attributes.ok())
    report(in, "i2", "attribute 'replica_groups' must be a list of lists of ids");
}

// Pairs of ids: each id is at most once a source and at most once a target.
inline void verify_source_target_pairs(const VerifyInput& in) {
  const AttrId attr = attribute(in.m, in.op, "source_target_pairs");
  if (is_unknown_data(in.m, attr)) return;
  AttributeReader attributes(in.m, in.op, nullptr);
  const auto pairs = attributes.int_lists_or_empty("source_target_pairs");
  if (!attr.valid() || !attributes.ok()) {
    return report(in, "i2", "attribute 'source_target_pairs' must be a list of pairs of ids");
  }
  std::unordered_set<std::int64_t> seen[2];
  for (const auto& pair : pairs) {
    if (pair.size() != 2) {
      report(in, "c1",
             fmt::format("source_target_pairs must hold pairs, found {}", to_string(pair)));
      continue;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (pair[i] < 0) {
        report(in, "c4", fmt::format("source_target_pairs hold the id {}", pair[i]),
               "ids count from 0");
      } else if (!seen[i].insert(pair[i]).second) {
        report(in, i == 0 ? "c2" : "c3",
               fmt::format("{} is the {} of two pairs", pair[i], i == 0 ? "source" : "target"));
      }
    }
  }
}

}  // namespace shardprop
