// What the collectives of a program send: for each kind and each list of mesh axes how often, and
// how many bytes a device sends and receives, with ring algorithms (docs/communication.md).
//
// Worked example: all_reduce along an axis of size 4 of a tensor of which each device holds 1000
// bytes: 2 * 3/4 * 1000 = 1500 bytes sent and received. O(operations).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"

namespace shardprop {

// The collectives of one kind along the same axes.
struct CommunicationRow {
  std::string kind;        // all_gather
  std::string mesh;        // empty for an inlined mesh
  std::string axes;        // "x, y:(1)2", empty where only the order of the devices changes
  bool in_loop = false;    // inside a stablehlo.while: the numbers are of one trip
  std::int64_t count = 0;  // calls of a function count each
  double sent = 0;         // bytes that a device sends, all together
  double received = 0;
};

// Rows by kind, mesh, axes. `not_counted` is the number of operations that communicate but
// are not collectives of the sdy dialect: those of stablehlo, and reshards.
struct CommunicationSummary {
  std::vector<CommunicationRow> rows;
  std::int64_t not_counted = 0;
};

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

inline bool communicates_uncounted(StringId name) {
  return is_one_of(
      name, {known::kAllGather, known::kAllReduce, known::kAllToAll, known::kCollectivePermute,
             known::kReduceScatter, known::kCollectiveBroadcast, known::kSdyReshard});
}

// Sums up the operations, function by function.
class CommunicationCounter {
 public:
  explicit CommunicationCounter(const Module& m) : m_(m) {}

  CommunicationSummary count() {
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
    std::ranges::stable_sort(summary_.rows, comes_before);
    return std::move(summary_);
  }

 private:
  static bool comes_before(const CommunicationRow& a, const CommunicationRow& b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.mesh != b.mesh) return a.mesh < b.mesh;
    return a.axes != b.axes ? a.axes < b.axes : a.in_loop < b.in_loop;
  }

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
    if (communicates_uncounted(name)) summary_.not_counted += runs;
  }

  void add_collective(OpId op, const RingRow& ring, std::int64_t runs, bool in_loop) {
    const TensorSharding& after = out_sharding(m_, op);
    const ValueId input = operand(m_, op, 0);
    const TensorSharding before =
        tensor_sharding_of(m_, input).value_or(closed_sharding(after.mesh, rank_of(m_, input)));
    const Mesh& mesh = m_.meshes[after.mesh];
    const AxisList axes = !ring.key.valid() ? changed_axes(before, after, mesh)
                                            : named_axes(m_, attribute(m_, op, ring.key), mesh);
    const double bytes = ring_bytes(ring.ring, local_bytes(m_, input, before), total_size(axes));
    std::string text;
    for (AxisRef axis : axes) text += (text.empty() ? "" : ", ") + to_string(axis, mesh);
    const std::string kind(m_.strings[ring.op].substr(4));
    const std::string key = fmt::format("{}\n{}\n{}\n{}", kind, mesh.name, text, in_loop ? 1 : 0);
    const auto [found, is_new] = row_of_.emplace(key, summary_.rows.size());
    if (is_new) summary_.rows.push_back({kind, mesh.name, text, in_loop});
    CommunicationRow& row = summary_.rows[found->second];
    row.count += runs;
    row.sent += bytes * static_cast<double>(runs);
    row.received = row.sent;
  }

  const Module& m_;
  CommunicationSummary summary_;
  std::unordered_map<std::string, std::size_t> row_of_;  // by what rows are told apart by
};

}  // namespace detail

// Sums up what the sdy collectives of `m`, a verified module, send in one run of each public
// function.
inline CommunicationSummary communication(const Module& m) {
  return detail::CommunicationCounter(m).count();
}

}  // namespace shardprop
