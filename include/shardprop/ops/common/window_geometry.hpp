// Windows that slide over a tensor, one dimension at a time: how their attributes are checked and
// how many positions a window has. Worked example: a base of 8 elements, padded by 1 at both ends
// to 10, and a window of 3 that moves by 2 has floor((10 - 3) / 2) + 1 = 4 positions. A dilation of
// 2 puts one hole between two elements: 3 become 5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// One dimension of a window.
struct WindowDim {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t base_dilation = 1;
  std::int64_t window_dilation = 1;
  std::int64_t padding_low = 0;
  std::int64_t padding_high = 0;
};

using PaddingPair = std::array<std::int64_t, 2>;

// A list of the window's attributes: its name and the constraints of its size and of its elements,
// which must be positive.
struct WindowList {
  std::string_view name;
  std::span<const std::int64_t> values;  // empty: the default for all dimensions
  std::string_view size_constraint;
  std::string_view value_constraint;
  bool may_be_dynamic = false;  // the values are sizes of a tensor
};

struct WindowLists {
  WindowList sizes;
  WindowList strides;
  WindowList base_dilations = {};
  WindowList window_dilations = {};
  std::vector<PaddingPair> padding = {};  // empty: none
  std::string_view padding_constraint = {};
};

namespace detail {

// Sums and products wrap around instead of being undefined: sizes beyond 2^63 have no meaning
// anyway.
inline std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t dilated_size(std::int64_t size, std::int64_t dilation) {
  if (size == 0) return 0;
  const std::uint64_t holes =
      static_cast<std::uint64_t>(size - 1) * static_cast<std::uint64_t>(dilation);
  return wrap_add(static_cast<std::int64_t>(holes), 1);
}

inline bool check_window_list(const VerifyInput& in, const WindowList& list, std::size_t rank) {
  if (list.values.empty()) return true;
  if (list.values.size() != rank) {
    report(in, list.size_constraint,
           fmt::format("'{}' must have {} elements, one per dimension of the window, found {}",
                       list.name, rank, list.values.size()));
    return false;
  }
  for (std::int64_t value : list.values) {
    if (value > 0 || (value == kDynamic && list.may_be_dynamic)) continue;
    report(in, list.value_constraint,
           fmt::format("'{}' must be positive, found {}", list.name, to_string(list.values)));
    return false;
  }
  return true;
}

}  // namespace detail

// The number of positions of a window on `base` elements; kDynamic where one of the sizes is not
// known.
inline std::int64_t window_positions(std::int64_t base, const WindowDim& dim) {
  if (base == kDynamic || dim.size == kDynamic) return kDynamic;
  const std::int64_t padded = detail::wrap_add(
      detail::wrap_add(dim.padding_low, detail::dilated_size(base, dim.base_dilation)),
      dim.padding_high);
  const std::int64_t window = detail::dilated_size(dim.size, dim.window_dilation);
  if (padded == 0 || window > padded) return 0;
  return detail::wrap_add(padded, -window) / dim.stride + 1;
}

// Reads `padding`, a list of pairs; none after a diagnostic: under `kind_constraint` what is not
// a list of lists, under `shape_constraint` a list of what are not pairs. Absent: an empty list.
inline std::optional<std::vector<PaddingPair>> read_padding(const VerifyInput& in,
                                                            std::string_view kind_constraint,
                                                            std::string_view shape_constraint) {
  std::vector<PaddingPair> pairs;
  const AttrId id = attribute(in.m, in.op, "padding");
  const AttrTable& attrs = in.m.attrs;
  if (!id.valid() || (attrs.kind(id) == AttrKind::kInts && attrs.as_ints(id).empty())) return pairs;
  const bool is_list = attrs.kind(id) == AttrKind::kList;
  bool are_pairs = is_list;
  if (is_list) {
    for (AttrId item : attrs.items(id)) {
      are_pairs =
          are_pairs && attrs.kind(item) == AttrKind::kInts && attrs.as_ints(item).size() == 2;
      if (are_pairs) pairs.push_back({attrs.as_ints(item)[0], attrs.as_ints(item)[1]});
    }
  }
  if (are_pairs) return pairs;
  report(in, is_list ? shape_constraint : kind_constraint,
         "'padding' must be a list of pairs [low, high], one per dimension of the window");
  return std::nullopt;
}

// The window, one entry per dimension; none after a diagnostic. `rank` is the number of dimensions of
// the window.
inline std::optional<std::vector<WindowDim>> check_window(const VerifyInput& in,
                                                          const WindowLists& lists,
                                                          std::size_t rank) {
  for (const WindowList* list :
       {&lists.sizes, &lists.strides, &lists.base_dilations, &lists.window_dilations}) {
    if (!detail::check_window_list(in, *list, rank)) return std::nullopt;
  }
  if (!lists.padding.empty() && lists.padding.size() != rank) {
    report(in, lists.padding_constraint,
           fmt::format("'padding' must have {} pairs, one per dimension of the window, found {}",
                       rank, lists.padding.size()));
    return std::nullopt;
  }
  std::vector<WindowDim> window(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (!lists.sizes.values.empty()) window[i].size = lists.sizes.values[i];
    if (!lists.strides.values.empty()) window[i].stride = lists.strides.values[i];
    if (!lists.base_dilations.values.empty())
      window[i].base_dilation = lists.base_dilations.values[i];
    if (!lists.window_dilations.values.empty())
      window[i].window_dilation = lists.window_dilations.values[i];
    if (!lists.padding.empty()) window[i].padding_low = lists.padding[i][0];
    if (!lists.padding.empty()) window[i].padding_high = lists.padding[i][1];
  }
  return window;
}

}  // namespace shardprop
