// The all-to-all and all-gather steps of `reshard-to-collectives`.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "shardprop/passes/collectives/reshard_state.hpp"

namespace shardprop::detail {

// An all-to-all: `axes` move from the end of dimension `source` to the end of `target`.
struct Exchange {
  AxisList axes;
  std::size_t source = 0;
  std::size_t target = 0;
};

enum class TargetOrder : std::uint8_t { kInPlace, kAny };

// Where the longest end of the surplus of `source` begins that is wanted in one other dimension,
// and that dimension; none where it is empty.
struct MovableEnd {
  std::size_t begin = 0;
  std::size_t target = 0;
};
inline std::optional<MovableEnd> movable_end(const ReshardState& state, std::size_t source) {
  const AxisList& surplus = state.dims[source].surplus;
  MovableEnd end{surplus.size(), source};
  for (std::size_t i = surplus.size(); i-- > 0; end.begin = i) {
    const WantedPlace* place = wanted_place(state, surplus[i]);
    if (!place || place->dim == source) break;
    if (end.target != source && place->dim != end.target) break;
    end.target = place->dim;
  }
  if (end.target == source) return std::nullopt;
  return end;
}

// The next all-to-all from `source`, done in the state; none if there is none. With `kInPlace`
// only one whose axes end up where they are wanted.
//
// Worked example: from [{w}, {x, y, z}, {}] to [{x}, {}, {y, z}] the first call for dimension 1
// moves y and z to dimension 2, the second moves x to dimension 0, after w.
inline std::optional<Exchange> take_exchange(ReshardState& state, std::size_t source,
                                             TargetOrder order) {
  const std::optional<MovableEnd> end = movable_end(state, source);
  if (!end) return std::nullopt;
  ReshardDim& from = state.dims[source];
  ReshardDim& to = state.dims[end->target];
  const AxisList moved(AxisSpan(from.surplus).subspan(end->begin));
  if (order == TargetOrder::kInPlace &&
      (moved.size() > to.wanted.size() || !equal(moved, AxisSpan(to.wanted).first(moved.size())))) {
    return std::nullopt;
  }
  pop_axes(from.current, moved);
  from.surplus.truncate(end->begin);
  Exchange exchange{{}, source, end->target};
  for (AxisRef axis : moved) {
    append_or_merge(exchange.axes, axis, state.mesh);
    append_or_merge(to.current, axis, state.mesh);
    if (to.surplus.empty() && !to.wanted.empty() && to.wanted.front() == axis) {
      to.wanted.erase_at(0);
    } else {
      to.surplus.push_back(axis);
    }
  }
  return exchange;
}

// The axes to gather of each dimension, the end of its surplus that is wanted nowhere, taken off in
// the state; none where there is nothing to gather. With `all`, the whole surplus.
inline std::optional<std::vector<AxisList>> take_gathers(ReshardState& state, bool all = false) {
  std::vector<AxisList> gathered(state.dims.size());
  bool any = false;
  for (std::size_t d = 0; d < state.dims.size(); ++d) {
    ReshardDim& dim = state.dims[d];
    std::size_t begin = dim.surplus.size();
    while (begin > 0 && (all || !wanted_place(state, dim.surplus[begin - 1]))) --begin;
    const AxisList axes(AxisSpan(dim.surplus).subspan(begin));
    if (axes.empty()) continue;
    any = true;
    pop_axes(dim.current, axes);
    dim.surplus.truncate(begin);
    for (AxisRef axis : axes) append_or_merge(gathered[d], axis, state.mesh);
  }
  if (!any) return std::nullopt;
  return gathered;
}

}  // namespace shardprop::detail
