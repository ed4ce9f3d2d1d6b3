// The collective-permute step of `reshard-to-collectives`: each device sends its shard to one other
// device, so that each dimension keeps its number of shards but is divided along other axes.
//
// Worked example, axes of size 2: from [{x, y}, {z}] to [{z}, {}], one permute gives [{z, y}, {x}],
// and an all-gather along y and x does the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardprop/passes/collectives/reshard_state.hpp"

namespace shardprop::detail {

// Whether the surplus of `dim` stands in an order that an all-to-all or all-gather cannot take
// apart: axes of one target are not together and in its order, or an axis to gather comes after
// one to move away.
inline bool is_out_of_order(const ReshardState& state, std::size_t dim) {
  const ReshardDim& row = state.dims[dim];
  std::vector<bool> seen(state.dims.size(), false);
  const WantedPlace* last = nullptr;
  for (AxisRef axis : row.surplus) {
    const WantedPlace* place = wanted_place(state, axis);
    if (place) {
      const bool follows = last && last->dim == place->dim && last->index + 1 == place->index;
      if ((place->dim == dim || seen[place->dim]) && !follows) return true;
      seen[place->dim] = true;
    } else if (last && row.wanted.empty()) {
      return true;
    }
    last = place;
  }
  return false;
}

// Whether a permute brings the shardings closer. Either some dimension has surplus that can be
// replaced by what it wants, or an order is wrong, or an axis that is not wanted anywhere can be
// replaced by one that shards nothing yet.
inline bool needs_permute(const ReshardState& state) {
  std::optional<AxisRef> unwanted;
  std::optional<AxisRef> missing;
  for (std::size_t d = 0; d < state.dims.size(); ++d) {
    const ReshardDim& dim = state.dims[d];
    if (!dim.surplus.empty() && !dim.wanted.empty() &&
        one_divides_other(dim.surplus.front().size, dim.wanted.front().size)) {
      return true;
    }
    if (is_out_of_order(state, d)) return true;
    for (AxisRef axis : dim.wanted) {
      if (!is_surplus(state, axis)) missing = axis;
    }
    for (AxisRef axis : dim.surplus) {
      if (!wanted_place(state, axis)) unwanted = axis;
    }
  }
  return unwanted && missing && one_divides_other(unwanted->size, missing->size);
}

// Puts wanted axes in the place of the surplus of `dim`, and gives back how many shards they make.
inline std::int64_t replace_by_wanted(ReshardState& state, ReshardDim& dim) {
  const std::int64_t shards = total_size(dim.surplus);
  dim.capacity = shards;
  pop_axes(dim.current, dim.surplus);
  while (dim.capacity > 1 && !dim.wanted.empty()) {
    const FittingAxis fit = fit_axis(dim.wanted.front(), dim.capacity);
    if (!fit.fitting) break;
    append_or_merge(dim.current, *fit.fitting, state.mesh);
    if (fit.rest) {
      dim.wanted.front() = *fit.rest;
    } else {
      dim.wanted.erase_at(0);
    }
  }
  return shards / dim.capacity;
}

// The surplus of `dim` that is wanted nowhere and must be gathered later. The axes whose shards
// were `replaced` come last, so that the others find their old place first.
inline AxisList take_unwanted(const ReshardState& state, ReshardDim& dim, std::int64_t replaced) {
  AxisList kept;
  for (AxisRef axis : dim.surplus) {
    if (!wanted_place(state, axis)) kept.push_back(axis);
  }
  dim.surplus.clear();
  AxisList last;
  while (replaced > 1 && !kept.empty()) {
    const FittingAxis fit = fit_axis(kept.front(), replaced);
    if (!fit.fitting) break;
    last.push_back(*fit.fitting);
    if (fit.rest) {
      kept.front() = *fit.rest;
    } else {
      kept.erase_at(0);
    }
  }
  kept.append(last);
  return kept;
}

// Gives all dimensions other axes of the same number of shards. Axes that are to be gathered go to
// the front: what comes after them moves away first. False, with nothing done, where sizes that do
// not divide each other leave a dimension with fewer shards.
inline bool permute(ReshardState& state) {
  const std::vector<ReshardDim> before = state.dims;
  AxisList wanted;
  std::vector<AxisList> unwanted;
  for (ReshardDim& dim : state.dims) {
    const std::int64_t replaced = replace_by_wanted(state, dim);
    wanted.append(dim.wanted);
    unwanted.push_back(take_unwanted(state, dim, replaced));
  }
  const auto ignore = [](AxisRef, std::size_t) {};
  distribute(
      state, SurplusEnd::kBack, [&](std::size_t) -> AxisList& { return wanted; }, ignore);
  distribute(
      state, SurplusEnd::kFront, [&](std::size_t d) -> AxisList& { return unwanted[d]; }, ignore);
  AxisList rest;
  for (const AxisList& axes : unwanted) rest.append(axes);
  distribute(
      state, SurplusEnd::kFront, [&](std::size_t) -> AxisList& { return rest; }, ignore);
  const bool filled = std::all_of(state.dims.begin(), state.dims.end(),
                                  [](const ReshardDim& dim) { return dim.capacity == 1; });
  if (!filled) {
    state.dims = before;
    return false;
  }
  note_wanted_places(state);
  for (ReshardDim& dim : state.dims) {
    for (AxisRef axis : dim.surplus) append_or_merge(dim.current, axis, state.mesh);
  }
  return true;
}

}  // namespace shardprop::detail
