// Constraints of sdy.all_to_all: each parameter moves axes from the end of one dimension to the end
// of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/sdy/axis_list_attributes.hpp"
#include "shardprop/ops/sdy/collectives_verify.hpp"

namespace shardprop {

namespace detail {

struct AllToAllParam {
  AxisList axes;
  std::size_t source = 0;
  std::size_t target = 0;
};

// Integer field `key` of a parameter, a dimension of a tensor of `rank`; none after a diagnostic.
inline std::optional<std::size_t> param_dim(const VerifyInput& in, AttrId param,
                                            std::string_view key, std::size_t rank) {
  const AttrId attr = in.m.attrs.find(param, in.m.strings.find(key));
  const bool is_integer = in.m.attrs.kind(attr) == AttrKind::kInt;
  if (attr.valid() && !is_integer) {
    report(in, "params", fmt::format("'{}' of a parameter must be an integer", key));
    return std::nullopt;
  }
  const std::int64_t dim = is_integer ? in.m.attrs.as_int(attr) : 0;
  if (dim >= 0 && static_cast<std::size_t>(dim) < rank) return static_cast<std::size_t>(dim);
  report(in, "params",
         fmt::format("'{}' must be at least 0 and below the rank {}, found {}", key, rank, dim));
  return std::nullopt;
}

inline std::optional<AllToAllParam> read_param(const VerifyInput& in, AttrId attr, const Mesh& mesh,
                                               std::size_t rank) {
  if (in.m.attrs.kind(attr) != AttrKind::kDict) {
    report(in, "params",
           "each parameter must be an object of axes, source_dimension and target_dimension");
    return std::nullopt;
  }
  const auto axes = parse_axis_list(in, in.m.attrs.find(attr, key::kAxes), "axes", mesh);
  const auto source = param_dim(in, attr, "source_dimension", rank);
  const auto target = param_dim(in, attr, "target_dimension", rank);
  if (!axes || !source || !target) return std::nullopt;
  return AllToAllParam{*axes, *source, *target};
}

// The parameters, in order of their source dimensions, no dimension in two of them; none after a
// diagnostic.
inline std::optional<std::vector<AllToAllParam>> read_params(const VerifyInput& in,
                                                             const Mesh& mesh, std::size_t rank) {
  const AttrId attr = attribute(in.m, in.op, "params");
  if (in.m.attrs.kind(attr) != AttrKind::kList) {
    report(in, "params", "attribute 'params' must be a list of at least one parameter");
    return std::nullopt;
  }
  const std::size_t before = in.diagnostics.size();
  const Place place = place_of(in.m, in.op);
  AxisListVerifier verifier(mesh, place, in.diagnostics);
  std::vector<bool> seen(rank, false);
  std::vector<AllToAllParam> params;
  for (AttrId item : in.m.attrs.items(attr)) {
    const auto param = read_param(in, item, mesh, rank);
    if (!param) return std::nullopt;
    verifier.add(param->axes, "params");
    for (std::size_t dim : {param->source, param->target}) {
      if (seen[dim])
        report(in, "params", fmt::format("dimension {} is the source or target of two moves", dim));
      seen[dim] = true;
    }
    if (!params.empty() && params.back().source >= param->source) {
      report(in, "params",
             fmt::format("source dimensions must increase, found {} after {}", param->source,
                         params.back().source));
    }
    params.push_back(*param);
  }
  if (in.diagnostics.size() != before) return std::nullopt;
  return params;
}

}  // namespace detail

inline void verify_sdy_all_to_all(const VerifyInput& in) {
  const auto s = detail::check_collective(in);
  if (!s) return;
  const Mesh& mesh = in.m.meshes[s->after.mesh];
  const auto params = detail::read_params(in, mesh, s->after.rank());
  if (!params) return;
  std::vector<AxisList> expected;
  for (const DimSharding& dim : s->before.dims) expected.push_back(dim.axes);
  for (const detail::AllToAllParam& param : *params) {
    const auto left = detail::gathered(in, expected[param.source], param.axes, mesh);
    if (!left) return;
    expected[param.source] = *left;
    expected[param.target] = detail::sliced(expected[param.target], param.axes, mesh);
  }
  for (std::size_t dim = 0; dim < expected.size(); ++dim) {
    if (!detail::check_result_dim(in, s->after, dim, expected[dim])) return;
  }
}

}  // namespace shardprop
