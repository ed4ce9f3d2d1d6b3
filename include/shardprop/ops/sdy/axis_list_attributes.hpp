// Axis lists among the attributes of sdy operations: lists of names such as "x" and "x:(1)2",
// checked against a mesh.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/verify_sharding.hpp"

namespace shardprop::detail {

inline bool is_empty_list(const Module& m, AttrId attr) {
  return m.attrs.kind(attr) == AttrKind::kInts && m.attrs.as_ints(attr).empty();
}

// The axes that `attr` lists, each a valid part of an axis of `mesh`; none after a diagnostic.
inline std::optional<AxisList> parse_axis_list(const VerifyInput& in, AttrId attr,
                                               std::string_view key, const Mesh& mesh) {
  AxisList axes;
  if (attr.valid() && is_empty_list(in.m, attr)) return axes;
  bool ok = in.m.attrs.kind(attr) == AttrKind::kList;
  if (ok) {
    for (AttrId item : in.m.attrs.items(attr)) {
      ok = ok && in.m.attrs.kind(item) == AttrKind::kString;
      if (!ok) break;
      Result<AxisRef> axis = parse_axis_ref(in.m.strings[in.m.attrs.as_string(item)], mesh);
      if (axis) {
        axes.push_back(*axis);
        continue;
      }
      for (Diagnostic& wrong : axis.errors()) {
        wrong.place = place_of(in.m, in.op);
        in.diagnostics.push_back(wrong);
      }
      return std::nullopt;
    }
  }
  if (ok) return axes;
  report(in, "axes", fmt::format("attribute '{}' must be a list of axes", key));
  return std::nullopt;
}

// The list under `key`: no axis twice, no two that could be one; `sorted`: in the order of the
// mesh.
inline std::optional<AxisList> read_axis_list(const VerifyInput& in, std::string_view key,
                                              const Mesh& mesh, bool sorted) {
  auto axes = parse_axis_list(in, attribute(in.m, in.op, key), key, mesh);
  if (!axes) return std::nullopt;
  const std::size_t before = in.diagnostics.size();
  const Place place = place_of(in.m, in.op);
  AxisListVerifier verifier(mesh, place, in.diagnostics);
  sorted ? verifier.add_sorted(*axes, key) : verifier.add(*axes, key);
  if (in.diagnostics.size() != before) return std::nullopt;
  return axes;
}

// The lists under `key`, one per dimension; no axis twice in all of them.
inline std::optional<std::vector<AxisList>> read_axis_lists(const VerifyInput& in,
                                                            std::string_view key,
                                                            const Mesh& mesh) {
  std::vector<AxisList> lists;
  const AttrId attr = attribute(in.m, in.op, key);
  if (attr.valid() && is_empty_list(in.m, attr)) return lists;
  if (in.m.attrs.kind(attr) != AttrKind::kList) {
    report(in, "axes", fmt::format("attribute '{}' must be a list of lists of axes", key));
    return std::nullopt;
  }
  const std::size_t before = in.diagnostics.size();
  const Place place = place_of(in.m, in.op);
  AxisListVerifier verifier(mesh, place, in.diagnostics);
  for (AttrId item : in.m.attrs.items(attr)) {
    const auto axes = parse_axis_list(in, item, key, mesh);
    if (!axes) return std::nullopt;
    verifier.add(*axes, key);
    lists.push_back(*axes);
  }
  if (in.diagnostics.size() != before) return std::nullopt;
  return lists;
}

}  // namespace shardprop::detail
