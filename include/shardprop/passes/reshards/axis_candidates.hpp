// Which axes each factor of an operation gets when its tensors disagree: a greedy choice between
// candidates, each a factor with an axis list that some tensor shards it by, or a prefix of one.
//
// Worked example, `([i, k], [k, j])->([i, j])` of 8x32 by 32x16 on the mesh x=4, y=2: the lhs is
// [{x}, {y}], the rhs [{y}, {x}], the result [{x}, {}]. Candidates are i:{x}, weighed by the lhs
// and the result, 8*32 + 8*16; k:{y} by lhs and rhs, 8*32 + 32*16; j:{x} by the rhs, 32*16. k takes
// y, then j takes x; i overlaps it and gets nothing.
//
// O(candidates^2) per operation, where candidates are distinct and few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop {

using FactorAxes = std::vector<AxisList>;  // one list per factor

namespace detail {

struct AxesCandidate {
  std::uint32_t factor = 0;
  AxisList axes;
  std::int64_t weight = 0;   // elements of the tensors that shard the factor at least so far
  std::int64_t further = 1;  // how many times finer than what the factor has already
};

// Factors that are cheap to shard go first.
constexpr int precedence(FactorKind kind) {
  switch (kind) {
    case FactorKind::kPassThrough:
      return 3;
    case FactorKind::kReduction:
      return 2;
    case FactorKind::kPermutation:
      return 1;
    case FactorKind::kNeedReplication:
      return 0;
  }
  return 0;
}

// The last tie-break between axis lists: length, then names, not places in the mesh.
inline bool before_by_name(AxisSpan a, AxisSpan b, const Mesh& mesh) {
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const std::string& name = mesh.axes[a[i].axis].name;
    const std::string& other = mesh.axes[b[i].axis].name;
    return name != other ? name < other : a[i] < b[i];
  }
  return false;
}

class AxesChooser {
 public:
  AxesChooser(const OpShardingRule& rule, const Projection& projection,
              std::span<const std::int64_t> tensor_sizes, const Mesh& mesh)
      : rule_(rule), mesh_(mesh), chosen_(rule.factors.size()), waits_for_(rule.factors.size()) {
    for (std::size_t f = 0; f < rule.factors.size(); ++f)
      add_candidates(projection, tensor_sizes, static_cast<std::uint32_t>(f));
    for (std::size_t t = 0; t < rule.tensor_count(); ++t) add_dependencies(rule.tensor(t));
  }

  FactorAxes choose() {
    for (const AxesCandidate* best = find_best(); best; best = find_best()) {
      const AxesCandidate taken = *best;
      chosen_[taken.factor] = taken.axes;
      if (total_size(taken.axes) == rule_.factors[taken.factor].size) release(taken.factor);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (!outlives(candidates_[i], taken)) continue;
        if (kept != i) candidates_[kept] = std::move(candidates_[i]);
        ++kept;
      }
      candidates_.resize(kept);
    }
    return chosen_;
  }

 private:
  void add_candidates(const Projection& projection, std::span<const std::int64_t> tensor_sizes,
                      std::uint32_t factor) {
    const std::size_t first = candidates_.size();
    for (std::size_t t = 0; t < projection.tensor_count(); ++t) {
      const FactorSharding& cell = projection.at(t, factor);
      if (!cell.mapped) continue;
      AxisList prefix = cell.axes;
      for (; !prefix.empty(); prefix.pop_back()) add_distinct(first, factor, prefix);
    }
    for (std::size_t t = 0; t < projection.tensor_count(); ++t) {
      const FactorSharding& cell = projection.at(t, factor);
      if (!cell.mapped) continue;
      for (std::size_t i = first; i < candidates_.size(); ++i) {
        if (prefix_order(candidates_[i].axes, cell.axes) != PrefixOrder::kNotPrefix)
          candidates_[i].weight += tensor_sizes[t];
      }
    }
  }

  void add_distinct(std::size_t first, std::uint32_t factor, const AxisList& axes) {
    for (std::size_t i = first; i < candidates_.size(); ++i) {
      if (candidates_[i].axes == axes) return;
    }
    candidates_.push_back({factor, axes, 0, total_size(axes)});
  }

  // A factor waits until the one before it in a dimension is full: to shard it earlier would give a
  // strided view.
  void add_dependencies(const TensorMapping& mapping) {
    for (const DimMapping& dim : mapping) {
      for (std::size_t i = 1; i < dim.size(); ++i) waits_for_[dim[i]].push_back(dim[i - 1]);
    }
  }

  void release(std::uint32_t factor) {
    for (std::vector<std::uint32_t>& waits : waits_for_)
      erase_if(waits, [&](std::uint32_t other) { return other == factor; });
  }

  bool is_worse(const AxesCandidate& a, const AxesCandidate& b) const {
    if (a.weight != b.weight) return a.weight < b.weight;
    const int precedence_a = precedence(rule_.factors[a.factor].kind);
    const int precedence_b = precedence(rule_.factors[b.factor].kind);
    if (precedence_a != precedence_b) return precedence_a < precedence_b;
    if (a.further != b.further) return a.further < b.further;
    if (a.factor != b.factor) return a.factor < b.factor;
    return before_by_name(a.axes, b.axes, mesh_);
  }

  const AxesCandidate* find_best() const {
    const AxesCandidate* best = nullptr;
    for (const AxesCandidate& candidate : candidates_) {
      if (!waits_for_[candidate.factor].empty()) continue;
      if (!best || is_worse(*best, candidate)) best = &candidate;
    }
    return best;
  }

  // Fits `candidate` to what was `taken`. Whether it can still shard its factor further.
  bool outlives(AxesCandidate& candidate, const AxesCandidate& taken) {
    if (candidate.factor == taken.factor) {
      if (!is_strict_prefix(taken.axes, candidate.axes)) return false;
      candidate.further = total_size(candidate.axes) / total_size(taken.axes);
      return true;
    }
    const AxisList before = candidate.axes;
    truncate_at_overlap(candidate.axes, taken.axes);
    if (candidate.axes == before) {
      // All of it counts again, with what its factor has already, as in the reference.
      candidate.further = total_size(candidate.axes);
      return true;
    }
    if (candidate.axes == chosen_[candidate.factor]) return false;
    candidate.further = total_size(candidate.axes) / total_size(chosen_[candidate.factor]);
    return true;
  }

  const OpShardingRule& rule_;
  const Mesh& mesh_;
  std::vector<AxesCandidate> candidates_;
  FactorAxes chosen_;
  std::vector<std::vector<std::uint32_t>> waits_for_;  // by factor
};

}  // namespace detail

}  // namespace shardprop
