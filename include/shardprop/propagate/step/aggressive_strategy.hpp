// The aggressive strategy: each tensor takes the axes that it can. Where two factors want the same
// axis, the preferred factor gets it: the one whose sharding comes from the larger tensor, since it
// is cheaper to reshard the smaller one.
//
// Worked example, C = A x B with A of 8x4 sharded [{x}, {}] and B of 4x16 sharded [{}, {x}]: both i
// and j want x in C. B is the larger one, so C becomes [{}, {x}]; the basic strategy does not
// change C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/propagate/step/strategy.hpp"

namespace shardprop {

namespace detail {

// Ranks the factors by the axes that their tensors agree on.
inline void rank_factors(const StrategyInput& in) {
  const std::vector<AxisList>& axes = in.scratch.axes;
  std::vector<RankedFactor>& ranked = in.scratch.ranked;
  ranked.assign(axes.size(), RankedFactor());
  for (std::size_t f = 0; f < axes.size(); ++f) {
    ranked[f].factor = f;
    ranked[f].sharded_size = in.elementwise ? total_size(axes[f]) : 0;
  }
  for (std::size_t t = 0; t < in.projection.tensor_count(); ++t) {
    std::int64_t tensor_size = 1;
    for (std::size_t f = 0; f < axes.size(); ++f) {
      if (in.projection.at(t, f).mapped) tensor_size *= in.rule.factors[f].size;
    }
    for (std::size_t f = 0; f < axes.size(); ++f) {
      const FactorSharding& cell = in.projection.at(t, f);
      if (!cell.mapped || axes[f].empty() || tensor_size <= ranked[f].source_size) continue;
      if (prefix_order(axes[f], cell.axes) == PrefixOrder::kNotPrefix) continue;
      ranked[f].source_size = tensor_size;
      ranked[f].source = static_cast<std::int64_t>(t);
    }
  }
  std::ranges::sort(ranked, [](const RankedFactor& a, const RankedFactor& b) {
    if (a.source_size != b.source_size) return a.source_size > b.source_size;
    if (a.sharded_size != b.sharded_size) return a.sharded_size > b.sharded_size;
    return a.source != b.source ? a.source < b.source : a.factor < b.factor;
  });
}

// The axes that tensor `t` takes of `axes` along factor `f`, given what it has taken so far. Empty
// if it takes nothing new.
inline AxisList axes_for_tensor(const StrategyInput& in, std::size_t t, std::size_t f,
                                const AxisList& axes) {
  const Projection& p = in.projection;
  if (!p.at(t, f).mapped) return {};
  AxisList taken = axes;
  truncate_at_conflict(taken, in.conservative, [&](AxisRef axis, std::int64_t sharded_before) {
    return prefix_within_factor(axis, p, t, f, sharded_before, in.rule.factors[f].size);
  });
  if (!is_strict_prefix(p.at(t, f).axes, taken)) return {};
  truncate_at_conflict(taken, in.conservative, [&](AxisRef axis, std::int64_t) {
    return prefix_across_factors(axis, p.tensor(t), f);
  });
  return taken;
}

// An operand of an element-wise operation takes no more than each result has: sharding it further
// than a result that cannot follow, for example because it is closed, would only add a reshard.
inline void limit_to_results(const StrategyInput& in, std::size_t f, AxisList& axes) {
  for (std::size_t r = in.rule.operands.size(); r < in.projection.tensor_count(); ++r) {
    const FactorSharding& cell = in.projection.at(r, f);
    if (cell.mapped && is_strict_prefix(cell.axes, axes)) axes = cell.axes;
  }
}

}  // namespace detail

inline void propagate_aggressive(const StrategyInput& in) {
  const std::size_t operands = in.rule.operands.size();
  const std::size_t tensors = in.projection.tensor_count();
  std::vector<AxisList>& axes = in.scratch.axes;
  axes.resize(in.rule.factors.size());
  bool any = false;
  for (std::size_t f = 0; f < axes.size(); ++f) {
    axes[f] =
        compatible_major_axes(in.projection, f, operands, in.directions.of(in.rule.factors[f]));
    any = any || !axes[f].empty();
  }
  if (!any) return;

  detail::rank_factors(in);
  const auto visit = [&](std::size_t t) {
    for (const RankedFactor& r : in.scratch.ranked) {
      AxisList taken = detail::axes_for_tensor(in, t, r.factor, axes[r.factor]);
      if (taken.empty()) continue;
      if (in.elementwise && t < operands) detail::limit_to_results(in, r.factor, taken);
      if (expand(in.projection.at(t, r.factor), taken)) in.changed[t] = 1;
    }
  };
  for (std::size_t t = operands; t < tensors; ++t) visit(t);
  for (std::size_t t = 0; t < operands; ++t) visit(t);
}

}  // namespace shardprop
