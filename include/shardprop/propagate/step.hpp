// One propagation step as a pure function: (rule, shardings of operands and results, directions,
// strategy) gives the new shardings. `StepCache` remembers its answers, so that a layer that comes
// again costs one look-up an operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/aggressive_strategy.hpp"
#include "shardprop/propagate/basic_strategy.hpp"
#include "shardprop/propagate/projection.hpp"
#include "shardprop/support/hash.hpp"

namespace shardprop {

struct StepKind {
  Directions directions;
  Strategy strategy = Strategy::kBasic;
  bool elementwise = false;   // matters to the aggressive strategy only
  bool conservative = false;  // no sub-axes

  std::uint32_t bits() const {
    return directions.bits() * 8 + (strategy == Strategy::kAggressive ? 4u : 0u) +
           (elementwise ? 2u : 0u) + (conservative ? 1u : 0u);
  }
};

// The mesh that all shardings have in common, or none. Meshes of equal content are the same; an
// empty mesh fits any other.
inline MeshId common_mesh(const Module& m, std::span<const ShardingId> shardings) {
  MeshId common;
  for (ShardingId id : shardings) {
    if (!id.valid()) continue;
    const MeshId mesh = m.shardings[id].mesh;
    if (!common.valid() || m.meshes[common].is_empty()) {
      common = mesh;
    } else if (!m.meshes[mesh].is_empty() && m.meshes.content(mesh) != m.meshes.content(common)) {
      return MeshId();
    }
  }
  return common;
}

// Computes steps; holds the scratch that makes them free of allocation.
class Stepper {
 public:
  // Puts the new sharding of tensor i (operands first) in `out[i]`; equal to `shardings[i]` where
  // nothing changed.
  void step(Module& m, RuleId rule_id, const StepKind& kind, std::span<const ShardingId> shardings,
            std::span<ShardingId> out) {
    std::copy(shardings.begin(), shardings.end(), out.begin());
    const MeshId mesh_id = common_mesh(m, shardings);
    if (!mesh_id.valid() || m.meshes[mesh_id].is_maximal()) return;
    const Mesh& mesh = m.meshes[mesh_id];
    const ShardingRule& rule = m.rules[rule_id];

    projection_.reset(rule);
    for (std::size_t t = 0; t < shardings.size(); ++t) {
      project_tensor(rule, t, shardings[t].valid() ? &m.shardings[shardings[t]] : nullptr, mesh,
                     projection_);
    }
    changed_.assign(shardings.size(), 0);
    const StrategyInput input{
        rule, projection_, kind.directions, kind.elementwise, kind.conservative, changed_};
    kind.strategy == Strategy::kBasic ? propagate_basic(input) : propagate_aggressive(input);
    unproject_changed(m, rule, mesh_id, shardings, out);
  }

  // The factor shardings after the last step; nothing useful after a step without a common mesh.
  const Projection& projection() const { return projection_; }

 private:
  void unproject_changed(Module& m, const ShardingRule& rule, MeshId mesh,
                         std::span<const ShardingId> shardings, std::span<ShardingId> out) {
    for (std::size_t t = 0; t < shardings.size(); ++t) {
      if (!changed_[t]) continue;
      // Interning moves the table's rows: the projection's pointers into it are set anew.
      projection_.set_sharding(t, shardings[t].valid() ? &m.shardings[shardings[t]] : nullptr);
      unproject_tensor(rule, t, projection_, mesh, m.meshes[mesh], scratch_);
      if (!shardings[t].valid() && has_no_axes(scratch_)) continue;
      out[t] = m.shardings.intern(scratch_);
    }
  }

  Projection projection_;
  std::vector<std::uint8_t> changed_;
  TensorSharding scratch_;
};

// The memo of a module's steps. Bounded: when `kMaxEntries` answers are stored it starts anew.
class StepCache {
 public:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 20;

  // As `Stepper::step`. The view of the new shardings stays valid until the next call.
  std::span<const ShardingId> step(Module& m, RuleId rule, const StepKind& kind,
                                   std::span<const ShardingId> shardings) {
    if (!enabled_) {
      uncached_.resize(shardings.size());
      stepper_.step(m, rule, kind, shardings, uncached_);
      return uncached_;
    }
    if (entries_.size() >= kMaxEntries) clear();
    std::uint64_t hash = hash_mix(rule.index, kind.bits());
    for (ShardingId id : shardings) hash = hash_mix(hash, id.index);
    const std::uint32_t next = static_cast<std::uint32_t>(entries_.size());
    const std::uint32_t entry = index_.find_or_insert(hash, next, [&](std::uint32_t i) {
      const Entry& e = entries_[i];
      return e.rule == rule && e.kind == kind.bits() && e.count == shardings.size() &&
             std::equal(shardings.begin(), shardings.end(), pool_.begin() + e.begin);
    });
    if (entry != next) {
      ++hits_;
    } else {
      add(m, rule, kind, shardings);
    }
    const Entry& e = entries_[entry];
    return std::span(pool_).subspan(e.begin + e.count, e.count);
  }

  void enable(bool on) { enabled_ = on; }
  std::size_t hits() const { return hits_; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const {
    return entries_.capacity() * sizeof(Entry) + pool_.capacity() * sizeof(ShardingId) +
           index_.bytes();
  }

 private:
  struct Entry {
    RuleId rule;
    std::uint32_t kind;
    std::uint32_t begin;  // `count` shardings before the step, then `count` after it
    std::uint32_t count;
  };

  void add(Module& m, RuleId rule, const StepKind& kind, std::span<const ShardingId> shardings) {
    const std::size_t begin = pool_.size();
    const std::size_t count = shardings.size();
    entries_.push_back(
        {rule, kind.bits(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(count)});
    pool_.insert(pool_.end(), shardings.begin(), shardings.end());
    pool_.resize(begin + 2 * count);
    stepper_.step(m, rule, kind, std::span(pool_).subspan(begin, count),
                  std::span(pool_).subspan(begin + count, count));
  }

  void clear() {
    entries_.clear();
    pool_.clear();
    index_ = HashIndex();
  }

  Stepper stepper_;
  std::vector<Entry> entries_;
  std::vector<ShardingId> pool_;
  HashIndex index_;
  std::vector<ShardingId> uncached_;
  std::size_t hits_ = 0;
  bool enabled_ = true;
};

}  // namespace shardprop
