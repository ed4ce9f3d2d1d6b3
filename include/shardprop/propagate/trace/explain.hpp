// Explains the sharding of a tensor: for each of its axes the way that the axis took from the place
// where a user wrote it, operation by operation. Needs the trace of a propagation
// (`PropagateOptions::trace_origins` and `trace_edges`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/propagate/trace/trace.hpp"

namespace shardprop {

// One hop of an axis: `op` carried it from value `from` to value `to`.
struct AxisHop {
  OpId op;
  ValueId from;
  ValueId to;
  std::size_t step = 0;
};

// How one axis came to one tensor. Without hops, it was written there, or it came through a
// function's result or a group.
struct AxisExplanation {
  TracedAxis axis;
  std::string origin;         // as the trace names it, `input: 0`; empty where it is unknown
  std::vector<AxisHop> hops;  // the one at the origin first
};

namespace detail {

inline ValueId node_value(const Module& m, OpId op, EdgeNode node) {
  const auto index = static_cast<std::size_t>(node.index);
  return node.is_result ? result(m, op, index) : operand(m, op, index);
}

// The step of `op` that brought `axis`, or a part of it, to `value`; the last one before `before`.
inline bool find_hop(const Module& m, const Trace& trace, OpId op, ValueId value,
                     const TracedAxis& axis, std::size_t before, AxisHop& hop) {
  const auto moves = trace.op_moves().find(op.index);
  if (moves == trace.op_moves().end()) return false;
  bool found = false;
  for (const TraceMove& move : moves->second) {
    const bool same = move.axis.name == axis.name && overlaps(move.axis.part, axis.part);
    if (!same || move.step >= before || node_value(m, op, move.target) != value) continue;
    if (found && move.step < hop.step) continue;
    hop = {op, node_value(m, op, move.source), value, move.step};
    found = true;
  }
  return found;
}

// The hop by which an operation that makes or uses `value` brought the axis to it.
inline bool find_hop(const Module& m, const Trace& trace, ValueId value, const TracedAxis& axis,
                     std::size_t before, AxisHop& hop) {
  if (const OpId op = defining_op(m, value);
      op.valid() && find_hop(m, trace, op, value, axis, before, hop))
    return true;
  for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
    if (find_hop(m, trace, m.uses[use].user, value, axis, before, hop)) return true;
  }
  return false;
}

}  // namespace detail

// The explanation of each axis of `value`, as far as the trace has it. O(hops times uses on the
// way).
inline std::vector<AxisExplanation> explain(const Module& m, const Trace& trace, ValueId value) {
  std::vector<AxisExplanation> all;
  const ShardingId sharding = m.value_shardings[value];
  if (!sharding.valid()) return all;
  const TensorSharding& s = m.shardings[sharding];
  const auto known = trace.origins().find(value.index);
  for (const DimSharding& dim : s.dims) {
    for (AxisRef ref : dim.axes) {
      AxisExplanation e{traced_axis(m.meshes[s.mesh], ref), {}, {}};
      if (known != trace.origins().end()) {
        for (const auto& [axis, origin] : known->second) {
          if (axis.name == e.axis.name && overlaps(axis.part, e.axis.part))
            e.origin = to_string(origin);
        }
      }
      AxisHop hop;
      ValueId at = value;
      for (std::size_t before = ~std::size_t{0};
           detail::find_hop(m, trace, at, e.axis, before, hop);) {
        e.hops.push_back(hop);
        before = hop.step;
        at = hop.from;
      }
      std::reverse(e.hops.begin(), e.hops.end());
      all.push_back(std::move(e));
    }
  }
  return all;
}

namespace detail {

// The name of `value`. The result of a data-flow edge has none; it is shown by that of the operand.
inline std::string shown_name(const Module& m, ValueId value) {
  std::string name = name_of(m, value);
  const OpId op = defining_op(m, value);
  if (!name.empty() || !op.valid() || m.ops[op].operand_count == 0) return name;
  return name_of(m, operand(m, op, 0));
}

}  // namespace detail

// One paragraph per axis: `x, from input: 0` and one line per hop,
// `  %arg0 -> %1 through stablehlo.tanh (step 0)`.
inline std::string to_string(const Module& m, const AxisExplanation& e) {
  std::string out =
      fmt::format("{}{}\n", to_string(e.axis), e.origin.empty() ? "" : ", from " + e.origin);
  for (const AxisHop& hop : e.hops) {
    out += fmt::format("  {} -> {} through {} (step {})\n", detail::shown_name(m, hop.from),
                       detail::shown_name(m, hop.to), op_name(m, hop.op), hop.step);
  }
  return out;
}

}  // namespace shardprop
