// `convert-global-to-local` of operations whose attributes depend on the sizes of their tensors:
// convolution, reduce_window, select_and_scatter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/ops/stablehlo/convolution_dims.hpp"
#include "shardprop/passes/partition/local_program.hpp"

namespace shardprop::detail {

// The number of groups on each device, where the dimension of the groups is split by `axes`.
inline std::int64_t local_groups(LocalProgram& p, OpId op, std::int64_t groups, AxisSpan axes) {
  const std::int64_t shards = std::min(groups, total_size(axes));
  if (groups <= 1) return groups;
  if (groups % shards != 0) {
    p.fail(op, "convert_global_to_local.groups",
           fmt::format("{} groups of a convolution are split over {} devices", groups, shards),
           "split the features by a number that divides the groups");
    return groups;
  }
  return groups / shards;
}

inline void localize_convolution(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId lhs = operand(m, op, 0);
  const ValueId rhs = operand(m, op, 1);
  if (!p.is_split(lhs) && !p.is_split(rhs) && !p.is_split(result(m, op, 0))) return;
  const auto dims = read_convolution_dims(AttributeReader(m, op, nullptr));
  if (!dims) return;  // does not verify
  const std::int64_t features =
      local_groups(p, op, dims->feature_groups,
                   p.axes(rhs, static_cast<std::size_t>(dims->kernel_output_feature)));
  const std::int64_t batch = local_groups(p, op, dims->batch_groups,
                                          p.axes(lhs, static_cast<std::size_t>(dims->input_batch)));
  set_attribute(m, op, "feature_group_count", m.attrs.integer(features));
  set_attribute(m, op, "batch_group_count", m.attrs.integer(batch));
  p.drop_sharding();
}

// Whether each window along `dim` lies within one part of the input: windows do not overlap, nothing is
// padded, and a part has as many strides as windows. `windows` is the tensor of an element per window.
inline bool windows_stay(LocalProgram& p, OpId op, ValueId windows, std::size_t dim) {
  AttributeReader reader(p.m, op, nullptr);
  const auto padding = reader.int_lists_or_empty("padding");
  if (dim < padding.size() && (padding[dim][0] != 0 || padding[dim][1] != 0)) return false;
  const auto one_or = [&](std::string_view name) {
    const auto sizes = reader.ints_or_empty(name);
    return dim < sizes.size() ? sizes[dim] : 1;
  };
  const std::int64_t size = (one_or("window_dimensions") - 1) * one_or("window_dilations") + 1;
  const std::int64_t stride = one_or("window_strides");
  return stride >= size && one_or("base_dilations") == 1 &&
         shape_of(p.m, operand(p.m, op, 0))[dim] == stride * shape_of(p.m, windows)[dim];
}

// `windows` is the tensor that has an element per window of the first operand.
inline void check_windows(LocalProgram& p, OpId op, ValueId windows) {
  const ValueId in = operand(p.m, op, 0);
  for (std::size_t d = 0; d < rank_of(p.m, in); ++d) {
    if (p.shards(in, d) == 1 || windows_stay(p, op, windows, d)) continue;
    return p.fail(op, "convert_global_to_local.moves_data",
                  fmt::format("windows go over the parts of dimension {}, which is split", d),
                  "run insert-explicit-reshards{enable-full-version=true} before");
  }
}

inline void localize_reduce_window(LocalProgram& p, OpId op) {
  check_windows(p, op, result(p.m, op, 0));
}
inline void localize_select_and_scatter(LocalProgram& p, OpId op) {
  check_windows(p, op, operand(p.m, op, 1));
}

inline constexpr LocalRow kLocalWindows[] = {
    {"stablehlo.convolution", localize_convolution},
    {"stablehlo.reduce_window", localize_reduce_window},
    {"stablehlo.select_and_scatter", localize_select_and_scatter},
};

}  // namespace shardprop::detail
