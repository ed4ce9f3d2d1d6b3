// The basic strategy: along each factor, tensors take the axes that all of them can take. It never
// resolves a conflict: where one tensor cannot take an axis, because of another factor, a closed
// dimension or divisibility, no tensor takes it.
#pragma once

#include <optional>

#include "shardprop/propagate/step/strategy.hpp"

namespace shardprop {

inline void propagate_basic(const StrategyInput& in) {
  Projection& p = in.projection;
  for (std::size_t f = 0; f < in.rule.factors.size(); ++f) {
    const Factor& factor = in.rule.factors[f];
    AxisList axes = compatible_major_axes(p, f, in.rule.operands.size(), in.directions.of(factor));
    if (axes.empty()) continue;
    truncate_at_conflict(axes, in.conservative, [&](AxisRef axis, std::int64_t sharded_before) {
      std::optional<AxisRef> rest = axis;
      for (std::size_t t = 0; t < p.tensor_count() && rest; ++t) {
        rest = prefix_across_factors(*rest, p.tensor(t), f);
        if (rest && p.at(t, f).mapped)
          rest = prefix_within_factor(*rest, p, t, f, sharded_before, factor.size);
      }
      return rest;
    });
    for (std::size_t t = 0; t < p.tensor_count(); ++t) {
      if (expand(p.at(t, f), axes)) in.changed[t] = 1;
    }
  }
}

}  // namespace shardprop
