// Tells of a place where an axis stopped, in the terms of the program: what has the axis there, and
// each obstacle as a sentence, with why it was there first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/analysis/explain/annotation.hpp"
#include "shardprop/analysis/explain/axis_chain.hpp"
#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/analysis/explain/missing_axis.hpp"
#include "shardprop/analysis/explain/program_side.hpp"
#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/propagate/trace/trace.hpp"

namespace shardprop {

class StopExplainer {
 public:
  // `graph` is of a propagated copy of `program`, the others of `graph`. All must outlive this.
  StopExplainer(const Module& program, StepGraph& graph, const Trace& trace, AxisChains& chains,
                AnnotationFinder& annotations, const ProgramSide& side)
      : program_(program),
        graph_(graph),
        trace_(trace),
        chains_(chains),
        annotations_(annotations),
        side_(side) {
    for (ShardingId id : program.shardings.ids()) {
      for (const DimSharding& dim : program.shardings[id].dims) {
        if (dim.priority_or_default() > 0) priorities_.push_back(dim.priority_or_default());
      }
    }
    std::ranges::sort(priorities_);
    priorities_.erase(std::unique(priorities_.begin(), priorities_.end()), priorities_.end());
  }

  // The user priority that a run is of.
  std::int32_t priority_of(std::size_t run) const {
    const std::size_t i = run / graph_.runs_per_priority();
    return i == 0 || i > priorities_.size() ? 0 : priorities_[i - 1];
  }

  // For an axis that did not stop at any place.
  static MissingAxis without_stop(std::string_view axis, std::string_view code, std::string text) {
    MissingAxis out;
    out.axis = std::string(axis);
    out.reasons.push_back({code, std::move(text), {}, {}, {}});
    return out;
  }

  // `axis` is the name that was asked for.
  MissingAxis explain(const AxisStop& stop, std::string_view axis) {
    if (stop.kind == AxisStopKind::kNoWay)
      return without_stop(axis, "no_way",
                          "no operation leads from a value that has it to this one");
    MissingAxis out;
    out.axis = std::string(axis);
    out.distance = stop.distance;
    side_.operation(stop.step, out.op, out.operation);
    if (stop.kind != AxisStopKind::kStep) {
      out.neighbour = {side_.value(stop.source_value), stop.source_dim,
                       fmt::format("dimension {}", stop.source_dim)};
      if (stop.target_value.valid()) out.at = {side_.value(stop.target_value), 0, ""};
      const bool no_rule = stop.kind == AxisStopKind::kNoRule;
      out.reasons.push_back(
          {no_rule ? "no_rule" : "no_matching_dimension",
           no_rule
               ? fmt::format("{} has no sharding rule, so no sharding passes it", out.operation)
               : fmt::format("{} joins that dimension to none of the other tensor", out.operation),
           {},
           {},
           {}});
      return out;
    }
    const StepTensors s = graph_.tensors(stop.step);
    out.neighbour = side_.dim(s, stop.source, stop.source_dim);
    out.at = side_.dim(s, stop.target, stop.target_dim);
    for (const Obstacle& o : stop.why.obstacles) out.reasons.push_back(explain(s, stop, o));
    return out;
  }

 private:
  MissingReason explain(const StepTensors& s, const AxisStop& stop, const Obstacle& o) {
    const Mesh& mesh = graph_.module().meshes[common_mesh(graph_.module(), s.shardings)];
    MissingReason out;
    out.code = detail::code_of(o.reason);
    const ExplainedDim own = side_.dim(s, o.tensor, o.dim);
    const std::string axis = to_string(o.axis, mesh);
    out.by = own;
    out.by_axis = axis;
    if (o.by_dim) out.by->dim = *o.by_dim;
    if (o.by_axis) out.by_axis = to_string(*o.by_axis, mesh);
    const bool conflict =
        o.reason == UnresolvedReason::kAxisInUse || o.reason == UnresolvedReason::kDifferentAxes;
    if (conflict && s.slots[o.tensor].valid()) out.won = winner(s, stop, o, mesh);
    switch (o.reason) {
      case UnresolvedReason::kDifferentAxes:
        out.text =
            fmt::format("dimension {} of {{}} is split along {} already", o.dim, out.by_axis);
        break;
      case UnresolvedReason::kAxisInUse:
        out.text = fmt::format("{} splits dimension {} of {{}} already", axis, out.by->dim);
        break;
      case UnresolvedReason::kClosedDimension:
        out.text = fmt::format("dimension {} of {{}} is closed", o.dim);
        break;
      case UnresolvedReason::kNotDivisible:
        out.text = fmt::format("{}, of size {}, does not divide that part of dimension {} of {{}}",
                               axis, o.axis.size, o.dim);
        break;
      case UnresolvedReason::kReplicatedAxis:
        out.text = fmt::format("{{}} must stay replicated along {}", axis);
        if (is_manual_of(s.step.op, o.axis, mesh) ||
            is_manual_of(defining_op(graph_.module(), s.values[o.tensor]), o.axis, mesh)) {
          out.code = "manual_axis";
          out.text =
              fmt::format("{} is a manual axis, along which {{}} stays as you gave it", axis);
        }
        break;
      case UnresolvedReason::kUnreducedAxis:
        out.text = fmt::format("{{}} is unreduced along {}", axis);
        break;
      case UnresolvedReason::kOtherTensor:
        out.text = fmt::format("the step prefers {} of dimension {} of {{}}", axis, o.dim);
        break;
      default:
        out.text = std::string(shardprop::explain(o.reason));
    }
    if (!out.won.empty()) out.text += fmt::format(" ({})", out.won);
    return out;
  }

  // When an axis that a slot has from the start comes into play: at the turn of its user priority.
  std::size_t given_turn(Slot slot, TracedAxisId axis) {
    std::vector<AxisHop> hops;
    const std::optional<AnnotationPlace> at = annotations_.find(slot, axis, hops);
    if (!at) return 0;
    const ShardingId id = at->value.valid() ? program_.value_shardings[at->value]
                                            : program_.funcs[at->func].results[at->number].sharding;
    if (!id.valid() || at->dim >= program_.shardings[id].rank()) return 0;
    const std::int32_t priority = program_.shardings[id].dims[at->dim].priority_or_default();
    const auto known = std::ranges::find(priorities_, priority);
    return known == priorities_.end() ? 0
                                      : static_cast<std::size_t>(known - priorities_.begin()) + 1;
  }

  // Whether an operation is the edge by which a value enters or leaves a computation of which the
  // axis is a manual one.
  bool is_manual_of(OpId op, AxisRef axis, const Mesh& mesh) const {
    const OpId owner = op.valid() ? graph_.edge_owner(op) : OpId();
    return owner.valid() && is_manual(axis, mesh, manual_axes(graph_.module(), owner));
  }

  // Why what stands in the way was there before the axis.
  std::string_view winner(const StepTensors& s, const AxisStop& stop, const Obstacle& o,
                          const Mesh& mesh) {
    const auto theirs = chains_.arrival(s.slots[o.tensor], chains_.axis(mesh, *o.by_axis));
    const TracedAxisId axis = chains_.axis(mesh, stop.axis);
    const auto ours = chains_.arrival(stop.source_slot, axis);
    if (!theirs) return "you gave it";
    const std::size_t turn = trace_.run_of(*theirs) / graph_.runs_per_priority();
    const bool is_later = ours ? trace_.run_of(*ours) / graph_.runs_per_priority() > turn
                               : given_turn(stop.source_slot, axis) > turn;
    if (is_later) return "priority";
    const bool before = ours && *ours > *theirs;
    if (!before && trace_.events()[*theirs].op == stop.step.op) return "larger tensor";
    return "came first";
  }

  const Module& program_;
  StepGraph& graph_;
  const Trace& trace_;
  AxisChains& chains_;
  AnnotationFinder& annotations_;
  const ProgramSide& side_;
  std::vector<std::int32_t> priorities_;  // above 0, in order
};

}  // namespace shardprop
