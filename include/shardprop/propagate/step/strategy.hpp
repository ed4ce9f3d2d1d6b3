// What the strategies share: the axes that the tensors of a factor agree on, and which of them a
// tensor can take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "shardprop/propagate/step/direction.hpp"
#include "shardprop/propagate/step/projection.hpp"

namespace shardprop {

enum class Strategy : std::uint8_t { kBasic, kAggressive };

namespace detail {

// The axes that several tensors agree on along a factor. While `can_expand`, the further axes of a
// tensor that is sharded further than the others are added; after the first disagreement nothing is
// added any more.
struct MajorAxes {
  AxisList axes;
  bool can_expand = true;

  void join(AxisSpan next) {
    std::size_t i = 0;
    for (; i < axes.size() && i < next.size(); ++i) {
      if (axes[i] == next[i]) continue;
      if (is_prefix(next[i], axes[i])) {
        if (i + 1 == next.size()) continue;  // `next` ends within this axis
        return stop(i, next[i]);
      }
      if (is_prefix(axes[i], next[i])) {
        if (!can_expand || i + 1 != axes.size()) return stop(i, axes[i]);
        axes[i] = next[i];
        continue;
      }
      axes.truncate(i);
      can_expand = false;
      return;
    }
    if (can_expand && i < next.size()) axes.append(next.subspan(i));
  }

 private:
  void stop(std::size_t at, AxisRef last) {
    axes.truncate(at);
    axes.push_back(last);
    can_expand = false;
  }
};

}  // namespace detail

// The longest list of axes along `factor` that is compatible with all tensors. Conflicts with other
// factors are not looked at. Only the tensors that `direction` comes from (operands forward,
// results backward) add axes to it.
inline AxisList compatible_major_axes(const Projection& p, std::size_t factor,
                                      std::size_t operand_count, Direction direction) {
  detail::MajorAxes major;
  if (direction == Direction::kNone) return major.axes;
  const auto join = [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      if (p.at(t, factor).mapped) major.join(p.at(t, factor).axes);
    }
  };
  const bool backward = direction == Direction::kBackward;
  backward ? join(operand_count, p.tensor_count()) : join(0, operand_count);
  if (direction != Direction::kBoth) major.can_expand = false;
  backward ? join(0, operand_count) : join(operand_count, p.tensor_count());
  return major.axes;
}

// The longest prefix of `axis` that overlaps no axis of the tensor's other factors.
inline std::optional<AxisRef> prefix_across_factors(AxisRef axis,
                                                    std::span<const FactorSharding> tensor,
                                                    std::size_t factor) {
  std::optional<AxisRef> rest = axis;
  for (std::size_t other = 0; other < tensor.size() && rest; ++other) {
    if (other == factor || !tensor[other].mapped) continue;
    rest = prefix_without_overlap(*rest, tensor[other].overflow);
    if (rest) rest = prefix_without_overlap(*rest, tensor[other].axes);
  }
  return rest;
}

// The longest prefix of `axis` that the factor's sharding of one tensor has or can take after axes
// of product `sharded_before`: it is open, has no overflow, and the axis divides it unless it is
// minor-most.
inline std::optional<AxisRef> prefix_within_factor(AxisRef axis, const Projection& p,
                                                   std::size_t tensor, std::size_t factor,
                                                   std::int64_t sharded_before,
                                                   std::int64_t factor_size) {
  std::optional<AxisRef> rest = prefix_without_overlap(axis, p.replicated(tensor));
  if (rest) rest = prefix_without_overlap(*rest, p.unreduced(tensor));
  if (!rest) return rest;
  const FactorSharding& cell = p.at(tensor, factor);
  for (AxisRef own : cell.axes) {
    if (contains(own, *rest)) return rest;
  }
  if (!cell.closed && cell.overflow.empty()) {
    if (cell.minor_most) return rest;
    if (factor_size % sharded_before == 0) {
      const std::int64_t shared = std::gcd(factor_size / sharded_before, std::int64_t{rest->size});
      if (shared == rest->size) return rest;
      if (shared != 1) return sub_axis(rest->axis, rest->pre_size, shared);
    }
  }
  if (!cell.axes.empty() && is_prefix(cell.axes.back(), *rest)) return cell.axes.back();
  return std::nullopt;
}

// Cuts `axes` at the first one of which `prefix(axis, product of the sizes before)` does not give
// the whole. With `no_sub_axes`, a sub-axis is not kept.
template <class Prefix>
void truncate_at_conflict(AxisList& axes, bool no_sub_axes, Prefix&& prefix) {
  std::int64_t sharded_before = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::optional<AxisRef> kept = prefix(axes[i], sharded_before);
    if (!kept || (no_sub_axes && !kept->is_full)) return axes.truncate(i);
    if (*kept != axes[i]) {
      axes[i] = *kept;
      return axes.truncate(i + 1);
    }
    sharded_before *= kept->size;
  }
}

// Shards the factor of one tensor by `axes` if they extend its own axes. Whether they did.
inline bool expand(FactorSharding& cell, AxisSpan axes) {
  if (!cell.mapped || !is_strict_prefix(cell.axes, axes)) return false;
  cell.axes.assign(axes);
  return true;
}

// A factor in the order of preference; `source` is the tensor that its axes come from, -1 for none.
struct RankedFactor {
  std::int64_t source_size = -1;
  std::int64_t sharded_size = 0;
  std::int64_t source = -1;
  std::size_t factor = 0;
};

// The scratch of a strategy, kept from step to step so that a step allocates nothing.
struct StrategyScratch {
  std::vector<AxisList> axes;        // by factor
  std::vector<RankedFactor> ranked;  // by preference
};

// What a strategy works on. `changed[t]` is set for each tensor whose factor shardings grew.
struct StrategyInput {
  const OpShardingRule& rule;
  Projection& projection;
  Directions directions;
  bool elementwise = false;
  bool conservative = false;
  std::vector<std::uint8_t>& changed;
  StrategyScratch& scratch;
};

}  // namespace shardprop
