// Constraints of the sdy dialect's collectives: what the axes of an operation make of the operand's
// sharding must be the result's sharding.
//
// Worked example: all_gather with gathering axes [{}, {c, d}] of an operand sharded [{x}, {a, c,
// d}] gives [{x}, {a}]; all_slice with slicing axes [{}, {c, d}] is the way back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/sdy/axis_list_attributes.hpp"
#include "shardprop/ops/sdy/unreduced_axes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/sharding/verify_sharding.hpp"

namespace shardprop {

namespace detail {

// The shardings before and after a collective. Where the operand has none it counts as closed and
// unsharded, if that may be.
struct CollectiveShardings {
  TensorSharding before;
  TensorSharding after;
};

struct CollectiveOptions {
  bool may_lack_operand_sharding = false;
  bool may_change_mesh = false;
};

// What holds for all collectives; none after a diagnostic.
inline std::optional<CollectiveShardings> check_collective(const VerifyInput& in,
                                                           const CollectiveOptions& options = {}) {
  const ShardingId after_id = in.m.value_shardings[result(in.m, in.op, 0)];
  if (!after_id.valid()) {
    report(in, "out_sharding", "attribute 'out_sharding' is missing; expected a tensor sharding");
    return std::nullopt;
  }
  const TensorSharding& after = in.m.shardings[after_id];
  const ValueId value = operand(in.m, in.op, 0);
  std::optional<TensorSharding> before = tensor_sharding_of(in.m, value);
  if (!before && !options.may_lack_operand_sharding) {
    report(in, "operand_sharding", "the operand must have a sharding");
    return std::nullopt;
  }
  if (!before) before = closed_sharding(after.mesh, rank_of(in.m, value));
  if (!options.may_change_mesh &&
      in.m.meshes.content(before->mesh) != in.m.meshes.content(after.mesh)) {
    report(in, "mesh", "operand and result must be on the same mesh");
    return std::nullopt;
  }
  const std::size_t rank = rank_of(in.m, result(in.m, in.op, 0));
  if (after.rank() != before->rank() || after.rank() != rank) {
    report(
        in, "rank",
        fmt::format("the shardings of operand and result must have {} dimensions, found {} and {}",
                    rank, before->rank(), after.rank()));
    return std::nullopt;
  }
  return CollectiveShardings{*std::move(before), after};
}

// Takes `axes` off the end of `from`; none after a diagnostic where they are not its end.
inline std::optional<AxisList> gathered(const VerifyInput& in, AxisList from, const AxisList& axes,
                                        const Mesh& mesh) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (from.empty() || !is_suffix(axes[i], from.back())) {
      report(in, "axes",
             fmt::format("the operand's sharding does not end with the axis {}",
                         quoted_axis(axes[i], mesh)),
             "gather the most minor axes of a dimension, most minor last");
      return std::nullopt;
    }
    const AxisRef last = from.back();
    from.pop_back();
    if (last == axes[i]) continue;
    if (const auto rest = prefix_without_overlap(last, axes[i])) from.push_back(*rest);
  }
  return from;
}

// Puts `axes` at the end of `from`.
inline AxisList sliced(AxisList from, const AxisList& axes, const Mesh& mesh) {
  for (AxisRef axis : axes) append_or_merge(from, axis, mesh);
  return from;
}

inline std::string axis_set_text(const AxisList& axes, const Mesh& mesh) {
  return "{" + axes_text(axes, mesh) + "}";
}

inline bool check_result_dim(const VerifyInput& in, const TensorSharding& after, std::size_t dim,
                             const AxisList& expected) {
  if (equal(expected, after.dims[dim].axes)) return true;
  const Mesh& mesh = in.m.meshes[after.mesh];
  report(in, "out_sharding",
         fmt::format("dimension {} of the result must be sharded along {}, found {}", dim,
                     axis_set_text(expected, mesh), axis_set_text(after.dims[dim].axes, mesh)));
  return false;
}

enum class AxesChange : std::uint8_t { kGather, kSlice };

// Checks the axes under `key`, a list per dimension, and what they make of each dimension.
inline bool check_axes_per_dim(const VerifyInput& in, const CollectiveShardings& s,
                               std::string_view key, AxesChange change) {
  const Mesh& mesh = in.m.meshes[s.after.mesh];
  const auto lists = read_axis_lists(in, key, mesh);
  if (!lists) return false;
  if (lists->size() != s.after.rank()) {
    report(in, "rank",
           fmt::format("{} must have a list for each of {} dimensions, found {}", key,
                       s.after.rank(), lists->size()));
    return false;
  }
  for (std::size_t dim = 0; dim < lists->size(); ++dim) {
    const AxisList& from = s.before.dims[dim].axes;
    const std::optional<AxisList> expected = change == AxesChange::kGather
                                                 ? gathered(in, from, (*lists)[dim], mesh)
                                                 : sliced(from, (*lists)[dim], mesh);
    if (!expected || !check_result_dim(in, s.after, dim, *expected)) return false;
  }
  return true;
}

inline bool check_summed(const VerifyInput& in, const TensorSharding& after) {
  if (after.reduction == ReductionOp::kSum) return true;
  report(in, "reduction",
         fmt::format("the unreduced axes of the result must be summed, found {}",
                     to_string(after.reduction)));
  return false;
}

// The unreduced axes of the result are those of the operand and `added`.
inline void check_added_unreduced(const VerifyInput& in, const CollectiveShardings& s,
                                  const AxisList& added) {
  const Mesh& mesh = in.m.meshes[s.after.mesh];
  AxisList expected = s.before.unreduced;
  expected.append(added);
  sort_and_merge(expected, mesh);
  if (equal(expected, s.after.unreduced)) return;
  report(in, "unreduced_axes",
         fmt::format("the result must be unreduced along {}, found {}",
                     axis_set_text(expected, mesh), axis_set_text(s.after.unreduced, mesh)));
}

inline bool same_dim_axes(const TensorSharding& a, const TensorSharding& b) {
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (!equal(a.dims[i].axes, b.dims[i].axes)) return false;
  }
  return true;
}

inline bool check_overlaps(const VerifyInput& in, AxisRef axis, AxisSpan others,
                           std::string_view what, const Mesh& mesh) {
  for (AxisRef other : others) {
    if (!overlaps(axis, other)) continue;
    report(in, "axes",
           fmt::format("the axis {} overlaps {}, {}", quoted_axis(axis, mesh),
                       quoted_axis(other, mesh), what));
    return false;
  }
  return true;
}

inline bool check_not_sharded(const VerifyInput& in, AxisRef axis, const TensorSharding& s,
                              const Mesh& mesh) {
  for (const DimSharding& dim : s.dims) {
    if (!check_overlaps(in, axis, dim.axes, "which shards a dimension of the operand", mesh))
      return false;
  }
  return true;
}

// The reduction that `reduction_op` names; a sum where it is left out.
inline std::optional<ReductionOp> reduction_attribute(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::string_view name = attributes.text_or("reduction_op", "sum");
  if (const auto reduction = parse_reduction(name)) return reduction;
  report(in, "reduction_op", fmt::format("reduction_op must be sum, max or min, found {}", name));
  return std::nullopt;
}

}  // namespace detail

inline void verify_sdy_all_gather(const VerifyInput& in) {
  if (const auto s = detail::check_collective(in)) {
    detail::check_axes_per_dim(in, *s, "gathering_axes", detail::AxesChange::kGather);
  }
}

inline void verify_sdy_all_slice(const VerifyInput& in) {
  if (const auto s = detail::check_collective(in, {.may_lack_operand_sharding = true})) {
    detail::check_axes_per_dim(in, *s, "slicing_axes", detail::AxesChange::kSlice);
  }
}

inline void verify_sdy_reduce_scatter(const VerifyInput& in) {
  const auto s = detail::check_collective(in, {.may_lack_operand_sharding = true});
  const auto reduction = detail::reduction_attribute(in);
  if (!s || !reduction) return;
  verify_unreduced_transition(in, s->before, s->after, {.introduced = {}, .removed = *reduction});
  detail::check_axes_per_dim(in, *s, "reduce_scatter_axes", detail::AxesChange::kSlice);
}

inline void verify_sdy_all_reduce(const VerifyInput& in) {
  const auto s = detail::check_collective(in, {.may_lack_operand_sharding = true});
  const auto reduction = detail::reduction_attribute(in);
  if (!s || !reduction) return;
  const Mesh& mesh = in.m.meshes[s->after.mesh];
  if (!detail::same_dim_axes(s->before, s->after)) {
    return report(in, "out_sharding", "the dimensions of operand and result must be sharded alike");
  }
  const auto axes = detail::read_axis_list(in, "reduction_axes", mesh, true);
  if (!axes) return;
  for (AxisRef axis : *axes) {
    if (!detail::check_not_sharded(in, axis, s->before, mesh) ||
        !detail::check_overlaps(in, axis, s->before.replicated,
                                "along which the operand is replicated", mesh) ||
        !detail::check_overlaps(in, axis, s->after.unreduced, "along which the result is unreduced",
                                mesh)) {
      return;
    }
  }
  verify_unreduced_transition(in, s->before, s->after, {.introduced = {}, .removed = *reduction});
}

inline void verify_sdy_sharded_to_unreduced(const VerifyInput& in) {
  const auto s = detail::check_collective(in);
  if (!s || !detail::check_summed(in, s->after)) return;
  if (!detail::check_axes_per_dim(in, *s, "axes", detail::AxesChange::kGather)) return;
  const auto lists = detail::read_axis_lists(in, "axes", in.m.meshes[s->after.mesh]);
  AxisList added;
  for (const AxisList& list : *lists) added.append(list);
  detail::check_added_unreduced(in, *s, added);
}

inline void verify_sdy_replicated_to_unreduced(const VerifyInput& in) {
  const auto s = detail::check_collective(in);
  if (!s || !detail::check_summed(in, s->after)) return;
  const Mesh& mesh = in.m.meshes[s->after.mesh];
  if (s->before.dims != s->after.dims) {
    return report(in, "out_sharding", "operand and result must have the same dimension shardings");
  }
  const auto axes = detail::read_axis_list(in, "axes", mesh, true);
  if (!axes) return;
  if (axes->empty()) return report(in, "axes", "there must be at least one axis");
  for (AxisRef axis : *axes) {
    if (!detail::check_not_sharded(in, axis, s->before, mesh) ||
        !detail::check_overlaps(in, axis, s->before.unreduced,
                                "along which the operand is unreduced", mesh)) {
      return;
    }
  }
  detail::check_added_unreduced(in, *s, *axes);
}

inline void verify_sdy_collective_permute(const VerifyInput& in) {
  const auto s = detail::check_collective(in, {.may_change_mesh = true});
  if (!s) return;
  const Mesh& from = in.m.meshes[s->before.mesh];
  const Mesh& to = in.m.meshes[s->after.mesh];
  if (from.axes != to.axes)
    return report(in, "mesh", "the meshes of operand and result must have the same axes");
  if (s->before.mesh != s->after.mesh && from.device_ids == to.device_ids) {
    return report(in, "mesh", "the meshes of operand and result differ by name only",
                  "use one of them for both");
  }
  for (std::size_t dim = 0; dim < s->after.rank(); ++dim) {
    const std::int64_t before = total_size(s->before.dims[dim].axes);
    const std::int64_t after = total_size(s->after.dims[dim].axes);
    if (before == after) continue;
    return report(
        in, "out_sharding",
        fmt::format("dimension {} must have as many shards as in the operand, {}, found {}", dim,
                    before, after));
  }
}

}  // namespace shardprop
