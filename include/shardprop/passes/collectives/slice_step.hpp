// The all-slice step of `reshard-to-collectives`: it makes the tensor smaller without sending
// anything, so it comes first.
//
// A dimension may be sliced as many times as its result has more shards than its operand; more
// would have to be undone by communication. Axes go where they are wanted if there is room,
// else to the first dimension that has some, from where an all-to-all or a collective-permute takes
// them on. Worked example, axes of size 2: from [{y}, {}] to [{x}, {y}] slices x in dimension 1,
// giving [{y}, {x}], and a permute does the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "shardprop/passes/collectives/reshard_state.hpp"

namespace shardprop::detail {

using AxesPerDim = std::vector<AxisList>;

// What a slice needs to know besides the state, and what it does.
struct SliceStep {
  ReshardState& state;
  std::span<const std::int64_t> shape;
  AxesPerDim sliced;

  void slice(std::size_t dim, AxisRef axis) {
    append_or_merge(sliced[dim], axis, state.mesh);
    append_or_merge(state.dims[dim].current, axis, state.mesh);
  }
};

inline void set_slice_capacities(ReshardState& state) {
  for (ReshardDim& dim : state.dims) {
    const std::int64_t before = total_size(dim.surplus);
    const std::int64_t after = total_size(dim.wanted);
    dim.capacity = after / std::gcd(before, after);
  }
}

// Axes `begin` to `end` of what dimension `target` wants, of which those before `begin` that come
// from the source make `moved_size` shards.
struct BorrowedAxes {
  std::size_t target = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t moved_size = 1;
};

// Counts into `borrowed` the end of `surplus` that is wanted, in this order, right before
// `borrowed.begin`; false where another axis of `surplus` is wanted in that dimension too.
inline bool match_moved_axes(const ReshardState& state, const AxisList& surplus,
                             BorrowedAxes& borrowed) {
  const AxisList& wanted = state.dims[borrowed.target].wanted;
  std::size_t i = surplus.size();
  std::size_t w = borrowed.begin;
  while (i > 0 && w > 0 && surplus[i - 1] == wanted[w - 1]) {
    borrowed.moved_size *= surplus[i - 1].size;
    --i;
    --w;
  }
  while (i-- > 0) {
    const WantedPlace* place = wanted_place(state, surplus[i]);
    if (place && place->dim == borrowed.target) return false;
  }
  return true;
}

// Axes to slice at dimension `source` that another dimension wants. If the last surplus axes of the
// source move there by all-to-all, and the axes wanted after them are free, slicing these first at
// the source lets one all-to-all move all, and saves a permute.
//
// Worked example, axes of size 2: from [{w}, {x}, {}] to [{}, {}, {x, y, z, w}] slices y and z at
// dimension 1.
inline std::optional<BorrowedAxes> axes_to_borrow(const ReshardState& state, std::size_t source) {
  const AxisList& surplus = state.dims[source].surplus;
  if (surplus.empty() || !state.dims[source].wanted.empty()) return std::nullopt;
  const WantedPlace* last = wanted_place(state, surplus.back());
  if (!last || !state.dims[last->dim].surplus.empty()) return std::nullopt;
  BorrowedAxes borrowed;
  borrowed.target = last->dim;
  borrowed.begin = borrowed.end = last->index + 1;
  const AxisList& wanted = state.dims[last->dim].wanted;
  while (borrowed.end < wanted.size() && !is_surplus(state, wanted[borrowed.end])) ++borrowed.end;
  if (borrowed.begin == borrowed.end) return std::nullopt;
  if (!match_moved_axes(state, surplus, borrowed)) return std::nullopt;
  return borrowed;
}

inline bool slice_for_exchange(SliceStep& step, std::size_t source) {
  ReshardState& state = step.state;
  const std::optional<BorrowedAxes> borrowed = axes_to_borrow(state, source);
  if (!borrowed) return false;
  ReshardDim& target = state.dims[borrowed->target];
  const AxisList axes(
      AxisSpan(target.wanted).subspan(borrowed->begin, borrowed->end - borrowed->begin));
  const std::int64_t added = total_size(axes);
  const std::int64_t shards = total_size(state.dims[source].current) * added;
  if (step.shape[source] % shards != 0) return false;
  target.capacity /= borrowed->moved_size * added;
  for (AxisRef axis : axes) {
    state.dims[source].surplus.push_back(axis);
    step.slice(source, axis);
  }
  return true;
}

// Slices `dim` along axes that it wants; those for which there is no room go to `unplaced`.
inline bool slice_in_place(SliceStep& step, std::size_t dim, AxisList& unplaced) {
  ReshardDim& row = step.state.dims[dim];
  bool any = false;
  for (std::size_t i = 0; i < row.wanted.size();) {
    const AxisRef axis = row.wanted[i];
    if (is_surplus(step.state, axis)) {
      ++i;
      continue;
    }
    const FittingAxis fit = fit_axis(axis, row.capacity);
    if (!fit.fitting) {
      unplaced.push_back(axis);
      ++i;
      continue;
    }
    any = true;
    step.slice(dim, *fit.fitting);
    if (row.surplus.empty() && i == 0) {
      row.wanted.erase_at(0);
    } else {
      row.surplus.push_back(*fit.fitting);
      row.wanted[i++] = *fit.fitting;
    }
    if (fit.rest) {
      row.wanted.insert_at(i++, *fit.rest);
      unplaced.push_back(*fit.rest);
    }
  }
  return any;
}

// The axes to slice each dimension along, or none where there is nothing to slice.
inline std::optional<AxesPerDim> take_slices(ReshardState& state,
                                             std::span<const std::int64_t> shape) {
  SliceStep step{state, shape, AxesPerDim(state.dims.size())};
  set_slice_capacities(state);
  bool any = false;
  for (std::size_t d = 0; d < state.dims.size(); ++d) any = slice_for_exchange(step, d) || any;
  AxisList unplaced;
  for (std::size_t d = 0; d < state.dims.size(); ++d)
    any = slice_in_place(step, d, unplaced) || any;
  distribute(
      state, SurplusEnd::kBack, [&](std::size_t) -> AxisList& { return unplaced; },
      [&](AxisRef axis, std::size_t dim) {
        any = true;
        step.slice(dim, axis);
      });
  note_wanted_places(state);
  if (!any) return std::nullopt;
  return step.sliced;
}

}  // namespace shardprop::detail
