// Where an axis that a tensor does not have stops on its way to it.
//
// First the steps of the tensor itself are looked at: one where another tensor has the axis along a
// factor that the tensor has too stopped it there. Where there is none, the nearest such step along
// factors is named. Where no factor leads to such a tensor, the nearest operation that lies between
// a tensor that has the axis and another one is: it has no rule, or its rule joins no dimension of
// the two.
//
// O(operations) for the first question about an axis, then O(steps of the tensor).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardprop/analysis/explain/nearest_stop.hpp"
#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/analysis/explain/why_not.hpp"
#include "shardprop/support/memo.hpp"

namespace shardprop {

enum class AxisStopKind : std::uint8_t {
  kStep,                 // a step, for the reasons of `why`
  kNoRule,               // an operation without a rule
  kNoMatchingDimension,  // an operation whose rule joins no dimension of the two tensors
  kNoWay,                // nothing leads from a tensor that has the axis to this one
};

// The axis is in `source` and not in `target`, tensors of `step`.
struct AxisStop {
  AxisStopKind kind = AxisStopKind::kStep;
  StepRef step = {};
  ValueId source_value = {};  // as the step sees them; none for a function's result
  ValueId target_value = {};
  Slot source_slot = {};
  Slot target_slot = {};
  std::size_t source = 0;
  std::size_t target = 0;
  std::size_t source_dim = 0;
  std::size_t target_dim = 0;
  AxisRef axis = {};  // as it is in the source
  WhyNot why = {};
  std::size_t distance = 0;  // steps from the target to the tensor that was asked for
};

class MissingAxisFinder {
 public:
  explicit MissingAxisFinder(StepGraph& graph) : graph_(graph) {}

  // The stops of the axis called `name` before `slot`: all those at its own steps, or the nearest
  // one further out.
  std::vector<AxisStop> find(Slot slot, std::string_view name) {
    const NearestStops& nearest = nearest_stops(name);
    std::vector<AxisStop> stops;
    if (const auto at = nearest.along_factors(slot)) {
      const bool is_far = at->distance > 0;
      add_stops(at->slot, is_far ? std::optional(at->dim) : std::nullopt, name, is_far, stops);
      for (AxisStop& stop : stops) stop.distance = at->distance;
      return stops;
    }
    stops.push_back(at_operation(slot, nearest));
    return stops;
  }

 private:
  const NearestStops& nearest_stops(std::string_view name) {
    auto at = nearest_.find(name);
    if (at == nearest_.end())
      at = nearest_.emplace(std::string(name), NearestStops(graph_, name)).first;
    return at->second;
  }

  // Adds the stops at the steps of `slot`, or those before dimension `dim` of it; the first one, or
  // all.
  void add_stops(Slot slot, std::optional<std::size_t> dim, std::string_view name, bool first_only,
                 std::vector<AxisStop>& stops) {
    std::unordered_set<OpId> seen;
    graph_.for_each_step(slot, [&](StepRef step) {
      if (first_only && !stops.empty()) return;
      if (step.op.valid() && !seen.insert(step.op).second) return;
      const StepTensors s = graph_.tensors(step);
      lacks_.for_each(graph_.module(), s, name, [&](const AxisLack& lack) {
        if (s.slots[lack.target] != slot || (dim && *dim != lack.dim)) return;
        stops.push_back(stop(s, lack));
      });
    });
    if (first_only) stops.resize(1);
  }

  AxisStop stop(const StepTensors& s, const AxisLack& lack) {
    const OpShardingRule& rule = graph_.module().rules[s.rule];
    AxisStop out;
    out.step = s.step;
    out.source_value = s.values[lack.source];
    out.target_value = s.values[lack.target];
    out.source_slot = s.slots[lack.source];
    out.target_slot = s.slots[lack.target];
    out.source = lack.source;
    out.target = lack.target;
    out.source_dim = dim_of(rule.tensor(lack.source), lack.factor);
    out.target_dim = lack.dim;
    out.axis = lack.axis;
    out.why = why(s, lack);
    return out;
  }

  // Equal steps, as those of equal layers, have equal reasons.
  const WhyNot& why(const StepTensors& s, const AxisLack& lack) {
    const AxisRef& axis = lack.axis;
    words_ = {s.kind.bits(),
              static_cast<std::uint32_t>(lack.source),
              static_cast<std::uint32_t>(lack.target),
              lack.factor,
              axis.axis,
              static_cast<std::uint32_t>(axis.pre_size),
              static_cast<std::uint32_t>(axis.size)};
    for (ShardingId id : s.shardings) words_.push_back(id.index);
    const MemoKey<std::uint32_t> key = {s.rule.index, words_};
    if (const WhyNot* known = why_.find(key)) return *known;
    return why_.insert(
        key, why_not(graph_.module(), s, lack.source, lack.target, lack.factor, lack.axis));
  }

  static std::size_t dim_of(const TensorMapping& mapping, std::uint32_t factor) {
    for (std::size_t d = 0; d < mapping.size(); ++d) {
      if (std::find(mapping[d].begin(), mapping[d].end(), factor) != mapping[d].end()) return d;
    }
    return 0;
  }

  AxisStop at_operation(Slot slot, const NearestStops& nearest) const {
    AxisStop out;
    out.kind = AxisStopKind::kNoWay;
    out.target_slot = slot;
    if (const auto at = nearest.through_operations(slot)) {
      out.kind =
          graph_.is_step({at->op}) ? AxisStopKind::kNoMatchingDimension : AxisStopKind::kNoRule;
      out.step.op = at->op;
      out.source_value = at->source;
      out.source_slot = graph_.slot(at->source);
      out.source_dim = at->source_dim;
      out.axis = at->axis;
      out.target_slot = at->target;
      out.distance = at->distance;
    }
    if (graph_.store().is_value(out.target_slot))
      out.target_value = graph_.store().value(out.target_slot);
    return out;
  }

  StepGraph& graph_;
  LackFinder lacks_;
  std::map<std::string, NearestStops, std::less<>> nearest_;  // by the axis
  std::vector<std::uint32_t> words_;
  Memo<std::uint32_t, WhyNot> why_;
};

}  // namespace shardprop
