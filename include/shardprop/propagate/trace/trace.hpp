// The trace: where the axes of each tensor came from.
//
// Steps: for each step of the propagation that changed a sharding the axes that moved, with the
// operand or result that each came from and the one that it went to. Worked example,
// `%1 = tanh(%arg0)` with %arg0 sharded along x: step 0 is of tanh and moved x from operand 0 to
// result 0. Origins: where a user wrote each axis of each tensor (origins.hpp).
//
// What a step moves is a function of its rule, its directions and the shardings before it, as the
// step itself is (step/step.hpp), and is remembered in the same way. A step that changes nothing
// costs nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/sdy/propagation_edge_attributes.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/propagate/step/step.hpp"
#include "shardprop/propagate/trace/origins.hpp"

namespace shardprop {

// One axis that moved in a step, from an operand or result to another one.
struct TraceMove {
  TracedAxisId axis;
  EdgeNode source;
  EdgeNode target;
};

enum class TraceEventKind : std::uint8_t {
  kOp,      // a step of `op`: of its operands and results, or of the sources of a data-flow edge
  kResult,  // a step between the value that `func` returns and its result `number`
  kGroup,   // the value `to` of a sharding group took the sharding of `from`
};

struct TraceEvent {
  TraceEventKind kind = TraceEventKind::kOp;
  OpId op = {};
  FuncId func = {};
  std::uint32_t number = 0;
  ValueId from = {};
  ValueId to = {};
  std::uint32_t step = 0;        // counts the steps; a group's event has that of the step before
  std::uint32_t first_move = 0;  // in `Trace::moves`
  std::uint32_t end_of_moves = 0;
};

namespace detail {

inline EdgeNode node_of(std::size_t tensor, std::size_t operands) {
  const bool is_result = tensor >= operands;
  return {is_result, static_cast<std::int64_t>(is_result ? tensor - operands : tensor)};
}

// The first tensor, operands first, that had `axes` along `factor` before the step.
inline std::optional<std::size_t> source_of(const Projection& before, std::size_t factor,
                                            AxisSpan axes) {
  for (std::size_t t = 0; t < before.tensor_count(); ++t) {
    const FactorSharding& cell = before.at(t, factor);
    if (cell.mapped && prefix_order(axes, cell.axes) != PrefixOrder::kNotPrefix) return t;
  }
  return std::nullopt;
}

// Adds the moves of the axes in `axes` that `had` lacks; its last axis may have grown.
inline void add_moves(AxisSpan axes, AxisSpan had, const Mesh& mesh, TracedAxes& axes_of,
                      TraceMove move, std::vector<TraceMove>& moves) {
  const auto add = [&](AxisRef ref) {
    const TracedAxisId axis = axes_of.intern(mesh, ref);
    const bool known =
        std::any_of(moves.begin(), moves.end(), [&](const TraceMove& m) { return m.axis == axis; });
    move.axis = axis;
    if (!known) moves.push_back(move);
  };
  if (!had.empty() && had.back() != axes[had.size() - 1]) add(axes[had.size() - 1]);
  for (AxisRef axis : axes.subspan(had.size())) add(axis);
}

// The axes that tensor `t` gained in a step.
inline std::vector<TraceMove> moves_to(const OpShardingRule& rule, const Projection& before,
                                       const Projection& after, std::size_t t, const Mesh& mesh,
                                       TracedAxes& axes_of) {
  std::vector<TraceMove> moves;
  const std::size_t operands = rule.operands.size();
  for (const DimMapping& dim : rule.tensor(t)) {
    std::optional<AxisRef> previous;  // the last axis of the factor before, if that gained any
    for (std::uint32_t factor : dim) {
      const FactorSharding& had = before.at(t, factor);
      const FactorSharding& has = after.at(t, factor);
      if (!had.mapped || had.axes == has.axes) continue;
      AxisList gained = has.axes;
      if (previous && can_merge(*previous, gained.back())) {
        const TracedAxisId merged = axes_of.intern(mesh, *previous);
        erase_if(moves, [&](const TraceMove& m) { return m.axis == merged; });
        gained.back() = merge(*previous, gained.back(), mesh);
      }
      previous = has.axes.back();
      if (const auto source = source_of(before, factor, has.axes)) {
        add_moves(gained, had.axes, mesh, axes_of,
                  {TracedAxisId(), node_of(*source, operands), node_of(t, operands)}, moves);
      }
    }
  }
  return moves;
}

}  // namespace detail

// A step as the trace sees it: the tensors, operands first, and the projections before and after.
struct TracedStep {
  const OpShardingRule& rule;
  std::span<const ValueId> tensors;
  const Projection& before;
  const Projection& after;
  const Mesh& mesh;
};

class Trace {
 public:
  // What is kept: the origins, to be written on the program; the steps, to be written there too
  // (`edges`), or to be asked for.
  struct Options {
    bool origins = false;
    bool edges = false;
    bool steps = false;
  };

  // Of a program of so many values.
  Trace(Options options, std::size_t values, std::size_t first_step)
      : options_(options), step_(static_cast<std::uint32_t>(first_step)) {
    options_.steps = options.steps || options.edges;
    if (options.origins) origins_.reserve(values);
  }

  const Options& options() const { return options_; }

  // Notes that a user wrote the axes of `sharding` on `value`, which must carry its own sharding.
  void add_origins(const Module& m, ValueId value, ShardingId sharding, Origin origin) {
    if (!value.valid() || !sharding.valid()) return;
    const std::uint32_t place = origins_.add(origin);
    const TensorSharding& s = m.shardings[sharding];
    for (const DimSharding& dim : s.dims) {
      for (AxisRef axis : dim.axes)
        origins_.start(value, axes_.intern(m.meshes[s.mesh], axis), place);
    }
  }

  // Gives a constraint or a manual computation the number by which its origins name it.
  void set_source(OpId op, std::size_t number) { sources_[op] = number; }
  std::optional<std::size_t> source_of(OpId op) const {
    const auto at = sources_.find(op);
    return at == sources_.end() ? std::nullopt : std::optional(at->second);
  }

  // From here on events are of the next run.
  void begin_run() { runs_.push_back(static_cast<std::uint32_t>(events_.size())); }

  // Records a step on shardings `before`, which changed some. `event` says what the step is of.
  // `known` is kept for equal steps, 0 at the first.
  void record(const Module& m, const ShardingStore& store, const TraceEvent& event, RuleId rule,
              const StepKind& kind, std::span<const ValueId> tensors,
              std::span<const ShardingId> before, std::uint32_t& known) {
    if (known == 0) {
      steps_.push_back(moves_of(m, rule, kind, before));
      known = static_cast<std::uint32_t>(steps_.size());
    }
    add(store, event, steps_[known - 1], tensors);
  }
  // Records a step of which the projections are known.
  void record(const ShardingStore& store, const TraceEvent& event, const TracedStep& s) {
    add(store, event, moves_of(s), s.tensors);
  }
  // Records that a member of a sharding group took the sharding of another one.
  void record_group(ValueId from, ValueId to) {
    if (!options_.steps) return;
    events_.push_back({.kind = TraceEventKind::kGroup, .from = from, .to = to, .step = step_});
  }

  const TracedAxes& axes() const { return axes_; }

  std::span<const TraceEvent> events() const { return events_; }
  std::span<const TraceMove> moves(const TraceEvent& event) const {
    return std::span(moves_).subspan(event.first_move, event.end_of_moves - event.first_move);
  }
  std::size_t run_count() const { return runs_.size(); }
  // The run of an event, by the number of the event.
  std::size_t run_of(std::size_t event) const {
    const auto next = std::ranges::upper_bound(runs_, event);
    return next == runs_.begin() ? 0 : static_cast<std::size_t>(next - runs_.begin()) - 1;
  }

  const Origins& origins() const { return origins_; }

 private:
  struct Moves {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t operands;  // of the step
  };

  Moves moves_of(const Module& m, RuleId rule_id, const StepKind& kind,
                 std::span<const ShardingId> before) {
    const OpShardingRule& rule = m.rules[rule_id];
    const Mesh& mesh = m.meshes[common_mesh(m, before)];
    const auto sharding = [&](std::size_t t) {
      return before[t].valid() ? &m.shardings[before[t]] : nullptr;
    };
    stepper_.run(rule, mesh, kind, sharding);
    before_.reset(rule);
    for (std::size_t t = 0; t < before.size(); ++t)
      project_tensor(rule, t, sharding(t), mesh, before_);
    return moves_of({rule, {}, before_, stepper_.projection(), mesh});
  }
  Moves moves_of(const TracedStep& s) {
    const auto begin = static_cast<std::uint32_t>(moves_.size());
    for (std::size_t t = 0; t < s.rule.tensor_count(); ++t) {
      const std::vector<TraceMove> to =
          detail::moves_to(s.rule, s.before, s.after, t, s.mesh, axes_);
      moves_.insert(moves_.end(), to.begin(), to.end());
    }
    return {begin, static_cast<std::uint32_t>(moves_.size()),
            static_cast<std::uint32_t>(s.rule.operands.size())};
  }

  void add(const ShardingStore& store, const TraceEvent& event, const Moves& moves,
           std::span<const ValueId> tensors) {
    if (options_.steps) {
      TraceEvent& added = events_.emplace_back(event);
      added.step = step_++;
      added.first_move = moves.begin;
      added.end_of_moves = moves.end;
    }
    if (options_.origins && moves.begin < moves.end) pass_origins(store, moves, tensors);
  }

  void pass_origins(const ShardingStore& store, const Moves& moves,
                    std::span<const ValueId> tensors) {
    const auto holder = [&](EdgeNode node) {
      const auto index = static_cast<std::size_t>(node.index);
      return store.holder(tensors[index + (node.is_result ? moves.operands : 0)]);
    };
    for (std::uint32_t i = moves.begin; i < moves.end; ++i) {
      const TraceMove& move = moves_[i];
      origins_.pass(holder(move.source), holder(move.target), move.axis, axes_);
    }
  }

  Options options_;
  std::uint32_t step_;
  TracedAxes axes_;
  std::vector<TraceEvent> events_;
  std::vector<TraceMove> moves_;     // of all different steps
  std::vector<Moves> steps_;         // all different ones
  std::vector<std::uint32_t> runs_;  // the first event of each
  Stepper stepper_;
  Projection before_;
  Origins origins_;
  std::unordered_map<OpId, std::size_t> sources_;
};

}  // namespace shardprop
