// Definitions of explainer.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/analysis/explain/annotation.hpp"
#include "shardprop/analysis/explain/axis_chain.hpp"
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/analysis/explain/missing_axis.hpp"
#include "shardprop/analysis/explain/program_side.hpp"
#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/analysis/explain/stop_explainer.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/pipeline/propagate_program.hpp"

namespace shardprop {

struct Explainer::State {
  State(const Module& program, PropagatedCopy& copy, const OpTable& ops,
        const PropagateOptions& options)
      : program_(program),
        graph_(copy.module, ops, options),
        trace_(*copy.report.trace),
        chains_(graph_, trace_),
        annotations_(program, graph_, chains_),
        missing_(graph_),
        side_(program, graph_),
        stops_(program, graph_, trace_, chains_, annotations_, side_) {}

  std::size_t run_count() const { return trace_.run_count(); }
  std::size_t runs_per_priority() const { return graph_.runs_per_priority(); }
  std::int32_t priority_of(std::size_t run) const { return stops_.priority_of(run); }

  std::vector<AxisExplanation> axes(const ValueRef& ref, std::string_view axis) {
    std::vector<AxisExplanation> out;
    std::size_t use = 0;
    for (Slot slot : side_.slots(ref)) {
      std::vector<AxisExplanation> one = axes(slot, axis, use);
      const bool known =
          std::ranges::all_of(one, [&](const AxisExplanation& e) { return is_known(e, out); });
      if (known) continue;
      std::ranges::move(one, std::back_inserter(out));
      ++use;
    }
    return out;
  }

  std::vector<AxisExplanation> last_steps(const ValueRef& ref) {
    std::vector<AxisExplanation> out;
    const std::vector<Slot> slots = side_.slots(ref);
    const ShardingId id = slots.empty() ? ShardingId() : graph_.sharding(slots[0]);
    if (!id.valid()) return out;
    const TensorSharding s = graph_.module().shardings[id];
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef axis : s.dims[d].axes)
        out.push_back(last_step(slots[0], d, graph_.module().meshes[s.mesh], axis));
    }
    return out;
  }

  std::vector<MissingAxis> missing(const ValueRef& ref, std::string_view axis) {
    if (!is_given(axis))
      return {StopExplainer::without_stop(
          axis, "never_given", fmt::format("no sharding that you gave has the axis {}", axis))};
    const TypeId type = type_of(program_, ref);
    if (!program_.types.is_static_tensor(type) || program_.types.shape(type).empty())
      return {StopExplainer::without_stop(axis, "no_dimension", "the value has no dimension")};
    const AxisNames manual = manual_axes_around(program_, block_of(ref));
    if (std::ranges::find(manual, axis) != manual.end())
      return {StopExplainer::without_stop(axis, "manual_axis",
                                          "it is a manual axis of the computation around")};
    std::vector<MissingAxis> out;
    std::map<std::string, std::size_t> row_of;
    for (Slot slot : side_.slots(ref)) {
      for (const AxisStop& stop : missing_.find(slot, axis)) {
        MissingAxis one = stops_.explain(stop, axis);
        const auto [at, is_new] = row_of.try_emplace(likeness(one), out.size());
        if (is_new) {
          out.push_back(std::move(one));
        } else if (one.op != out[at->second].op) {
          ++out[at->second].others;
        }
      }
    }
    return out;
  }

  // Equal for stops that a reader can tell apart by their operations and values only.
  static std::string likeness(const MissingAxis& missing) {
    const auto words = [](const std::optional<ExplainedDim>& dim) {
      return dim ? fmt::format("{} {}|", dim->dim, dim->words) : "|";
    };
    std::string out = missing.operation + words(missing.at) + words(missing.neighbour);
    for (const MissingReason& reason : missing.reasons) out += reason.text;
    return out;
  }

  bool is_given(std::string_view axis) const {
    for (ShardingId id : program_.shardings.ids()) {
      const TensorSharding& s = program_.shardings[id];
      for (const DimSharding& dim : s.dims) {
        for (AxisRef ref : dim.axes) {
          if (program_.meshes[s.mesh].axes[ref.axis].name == axis) return true;
        }
      }
    }
    return false;
  }

  static bool is_known(const AxisExplanation& e, const std::vector<AxisExplanation>& all) {
    return std::ranges::any_of(all, [&](const AxisExplanation& other) {
      if (e.axis != other.axis || e.dim != other.dim || e.origin != other.origin ||
          e.steps.size() != other.steps.size())
        return false;
      for (std::size_t i = 0; i < e.steps.size(); ++i) {
        if (e.steps[i].op != other.steps[i].op || e.steps[i].to.value != other.steps[i].to.value)
          return false;
      }
      return true;
    });
  }

  std::vector<AxisExplanation> axes(Slot slot, std::string_view only, std::size_t use) {
    std::vector<AxisExplanation> out;
    const ShardingId id = graph_.sharding(slot);
    if (!id.valid()) return out;
    const TensorSharding s = graph_.module().shardings[id];
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef ref : s.dims[d].axes) {
        const Mesh& mesh = graph_.module().meshes[s.mesh];
        if (!only.empty() && mesh.axes[ref.axis].name != only) continue;
        out.push_back(
            explain(chains_.chain(slot, d, chains_.axis(mesh, ref)), to_string(ref, mesh), d, use));
      }
    }
    return out;
  }

  AxisExplanation last_step(Slot slot, std::size_t dim, const Mesh& mesh, AxisRef ref) {
    const TracedAxisId axis = chains_.axis(mesh, ref);
    AxisExplanation out;
    out.axis = to_string(ref, mesh);
    out.dim = dim;
    const std::optional<AxisHop> hop = chains_.hop_to(slot, axis, AxisHop::kNoEvent);
    const Way& way = way_to(slot, axis);
    out.origin = way.origin;
    out.length = way.length;
    if (hop) out.steps.push_back(explain(*hop));
    return out;
  }

  // The origin and the number of steps of the way that ended with an arrival.
  struct Way {
    std::optional<AnnotationPlace> origin;
    std::size_t length = 0;
  };
  // The event of the arrival, the slot and the axis: what the way depends on.
  using WayKey = std::tuple<std::size_t, Slot, TracedAxisId>;

  const Way& way_to(Slot slot, TracedAxisId axis) {
    std::vector<WayKey> open;
    for (std::size_t before = AxisHop::kNoEvent;;) {
      const std::optional<AxisHop> hop = chains_.hop_to(slot, axis, before);
      const WayKey key = {hop ? hop->event : AxisHop::kNoEvent, slot, axis};
      open.push_back(key);
      if (ways_.contains(key)) break;
      if (!hop) {
        std::vector<AxisHop> first;
        Way& way = ways_[key];
        way.origin = annotations_.find(slot, axis, first);
        way.length = first.size();
        break;
      }
      before = hop->event;
      slot = hop->from_slot;
      axis = hop->from_axis;
    }
    for (std::size_t i = open.size() - 1; i-- > 0;) {
      const Way& from = ways_[open[i + 1]];
      ways_[open[i]] = {from.origin, from.length + 1};
    }
    return ways_[open.front()];
  }

  AxisExplanation explain(const AxisChain& chain, std::string axis, std::size_t dim,
                          std::size_t use) {
    AxisExplanation out;
    out.axis = std::move(axis);
    out.dim = dim;
    out.use = use;
    std::vector<AxisHop> hops;
    out.origin = annotations_.find(chain.begin, chain.begin_axis, hops);
    hops.insert(hops.end(), chain.hops.begin(), chain.hops.end());
    for (const AxisHop& hop : hops) out.steps.push_back(explain(hop));
    out.length = out.steps.size();
    return out;
  }

  ExplainedStep explain(const AxisHop& hop) {
    ExplainedStep out;
    out.kind = hop.kind;
    out.run = hop.event == AxisHop::kNoEvent ? 0 : trace_.run_of(hop.event);
    if (hop.kind == HopKind::kGroup) {
      out.operation = "sdy.sharding_group";
      out.from = {side_.value(hop.from), hop.from_dim, fmt::format("dimension {}", hop.from_dim)};
      out.to = {side_.value(hop.to), hop.to_dim, fmt::format("dimension {}", hop.to_dim)};
      return out;
    }
    const StepTensors s = graph_.tensors(hop.step);
    const bool from_result = hop.source >= s.operands;
    const bool to_result = hop.target >= s.operands;
    out.direction = from_result == to_result ? StepDirection::kAcross
                    : to_result              ? StepDirection::kForward
                                             : StepDirection::kBackward;
    side_.operation(hop.step, out.op, out.operation);
    out.from = side_.dim(s, hop.source, hop.from_dim);
    out.to = side_.dim(s, hop.target, hop.to_dim);
    return out;
  }

  BlockId block_of(const ValueRef& ref) const {
    const OpId op = ref.value.valid() ? defining_op(program_, ref.value) : OpId();
    if (op.valid()) return program_.layout[op].block;
    return ref.value.valid() ? argument_block(program_, ref.value) : program_.funcs[ref.func].body;
  }

  const Module& program_;
  StepGraph graph_;
  const Trace& trace_;
  AxisChains chains_;
  AnnotationFinder annotations_;
  MissingAxisFinder missing_;
  ProgramSide side_;
  std::map<WayKey, Way> ways_;
  StopExplainer stops_;
};

SHARDPROP_INLINE Explainer::Explainer(const Module& program, PropagatedCopy& copy,
                                      const OpTable& ops, const PropagateOptions& options)
    : state_(std::make_unique<State>(program, copy, ops, options)) {}
SHARDPROP_INLINE Explainer::Explainer(Explainer&&) noexcept = default;
SHARDPROP_INLINE Explainer& Explainer::operator=(Explainer&&) noexcept = default;
SHARDPROP_INLINE Explainer::~Explainer() = default;

SHARDPROP_INLINE std::size_t Explainer::run_count() const { return state_->run_count(); }
SHARDPROP_INLINE std::size_t Explainer::runs_per_priority() const {
  return state_->runs_per_priority();
}
SHARDPROP_INLINE std::int32_t Explainer::priority_of(std::size_t run) const {
  return state_->priority_of(run);
}
SHARDPROP_INLINE std::vector<AxisExplanation> Explainer::axes(const ValueRef& ref,
                                                              std::string_view axis) {
  return state_->axes(ref, axis);
}
SHARDPROP_INLINE std::vector<AxisExplanation> Explainer::last_steps(const ValueRef& ref) {
  return state_->last_steps(ref);
}
SHARDPROP_INLINE std::vector<MissingAxis> Explainer::missing(const ValueRef& ref,
                                                             std::string_view axis) {
  return state_->missing(ref, axis);
}
SHARDPROP_INLINE bool Explainer::is_given(std::string_view axis) const {
  return state_->is_given(axis);
}

}  // namespace shardprop
