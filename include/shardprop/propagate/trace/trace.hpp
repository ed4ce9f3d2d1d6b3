// The trace: where the axes of each tensor came from.
//
// Origins: for each tensor and axis the place where a user wrote the axis: an argument or result of
// the function, a sharding constraint, an input or output of a manual computation. Edges: for each
// operation the axes that it carried, with the step, the operand or result that each came from and
// the one that it went to. Worked example, `%1 = tanh(%arg0)` with %arg0 sharded along x: the
// origin of x on %1 is `input: 0`; the edge on tanh is `step-0: x = operand-0 -> result-0`.
//
// Recording a step costs two projections. A propagation that is traced does not use the memo.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/sdy/propagation_edge_attributes.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/propagate/step/strategy.hpp"

namespace shardprop {

enum class OriginKind : std::uint8_t { kInput, kConstraint, kOutput, kManualInput, kManualOutput };

// Where a user wrote an axis. `index` is that of the argument, result, input or output; `source`
// numbers constraints and manual computations.
struct Origin {
  OriginKind kind = OriginKind::kInput;
  std::size_t index = 0;
  std::size_t source = 0;
};

// `input: 0`, `output: 1`, `constraint_2`, `mc_0_input: 1`.
inline std::string to_string(const Origin& origin) {
  switch (origin.kind) {
    case OriginKind::kInput:
      return fmt::format("input: {}", origin.index);
    case OriginKind::kConstraint:
      return fmt::format("constraint_{}", origin.source);
    case OriginKind::kOutput:
      return fmt::format("output: {}", origin.index);
    case OriginKind::kManualInput:
      return fmt::format("mc_{}_input: {}", origin.source, origin.index);
    case OriginKind::kManualOutput:
      return fmt::format("mc_{}_output: {}", origin.source, origin.index);
  }
  return {};
}

// An axis by name, since the places where users wrote it may be on different meshes. `part` is its
// sub-axis, as a reference to axis 0.
struct TracedAxis {
  std::string name;
  AxisRef part;

  friend auto operator<=>(const TracedAxis&, const TracedAxis&) = default;
};

inline TracedAxis traced_axis(const Mesh& mesh, AxisRef axis) {
  TracedAxis traced{mesh.axes[axis.axis].name, axis};
  traced.part.axis = 0;
  return traced;
}

// `x` or `x:(1)2`.
inline std::string to_string(const TracedAxis& axis) {
  if (axis.part.is_full) return axis.name;
  return fmt::format("{}:({}){}", axis.name, axis.part.pre_size, axis.part.size);
}

// One axis that moved from `source` to `target` in step `step`.
struct TraceMove {
  TracedAxis axis;
  EdgeNode source;
  EdgeNode target;
  std::size_t step = 0;
};

// The axes of a tensor with their origins, in the order in which they were noted.
using AxisOrigins = std::vector<std::pair<TracedAxis, Origin>>;

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
inline void add_moves(AxisSpan axes, AxisSpan had, const Mesh& mesh, TraceMove move,
                      std::vector<TraceMove>& moves) {
  const auto add = [&](AxisRef ref) {
    const TracedAxis axis = traced_axis(mesh, ref);
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
                                       std::size_t step) {
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
        const TracedAxis merged = traced_axis(mesh, *previous);
        erase_if(moves, [&](const TraceMove& m) { return m.axis == merged; });
        gained.back() = merge(*previous, gained.back(), mesh);
      }
      previous = has.axes.back();
      if (const auto source = source_of(before, factor, has.axes)) {
        add_moves(gained, had.axes, mesh,
                  {TracedAxis(), node_of(*source, operands), node_of(t, operands), step}, moves);
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
  struct Options {
    bool origins = false;
    bool edges = false;
  };

  explicit Trace(Options options, std::size_t first_step = 0)
      : options_(options), step_(first_step) {}

  const Options& options() const { return options_; }

  // Notes that a user wrote the axes of `sharding` on `value`, which must carry its own sharding.
  void add_origins(const Module& m, ValueId value, ShardingId sharding, Origin origin) {
    if (!value.valid() || !sharding.valid()) return;
    for (const DimSharding& dim : m.shardings[sharding].dims) {
      for (AxisRef axis : dim.axes) {
        add_origin(value, traced_axis(m.meshes[m.shardings[sharding].mesh], axis), origin);
      }
    }
  }

  // Records a step of `op`, or of the results of `func`.
  void record(const ShardingStore& store, OpId op, FuncId func, const TracedStep& s) {
    for (std::size_t t = 0; t < s.tensors.size(); ++t) {
      for (const TraceMove& move : detail::moves_to(s.rule, s.before, s.after, t, s.mesh, step_)) {
        if (options_.edges)
          (op.valid() ? op_moves_[op.index] : func_moves_[func.index]).push_back(move);
        if (options_.origins) follow(store, s, t, move);
      }
    }
    ++step_;
  }

  // By value, operation and function, in the order of their ids.
  const std::map<std::uint32_t, AxisOrigins>& origins() const { return origins_; }
  const std::map<std::uint32_t, std::vector<TraceMove>>& op_moves() const { return op_moves_; }
  const std::map<std::uint32_t, std::vector<TraceMove>>& func_moves() const { return func_moves_; }

 private:
  void add_origin(ValueId value, const TracedAxis& axis, Origin origin) {
    AxisOrigins& known = origins_[value.index];
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const auto& entry) { return entry.first == axis; });
    if (at == known.end()) known.emplace_back(axis, origin);
  }

  void follow(const ShardingStore& store, const TracedStep& s, std::size_t target,
              const TraceMove& move) {
    const std::size_t operands = s.rule.operands.size();
    const ValueId source = s.tensors[static_cast<std::size_t>(move.source.index) +
                                     (move.source.is_result ? operands : 0)];
    const auto known = origins_.find(store.holder(source).index);
    if (known == origins_.end()) return;
    const ValueId to = store.holder(s.tensors[target]);
    if (const auto origin = find_origin(known->second, move.axis))
      add_origin(to, move.axis, *origin);
  }

  // An axis that was split or merged on its way has the origin of one that contains it or is
  // contained in it.
  static std::optional<Origin> find_origin(const AxisOrigins& origins, const TracedAxis& axis) {
    for (const auto& [other, origin] : origins) {
      if (other == axis) return origin;
    }
    for (const auto& [other, origin] : origins) {
      if (other.name != axis.name) continue;
      if (contains(other.part, axis.part) || contains(axis.part, other.part)) return origin;
    }
    return std::nullopt;
  }

  Options options_;
  std::size_t step_;
  std::map<std::uint32_t, AxisOrigins> origins_;
  std::map<std::uint32_t, std::vector<TraceMove>> op_moves_;
  std::map<std::uint32_t, std::vector<TraceMove>> func_moves_;
};

}  // namespace shardprop
