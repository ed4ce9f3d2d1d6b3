// The way of an axis from the place where a user wrote it to a tensor, hop by hop, as the trace of
// the propagation has it.
//
// Worked example, `%1 = tanh(%0)`, `%2 = dot(%1, %w)` and x given on %0: the chain of x on %2 is the
// hop of tanh from operand 0 to result 0 and that of dot from operand 0 to result 0.
//
// O(events) to make, then O(hops) per chain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/propagate/trace/trace.hpp"

namespace shardprop {

// An axis went from tensor `source` of a step to tensor `target`, operands first. kGroup: from a
// member of a sharding group to another, without a step.
struct AxisHop {
  static constexpr std::size_t kNoEvent = static_cast<std::size_t>(-1);

  HopKind kind = HopKind::kRule;
  StepRef step = {};
  std::size_t event = kNoEvent;  // of the trace
  std::size_t source = 0;
  std::size_t target = 0;
  ValueId from = {};  // as the step sees it; none for a function's result
  ValueId to = {};
  Slot from_slot = {};
  Slot to_slot = {};
  std::size_t from_dim = 0;
  std::size_t to_dim = 0;
  TracedAxisId from_axis = {};  // what of the axis is in `from`
  TracedAxisId axis = {};       // and in `to`
};

// The hops to an axis of a tensor, the first one at `begin`, which had the axis from the start.
struct AxisChain {
  Slot begin;
  std::size_t begin_dim = 0;
  TracedAxisId begin_axis;
  std::vector<AxisHop> hops;
};

class AxisChains {
 public:
  // `trace` is that of the propagation of `graph`. Both must outlive this.
  AxisChains(StepGraph& graph, const Trace& trace)
      : graph_(graph), trace_(trace), axes_(trace.axes()) {
    arrivals_.resize(graph.store().slot_count());
    std::span<const TraceEvent> events = trace.events();
    std::size_t step = 0;  // the last event that is a step
    for (std::size_t e = 0; e < events.size(); ++e) {
      if (events[e].kind == TraceEventKind::kGroup) {
        add_group(step, e);
        continue;
      }
      step = e;
      for (std::uint32_t move = events[e].first_move; move < events[e].end_of_moves; ++move)
        add(slot_of(events[e], trace.moves(events[e])[move - events[e].first_move].target),
            {e, move});
    }
  }

  const TracedAxes& axes() const { return axes_; }
  TracedAxisId axis(const Mesh& mesh, AxisRef ref) { return axes_.intern(mesh, ref); }
  bool overlaps(TracedAxisId axis, const Mesh& mesh, AxisRef ref) {
    return axes_.overlap(axis, axes_.intern(mesh, ref));
  }

  // The dimension of a tensor that has a part of `axis`, and that part; none where none has.
  std::optional<std::pair<std::size_t, TracedAxisId>> find(ShardingId sharding, TracedAxisId axis) {
    if (!sharding.valid()) return std::nullopt;
    const TensorSharding& s = graph_.module().shardings[sharding];
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef ref : s.dims[d].axes) {
        const TracedAxisId own = axes_.intern(graph_.module().meshes[s.mesh], ref);
        if (axes_.overlap(own, axis)) return std::pair(d, own);
      }
    }
    return std::nullopt;
  }

  // The event that brought `axis`, or a part of it, to `slot`, the last one before `before`.
  std::optional<std::size_t> arrival(Slot slot, TracedAxisId axis,
                                     std::size_t before = AxisHop::kNoEvent) const {
    const Arrival* at = last_arrival(slot, axis, before);
    return at ? std::optional<std::size_t>(at->event) : std::nullopt;
  }

  // How `axis` of dimension `dim` came to `slot`.
  AxisChain chain(Slot slot, std::size_t dim, TracedAxisId axis) {
    AxisChain out{slot, dim, axis, {}};
    for (std::size_t before = AxisHop::kNoEvent;;) {
      std::optional<AxisHop> hop = hop_to(out.begin, out.begin_axis, before);
      if (!hop) break;
      before = hop->event;
      out.begin = hop->from_slot;
      out.begin_dim = hop->from_dim;
      out.begin_axis = hop->from_axis;
      out.hops.push_back(*std::move(hop));
    }
    std::ranges::reverse(out.hops);
    return out;
  }

  // The hop by which `axis`, or a part of it, came to `slot`, the last one before event `before`; none
  // where the slot had it from the start.
  std::optional<AxisHop> hop_to(Slot slot, TracedAxisId axis, std::size_t before) {
    const Arrival* at = last_arrival(slot, axis, before);
    if (!at) return std::nullopt;
    const TraceEvent& event = trace_.events()[at->event];
    AxisHop hop;
    hop.event = at->event;
    hop.to_slot = slot;
    hop.axis = axis;
    if (event.kind == TraceEventKind::kGroup) {
      hop.kind = HopKind::kGroup;
      hop.from = event.from;
      hop.to = event.to;
      hop.from_slot = graph_.slot(event.from);
    } else {
      hop.step = step_of(event);
      hop.kind = event.kind == TraceEventKind::kResult ? HopKind::kResult
                 : graph_.is_edge(event.op)            ? HopKind::kEdge
                                                       : HopKind::kRule;
      const StepTensors s = graph_.tensors(hop.step);
      const TraceMove& move = move_of(*at);
      hop.source = tensor(s, move.source);
      hop.target = tensor(s, move.target);
      hop.from = s.values[hop.source];
      hop.to = s.values[hop.target];
      hop.from_slot = s.slots[hop.source];
      if (connect(s, hop)) return hop;
    }
    set_dims(hop);
    return hop;
  }

 private:
  struct Arrival {
    std::size_t event;
    std::uint32_t move;
  };

  void add(Slot slot, const Arrival& arrival) {
    if (slot.valid()) arrivals_[slot].push_back(arrival);
  }
  // What the last step brought to a member of a group came to the other one.
  void add_group(std::size_t step, std::size_t e) {
    const TraceEvent& of_step = trace_.events()[step];
    const TraceEvent& group = trace_.events()[e];
    for (std::uint32_t move = of_step.first_move; move < of_step.end_of_moves; ++move) {
      const EdgeNode target = trace_.moves(of_step)[move - of_step.first_move].target;
      if (slot_of(of_step, target) == graph_.slot(group.from))
        add(graph_.slot(group.to), {e, move});
    }
  }

  static StepRef step_of(const TraceEvent& event) { return {event.op, event.func, event.number}; }

  // O(1), without the shardings of the step.
  Slot slot_of(const TraceEvent& event, EdgeNode node) const {
    const auto i = static_cast<std::size_t>(node.index);
    const Module& m = graph_.module();
    if (event.kind == TraceEventKind::kResult) {
      if (node.is_result) return graph_.slot(event.func, event.number);
      return graph_.slot(operand(m, terminator(m, m.funcs[event.func].body), event.number));
    }
    const Plan& plan = graph_.plan();
    if (node.is_result) return graph_.slot(result(m, event.op, i));
    if (plan.ops[event.op].form == StepForm::kOp) return graph_.slot(operand(m, event.op, i));
    if (plan.ops[event.op].form == StepForm::kEdge)
      return graph_.slot(m.uses[graph_.store().edge(event.op)->edge.sources[i]].value);
    return graph_.slot(plan.func_edge_sources.at(event.op.index)[i]);
  }

  const TraceMove& move_of(const Arrival& at) const {
    std::size_t step = at.event;
    while (trace_.events()[step].kind == TraceEventKind::kGroup) --step;
    const TraceEvent& event = trace_.events()[step];
    return trace_.moves(event)[at.move - event.first_move];
  }

  const Arrival* last_arrival(Slot slot, TracedAxisId axis, std::size_t before) const {
    const std::vector<Arrival>& all = arrivals_[slot];
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      if (at->event < before && axes_.overlap(move_of(*at).axis, axis)) return &*at;
    }
    return nullptr;
  }

  static std::size_t tensor(const StepTensors& s, EdgeNode node) {
    return static_cast<std::size_t>(node.index) + (node.is_result ? s.operands : 0);
  }

  void set_dims(AxisHop& hop) {
    const auto from = find(graph_.sharding(hop.from_slot), hop.axis);
    const auto to = find(graph_.sharding(hop.to_slot), hop.axis);
    hop.from_dim = from ? from->first : 0;
    hop.to_dim = to ? to->first : 0;
    hop.from_axis = from ? narrower(from->second, hop.axis) : hop.axis;
  }

  // Sets the dimensions of the factor along which both tensors of the hop have the axis. False
  // where there is none.
  bool connect(const StepTensors& s, AxisHop& hop) {
    const Module& m = graph_.module();
    const OpShardingRule& rule = m.rules[s.rule];
    projection_.reset(rule);
    const Mesh* meshes[2] = {};
    for (const std::size_t t : {hop.source, hop.target}) {
      if (!s.shardings[t].valid()) return false;
      const TensorSharding& sharding = m.shardings[s.shardings[t]];
      meshes[t == hop.target] = &m.meshes[sharding.mesh];
      project_tensor(rule, t, &sharding, m.meshes[sharding.mesh], projection_);
    }
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      const auto from = part_of(projection_.at(hop.source, f), hop.axis, *meshes[0]);
      const auto to = part_of(projection_.at(hop.target, f), hop.axis, *meshes[1]);
      if (!from || !to || !axes_.overlap(*from, *to)) continue;
      hop.from_dim = dim_of(rule.tensor(hop.source), f);
      hop.to_dim = dim_of(rule.tensor(hop.target), f);
      hop.from_axis = narrower(*from, hop.axis);
      return true;
    }
    return false;
  }

  std::optional<TracedAxisId> part_of(const FactorSharding& cell, TracedAxisId axis,
                                      const Mesh& mesh) {
    if (!cell.mapped) return std::nullopt;
    for (AxisRef ref : cell.axes) {
      const TracedAxisId own = axes_.intern(mesh, ref);
      if (axes_.overlap(own, axis)) return own;
    }
    return std::nullopt;
  }

  // Of two that overlap, the one that the other contains.
  TracedAxisId narrower(TracedAxisId a, TracedAxisId b) const {
    return contains(axes_[a].part, axes_[b].part) ? b : a;
  }

  static std::size_t dim_of(const TensorMapping& mapping, std::size_t factor) {
    for (std::size_t d = 0; d < mapping.size(); ++d) {
      if (std::find(mapping[d].begin(), mapping[d].end(), factor) != mapping[d].end()) return d;
    }
    return 0;
  }

  StepGraph& graph_;
  const Trace& trace_;
  TracedAxes axes_;
  IdVector<Slot, std::vector<Arrival>> arrivals_;  // in order
  Projection projection_;
};

}  // namespace shardprop
