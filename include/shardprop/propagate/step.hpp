// One propagation step as a pure function: (rule, shardings of operands and results, directions,
// strategy) gives the new shardings. `StepCache` remembers its answers, so that a layer that comes
// again costs one look-up an operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "shardprop/ir/common_mesh.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/aggressive_strategy.hpp"
#include "shardprop/propagate/basic_strategy.hpp"
#include "shardprop/propagate/projection.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/vector.hpp"

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

// Computes steps; holds the scratch that makes them free of allocation.
class Stepper {
 public:
  // Puts the new sharding of tensor i (operands first) in `out[i]`; equal to `shardings[i]` where
  // nothing changed.
  void step(Module& m, RuleId rule_id, const StepKind& kind, ArrayView<const ShardingId> shardings,
            ArrayView<ShardingId> out) {
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
        rule,     projection_, kind.directions, kind.elementwise, kind.conservative,
        changed_, strategy_};
    kind.strategy == Strategy::kBasic ? propagate_basic(input) : propagate_aggressive(input);
    unproject_changed(m, rule, mesh_id, shardings, out);
  }

  // The factor shardings after the last step; nothing useful after a step without a common mesh.
  const Projection& projection() const { return projection_; }

 private:
  void unproject_changed(Module& m, const ShardingRule& rule, MeshId mesh,
                         ArrayView<const ShardingId> shardings, ArrayView<ShardingId> out) {
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
  Vector<std::uint8_t> changed_;
  StrategyScratch strategy_;
  TensorSharding scratch_;
};

// The memo of a module's steps. Bounded: when `kMaxEntries` answers are stored it starts anew.
//
// Steps come again in the order in which they came before, layer by layer. So each entry knows
// which one followed it the last time, and that one is tried before anything is hashed.
class StepCache {
 public:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 20;

  // As `Stepper::step`. The view of the new shardings stays valid until the next call.
  ArrayView<const ShardingId> step(Module& m, RuleId rule, const StepKind& kind,
                                   ArrayView<const ShardingId> shardings) {
    if (!enabled_) {
      uncached_.resize(shardings.size());
      stepper_.step(m, rule, kind, shardings, uncached_);
      return uncached_;
    }
    const Key key{rule, kind.bits(), shardings};
    if (last_ < entries_.size()) {
      const std::uint32_t guess = entries_[last_].follower;
      if (guess < entries_.size() && is_entry(guess, key)) {
        ++hits_;
        last_ = guess;
        return after(guess);
      }
    }
    if (entries_.size() >= kMaxEntries) clear();
    return look_up(m, key, kind);
  }

  void enable(bool on) { enabled_ = on; }
  std::size_t hits() const { return hits_; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const {
    return entries_.capacity() * sizeof(Entry) + pool_.capacity() * sizeof(ShardingId) +
           index_.bytes();
  }

 private:
  struct Key {
    RuleId rule;
    std::uint32_t kind;
    ArrayView<const ShardingId> shardings;
  };
  struct Entry {
    RuleId rule;
    std::uint32_t kind;
    std::uint32_t begin;  // `count` shardings before the step, then `count` after it
    std::uint32_t count;
    std::uint32_t follower = 0xFFFFFFFFu;  // the entry that came after this one the last time
  };

  // One multiplication a sharding; mixed well at the end, since the index takes the lowest bits.
  static std::uint64_t hash(const Key& key) {
    std::uint64_t h = (std::uint64_t{key.rule.index} << 32) | key.kind;
    for (ShardingId id : key.shardings) h = (h ^ (h >> 29) ^ id.index) * 0x9E3779B97F4A7C15ull;
    return hash_mix(h, key.shardings.size());
  }

  bool is_entry(std::uint32_t i, const Key& key) const {
    const Entry& e = entries_[i];
    return e.rule == key.rule && e.kind == key.kind && e.count == key.shardings.size() &&
           std::equal(key.shardings.begin(), key.shardings.end(), pool_.begin() + e.begin);
  }

  ArrayView<const ShardingId> after(std::uint32_t i) const {
    return ArrayView(pool_).subspan(entries_[i].begin + entries_[i].count, entries_[i].count);
  }

  ArrayView<const ShardingId> look_up(Module& m, const Key& key, const StepKind& kind) {
    const std::uint32_t next = static_cast<std::uint32_t>(entries_.size());
    const std::uint32_t entry =
        index_.find_or_insert(hash(key), next, [&](std::uint32_t i) { return is_entry(i, key); });
    if (entry != next) {
      ++hits_;
    } else {
      add(m, key, kind);
    }
    if (last_ < entries_.size()) entries_[last_].follower = entry;
    last_ = entry;
    return after(entry);
  }

  void add(Module& m, const Key& key, const StepKind& kind) {
    const std::size_t begin = pool_.size();
    const std::size_t count = key.shardings.size();
    entries_.push_back(
        {key.rule, key.kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(count)});
    pool_.append(key.shardings);
    pool_.resize(begin + 2 * count);
    stepper_.step(m, key.rule, kind, ArrayView(pool_).subspan(begin, count),
                  ArrayView(pool_).subspan(begin + count, count));
  }

  void clear() {
    entries_.clear();
    pool_.clear();
    index_ = HashIndex();
    last_ = 0xFFFFFFFFu;
  }

  Stepper stepper_;
  Vector<Entry> entries_;
  Vector<ShardingId> pool_;
  HashIndex index_;
  Vector<ShardingId> uncached_;
  std::size_t hits_ = 0;
  std::uint32_t last_ = 0xFFFFFFFFu;  // the entry of the last step
  bool enabled_ = true;
};

}  // namespace shardprop
