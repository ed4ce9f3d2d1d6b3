// One operation whose devices exchange halos: the dimensions of its operand one after the other, then
// what is left to do on each device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/partition/halo_exchange.hpp"
#include "shardprop/passes/partition/halo_plan.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"

namespace shardprop::detail {

struct HaloExchange {
  OpId op;
  ValueId operand;  // padded so that its sharding divides it
  ValueId fill;     // a scalar: what is where no device has an element
  bool fills_zeros = true;
  TensorSharding in;
  TensorSharding out;
  std::vector<HaloDim> dims = {};
  std::vector<bool> manual = {};  // by axis of the mesh
};

// Which axes of the mesh shard some dimension.
inline std::vector<bool> sharding_axes(const Module& m, const TensorSharding& s) {
  std::vector<bool> axes(m.meshes[s.mesh].axes.size(), false);
  for (std::size_t d = 0; d < s.rank(); ++d) {
    if (shard_count(s, d) == 1) continue;
    for (AxisRef axis : s.dims[d].axes) axes[axis.axis] = true;
  }
  return axes;
}

// Where the footprint of the device begins in its buffer, whose elements before its own shard are
// `before`.
inline ValueId footprint_start(DeviceCode& code, const HaloDim& h, ValueId shard,
                               std::int64_t before) {
  if (!h.starts.empty()) {
    std::vector<std::int64_t> table = h.starts;
    for (std::int64_t& start : table) start += before;
    return code.look_up(table, shard);
  }
  const OpMaker make = code.maker();
  const ValueId step = make.index(h.out_size * h.stride - h.in_size * h.dilation);
  const ValueId first = make.index(before - h.low);
  return make.binary(known::kAdd, make.binary("stablehlo.multiply", shard, step), first);
}

// The shards of the neighbours and of the device itself, joined along `h.dim`. Where a neighbour is
// missing there are zeros, or `fill` where that matters.
inline ValueId joined_shards(DeviceCode& code, const HaloExchange& x, const HaloDim& h,
                             ValueId local, ValueId fill, ShardingId sharding) {
  ValueId shard;
  if (!x.fills_zeros && (h.lacks_left || h.lacks_right)) shard = code.shard(h.axes);
  const OpMaker make = code.maker(sharding);
  std::vector<ValueId> parts;
  const auto add = [&](std::int64_t distance) {
    const ValueId part = code.received(local, h.axes, distance);
    const bool from_left = distance > 0;
    if (!shard.valid() || !(from_left ? h.lacks_left : h.lacks_right)) return parts.push_back(part);
    const ValueId limit = make.index(from_left ? distance : h.shards + distance);
    const ValueId exists = make.unsharded().compare(shard, limit, from_left ? "GE" : "LT");
    parts.push_back(make.select(exists, part, make.splat(fill, type_of(make.m, part))));
  };
  for (std::int64_t distance = h.left; distance > 0; --distance) add(distance);
  parts.push_back(local);
  for (std::int64_t distance = 1; distance <= h.right; ++distance) add(-distance);
  return make.concatenate(parts, h.dim);
}

// The part of the exchanged tensor that the device needs along `h.dim`.
inline ValueId exchange_dim(DeviceCode& code, const HaloExchange& x, const HaloDim& h,
                            ValueId local, ValueId fill, ShardingId sharding) {
  const ValueId joined = joined_shards(code, x, h, local, fill, sharding);
  const OpMaker make = code.maker(sharding);
  Shape shape = shape_copy(make.m, joined);
  Shape edge(shape.size(), 0);
  Shape interior(shape.size(), 0);
  edge[h.dim] = h.footprint() * h.dilation;
  interior[h.dim] = h.dilation - 1;
  shape[h.dim] = (shape[h.dim] - 1) * h.dilation + 1 + 2 * edge[h.dim];
  const TypeId type = with_shape(make.m, type_of(make.m, joined), shape);
  const ValueId buffer = make.pad(joined, fill, type, edge, edge, interior);
  const std::int64_t before = h.left * h.in_size * h.dilation + edge[h.dim];
  ValueId start = footprint_start(code, h, code.shard(h.axes), before);
  const ValueId zero = make.index(0);
  if (h.starts.empty()) start = make.unsharded().binary(known::kMaximum, start, zero);
  std::vector<ValueId> starts(shape.size(), zero);
  starts[h.dim] = start;
  shape[h.dim] = h.footprint();
  const ValueId needed = make.dynamic_slice(buffer, starts, shape);
  if (h.stride == 1) return needed;
  Shape strides(shape.size(), 1);
  strides[h.dim] = h.stride;
  return make.slice(needed, Shape(shape.size(), 0), shape, strides);
}

// Does the exchange. `finish(code, maker, local, fill)` gives what a device makes of its part. The
// result takes the place of the operation.
template <class Finish>
void exchange_halos(PermutationContext& c, const HaloExchange& x, Finish&& finish) {
  Module& m = c.module();
  DeviceCode code(c, x.op, x.in.mesh, x.manual);
  const ValueId operands[] = {x.operand, x.fill};
  const std::vector<ValueId> arguments = code.begin(operands, {x.in, open_sharding(x.in.mesh, 0)});
  const ShardingId sharding = code.local_sharding(x.in);
  ValueId local = arguments[0];
  for (const HaloDim& h : x.dims) {
    if (!h.is_identity()) local = exchange_dim(code, x, h, local, arguments[1], sharding);
  }
  local = finish(code, code.maker(sharding), local, arguments[1]);
  const TypeId type = type_of(m, result(m, x.op, 0));
  const ValueId all = code.end(local, divisible_type(m, type, &x.out), x.out);
  const OpMaker make{m, before(m, x.op), x.op, m.shardings.intern(x.out)};
  replace_op(m, x.op, make.slice_to(all, shape_copy(m, type)));
}

}  // namespace shardprop::detail
