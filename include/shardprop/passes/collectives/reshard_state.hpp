// What is left to do between two shardings of a tensor, for the steps of `reshard-to-collectives`.
//
// A dimension is sharded along `current`. `surplus` is the end of `current` that differs from the
// wanted sharding, and `wanted` is what must be there instead; both are empty when the dimension
// is done. Sub-axes of both shardings are cut to common parts first, so that two axes of a state
// are equal or do not overlap. Worked example, x of size 4 = 2*2: from [{x}, {}] to [{x:(1)2},
// {x:(2)2}] there is dimension 0: current [x], surplus [x:(2)2], wanted []; dimension 1: current
// [], surplus [], wanted [x:(2)2].
//
// Cost: linear in the number of axes, or quadratic for functions of two lists.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop::detail {

struct ReshardDim {
  AxisList surplus;
  AxisList wanted;
  AxisList current;
  std::int64_t capacity = 1;  // how many times more shards the step at hand may still make
};

// An axis that is wanted somewhere: as number `index` of `wanted` of dimension `dim`.
struct WantedPlace {
  AxisRef axis;
  std::size_t dim = 0;
  std::size_t index = 0;
};

struct ReshardState {
  const Mesh& mesh;
  std::vector<ReshardDim> dims;
  // As `wanted` was when `note_wanted_places` ran: a step reads it while it changes the lists.
  std::vector<WantedPlace> wanted_places;

  bool is_done() const {
    return std::all_of(dims.begin(), dims.end(), [](const ReshardDim& dim) {
      return dim.surplus.empty() && dim.wanted.empty();
    });
  }
};

inline void note_wanted_places(ReshardState& state) {
  state.wanted_places.clear();
  for (std::size_t dim = 0; dim < state.dims.size(); ++dim) {
    const AxisList& wanted = state.dims[dim].wanted;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      state.wanted_places.push_back({wanted[i], dim, i});
  }
}

inline const WantedPlace* wanted_place(const ReshardState& state, AxisRef axis) {
  for (const WantedPlace& place : state.wanted_places) {
    if (place.axis == axis) return &place;
  }
  return nullptr;
}

// Whether `axis` shards some dimension already, so that no slice can be made along it.
inline bool is_surplus(const ReshardState& state, AxisRef axis) {
  for (const ReshardDim& dim : state.dims) {
    if (std::find(dim.surplus.begin(), dim.surplus.end(), axis) != dim.surplus.end()) return true;
  }
  return false;
}

// `axes` cut where axes of `cuts` begin and end. `cuts` is sorted and free of overlaps; an axis
// that cannot coexist with one of them stays whole from there on.
inline AxisList cut_at(AxisSpan axes, AxisSpan cuts) {
  AxisList out;
  for (AxisRef axis : axes) {
    std::optional<AxisRef> rest = axis;
    for (AxisRef cut : cuts) {
      if (!overlaps(*rest, cut)) continue;
      if (!can_coexist(*rest, cut) || contains(cut, *rest)) break;
      if (const auto before = prefix_without_overlap(*rest, cut)) out.push_back(*before);
      out.push_back(*overlap(*rest, cut));
      rest = suffix_without_overlap(*rest, cut);
      if (!rest) break;
    }
    if (rest) out.push_back(*rest);
  }
  return out;
}

inline void cut_wanted_at(ReshardState& state, AxisList& cuts) {
  if (cuts.empty()) return;
  std::ranges::sort(cuts);
  for (ReshardDim& dim : state.dims) dim.wanted = cut_at(dim.wanted, cuts);
}

// All axes that shard dimensions, in the order of the mesh.
inline AxisList sorted_axes(const TensorSharding& s) {
  AxisList axes;
  for (const DimSharding& dim : s.dims) axes.append(dim.axes);
  std::ranges::sort(axes);
  return axes;
}

inline void drop_common_prefix(ReshardDim& dim) {
  std::size_t equal = 0;
  const std::size_t most = std::min(dim.surplus.size(), dim.wanted.size());
  while (equal < most && dim.surplus[equal] == dim.wanted[equal]) ++equal;
  dim.surplus = AxisList(AxisSpan(dim.surplus).subspan(equal));
  dim.wanted = AxisList(AxisSpan(dim.wanted).subspan(equal));
}

// What is left to do from `from` to `to`, which have one rank and meshes of the same axes.
inline ReshardState make_reshard_state(const Mesh& mesh, const TensorSharding& from,
                                       const TensorSharding& to) {
  assert(from.rank() == to.rank());
  ReshardState state{mesh, std::vector<ReshardDim>(from.rank()), {}};
  const AxisList cuts_of_from = sorted_axes(to);
  const AxisList cuts_of_to = sorted_axes(from);
  for (std::size_t i = 0; i < from.rank(); ++i) {
    ReshardDim& dim = state.dims[i];
    dim.current = from.dims[i].axes;
    dim.surplus = cut_at(from.dims[i].axes, cuts_of_from);
    dim.wanted = cut_at(to.dims[i].axes, cuts_of_to);
    drop_common_prefix(dim);
  }
  note_wanted_places(state);
  return state;
}

// Whether two axes overlap in part, as x:(1)2 and x:(1)3 of an axis of size 6 do: then no list can
// hold both.
inline bool has_crossing_axes(const ReshardState& state) {
  for (const ReshardDim& dim : state.dims) {
    for (AxisRef axis : dim.surplus) {
      for (const WantedPlace& place : state.wanted_places) {
        if (axis != place.axis && overlaps(axis, place.axis)) return true;
      }
    }
  }
  return false;
}

// Takes `axes` off the end of `current`, of whose axes they may be parts.
inline void pop_axes(AxisList& current, AxisSpan axes) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (const auto rest = prefix_without_overlap(current.back(), axes[i])) {
      current.back() = *rest;
    } else {
      current.pop_back();
    }
  }
}

inline bool one_divides_other(std::int64_t a, std::int64_t b) { return a % b == 0 || b % a == 0; }

// The major part of an axis that there is room for, and what is left of the axis.
struct FittingAxis {
  std::optional<AxisRef> fitting;
  std::optional<AxisRef> rest;
};

// Fits `axis` into `capacity`, which is divided by the size that was used.
inline FittingAxis fit_axis(AxisRef axis, std::int64_t& capacity) {
  if (capacity <= 1 || !one_divides_other(axis.size, capacity)) return {};
  if (capacity >= axis.size) {
    capacity /= axis.size;
    return {axis, std::nullopt};
  }
  const AxisRef major = sub_axis(axis.axis, axis.pre_size, capacity);
  const AxisRef minor = sub_axis(axis.axis, major.next_pre_size(), axis.size / capacity);
  capacity = 1;
  return {major, minor};
}

enum class SurplusEnd : std::uint8_t { kFront, kBack };

// Moves axes from `pool_of(dim)` to one end of the surplus of each dimension as far as its capacity
// goes, and tells `on_added(axis, dim)`. Where an axis is cut to fit, its rest goes back to the
// pool and what is wanted is cut alike.
template <class PoolOf, class OnAdded>
void distribute(ReshardState& state, SurplusEnd end, PoolOf&& pool_of, OnAdded&& on_added) {
  AxisList cuts;
  for (std::size_t d = 0; d < state.dims.size(); ++d) {
    ReshardDim& dim = state.dims[d];
    AxisList& pool = pool_of(d);
    std::size_t at = end == SurplusEnd::kFront ? 0 : dim.surplus.size();
    for (std::size_t i = 0; i < pool.size() && dim.capacity > 1;) {
      const FittingAxis fit = fit_axis(pool[i], dim.capacity);
      if (!fit.fitting) {
        ++i;
        continue;
      }
      pool.erase_at(i);
      dim.surplus.insert_at(at++, *fit.fitting);
      on_added(*fit.fitting, d);
      if (!fit.rest) continue;
      cuts.push_back(*fit.fitting);
      pool.insert_at(0, *fit.rest);
    }
  }
  cut_wanted_at(state, cuts);
}

}  // namespace shardprop::detail
