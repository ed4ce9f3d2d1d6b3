// The axes by which an operation shards each of its factors, so that all its tensors agree: what
// they agree on already, else what the preferred tensor of two has, else the greedy choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/passes/reshards/axis_candidates.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop {

// The axes of `factor` if all tensors that have it agree on them.
inline std::optional<AxisList> agreed_axes(const Projection& projection, std::size_t factor) {
  const FactorSharding* first = nullptr;
  for (std::size_t t = 0; t < projection.tensor_count(); ++t) {
    const FactorSharding& cell = projection.at(t, factor);
    if (!cell.mapped) continue;
    if (first && first->axes != cell.axes) return std::nullopt;
    first = &cell;
  }
  return first ? first->axes : AxisList();
}

namespace detail {

// What all tensors agree on, if there is no conflict between factors either and nothing that needs
// replication is sharded.
inline std::optional<FactorAxes> conflict_free_axes(const OpShardingRule& rule,
                                                    const Projection& projection) {
  FactorAxes common(rule.factors.size());
  AxisList seen;
  for (std::size_t f = 0; f < rule.factors.size(); ++f) {
    const std::optional<AxisList> axes = agreed_axes(projection, f);
    if (!axes || overlaps(*axes, seen)) return std::nullopt;
    if (rule.factors[f].kind == FactorKind::kNeedReplication && !axes->empty()) return std::nullopt;
    common[f] = *axes;
    seen.append(*axes);
  }
  return common;
}

inline std::vector<std::size_t> non_scalar_tensors(const OpShardingRule& rule) {
  std::vector<std::size_t> tensors;
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    if (!rule.tensor(t).empty()) tensors.push_back(t);
  }
  return tensors;
}

inline bool has_kind(const OpShardingRule& rule, FactorKind kind) {
  for (const Factor& factor : rule.factors) {
    if (factor.kind == kind) return true;
  }
  return false;
}

inline bool has_compound_dims(const OpShardingRule& rule) {
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    for (const DimMapping& dim : rule.tensor(t)) {
      if (dim.size() > 1) return true;
    }
  }
  return false;
}

// The number of shards of a tensor.
inline std::int64_t shard_count(const Projection& projection, std::size_t tensor) {
  std::int64_t count = 1;
  for (const FactorSharding& cell : projection.tensor(tensor))
    count *= total_size(cell.axes) * total_size(cell.overflow);
  return count;
}

// Of two tensors, the one to keep first: no sharded permutation factors, then the larger one, then
// the more sharded one, then the first.
inline std::pair<std::size_t, std::size_t> by_preference(const OpShardingRule& rule,
                                                         const Projection& projection,
                                                         std::span<const std::int64_t> tensor_sizes,
                                                         const std::vector<std::size_t>& two) {
  const auto permutes = [&](std::size_t t) {
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      if (rule.factors[f].kind == FactorKind::kPermutation && !projection.at(t, f).axes.empty())
        return true;
    }
    return false;
  };
  const auto is_preferred = [&](std::size_t a, std::size_t b) {
    if (permutes(a) != permutes(b)) return permutes(b);
    if (tensor_sizes[a] != tensor_sizes[b]) return tensor_sizes[a] > tensor_sizes[b];
    return shard_count(projection, a) > shard_count(projection, b);
  };
  if (is_preferred(two[1], two[0])) return {two[1], two[0]};
  return {two[0], two[1]};
}

// Keeps one tensor as it is; factors that only the other has take what does not overlap.
inline FactorAxes axes_of_preferred(const Projection& projection, std::size_t preferred,
                                    std::size_t other) {
  FactorAxes axes(projection.factor_count());
  AxisList taken;
  for (std::size_t f = 0; f < axes.size(); ++f) {
    const FactorSharding& cell = projection.at(preferred, f);
    if (!cell.mapped) continue;
    axes[f] = cell.axes;
    taken.append(cell.axes);
  }
  for (std::size_t f = 0; f < axes.size(); ++f) {
    if (projection.at(preferred, f).mapped || !projection.at(other, f).mapped) continue;
    axes[f] = projection.at(other, f).axes;
    truncate_at_overlap(axes[f], taken);
  }
  return axes;
}

inline bool is_in_all_tensors(const OpShardingRule& rule, std::uint32_t factor) {
  for (std::size_t t : non_scalar_tensors(rule)) {
    bool found = false;
    for (const DimMapping& dim : rule.tensor(t)) {
      for (std::uint32_t f : dim) found = found || f == factor;
    }
    if (!found) return false;
  }
  return true;
}

// Hands `axes` out to batching factors in order, each as far as whole axes divide it.
inline void give_to_batching_factors(AxisSpan axes, const OpShardingRule& rule,
                                     std::span<const std::uint32_t> batching, const Mesh& mesh,
                                     FactorAxes& common) {
  for (std::uint32_t f : batching) {
    const std::int64_t size = rule.factors[f].size;
    const std::int64_t sharded = total_size(common[f]);
    if (size == 0 || size % sharded != 0) continue;
    std::int64_t room = size / sharded;
    while (!axes.empty() && room % axes.front().size == 0) {
      append_or_merge(common[f], axes.front(), mesh);
      room /= axes.front().size;
      axes = axes.subspan(1);
    }
    if (axes.empty()) return;
  }
}

// Factors that need replication lose their axes. Batching factors take over those of a factor that
// all tensors have, so that the replication does not idle the devices.
inline void replicate_factors(const OpShardingRule& rule, const Mesh& mesh, FactorAxes& common) {
  std::vector<std::uint32_t> batching;
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    if (rule.factors[f].kind == FactorKind::kPassThrough && is_in_all_tensors(rule, f))
      batching.push_back(f);
  }
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    if (rule.factors[f].kind != FactorKind::kNeedReplication) continue;
    const AxisList axes = std::exchange(common[f], AxisList());
    if (!axes.empty() && is_in_all_tensors(rule, f))
      give_to_batching_factors(axes, rule, batching, mesh, common);
  }
}

}  // namespace detail

// The axes of each factor; `tensor_sizes` are the numbers of elements, operands first, 0 where it
// is not known.
inline FactorAxes find_common_axes(const OpShardingRule& rule, const Projection& projection,
                                   std::span<const std::int64_t> tensor_sizes, const Mesh& mesh) {
  if (auto agreed = detail::conflict_free_axes(rule, projection)) return *agreed;
  const bool replicates = detail::has_kind(rule, FactorKind::kNeedReplication);
  const std::vector<std::size_t> tensors = detail::non_scalar_tensors(rule);
  if (tensors.size() == 2 && !replicates && !detail::has_compound_dims(rule)) {
    const auto [preferred, other] = detail::by_preference(rule, projection, tensor_sizes, tensors);
    return detail::axes_of_preferred(projection, preferred, other);
  }
  FactorAxes common = detail::AxesChooser(rule, projection, tensor_sizes, mesh).choose();
  if (replicates) detail::replicate_factors(rule, mesh, common);
  return common;
}

}  // namespace shardprop
