// Definitions of communication.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/analysis/communication.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"

namespace shardprop {

namespace detail {

enum class Ring : std::uint8_t { kGather, kReduce, kPart, kWhole };

// How a kind of collective communicates: where its axes are, and its formula.
struct RingRow {
  StringId op;
  StringId key;  // of its axes
  Ring ring;
};
inline constexpr RingRow kRings[] = {
    {known::kSdyAllGather, key::kGatheringAxes, Ring::kGather},
    {known::kSdyAllReduce, key::kReductionAxes, Ring::kReduce},
    {known::kSdyReduceScatter, key::kReduceScatterAxes, Ring::kPart},
    {known::kSdyAllToAll, key::kParams, Ring::kPart},
    {known::kSdyCollectivePermute, StringId(), Ring::kWhole}};

// The same for the collectives of stablehlo, which name their groups of devices.
struct GroupRow {
  StringId op;
  Ring ring;
};
inline constexpr GroupRow kGroupRings[] = {
    {known::kAllGather, Ring::kGather},        {known::kAllReduce, Ring::kReduce},
    {known::kReduceScatter, Ring::kPart},      {known::kAllToAll, Ring::kPart},
    {known::kCollectivePermute, Ring::kWhole}, {known::kCollectiveBroadcast, Ring::kWhole}};

// The bytes that a device of a ring of `size` sends, and receives, if it holds `bytes`.
inline double ring_bytes(Ring ring, double bytes, std::int64_t size) {
  const double others = static_cast<double>(size - 1);
  switch (ring) {
    case Ring::kGather:
      return others * bytes;
    case Ring::kReduce:
      return 2 * others / static_cast<double>(size) * bytes;
    case Ring::kPart:
      return others / static_cast<double>(size) * bytes;
    case Ring::kWhole:
      break;
  }
  return bytes;
}

// The axes of the dimensions whose sharding changes.
inline AxisList changed_axes(const TensorSharding& before, const TensorSharding& after,
                             const Mesh& mesh) {
  AxisList axes;
  for (std::size_t d = 0; d < before.rank() && d < after.rank(); ++d) {
    if (before.dims[d].axes == after.dims[d].axes) continue;
    for (AxisRef axis : difference(after.dims[d].axes, axes)) axes.push_back(axis);
    for (AxisRef axis : difference(before.dims[d].axes, axes)) axes.push_back(axis);
  }
  sort_and_merge(axes, mesh);
  return axes;
}

// The axes that a list, a list of lists or the parameters of an all_to_all name.
inline AxisList named_axes(const Module& m, AttrId attr, const Mesh& mesh) {
  AxisList axes;
  if (!attr.valid() || m.attrs.kind(attr) != AttrKind::kList) return axes;
  for (AttrId item : m.attrs.items(attr)) {
    if (m.attrs.kind(item) == AttrKind::kString) return axes_in(m, attr, mesh);
    if (m.attrs.kind(item) == AttrKind::kDict) item = m.attrs.find(item, key::kAxes);
    if (item.valid()) axes.append(axes_in(m, item, mesh));
  }
  return axes;
}

// The number of devices in the first group of a collective of stablehlo; none where it is not known.
inline std::optional<std::int64_t> group_size(const Module& m, OpId op) {
  const AttrId groups = m.attrs.plain(attribute(m, op, "replica_groups"));
  if (!groups.valid() || m.attrs.kind(groups) != AttrKind::kList || m.attrs.items(groups).empty())
    return std::nullopt;
  const AttrId first = m.attrs.plain(m.attrs.items(groups)[0]);
  if (m.attrs.kind(first) != AttrKind::kInts) return std::nullopt;
  return static_cast<std::int64_t>(m.attrs.as_ints(first).size());
}

// Goes over the collectives, function by function.
class CollectiveWalk {
 public:
  CollectiveWalk(const Module& m, const std::function<void(const CollectiveCost&)>& fn)
      : m_(m), fn_(fn) {}

  // The number of operations that are not counted.
  std::int64_t run() {
    const CallOrder order = call_order(m_, Symbols(m_));
    struct Runs {
      std::int64_t once = 0;
      std::int64_t in_loop = 0;
    };
    IdVector<FuncId, Runs> runs;
    runs.resize(m_.funcs.size());
    for (FuncId f : m_.func_order) runs[f].once = m_.funcs[f].is_private ? 0 : 1;
    for (std::size_t i = order.funcs.size(); i-- > 0;) {
      const FuncId f = order.funcs[i];
      for (const CallSite& site : order.calls[f]) {
        if (!site.callee.valid()) continue;
        const bool loop = is_in_loop(site.op);
        (loop ? runs[site.callee].in_loop : runs[site.callee].once) += runs[f].once;
        runs[site.callee].in_loop += runs[f].in_loop;
      }
      walk_block(m_, m_.funcs[f].body, [&](OpId op) {
        const bool loop = is_in_loop(op);
        if (runs[f].once > 0) add(op, runs[f].once, loop);
        if (runs[f].in_loop > 0) add(op, runs[f].in_loop, true);
      });
    }
    return not_counted_;
  }

 private:
  bool is_in_loop(OpId op) const {
    for (op = parent_op(m_, op); op.valid(); op = parent_op(m_, op)) {
      if (m_.ops[op].name == known::kWhile) return true;
    }
    return false;
  }

  void add(OpId op, std::int64_t runs, bool in_loop) {
    const StringId name = m_.ops[op].name;
    for (const RingRow& row : kRings) {
      if (row.op == name) return add_collective(op, row, runs, in_loop);
    }
    for (const GroupRow& row : kGroupRings) {
      if (row.op == name) return add_group_collective(op, row, runs, in_loop);
    }
    if (name == known::kSdyReshard) not_counted_ += runs;
  }

  void add_collective(OpId op, const RingRow& ring, std::int64_t runs, bool in_loop) {
    const TensorSharding& after = out_sharding(m_, op);
    const ValueId input = operand(m_, op, 0);
    const TensorSharding before =
        tensor_sharding_of(m_, input).value_or(closed_sharding(after.mesh, rank_of(m_, input)));
    const Mesh& mesh = m_.meshes[after.mesh];
    const AxisList axes = !ring.key.valid() ? changed_axes(before, after, mesh)
                                            : named_axes(m_, attribute(m_, op, ring.key), mesh);
    std::string text;
    for (AxisRef axis : axes) text += (text.empty() ? "" : ", ") + to_string(axis, mesh);
    fn_(CollectiveCost{op, std::string(m_.strings[ring.op].substr(4)), mesh.name, std::move(text),
                       in_loop, runs,
                       ring_bytes(ring.ring, local_bytes(m_, input, before), total_size(axes))});
  }

  // The bytes are those of the operands as a device holds them.
  void add_group_collective(OpId op, const GroupRow& row, std::int64_t runs, bool in_loop) {
    const std::optional<std::int64_t> size =
        row.ring == Ring::kWhole ? std::optional<std::int64_t>(2) : group_size(m_, op);
    if (!size) {
      not_counted_ += runs;
      return;
    }
    double bytes = 0;
    for (UseId use : operand_uses(m_, op)) {
      const ValueId value = m_.uses[use].value;
      const auto whole = closed_sharding(MeshId(), rank_of(m_, value));
      bytes += local_bytes(m_, value, tensor_sharding_of(m_, value).value_or(whole));
    }
    const std::string groups =
        row.ring == Ring::kWhole ? std::string() : fmt::format("groups of {}", *size);
    fn_(CollectiveCost{op, std::string(m_.strings[row.op]), "", groups, in_loop, runs,
                       ring_bytes(row.ring, bytes, *size)});
  }

  const Module& m_;
  const std::function<void(const CollectiveCost&)>& fn_;
  std::int64_t not_counted_ = 0;
};

inline bool comes_before(const CommunicationRow& a, const CommunicationRow& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.mesh != b.mesh) return a.mesh < b.mesh;
  return a.axes != b.axes ? a.axes < b.axes : a.in_loop < b.in_loop;
}

}  // namespace detail

SHARDPROP_INLINE std::int64_t for_each_collective(
    const Module& m, const std::function<void(const CollectiveCost&)>& fn) {
  return detail::CollectiveWalk(m, fn).run();
}

SHARDPROP_INLINE CommunicationSummary communication(const Module& m) {
  CommunicationSummary summary;
  std::unordered_map<std::string, std::size_t> row_of;  // by what rows are told apart by
  summary.not_counted = for_each_collective(m, [&](const CollectiveCost& cost) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}", cost.kind, cost.mesh, cost.axes, cost.in_loop ? 1 : 0);
    const auto [found, is_new] = row_of.emplace(key, summary.rows.size());
    if (is_new) summary.rows.push_back({cost.kind, cost.mesh, cost.axes, cost.in_loop});
    CommunicationRow& row = summary.rows[found->second];
    row.count += cost.runs;
    row.sent += cost.sent * static_cast<double>(cost.runs);
    row.received = row.sent;
  });
  std::ranges::stable_sort(summary.rows, detail::comes_before);
  return summary;
}

}  // namespace shardprop
