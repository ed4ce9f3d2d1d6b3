// Why a step does not give an axis to one of its tensors though another one has it.
//
// The step itself is asked: it is run on the shardings that its tensors have now, a first obstacle
// is found and taken away in a copy of its input, and so on until the step gives the tensor the
// axis. So the reasons that are given are true: without them the axis passes, with them it does not.
//
// Worked example, `%2 = add(%0, %1)` with %0 sharded [{x}] and %2 closed, [{}]: %1 cannot take x
// since the result cannot (an element-wise operation), and that cannot since it is closed. Opened,
// it takes x and %1 with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/step/step.hpp"

namespace shardprop {

// One thing that keeps an axis from a tensor.
struct Obstacle {
  UnresolvedReason reason = UnresolvedReason::kOtherTensor;
  std::size_t tensor = 0;  // that cannot take the axis: the one that is asked for or another
  std::size_t dim = 0;     // of it
  AxisRef axis;            // that it cannot take: the one that is asked for or one before it
  std::optional<std::size_t> by_dim;  // the dimension of `tensor` that stands against it
  std::optional<AxisRef> by_axis;     // and the axis there
};

struct WhyNot {
  std::vector<Obstacle> obstacles;  // the first one first
  bool is_whole = false;            // without the obstacles the axis passes
};

namespace detail {

// Asks one step about tensor `target` and `axis` along `factor`; tensor `source` has it there.
class StepQuestion {
 public:
  StepQuestion(const Module& m, const StepTensors& s, const Mesh& mesh, std::size_t source,
               std::size_t target, std::size_t factor, AxisRef axis)
      : rule_(m.rules[s.rule]),
        mesh_(mesh),
        kind_(s.kind),
        source_(source),
        target_(target),
        factor_(factor),
        axis_(axis) {
    for (std::size_t t = 0; t < s.shardings.size(); ++t) {
      given_.push_back(s.shardings[t].valid() ? std::optional(m.shardings[s.shardings[t]])
                                              : std::nullopt);
    }
  }

  WhyNot answer() {
    WhyNot out;
    for (std::size_t round = 0; round < kMaxObstacles; ++round) {
      if (passes()) {
        out.is_whole = true;
        return out;
      }
      std::optional<Obstacle> found = find();
      if (!found) found = find_preferred();
      if (!found) return out;
      out.obstacles.push_back(*found);
      take_away(*found);
    }
    return out;
  }

 private:
  static constexpr std::size_t kMaxObstacles = 24;

  const TensorSharding* sharding(std::size_t t) const { return given_[t] ? &*given_[t] : nullptr; }

  void project() {
    projection_.reset(rule_);
    for (std::size_t t = 0; t < given_.size(); ++t)
      project_tensor(rule_, t, sharding(t), mesh_, projection_);
  }

  std::size_t dim_of(std::size_t tensor, std::size_t factor) const {
    const TensorMapping& mapping = rule_.tensor(tensor);
    for (std::size_t d = 0; d < mapping.size(); ++d) {
      if (std::find(mapping[d].begin(), mapping[d].end(), factor) != mapping[d].end()) return d;
    }
    return 0;
  }

  static bool has(AxisSpan axes, AxisRef axis) { return overlaps(axes, AxisSpan(&axis, 1)); }

  // Whether the step gives the tensor the axis.
  bool passes() {
    stepper_.run(rule_, mesh_, kind_, [&](std::size_t t) { return sharding(t); });
    const std::size_t dim = dim_of(target_, factor_);
    if (!has(stepper_.projection().at(target_, factor_).axes, axis_)) return false;
    unproject_tensor(rule_, target_, stepper_.projection(), MeshId(), mesh_, after_);
    return has(after_.dims[dim].axes, axis_);
  }

  // The first obstacle, or none where none is known.
  std::optional<Obstacle> find() {
    project();
    const Factor& factor = rule_.factors[factor_];
    if (factor.blocked) return obstacle(UnresolvedReason::kBlockedFactor, target_, axis_);
    const Direction direction = kind_.directions.of(factor);
    const bool from_operand = source_ < rule_.operands.size();
    const Direction needed = from_operand ? Direction::kForward : Direction::kBackward;
    if (unite(direction, needed) != direction)
      return obstacle(UnresolvedReason::kBarrier, target_, axis_);
    if (!has(projection_.at(source_, factor_).axes, axis_))
      return obstacle(UnresolvedReason::kNotDivisible, source_, axis_);
    AxisList& wanted = wanted_;
    wanted = compatible_major_axes(projection_, factor_, rule_.operands.size(), direction);
    if (!has(wanted, axis_)) return find_disagreement(direction);
    while (!wanted.empty() && !overlaps(wanted.back(), axis_)) wanted.pop_back();
    if (kind_.strategy == Strategy::kBasic) {
      for (std::size_t t = 0; t < given_.size(); ++t) {
        if (auto found = find_at(t, wanted)) return found;
      }
      return std::nullopt;
    }
    if (auto found = find_at(target_, wanted)) return found;
    if (!kind_.elementwise || target_ >= rule_.operands.size()) return std::nullopt;
    for (std::size_t t = rule_.operands.size(); t < given_.size(); ++t) {
      if (auto found = find_at(t, wanted)) return found;
    }
    return std::nullopt;
  }

  // A tensor that gives the target the axis, or one before it, along a factor that this step
  // prefers.
  std::optional<Obstacle> find_preferred() const {
    const Projection& after = stepper_.projection();
    for (std::size_t f = 0; f < rule_.factors.size(); ++f) {
      if (f == factor_ || !after.at(target_, f).mapped) continue;
      for (AxisRef axis : wanted_) {
        if (!has(after.at(target_, f).axes, axis)) continue;
        for (std::size_t t = 0; t < given_.size(); ++t) {
          const FactorSharding& cell = projection_.at(t, f);
          if (!cell.mapped || !has(cell.axes, axis)) continue;
          const std::size_t dim = dim_of(t, f);
          return Obstacle{UnresolvedReason::kOtherTensor, t, dim, axis, dim, axis};
        }
      }
    }
    return std::nullopt;
  }

  Obstacle obstacle(UnresolvedReason reason, std::size_t tensor, AxisRef axis) const {
    return {reason, tensor, dim_of(tensor, factor_), axis, std::nullopt, std::nullopt};
  }

  // A tensor whose axes along the factor are others than those of the source.
  std::optional<Obstacle> find_disagreement(Direction direction) const {
    const AxisSpan own = projection_.at(source_, factor_).axes;
    // The target first, since that is what is asked for.
    for (std::size_t i = 0; i <= given_.size(); ++i) {
      const std::size_t t = i == 0 ? target_ : i - 1;
      const FactorSharding& cell = projection_.at(t, factor_);
      if (t == source_ || !cell.mapped || cell.axes.empty()) continue;
      MajorAxes both;
      both.join(own);
      both.can_expand = direction == Direction::kBoth;
      both.join(cell.axes);
      if (has(both.axes, axis_)) continue;
      Obstacle out = obstacle(UnresolvedReason::kDifferentAxes, t, axis_);
      out.by_dim = out.dim;
      out.by_axis = cell.axes[std::min(both.axes.size(), cell.axes.size() - 1)];
      return out;
    }
    // Another order of the axes that the tensors add one after the other.
    return std::nullopt;
  }

  // Why `tensor` cannot take all of `wanted`.
  std::optional<Obstacle> find_at(std::size_t tensor, AxisSpan wanted) const {
    const FactorSharding& cell = projection_.at(tensor, factor_);
    std::int64_t before = 1;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const AxisRef axis = wanted[i];
      if (auto found = find_at(tensor, cell, axis, before)) return found;
      before *= axis.size;
    }
    return std::nullopt;
  }

  std::optional<Obstacle> find_at(std::size_t tensor, const FactorSharding& cell, AxisRef axis,
                                  std::int64_t before) const {
    if (cell.mapped) {
      for (AxisRef own : cell.axes) {
        if (contains(own, axis)) return std::nullopt;
      }
    }
    for (std::size_t f = 0; f < rule_.factors.size(); ++f) {
      const FactorSharding& other = projection_.at(tensor, f);
      if (f == factor_ || !other.mapped) continue;
      if (!has(other.axes, axis) && !has(other.overflow, axis)) continue;
      Obstacle out = obstacle(UnresolvedReason::kAxisInUse, tensor, axis);
      if (!cell.mapped) out.dim = dim_of(tensor, f);
      out.by_dim = dim_of(tensor, f);
      out.by_axis = axis;
      return out;
    }
    if (!cell.mapped) return std::nullopt;
    if (has(projection_.replicated(tensor), axis))
      return obstacle(UnresolvedReason::kReplicatedAxis, tensor, axis);
    if (has(projection_.unreduced(tensor), axis))
      return obstacle(UnresolvedReason::kUnreducedAxis, tensor, axis);
    const std::size_t dim = dim_of(tensor, factor_);
    if (given_[tensor] && !given_[tensor]->dims[dim].open)
      return obstacle(UnresolvedReason::kClosedDimension, tensor, axis);
    const std::int64_t size = rule_.factors[factor_].size;
    const bool divides = size % before == 0 && size / before % axis.size == 0;
    if (!cell.overflow.empty() || cell.closed || (!cell.minor_most && !divides))
      return obstacle(UnresolvedReason::kNotDivisible, tensor, axis);
    if (major_factor_that_is_not_full(tensor, dim))
      return obstacle(UnresolvedReason::kStrided, tensor, axis);
    return std::nullopt;
  }

  // The factor before the one that is asked for, in its dimension, that is not full.
  std::optional<std::uint32_t> major_factor_that_is_not_full(std::size_t tensor,
                                                             std::size_t dim) const {
    for (std::uint32_t f : rule_.tensor(tensor)[dim]) {
      if (f == factor_) break;
      if (total_size(projection_.at(tensor, f).axes) < rule_.factors[f].size) return f;
    }
    return std::nullopt;
  }

  // Changes the input of the step so that the obstacle is gone.
  void take_away(const Obstacle& o) {
    if (o.reason == UnresolvedReason::kBlockedFactor) {
      rule_.factors[factor_].blocked = false;
      return;
    }
    if (o.reason == UnresolvedReason::kBarrier) {
      kind_.directions = both_ways(Direction::kBoth);
      return;
    }
    if (o.reason == UnresolvedReason::kNotDivisible) return make_divisible(o);
    if (o.reason == UnresolvedReason::kStrided) {
      const std::uint32_t f = *major_factor_that_is_not_full(o.tensor, o.dim);
      rule_.factors[f].size = total_size(projection_.at(o.tensor, f).axes);
      return;
    }
    if (!given_[o.tensor]) return;
    TensorSharding& s = *given_[o.tensor];
    const AxisList axis = {o.axis};
    switch (o.reason) {
      case UnresolvedReason::kReplicatedAxis:
        s.replicated = difference(s.replicated, axis);
        break;
      case UnresolvedReason::kUnreducedAxis:
        s.unreduced = difference(s.unreduced, axis);
        break;
      case UnresolvedReason::kClosedDimension:
        s.dims[o.dim].open = true;
        break;
      default:  // another axis, or the axis in another dimension
        drop_from(s.dims[*o.by_dim].axes, *o.by_axis);
    }
  }

  // Cuts a dimension before the first axis that has a part of `axis`.
  static void drop_from(AxisList& axes, AxisRef axis) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (overlaps(axes[i], axis)) return axes.truncate(i);
    }
  }

  // Makes the factor large enough for the axes that do not divide it.
  void make_divisible(const Obstacle& o) {
    std::int64_t size = 1;
    for (AxisRef axis :
         sharding(o.tensor) ? AxisSpan(sharding(o.tensor)->dims[o.dim].axes) : AxisSpan())
      size *= axis.size;
    for (std::uint32_t f : rule_.tensor(o.tensor)[o.dim]) {
      rule_.factors[f].size *= size * o.axis.size;
      if (f == factor_) return;
    }
  }

  OpShardingRule rule_;
  const Mesh& mesh_;
  StepKind kind_;
  std::size_t source_;
  std::size_t target_;
  std::size_t factor_;
  AxisRef axis_;
  std::vector<std::optional<TensorSharding>> given_;
  AxisList wanted_;  // along the factor, up to the axis
  Projection projection_;
  Stepper stepper_;
  TensorSharding after_;
};

}  // namespace detail

// What keeps `axis`, which tensor `source` of `s` has along `factor`, from tensor `target`.
inline WhyNot why_not(const Module& m, const StepTensors& s, std::size_t source, std::size_t target,
                      std::size_t factor, AxisRef axis) {
  const MeshId mesh = common_mesh(m, s.shardings);
  if (!mesh.valid() || m.meshes[mesh].is_maximal()) {
    return {{{UnresolvedReason::kDifferentMeshes, target, 0, axis, std::nullopt, std::nullopt}},
            true};
  }
  return detail::StepQuestion(m, s, m.meshes[mesh], source, target, factor, axis).answer();
}

}  // namespace shardprop
