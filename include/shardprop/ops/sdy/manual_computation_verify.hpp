// Constraints of sdy.manual_computation: what its shardings, its manual axes and the local types of
// its body must be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_lists.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sdy_ops_verify.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

namespace shardprop {

namespace detail {

// One side of a manual computation: operands and arguments, or results and returned values.
struct ManualSide {
  std::string_view key;
  std::string_view values;
  std::vector<TypeId> global;
  std::vector<TypeId> local;
};

inline bool check_manual_prefix(const VerifyInput& in, const DimSharding& dim, const Mesh& mesh,
                                const AxisNames& manual, std::string_view where) {
  const std::size_t prefix = manual_prefix(dim.axes, mesh, manual);
  for (std::size_t i = prefix; i < dim.axes.size(); ++i) {
    if (!is_manual(dim.axes[i], mesh, manual)) continue;
    report(in, "axis_order",
           fmt::format("in {} the manual axis {} comes after a free one", where,
                       quoted_axis(dim.axes[i], mesh)),
           "list the manual axes of a dimension first");
    return false;
  }
  return true;
}

// The local size of a dimension; 0 after a diagnostic where the manual axes do not divide it.
inline std::int64_t local_size(const VerifyInput& in, const DimSharding& dim, std::int64_t size,
                               const Mesh& mesh, const AxisNames& manual) {
  std::int64_t shards = 1;
  for (AxisRef axis : dim.axes) {
    if (is_manual(axis, mesh, manual)) shards *= axis.size;
  }
  if (size == kDynamic || size % shards == 0) return size == kDynamic ? size : size / shards;
  report(in, "divisible",
         fmt::format("a dimension of size {} is not divisible by the {} shards of its manual axes",
                     size, shards));
  return 0;
}

inline void verify_manual_value(const VerifyInput& in, const ManualSide& side, std::size_t i,
                                ShardingId sharding, const AxisNames& manual) {
  const TensorSharding& s = in.m.shardings[sharding];
  const Mesh& mesh = in.m.meshes[s.mesh];
  const std::string where = fmt::format("{}[{}]", side.key, i);
  for (const DimSharding& dim : s.dims) {
    if (!check_manual_prefix(in, dim, mesh, manual, where)) return;
  }
  if (!in.m.types.is_tensor(side.global[i])) return;
  const std::vector<std::int64_t> shape(in.m.types.shape(side.global[i]).begin(),
                                        in.m.types.shape(side.global[i]).end());
  std::vector<std::int64_t> local;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t size =
        d < s.dims.size() ? local_size(in, s.dims[d], shape[d], mesh, manual) : shape[d];
    if (size == 0 && shape[d] != 0) return;
    local.push_back(size);
  }
  const auto found = in.m.types.shape(side.local[i]);
  const bool same = in.m.types.is_tensor(side.local[i]) &&
                    in.m.types.dtype(side.local[i]) == in.m.types.dtype(side.global[i]) &&
                    std::equal(local.begin(), local.end(), found.begin(), found.end());
  if (same) return;
  report(
      in, "local_type",
      fmt::format("{} {} must be a local tensor of shape {} and element type {}, found {}",
                  side.values, i, to_string(local), in.m.strings[in.m.types.dtype(side.global[i])],
                  to_string(in.m, side.local[i])),
      "divide each dimension by the sizes of its manual axes");
}

inline bool verify_manual_side(const VerifyInput& in, const ManualSide& side,
                               const AxisNames& manual) {
  const auto listed = sharding_list(in.m, in.op, side.key);
  if (side.global.empty() && side.local.empty() && listed && listed->empty()) return true;
  if (!verify_sharding_list(in, side.key, side.global)) return false;
  if (side.global.size() != side.local.size()) {
    report(in, "value_count",
           fmt::format("the body must have {} {}s, found {}", side.global.size(), side.values,
                       side.local.size()));
    return false;
  }
  const std::size_t before = in.diagnostics.size();
  for (std::size_t i = 0; i < side.global.size(); ++i)
    verify_manual_value(in, side, i, (*listed)[i], manual);
  return in.diagnostics.size() == before;
}

inline void verify_manual_mesh(const VerifyInput& in, const AxisNames& manual) {
  std::vector<ShardingId> all = *sharding_list(in.m, in.op, kInShardings);
  const std::vector<ShardingId> out = *sharding_list(in.m, in.op, kOutShardings);
  all.insert(all.end(), out.begin(), out.end());
  if (all.empty() || manual.empty()) return;
  const MeshId mesh = common_mesh(in.m, all);
  if (!mesh.valid())
    return report(in, "common_mesh", "all shardings must be on one mesh, or on the empty mesh");
  for (std::string_view name : manual) {
    if (in.m.meshes[mesh].find_axis(name) < 0) {
      report(in, "unknown_axis",
             fmt::format("the mesh has no axis \"{}\", which is listed as manual", name));
    }
  }
}

}  // namespace detail

inline void verify_manual_computation(const VerifyInput& in) {
  const AttrId listed = attribute(in.m, in.op, "manual_axes");
  const AxisNames manual = manual_axes(in.m, in.op);
  const bool empty =
      in.m.attrs.kind(listed) == AttrKind::kInts && in.m.attrs.as_ints(listed).empty();
  if (!empty && (manual.empty() || manual.size() != in.m.attrs.items(listed).size())) {
    return report(in, "manual_axes", "attribute 'manual_axes' must be a list of axis names");
  }
  const AxisNames around = manual_axes_around(in.m, in.m.layout[in.op].block);
  for (std::string_view name : manual) {
    if (std::find(around.begin(), around.end(), name) == around.end()) continue;
    report(in, "nested_axis", fmt::format("axis \"{}\" is manual in a computation around", name),
           "leave it out here");
  }
  const BlockId body = block_of(in.m, in.op, 0);
  const std::vector<TypeId> declared = result_types(in.m, in.op);
  const bool operands = detail::verify_manual_side(
      in, {kInShardings, "argument", operand_types(in.m, in.op), argument_types(in.m, body)},
      manual);
  const bool results = detail::verify_manual_side(
      in, {kOutShardings, "returned value", declared, returned_types(in.m, body)}, manual);
  if (operands && results) detail::verify_manual_mesh(in, manual);
}

}  // namespace shardprop
