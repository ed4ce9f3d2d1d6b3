// Pass `manual-axes-cleanup`: sorts the manual axes of each manual computation in the order of the
// mesh and notes on each of its shardings the manual axes that it does not use as replicated ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/propagate/step/step.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline bool sort_manual_axes(Module& m, OpId op, const Mesh& mesh) {
  AxisNames names = manual_axes(m, op);
  const auto before = [&](std::string_view a, std::string_view b) {
    return mesh.find_axis(a) < mesh.find_axis(b);
  };
  if (std::is_sorted(names.begin(), names.end(), before)) return false;
  std::ranges::stable_sort(names, before);
  std::vector<AttrId> items;
  for (std::string_view name : names) items.push_back(text_attribute(m, name));
  set_attribute(m, op, key::kManualAxes, m.attrs.list(items));
  return true;
}

// Adds the manual axes that `sharding` does not use to its replicated ones.
inline ShardingId with_unused_manual_axes(Module& m, ShardingId sharding, const AxisList& manual,
                                          MeshId mesh) {
  TensorSharding s = m.shardings[sharding];
  AxisList used;
  for_each_axis(s, [&](AxisRef axis) { used.push_back(axis); });
  const AxisList unused = difference(manual, used);
  if (unused.empty()) return sharding;
  s.mesh = mesh;
  s.replicated.append(unused);
  sort_and_merge(s.replicated, m.meshes[mesh]);
  return m.shardings.intern(s);
}

inline bool clean_shardings(Module& m, OpId op, std::string_view key, bool operands, MeshId mesh) {
  AxisList manual;
  for (std::string_view name : manual_axes(m, op)) {
    const int axis = m.meshes[mesh].find_axis(name);
    if (axis >= 0) manual.push_back(full_axis(m.meshes[mesh], static_cast<std::size_t>(axis)));
  }
  std::vector<ShardingId> shardings = shardings_in(m, op, key);
  bool changed = false;
  for (std::size_t i = 0; i < shardings.size(); ++i) {
    const ValueId value = operands ? operand(m, op, i) : result(m, op, i);
    if (!m.types.is_tensor(type_of(m, value))) continue;
    const ShardingId cleaned = with_unused_manual_axes(m, shardings[i], manual, mesh);
    changed = changed || cleaned != shardings[i];
    shardings[i] = cleaned;
  }
  if (changed) set_sharding_list(m, op, key, shardings);
  return changed;
}

inline std::vector<ShardingId> in_and_out_shardings(const Module& m, OpId op) {
  std::vector<ShardingId> all = shardings_in(m, op, kInShardings);
  const std::vector<ShardingId> out = shardings_in(m, op, kOutShardings);
  all.insert(all.end(), out.begin(), out.end());
  return all;
}

}  // namespace detail

inline Result<bool> manual_axes_cleanup(Module& m) {
  std::vector<OpId> manual;
  Diagnostics errors;
  for (OpId op : postorder(m)) {
    if (m.ops[op].name != known::kSdyManualComputation) continue;
    if (!detail::in_and_out_shardings(m, op).empty()) {
      manual.push_back(op);
      continue;
    }
    const BlockId body = m.ops[op].first_block;
    if (!manual_axes(m, op).empty() && body.valid() &&
        m.blocks[body].first_op != m.blocks[body].last_op) {
      errors.push_back(
          {"manual_axes_cleanup.no_shardings",
           "a manual computation with manual axes and a body has neither inputs nor outputs",
           "give it an input or output, or no manual axes", place_of(m, op)});
    }
  }
  if (!errors.empty()) return errors;
  bool changed = false;
  for (OpId op : manual) {
    const MeshId mesh = common_mesh(m, detail::in_and_out_shardings(m, op));
    if (!mesh.valid()) continue;
    changed = detail::sort_manual_axes(m, op, m.meshes[mesh]) || changed;
    changed = detail::clean_shardings(m, op, kInShardings, true, mesh) || changed;
    changed = detail::clean_shardings(m, op, kOutShardings, false, mesh) || changed;
  }
  return changed;
}

}  // namespace shardprop
