// Pads and slices along sharded dimensions. Both move elements by a fixed distance, so that devices
// exchange the ends of their shards; what is done along other dimensions is done on each device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/passes/partition/halo_dims.hpp"
#include "shardprop/passes/partition/halo_plan.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"

namespace shardprop::detail {

// A pad, or a slice as a pad by a negative number of elements.
struct Shift {
  Shape low;
  Shape high;
  Shape dilation;
  Shape stride;
};

inline bool is_pad(const Module& m, OpId op) { return op_name(m, op) == "stablehlo.pad"; }

inline Shift shift_of(const Module& m, OpId op) {
  const Shape before = shape_copy(m, operand(m, op, 0));
  const Shape ones(before.size(), 1);
  Shift shift;
  if (is_pad(m, op)) {
    shift = {ints_in(m, op, "edge_padding_low"), ints_in(m, op, "edge_padding_high"),
             ints_in(m, op, "interior_padding"), ones};
    for (std::int64_t& dilation : shift.dilation) ++dilation;
    return shift;
  }
  shift = {ints_in(m, op, "start_indices"), ints_in(m, op, "limit_indices"), ones,
           ints_in(m, op, "strides")};
  for (std::size_t d = 0; d < before.size(); ++d) {
    if (shape_of(m, result(m, op, 0))[d] == 1) {  // a single element needs no stride
      shift.stride[d] = 1;
      shift.high[d] = shift.low[d] + 1;
    }
    shift.low[d] = -shift.low[d];
    shift.high[d] -= before[d];
  }
  return shift;
}

// The exchange along dimension `d`.
inline HaloDim shifted_dim(const Module& m, OpId op, const Shift& shift, const TensorSharding& s,
                           std::size_t d) {
  HaloDim h;
  h.dim = d;
  h.axes = s.dims[d].axes;
  h.shards = shard_count(s, d);
  h.in_size = ceil_div(shape_of(m, operand(m, op, 0))[d], h.shards);
  h.out_size = ceil_div(shape_of(m, result(m, op, 0))[d], h.shards);
  h.low = shift.low[d];
  h.stride = shift.stride[d];
  h.dilation = shift.dilation[d];
  plan_halo(h, shape_of(m, operand(m, op, 0))[d]);
  find_missing(h, shape_of(m, result(m, op, 0))[d]);
  return h;
}

// Whether a device can do its part of dimension `d` alone. A slice then begins with its operand.
inline bool is_shift_local(const Module& m, OpId op, const TensorSharding& s, std::size_t d) {
  if (shard_count(s, d) == 1) return true;
  const Shift shift = shift_of(m, op);
  const HaloDim h = shifted_dim(m, op, shift, s, d);
  if (!is_pad(m, op)) return shift.low[d] == 0 && h.stride == 1 && h.in_size == h.out_size;
  return h.dilation == 1 && !h.sends;
}

// What each device does along the dimensions that are not sharded.
inline ValueId shift_on_device(const OpMaker& make, bool is_pad, const Shift& shift,
                               const TensorSharding& s, ValueId local, ValueId fill) {
  const Shape before = shape_copy(make.m, local);
  const Shape zeros(before.size(), 0);
  Shape low = zeros, high = zeros, interior = zeros, shape = before;
  Shape start = zeros, limit = before;
  Shape stride(before.size(), 1);
  bool any = false;
  for (std::size_t d = 0; d < before.size(); ++d) {
    if (shard_count(s, d) > 1) continue;
    any = any || shift.low[d] != 0 || shift.high[d] != 0 || shift.dilation[d] != 1 ||
          shift.stride[d] != 1;
    low[d] = shift.low[d];
    high[d] = shift.high[d];
    interior[d] = shift.dilation[d] - 1;
    const std::int64_t dilated = before[d] == 0 ? 0 : (before[d] - 1) * shift.dilation[d] + 1;
    shape[d] = dilated + low[d] + high[d];
    start[d] = -shift.low[d];
    limit[d] = before[d] + shift.high[d];
    stride[d] = shift.stride[d];
  }
  if (!any) return local;
  if (!is_pad) return make.slice(local, start, limit, stride);
  return make.pad(local, fill, with_shape(make.m, type_of(make.m, local), shape), low, high,
                  interior);
}

// Whether `op`, a pad or a slice, needs nothing more than what was done here.
inline bool resolve_shift(PermutationContext& c, OpId op) {
  Module& m = c.module();
  const ValueId value = operand(m, op, 0);
  const std::optional<TensorSharding> s = c.sharding(value);
  if (!s || shards_no_dimension(*s)) return true;
  if (!m.types.is_static_tensor(type_of(m, value))) return false;
  const auto out = c.sharding(result(m, op, 0));
  if (!out || !is_same_placement(*s, *out)) return false;
  const bool pads = is_pad(m, op);
  const Shift shift = shift_of(m, op);
  HaloExchange x{op, value, {}, true, *s, *s};
  bool moves = false;
  for (std::size_t d = 0; d < s->rank(); ++d) {
    if (shard_count(*s, d) == 1) continue;
    x.dims.push_back(shifted_dim(m, op, shift, *s, d));
    const HaloDim& h = x.dims.back();
    if (!h.is_worth_it()) return false;
    moves = moves || h.sends || h.has_empty || (!pads && !h.is_identity());
  }
  if (!moves) return true;
  const OpMaker make{m, before(m, op), op, m.shardings.intern(*s)};
  const Shape padded = divisible_shape(shape_copy(m, value), *s);
  if (pads) {
    x.fill = operand(m, op, 1);
    x.fills_zeros = is_zero_constant(m, x.fill);
  }
  if (padded != shape_copy(m, value)) {
    const ValueId fill = pads ? x.fill : make.zero(type_of(m, value));
    x.operand = make.pad_to(value, fill, padded);
  }
  if (!pads) x.fill = make.zero(type_of(m, value));
  x.manual = sharding_axes(m, *s);
  exchange_halos(c, x, [&](DeviceCode&, const OpMaker& body, ValueId local, ValueId fill) {
    return shift_on_device(body, pads, shift, *s, local, fill);
  });
  return true;
}

}  // namespace shardprop::detail
