// Where an axis that a tensor does not have stops on its way to it.
//
// First the steps of the tensor itself are looked at: one where another tensor has the axis along a
// factor that the tensor has too stopped it there. Where there is none, the search goes outward
// along the factors, step by step, to the nearest tensor that has the axis; the step next to that
// one stopped it. Where no factor leads to such a tensor, operations without a rule, and those whose
// rule joins no dimension of the two, are passed as well, and the last one passed is named.
//
// O(steps within the distance of the nearest tensor that has the axis).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/analysis/explain/why_not.hpp"
#include "shardprop/propagate/step/projection.hpp"

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
    std::vector<AxisStop> stops;
    graph_.for_each_step(
        slot, [&](StepRef step) { add_stops(step, slot, std::nullopt, name, 0, stops); });
    if (!stops.empty()) return stops;
    if (auto far = search_factors(slot, name)) return {*far};
    return {search_operations(slot, name)};
  }

 private:
  struct Node {
    Slot slot;
    std::size_t dim;
    std::size_t distance;
  };

  // Fills the projection of a step; the mesh, or null where there is none.
  const Mesh* project(const StepTensors& s) {
    const Module& m = graph_.module();
    const MeshId mesh = common_mesh(m, s.shardings);
    if (!mesh.valid()) return nullptr;
    projection_.reset(m.rules[s.rule]);
    for (std::size_t t = 0; t < s.shardings.size(); ++t) {
      project_tensor(m.rules[s.rule], t,
                     s.shardings[t].valid() ? &m.shardings[s.shardings[t]] : nullptr,
                     m.meshes[mesh], projection_);
    }
    return &m.meshes[mesh];
  }

  static std::optional<AxisRef> part_of(AxisSpan axes, AxisSpan had, int axis) {
    for (AxisRef ref : difference(axes, had)) {
      if (axis == ref.axis) return ref;
    }
    return std::nullopt;
  }

  // Adds the stops of one step before `slot`, or before dimension `dim` of it.
  void add_stops(StepRef step, Slot slot, std::optional<std::size_t> dim, std::string_view name,
                 std::size_t distance, std::vector<AxisStop>& stops) {
    const bool seen = std::ranges::any_of(stops, [&](const AxisStop& s) { return s.step == step; });
    if (seen) return;
    const StepTensors s = graph_.tensors(step);
    const Mesh* mesh = project(s);
    if (!mesh) return;
    const int axis = mesh->find_axis(name);
    if (axis < 0) return;
    const OpShardingRule rule = graph_.module().rules[s.rule];
    for (std::size_t t = 0; t < s.slots.size(); ++t) {
      if (s.slots[t] != slot) continue;
      for (std::size_t d = 0; d < rule.tensor(t).size(); ++d) {
        if (dim && *dim != d) continue;
        for (std::uint32_t f : rule.tensor(t)[d]) add_stop(s, rule, t, d, f, axis, distance, stops);
      }
    }
  }

  void add_stop(const StepTensors& s, const OpShardingRule& rule, std::size_t target,
                std::size_t dim, std::uint32_t factor, int axis, std::size_t distance,
                std::vector<AxisStop>& stops) {
    for (std::size_t q = 0; q < s.slots.size(); ++q) {
      const FactorSharding& cell = projection_.at(q, factor);
      if (!cell.mapped || s.slots[q] == s.slots[target]) continue;
      const auto part = part_of(cell.axes, projection_.at(target, factor).axes, axis);
      if (!part) continue;
      AxisStop stop;
      stop.step = s.step;
      stop.source_value = s.values[q];
      stop.target_value = s.values[target];
      stop.source_slot = s.slots[q];
      stop.target_slot = s.slots[target];
      stop.source = q;
      stop.target = target;
      stop.source_dim = dim_of(rule.tensor(q), factor);
      stop.target_dim = dim;
      stop.axis = *part;
      stop.why = why_not(graph_.module(), s, q, target, factor, *part);
      stop.distance = distance;
      stops.push_back(std::move(stop));
      return;
    }
  }

  static std::size_t dim_of(const TensorMapping& mapping, std::uint32_t factor) {
    for (std::size_t d = 0; d < mapping.size(); ++d) {
      if (std::find(mapping[d].begin(), mapping[d].end(), factor) != mapping[d].end()) return d;
    }
    return 0;
  }

  std::optional<AxisStop> search_factors(Slot start, std::string_view name) {
    std::vector<Node> queue;
    std::unordered_set<std::uint64_t> seen;
    const auto add = [&](Slot slot, std::size_t dim, std::size_t distance) {
      if (slot.valid() && seen.insert(std::uint64_t{slot.index} << 16 | dim).second)
        queue.push_back({slot, dim, distance});
    };
    const Module& m = graph_.module();
    graph_.for_each_step(start, [&](StepRef step) {
      const StepTensors s = graph_.tensors(step);
      for (std::size_t t = 0; t < s.slots.size(); ++t) {
        for (std::size_t d = 0; s.slots[t] == start && d < m.rules[s.rule].tensor(t).size(); ++d)
          add(start, d, 0);
      }
    });
    std::vector<AxisStop> stops;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Node at = queue[i];
      graph_.for_each_step(at.slot, [&](StepRef step) {
        if (!stops.empty()) return;
        if (at.distance > 0) add_stops(step, at.slot, at.dim, name, at.distance, stops);
        if (!stops.empty()) return;
        const StepTensors s = graph_.tensors(step);
        const OpShardingRule& rule = m.rules[s.rule];
        for (std::size_t t = 0; t < s.slots.size(); ++t) {
          if (s.slots[t] != at.slot || at.dim >= rule.tensor(t).size()) continue;
          for (std::uint32_t f : rule.tensor(t)[at.dim]) {
            for (std::size_t q = 0; q < s.slots.size(); ++q) {
              for (std::size_t d = 0; d < rule.tensor(q).size(); ++d) {
                const DimMapping& dim = rule.tensor(q)[d];
                if (std::find(dim.begin(), dim.end(), f) != dim.end())
                  add(s.slots[q], d, at.distance + 1);
              }
            }
          }
        }
      });
      if (!stops.empty()) return stops.front();
    }
    return std::nullopt;
  }

  std::optional<std::size_t> dim_with(Slot slot, std::string_view name, AxisRef& axis) const {
    const ShardingId id = graph_.sharding(slot);
    if (!id.valid()) return std::nullopt;
    const TensorSharding& s = graph_.module().shardings[id];
    const int number = graph_.module().meshes[s.mesh].find_axis(name);
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef ref : s.dims[d].axes) {
        if (ref.axis != number) continue;
        axis = ref;
        return d;
      }
    }
    return std::nullopt;
  }

  AxisStop search_operations(Slot start, std::string_view name) {
    const Module& m = graph_.module();
    std::vector<Node> queue = {{start, 0, 0}};
    std::unordered_set<std::uint32_t> seen = {start.index};
    AxisStop found;
    found.kind = AxisStopKind::kNoWay;
    found.target_slot = start;
    for (std::size_t i = 0; i < queue.size() && found.kind == AxisStopKind::kNoWay; ++i) {
      const Node at = queue[i];
      graph_.for_each_op(at.slot, [&](OpId op) {
        if (found.kind != AxisStopKind::kNoWay) return;
        std::vector<ValueId> around = operands_of(m, op);
        for (ValueId value : results(m, op)) around.push_back(value);
        for (ValueId value : around) {
          const Slot slot = graph_.slot(value);
          if (!slot.valid() || !seen.insert(slot.index).second) continue;
          if (const auto dim = dim_with(slot, name, found.axis)) {
            found.kind =
                graph_.is_step({op}) ? AxisStopKind::kNoMatchingDimension : AxisStopKind::kNoRule;
            found.step.op = op;
            found.source_value = value;
            found.source_slot = slot;
            found.source_dim = *dim;
            found.target_slot = at.slot;
            found.distance = at.distance;
            return;
          }
          queue.push_back({slot, 0, at.distance + 1});
        }
      });
    }
    if (found.target_slot.valid() && graph_.store().is_value(found.target_slot))
      found.target_value = graph_.store().value(found.target_slot);
    return found;
  }

  StepGraph& graph_;
  Projection projection_;
};

}  // namespace shardprop
