// Reshapes whose axes do not all divide the factors that they fall on: the axes of the more sharded
// side are handed out anew to the factors that they divide, and both sides keep what they have in
// common then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "shardprop/passes/reshards/factor_axes.hpp"
#include "shardprop/passes/reshards/op_reshards.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"

namespace shardprop {

inline bool has_overflow(const Projection& projection) {
  for (std::size_t t = 0; t < projection.tensor_count(); ++t) {
    for (const FactorSharding& cell : projection.tensor(t)) {
      if (!cell.overflow.empty()) return true;
    }
  }
  return false;
}

namespace detail {

inline AxisList all_axes(const Projection& projection, std::size_t tensor) {
  AxisList all;
  for (const FactorSharding& cell : projection.tensor(tensor)) {
    all.append(cell.axes);
    all.append(cell.overflow);
  }
  return all;
}

// A factor with the part of its size that is not sharded yet.
struct FactorRoom {
  FactorSharding* cell;
  std::int64_t room;
};

enum class Taken : std::uint8_t { kNothing, kPart, kAll };

// Puts as much of the first axis as the factor takes into it.
inline Taken take_first_axis(FactorRoom& factor, RemainingAxes& axes, const Mesh& mesh) {
  if (factor.room <= 1) return Taken::kNothing;
  const std::int64_t size = axes.first().size;
  const std::int64_t shared = std::gcd(factor.room, size);
  if (shared == 1 && size != 1) return Taken::kNothing;
  factor.room /= shared;
  if (size > shared) {
    append_or_merge(factor.cell->axes, axes.split_first(shared), mesh);
    return Taken::kPart;
  }
  append_or_merge(factor.cell->axes, axes.first(), mesh);
  axes.drop_first();
  return Taken::kAll;
}

// Gives the first axis, piece by piece, to the factors in order until it is used up. Whether any
// took a piece.
inline bool place_first_axis(std::vector<FactorRoom>& factors, RemainingAxes& axes,
                             const Mesh& mesh) {
  bool used = false;
  for (FactorRoom& factor : factors) {
    const Taken taken = take_first_axis(factor, axes, mesh);
    if (taken == Taken::kAll) return true;
    used = used || taken == Taken::kPart;
  }
  return used;
}

// Hands `all` out to the factors of one tensor, in the order of its dimensions. What no factor
// takes overflows from the last.
inline void redistribute(const RuledOp& r, std::size_t tensor, AxisSpan all, const Mesh& mesh,
                         Projection& projection) {
  std::vector<FactorRoom> factors;
  for (const DimMapping& dim : r.rule.tensor(tensor)) {
    for (std::uint32_t f : dim) {
      FactorSharding& cell = projection.at(tensor, f);
      if (!cell.mapped) continue;
      cell.axes.clear();
      cell.overflow.clear();
      factors.push_back({&cell, r.rule.factors[f].size});
    }
  }
  if (factors.empty()) return;
  RemainingAxes axes(all);
  while (!axes.empty()) {
    if (place_first_axis(factors, axes, mesh)) continue;
    axes.move_all_to(factors.back().cell->overflow, mesh);
  }
}

// What both sides have in common once their new shardings are projected again.
inline FactorAxes common_after_redistribution(ReshardContext& c, RuledOp& r) {
  const Mesh& mesh = c.m.meshes[r.mesh];
  const TensorSharding sides[] = {c.m.shardings[unproject(c.m, r, 0)],
                                  c.m.shardings[unproject(c.m, r, 1)]};
  Projection again;
  again.reset(r.rule);
  for (std::size_t t = 0; t < 2; ++t) project_tensor(r.rule, t, &sides[t], mesh, again);
  FactorAxes common(r.rule.factors.size());
  for (std::size_t f = 0; f < common.size(); ++f) {
    const FactorSharding& in = again.at(0, f);
    const FactorSharding& out = again.at(1, f);
    common[f] = in.mapped && out.mapped ? common_prefix(in.axes, out.axes)
                : in.mapped             ? in.axes
                                        : out.axes;
  }
  return common;
}

}  // namespace detail

// `r` is a reshape. Gives the axes of each factor.
inline FactorAxes reshard_overflowing_reshape(ReshardContext& c, RuledOp& r) {
  const Mesh& mesh = c.m.meshes[r.mesh];
  const bool prefers_operand =
      detail::shard_count(r.projection, 0) >= detail::shard_count(r.projection, 1);
  const AxisList all = detail::all_axes(r.projection, prefers_operand ? 0 : 1);
  for (std::size_t t = 0; t < 2; ++t) detail::redistribute(r, t, all, mesh, r.projection);
  FactorAxes common = detail::common_after_redistribution(c, r);
  apply_axes(r.projection, common);
  std::vector<bool> changed;
  for (std::size_t t = 0; t < 2; ++t) {
    // The operand as it comes, not as it was before a propagation barrier.
    const ShardingId old = t == 0 ? c.sharding(operand(c.m, r.op, 0)) : r.shardings[1];
    changed.push_back(!fits(c.m, old, unproject(c.m, r, t)));
  }
  insert_reshards(c, r, changed);
  return common;
}

}  // namespace shardprop
