// How far each tensor is from the nearest place where an axis stopped.
//
// A step stops an axis at a dimension of a tensor if another tensor of it has the axis along a
// factor of that dimension. From all those dimensions the search goes outward along the factors of
// steps, so that each dimension of each tensor learns the nearest of them. The same is done through
// whole operations, from the tensors that have the axis, for tensors that no factor leads to.
//
// O(operations) for an axis, once; then O(1) to ask.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/propagate/step/projection.hpp"

namespace shardprop {

// An axis is in tensor `source` of a step along `factor` and not in dimension `dim` of tensor
// `target`, which has the factor too.
struct AxisLack {
  std::size_t source = 0;
  std::size_t target = 0;
  std::size_t dim = 0;
  std::uint32_t factor = 0;
  AxisRef axis;  // as it is in the source
};

// Finds what a step lacks of an axis. Holds scratch.
class LackFinder {
 public:
  // Calls `fn(AxisLack)` for the axis called `name`, once for each factor of each dimension.
  template <class Fn>
  void for_each(const Module& m, const StepTensors& s, std::string_view name, Fn&& fn) {
    const MeshId mesh = common_mesh(m, s.shardings);
    const int axis = mesh.valid() ? m.meshes[mesh].find_axis(name) : -1;
    if (axis < 0) return;
    const OpShardingRule& rule = m.rules[s.rule];
    projection_.reset(rule);
    for (std::size_t t = 0; t < s.shardings.size(); ++t) {
      const ShardingId id = s.shardings[t];
      project_tensor(rule, t, id.valid() ? &m.shardings[id] : nullptr, m.meshes[mesh], projection_);
    }
    for (std::size_t t = 0; t < s.slots.size(); ++t) {
      for (std::size_t d = 0; d < rule.tensor(t).size(); ++d) {
        for (std::uint32_t f : rule.tensor(t)[d]) {
          if (const auto lack = find(s, t, d, f, axis)) fn(*lack);
        }
      }
    }
  }

 private:
  std::optional<AxisLack> find(const StepTensors& s, std::size_t target, std::size_t dim,
                               std::uint32_t factor, int axis) const {
    for (std::size_t q = 0; q < s.slots.size(); ++q) {
      const FactorSharding& cell = projection_.at(q, factor);
      if (!cell.mapped || s.slots[q] == s.slots[target]) continue;
      for (AxisRef ref : difference(cell.axes, projection_.at(target, factor).axes)) {
        if (ref.axis == axis) return AxisLack{q, target, dim, factor, ref};
      }
    }
    return std::nullopt;
  }

  Projection projection_;
};

class NearestStops {
 public:
  // A dimension of a tensor where a step stopped the axis.
  struct AtStep {
    Slot slot;
    std::size_t dim = 0;
    std::size_t distance = 0;  // steps from there to the tensor that was asked for
  };
  // An operation between a tensor that has the axis and another one.
  struct AtOperation {
    OpId op;
    ValueId source;
    std::size_t source_dim = 0;
    AxisRef axis;
    Slot target;
    std::size_t distance = 0;
  };

  NearestStops(StepGraph& graph, std::string_view axis) : graph_(graph), axis_(axis) {
    find_stops();
    find_holders();
  }

  // The nearest stop along factors; none where no factor leads to one.
  std::optional<AtStep> along_factors(Slot slot) const {
    std::optional<AtStep> best;
    for (std::size_t d = 0; d < kMostDims; ++d) {
      const auto at = reached_.find(key(slot, d));
      if (at == reached_.end()) break;
      const Node& node = nodes_[at->second];
      if (node.root == kNone || (best && best->distance <= node.distance)) continue;
      const Node& root = nodes_[node.root];
      best = AtStep{root.slot, root.dim, node.distance};
    }
    return best;
  }

  // The nearest operation that leads to a tensor with the axis, whatever its rule says.
  std::optional<AtOperation> through_operations(Slot slot) const {
    const auto at = passed_.find(slot);
    if (at == passed_.end()) return std::nullopt;
    AtOperation out = roots_[at->second.root];
    out.distance = at->second.distance;
    return out;
  }

 private:
  static constexpr std::size_t kMostDims = 1 << 16;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Node {
    Slot slot;
    std::size_t dim;
    std::size_t root;  // the node of the nearest stop; kNone before it is known
    std::size_t distance;
  };
  struct Passed {
    std::size_t root;
    std::size_t distance;
  };

  static std::uint64_t key(Slot slot, std::size_t dim) {
    return std::uint64_t{slot.index} << 16 | dim;
  }

  std::size_t node(Slot slot, std::size_t dim) {
    const auto [at, is_new] = reached_.try_emplace(key(slot, dim), nodes_.size());
    if (is_new) nodes_.push_back({slot, dim, kNone, 0});
    return at->second;
  }

  void find_stops() {
    std::vector<std::size_t> queue;
    const Module& m = graph_.module();
    graph_.for_each_step([&](StepRef step) {
      const StepTensors s = graph_.tensors(step);
      for (std::size_t t = 0; t < s.slots.size(); ++t) {
        const std::size_t rank = s.slots[t].valid() ? m.rules[s.rule].tensor(t).size() : 0;
        for (std::size_t d = 0; d < rank; ++d) node(s.slots[t], d);
      }
      lacks_.for_each(m, s, axis_, [&](const AxisLack& lack) {
        if (!s.slots[lack.target].valid()) return;
        const std::size_t at = node(s.slots[lack.target], lack.dim);
        if (nodes_[at].root != kNone) return;
        nodes_[at].root = at;
        queue.push_back(at);
      });
    });
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Node at = nodes_[queue[i]];
      graph_.for_each_step(at.slot, [&](StepRef step) { pass_on(at, step, queue); });
    }
  }

  // To the dimensions that share a factor with the one of `at` in a step.
  void pass_on(const Node& at, StepRef step, std::vector<std::size_t>& queue) {
    const StepTensors s = graph_.tensors(step);
    const OpShardingRule& rule = graph_.module().rules[s.rule];
    for (std::size_t t = 0; t < s.slots.size(); ++t) {
      if (s.slots[t] != at.slot || at.dim >= rule.tensor(t).size()) continue;
      for (std::uint32_t f : rule.tensor(t)[at.dim]) {
        for (std::size_t q = 0; q < s.slots.size(); ++q) {
          for (std::size_t d = 0; s.slots[q].valid() && d < rule.tensor(q).size(); ++d) {
            const DimMapping& dim = rule.tensor(q)[d];
            if (std::find(dim.begin(), dim.end(), f) == dim.end()) continue;
            const std::size_t next = node(s.slots[q], d);
            if (nodes_[next].root != kNone) continue;
            nodes_[next].root = at.root;
            nodes_[next].distance = at.distance + 1;
            queue.push_back(next);
          }
        }
      }
    }
  }

  // What a tensor has of the axis.
  std::optional<std::pair<std::size_t, AxisRef>> part_in(Slot slot) const {
    const ShardingId id = graph_.sharding(slot);
    if (!id.valid()) return std::nullopt;
    const TensorSharding& s = graph_.module().shardings[id];
    const int number = graph_.module().meshes[s.mesh].find_axis(axis_);
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef ref : s.dims[d].axes) {
        if (ref.axis == number) return std::pair(d, ref);
      }
    }
    return std::nullopt;
  }

  void find_holders() {
    std::vector<Slot> queue;
    walk_ops(graph_.module(), [&](OpId op) {
      const std::vector<ValueId> around = graph_.joined_by(op);
      for (ValueId source : around) {
        const auto part = part_in(graph_.slot(source));
        if (!part) continue;
        for (ValueId target : around) {
          const Slot slot = graph_.slot(target);
          if (!slot.valid() || part_in(slot) || passed_.contains(slot)) continue;
          passed_[slot] = {roots_.size(), 0};
          roots_.push_back({op, source, part->first, part->second, slot, 0});
          queue.push_back(slot);
        }
      }
    });
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Passed at = passed_.at(queue[i]);
      graph_.for_each_op(queue[i], [&](OpId op) {
        for (ValueId value : graph_.joined_by(op)) {
          const Slot slot = graph_.slot(value);
          const bool is_new =
              slot.valid() && passed_.try_emplace(slot, Passed{at.root, at.distance + 1}).second;
          if (is_new) queue.push_back(slot);
        }
      });
    }
  }

  StepGraph& graph_;
  std::string axis_;
  LackFinder lacks_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> reached_;  // a dimension of a tensor; its node
  std::vector<AtOperation> roots_;
  std::unordered_map<Slot, Passed> passed_;
};

}  // namespace shardprop
