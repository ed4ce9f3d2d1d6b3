// `convert-global-to-local` of the sdy collectives, which become those of StableHLO.
//
// Worked example of a gather along two dimensions at once, f32[2,3] on each of 2 x 4 devices to
// f32[4,12]: reshape to [1,2,3], all_gather to [8,2,3], reshape to [2,4,2,3], transpose to
// [2,2,4,3], reshape to [4,12]. An all-to-all between several pairs of dimensions and a scatter of
// several dimensions go the same way: split, factors to the front, one collective, factors back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardprop/passes/partition/local_program.hpp"

namespace shardprop::detail {

// The groups of a collective along `axes`: lists of devices, or axes of the mesh (ReplicaGroupV3).
inline AttrId replica_groups(LocalProgram& p, MeshId mesh, AxisSpan axes) {
  Module& m = p.m;
  const bool whole = std::ranges::all_of(axes, [](AxisRef axis) { return axis.is_full != 0; });
  std::vector<AttrId> items;
  if (!p.options.enable_rgv3 || !whole) {
    for (const auto& group : device_groups(m.meshes[mesh], axes)) items.push_back(p.ints(group));
    return m.attrs.list(items);
  }
  const auto named = [&](const MeshAxis& axis) {
    return p.dict({{"name", text_attribute(m, axis.name)}});
  };
  for (AxisRef axis : axes) items.push_back(named(m.meshes[mesh].axes[axis.axis]));
  const AttrId axes_attr = m.attrs.list(items);
  if (!m.meshes[mesh].name.empty())
    return p.dict({{"mesh", text_attribute(m, m.meshes[mesh].name)}, {"axes", axes_attr}});
  items.clear();
  for (const MeshAxis& axis : m.meshes[mesh].axes)
    items.push_back(m.attrs.with(named(axis), p.key("size"), m.attrs.integer(axis.size)));
  AttrId inlined = p.dict({{"axes", m.attrs.list(items)}});
  if (!m.meshes[mesh].device_ids.empty())
    inlined = m.attrs.with(inlined, key::kDeviceIds, p.ints(m.meshes[mesh].device_ids));
  return p.dict({{"mesh", inlined}, {"axes", axes_attr}});
}

// The mesh of the result of a collective.
inline MeshId collective_mesh(const LocalProgram& p, OpId op) { return out_sharding(p.m, op).mesh; }

inline AttrId grouped(LocalProgram& p, MeshId mesh, AxisSpan axes) {
  return p.dict({{"replica_groups", replica_groups(p, mesh, axes)},
                 {"channel_handle", p.next_channel()},
                 {"use_global_device_ids", p.m.attrs.boolean(true)}});
}

// Whether a collective that has no form for ids of all devices has a channel.
inline bool has_channel(const LocalProgram& p) {
  return p.options.replica_count == 1 || p.options.channels_across_replicas;
}

inline ValueId all_gather(LocalProgram& p, ValueId value, std::size_t dim, MeshId mesh,
                          AxisSpan axes) {
  Shape shape = p.local_shape(value);
  shape[dim] *= total_size(axes);
  const AttrId dim_attr = p.m.attrs.integer(static_cast<std::int64_t>(dim));
  return p.make(known::kAllGather, {value}, p.type_as(value, shape),
                p.m.attrs.with(grouped(p, mesh, axes), p.key("all_gather_dim"), dim_attr));
}

// The positions of `dims` factors, each of which goes before its dimension: factor i to dimension
// `dims[i]`, the dimensions being numbered from `dims.size()` on.
inline Shape factors_to_dims(std::span<const std::size_t> dims, std::size_t rank) {
  Shape permutation;
  for (std::size_t d = 0; d < rank; ++d) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == d) permutation.push_back(static_cast<std::int64_t>(i));
    }
    permutation.push_back(static_cast<std::int64_t>(dims.size() + d));
  }
  return permutation;
}

// Merges each factor of `value`, which is before the dimensions, into its dimension.
inline ValueId merge_factors(LocalProgram& p, ValueId value, std::span<const std::size_t> dims) {
  const Shape split = p.local_shape(value);
  Shape merged(split.begin() + static_cast<std::ptrdiff_t>(dims.size()), split.end());
  for (std::size_t i = 0; i < dims.size(); ++i) merged[dims[i]] *= split[i];
  value = p.transpose(value, factors_to_dims(dims, merged.size()));
  return p.reshape(value, merged);
}

// Splits a factor off each of `dims`, which are sorted, and merges the factors to one dimension before
// the others. The sizes of the factors, and those between the two steps, go to `split`.
inline ValueId split_factors(LocalProgram& p, ValueId value, std::span<const std::size_t> dims,
                             std::span<const std::int64_t> factors, Shape& split) {
  Shape shape;
  Shape permutation;
  Shape rest;
  std::size_t next = 0;
  for (std::size_t d = 0; d < rank_of(p.m, value); ++d) {
    std::int64_t size = shape_of(p.m, value)[d];
    if (next < dims.size() && dims[next] == d) {
      permutation.push_back(static_cast<std::int64_t>(shape.size()));
      shape.push_back(factors[next]);
      size /= factors[next++];
    }
    rest.push_back(static_cast<std::int64_t>(shape.size()));
    shape.push_back(size);
  }
  permutation.insert(permutation.end(), rest.begin(), rest.end());
  value = p.transpose(p.reshape(value, shape), permutation);
  split = p.local_shape(value);
  Shape combined = {1};
  for (std::size_t i = 0; i < dims.size(); ++i) combined[0] *= split[i];
  combined.insert(combined.end(), split.begin() + static_cast<std::ptrdiff_t>(dims.size()),
                  split.end());
  return p.reshape(value, combined);
}

inline void localize_all_gather(LocalProgram& p, OpId op) {
  const MeshId mesh = collective_mesh(p, op);
  const auto axes = axes_per_dim_in(p.m, attribute(p.m, op, key::kGatheringAxes), p.m.meshes[mesh]);
  ValueId value = operand(p.m, op, 0);
  std::vector<std::size_t> dims;
  Shape factors;
  AxisList all;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].empty()) continue;
    dims.push_back(d);
    factors.push_back(total_size(axes[d]));
    all.append(axes[d]);
  }
  if (dims.size() == 1 || p.options.per_dim_all_gather) {
    for (std::size_t i = dims.size(); i-- > 0;)
      value = all_gather(p, value, dims[i], mesh, axes[dims[i]]);
    return p.replace(value);
  }
  Shape shape = p.local_shape(value);
  Shape split = factors;
  split.insert(split.end(), shape.begin(), shape.end());
  shape.insert(shape.begin(), 1);
  value = all_gather(p, p.reshape(value, shape), 0, mesh, all);
  p.replace(merge_factors(p, p.reshape(value, split), dims));
}

// Fills the body of a reduction over tensors of the elements of `like`.
inline void add_reducer(LocalProgram& p, OpId op, ValueId like, std::string_view kind) {
  Module& m = p.m;
  const TypeId scalar = p.type_as(like, {});
  const TypeId types[] = {scalar, scalar};
  const BlockId body = append_block(m, op, types);
  const ValueId both[] = {m.blocks[body].arguments[0], m.blocks[body].arguments[1]};
  const OpId combined = create_op(m, at_end(body), {kind, both, {&scalar, 1}});
  const ValueId out = result(m, combined, 0);
  create_op(m, at_end(body), {known::kReturn, {&out, 1}});
}

// The operation that a `reduction_op` stands for.
inline std::string_view reducer_named(std::string_view reduction) {
  if (reduction == "max") return "stablehlo.maximum";
  if (reduction == "min") return "stablehlo.minimum";
  return "stablehlo.add";
}

inline ValueId reduce_over(LocalProgram& p, StringId name, ValueId value, TypeId to,
                           AttrId attributes) {
  const std::string_view kind =
      reducer_named(text_of(p.m, attribute(p.m, p.current(), key::kReductionOp)));
  const ValueId made = p.make(name, {value}, to, attributes);
  add_reducer(p, defining_op(p.m, made), value, kind);
  return made;
}

inline void localize_all_reduce(LocalProgram& p, OpId op) {
  const MeshId mesh = collective_mesh(p, op);
  const AxisList axes = axes_in(p.m, attribute(p.m, op, key::kReductionAxes), p.m.meshes[mesh]);
  p.replace(reduce_over(p, known::kAllReduce, operand(p.m, op, 0), type_of(p.m, result(p.m, op, 0)),
                        grouped(p, mesh, axes)));
}

inline void localize_all_slice(LocalProgram& p, OpId op) {
  const Mesh& mesh = p.m.meshes[collective_mesh(p, op)];
  const auto axes = axes_per_dim_in(p.m, attribute(p.m, op, key::kSlicingAxes), mesh);
  p.replace(p.slice_of_device(operand(p.m, op, 0), mesh, axes, p.local_shape(result(p.m, op, 0))));
}

inline ValueId all_to_all(LocalProgram& p, ValueId value, std::size_t from, std::size_t to,
                          MeshId mesh, AxisSpan axes) {
  AttrTable& attrs = p.m.attrs;
  const std::int64_t count = total_size(axes);
  Shape shape = p.local_shape(value);
  shape[to] /= count;
  shape[from] *= count;
  AttrId attributes = p.dict({{"split_dimension", attrs.integer(static_cast<std::int64_t>(to))},
                              {"concat_dimension", attrs.integer(static_cast<std::int64_t>(from))},
                              {"split_count", attrs.integer(count)},
                              {"replica_groups", replica_groups(p, mesh, axes)}});
  if (has_channel(p))
    attributes = attrs.with(attributes, p.key("channel_handle"), p.next_channel());
  return p.make(known::kAllToAll, {value}, p.type_as(value, shape), attributes);
}

struct DimExchange {
  std::size_t from = 0;  // the dimension that is gathered
  std::size_t to = 0;    // the dimension that is split
  AxisList axes;
};

inline std::vector<DimExchange> exchanges_of(const Module& m, OpId op, const Mesh& mesh) {
  std::vector<DimExchange> out;
  const AttrId params = attribute(m, op, key::kParams);
  if (m.attrs.kind(params) != AttrKind::kList) return out;
  for (AttrId item : m.attrs.items(params)) {
    out.push_back(
        {static_cast<std::size_t>(m.attrs.as_int(m.attrs.find(item, key::kSourceDimension))),
         static_cast<std::size_t>(m.attrs.as_int(m.attrs.find(item, key::kTargetDimension))),
         axes_in(m, m.attrs.find(item, key::kAxes), mesh)});
  }
  return out;
}

inline void localize_all_to_all(LocalProgram& p, OpId op) {
  const MeshId mesh = collective_mesh(p, op);
  std::vector<DimExchange> params = exchanges_of(p.m, op, p.m.meshes[mesh]);
  const ValueId value = operand(p.m, op, 0);
  for (const DimExchange& param : params) {
    if (shape_of(p.m, value)[param.to] % total_size(param.axes) != 0) {
      return p.fail(op, "convert_global_to_local.not_divisible",
                    fmt::format("dimension {} does not divide by the {} devices that exchange it",
                                param.to, total_size(param.axes)),
                    "run pad-for-divisibility before");
    }
  }
  if (params.size() == 1)
    return p.replace(all_to_all(p, value, params[0].from, params[0].to, mesh, params[0].axes));
  std::ranges::stable_sort(params, {}, &DimExchange::to);
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
  Shape factors;
  AxisList axes;
  for (const DimExchange& param : params) {
    from.push_back(param.from);
    to.push_back(param.to);
    factors.push_back(total_size(param.axes));
    axes.append(param.axes);
  }
  Shape split;
  const ValueId in = split_factors(p, value, to, factors, split);
  const ValueId exchanged = all_to_all(p, in, 0, 0, mesh, axes);
  p.replace(merge_factors(p, p.reshape(exchanged, split), from));
}

// The axes of `sharding` in the parts that `parts` cuts them to, then all other parts: along these,
// each device has a shard of its own.
inline AxisList all_digits(const TensorSharding& sharding, AxisSpan parts) {
  AxisList out;
  const auto add = [&](AxisRef part) {
    if (std::ranges::find(out, part) == out.end()) out.push_back(part);
  };
  for (const DimSharding& dim : sharding.dims) {
    for (AxisRef axis : dim.axes) {
      for (AxisRef part : parts) {
        if (contains(axis, part)) add(part);
      }
    }
  }
  for (AxisRef part : parts) add(part);
  return out;
}

// The axes called the same in another mesh, which has them in another order.
inline AxisList axes_in_mesh(AxisSpan axes, const Mesh& from, const Mesh& to) {
  AxisList out;
  for (AxisRef axis : axes) {
    axis.axis = static_cast<std::uint16_t>(to.find_axis(from.axes[axis.axis].name));
    out.push_back(axis);
  }
  return out;
}

// Worked example: on mesh x=2, y=2, from [{y}] to [{x}]. Shards are numbered by the digits [y, x] before
// and [x, y] after: device 1 (x=0, y=1) has shard 2, which device 2 (x=1, y=0) has afterwards.
inline void localize_collective_permute(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const TensorSharding to = out_sharding(m, op);
  TensorSharding from =
      p.sharding(value) ? *p.sharding(value) : closed_sharding(to.mesh, to.rank());
  const Mesh& out_mesh = m.meshes[to.mesh];
  const Mesh& in_mesh = m.meshes[from.mesh];
  AxisList axes;
  for (DimSharding& dim : from.dims) {
    dim.axes = axes_in_mesh(dim.axes, in_mesh, out_mesh);
    axes.append(dim.axes);
  }
  for (const DimSharding& dim : to.dims) axes.append(dim.axes);
  const AxisList parts = cut_axes(out_mesh, axes);
  const DeviceGrid grid(out_mesh);
  const AxisList out_digits = all_digits(to, parts);
  Shape device_of_shard(static_cast<std::size_t>(grid.size()));
  for (std::int64_t place = 0; place < grid.size(); ++place)
    device_of_shard[static_cast<std::size_t>(grid.shard(place, out_digits))] = grid.id(place);
  std::vector<AttrId> pairs;
  std::int64_t device = 0;
  const AxisList in_digits = axes_in_mesh(all_digits(from, parts), out_mesh, in_mesh);
  for (std::int64_t shard : DeviceGrid(in_mesh).shards_by_id(in_digits)) {
    const std::int64_t pair[] = {device++, device_of_shard[static_cast<std::size_t>(shard)]};
    pairs.push_back(p.ints(pair));
  }
  AttrId attributes = p.dict({{"source_target_pairs", m.attrs.list(pairs)}});
  if (has_channel(p))
    attributes = m.attrs.with(attributes, p.key("channel_handle"), p.next_channel());
  p.replace(p.make(known::kCollectivePermute, {value}, type_of(m, value), attributes));
}

inline void localize_reduce_scatter(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const MeshId mesh = collective_mesh(p, op);
  const auto axes = axes_per_dim_in(m, attribute(m, op, key::kReduceScatterAxes), m.meshes[mesh]);
  const Shape shape = p.local_shape(result(m, op, 0));
  std::vector<std::size_t> dims;
  Shape factors;
  AxisList all;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].empty()) continue;
    dims.push_back(d);
    factors.push_back(total_size(axes[d]));
    all.append(axes[d]);
  }
  const auto scatter = [&](ValueId from, std::size_t dim, const Shape& to) {
    const AttrId dim_attr = m.attrs.integer(static_cast<std::int64_t>(dim));
    return reduce_over(p, known::kReduceScatter, from, p.type_as(from, to),
                       m.attrs.with(grouped(p, mesh, all), p.key("scatter_dimension"), dim_attr));
  };
  if (dims.size() == 1) return p.replace(scatter(value, dims[0], shape));
  if (!p.options.combine_multi_dimension_reduce_scatter) {
    const ValueId sum =
        reduce_over(p, known::kAllReduce, value, type_of(m, value), grouped(p, mesh, all));
    return p.replace(p.slice_of_device(sum, m.meshes[mesh], axes, shape));
  }
  Shape split;
  const ValueId combined = split_factors(p, value, dims, factors, split);
  Shape one = shape;
  one.insert(one.begin(), 1);
  p.replace(p.reshape(scatter(combined, 0, one), shape));
}

inline constexpr LocalRow kLocalCollectives[] = {
    {"sdy.all_gather", localize_all_gather},
    {"sdy.all_reduce", localize_all_reduce},
    {"sdy.all_slice", localize_all_slice},
    {"sdy.all_to_all", localize_all_to_all},
    {"sdy.collective_permute", localize_collective_permute},
    {"sdy.reduce_scatter", localize_reduce_scatter},
};

}  // namespace shardprop::detail
