// One propagation step as a pure function: (rule, shardings of operands and results, directions,
// strategy) gives the new shardings. `StepCache` remembers its answers, so that a repeated layer
// costs one look-up per operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/step/aggressive_strategy.hpp"
#include "shardprop/propagate/step/basic_strategy.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/support/memo.hpp"

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

// Computes steps. Holds their scratch, so that a step allocates nothing once the scratch has grown.
class Stepper {
 public:
  // Puts the new sharding of tensor i (operands first) in `out[i]`; it is `shardings[i]` where
  // nothing changed.
  void step(Module& m, RuleId rule_id, const StepKind& kind, std::span<const ShardingId> shardings,
            std::span<ShardingId> out) {
    std::copy(shardings.begin(), shardings.end(), out.begin());
    const MeshId mesh_id = common_mesh(m, shardings);
    if (!mesh_id.valid() || m.meshes[mesh_id].is_maximal()) return;
    const Mesh& mesh = m.meshes[mesh_id];
    const OpShardingRule& rule = m.rules[rule_id];
    run(rule, mesh, kind,
        [&](std::size_t t) { return shardings[t].valid() ? &m.shardings[shardings[t]] : nullptr; });
    unproject_changed(m, rule, mesh_id, shardings, out);
  }

  // The step itself, without a module: `sharding(t)` gives a pointer to the sharding of tensor t on
  // `mesh`, or null. `projection` and `is_changed` have the outcome.
  template <class ShardingOf>
  void run(const OpShardingRule& rule, const Mesh& mesh, const StepKind& kind,
           ShardingOf&& sharding) {
    projection_.reset(rule);
    for (std::size_t t = 0; t < rule.tensor_count(); ++t)
      project_tensor(rule, t, sharding(t), mesh, projection_);
    changed_.assign(rule.tensor_count(), 0);
    const StrategyInput input{
        rule,     projection_, kind.directions, kind.elementwise, kind.conservative,
        changed_, strategy_};
    kind.strategy == Strategy::kBasic ? propagate_basic(input) : propagate_aggressive(input);
  }

  // Whether the last step gave tensor `t` further axes.
  bool is_changed(std::size_t t) const { return changed_[t] != 0; }

  // The factor shardings after the last step. Without meaning after a step without a common mesh.
  const Projection& projection() const { return projection_; }

 private:
  void unproject_changed(Module& m, const OpShardingRule& rule, MeshId mesh,
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
  StrategyScratch strategy_;
  TensorSharding scratch_;
};

// Steps that are remembered.
class StepCache {
 public:
  // As `Stepper::step`. The view of the new shardings stays valid until the next call.
  std::span<const ShardingId> step(Module& m, RuleId rule, const StepKind& kind,
                                   std::span<const ShardingId> shardings) {
    if (!enabled_) {
      uncached_.resize(shardings.size());
      stepper_.step(m, rule, kind, shardings, uncached_);
      return uncached_;
    }
    const MemoKey<ShardingId> key = {(std::uint64_t{rule.index} << 32) | kind.bits(), shardings};
    const std::size_t* known = memo_.find(key);
    if (!known) known = &memo_.insert(key, add(m, rule, kind, shardings));
    return std::span(answers_).subspan(*known, shardings.size());
  }

  // A number that the caller keeps with the answer to the last step, which is `answer`; 0 at first.
  // Valid until the next step.
  std::uint32_t& note(std::span<const ShardingId> answer) {
    if (!enabled_) return uncached_note_ = 0;
    if (notes_.size() < answers_.size()) notes_.resize(answers_.size());
    return notes_[static_cast<std::size_t>(answer.data() - answers_.data())];
  }

  void enable(bool on) { enabled_ = on; }
  std::size_t hits() const { return memo_.hits(); }
  std::size_t size() const { return memo_.size(); }
  std::size_t bytes() const { return memo_.bytes() + answers_.capacity() * sizeof(ShardingId); }

 private:
  // Gives the place of the new shardings in `answers_`. Not inlined, so that the look-up is.
  [[gnu::noinline]] std::size_t add(Module& m, RuleId rule, const StepKind& kind,
                                    std::span<const ShardingId> shardings) {
    if (memo_.is_full()) {
      memo_.clear();
      answers_.clear();
      notes_.clear();
    }
    const std::size_t begin = answers_.size();
    answers_.resize(begin + shardings.size());
    stepper_.step(m, rule, kind, shardings, std::span(answers_).subspan(begin));
    return begin;
  }

  Stepper stepper_;
  Memo<ShardingId, std::size_t> memo_;
  std::vector<ShardingId> answers_;
  std::vector<std::uint32_t> notes_;  // by the place of the answer
  std::vector<ShardingId> uncached_;
  std::uint32_t uncached_note_ = 0;
  bool enabled_ = true;
};

}  // namespace shardprop
