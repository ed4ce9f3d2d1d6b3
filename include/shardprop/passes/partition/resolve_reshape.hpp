// Reshapes whose shards do not line up because sizes do not divide. Where one dimension is split into
// several, the neighbours of a device have what it lacks; any other such group of dimensions is
// unsharded.
//
// Worked example, 6 elements to 2x3 on a=4: the shards 0 1 | 2 3 | 4 5 | . become 0 1 | 2 . | 3 4 |
// 5 ., so that device 2 takes element 3 from its left, and device 3 element 5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/partition/halo_dims.hpp"
#include "shardprop/passes/partition/halo_plan.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/reshape_groups.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"

namespace shardprop::detail {

struct ShardedReshape {
  OpId op;
  Shape in;
  Shape out;
  TensorSharding from;
  TensorSharding to;
  std::vector<ReshapeGroup> groups;

  bool is_one_to_one(const ReshapeGroup& g) const {
    return count_large(in, g.in) <= 1 && count_large(out, g.out) <= 1;
  }
  bool divides(const ReshapeGroup& g) const {
    return is_divisible(in, from, g.in) && is_divisible(out, to, g.out);
  }
  bool is_alike(const ReshapeGroup& g, const Mesh& mesh, SplitBy measure) const {
    return is_split_alike(in, from, g.in, out, to, g.out, mesh, measure);
  }
  bool is_alike(const Mesh& mesh, SplitBy measure) const {
    return from.mesh == to.mesh && from.replicated == to.replicated &&
           is_alike({{0, in.size()}, {0, out.size()}}, mesh, measure);
  }
};

// Whether each device can do its part alone.
inline bool is_reshape_local(const ShardedReshape& r, const Mesh& mesh) {
  if (!r.is_alike(mesh, SplitBy::kParts)) return false;
  return r.is_alike(mesh, SplitBy::kStep) ||
         std::ranges::all_of(r.groups, [&](const ReshapeGroup& g) { return r.is_one_to_one(g); });
}

// Whether neighbours can help with `g`: a dimension that is split, on the same number of devices and
// with as much padding on both sides.
inline bool is_splitting(const ShardedReshape& r, const ReshapeGroup& g) {
  if (g.in.size() != 1 || count_large(r.in, g.in) != 1) return false;
  if (count_large(r.out, g.out) != g.out.size() || g.out.size() < 2) return false;
  const Shape padded = divisible_shape(r.out, r.to);
  const std::int64_t count =
      std::accumulate(padded.begin() + static_cast<std::ptrdiff_t>(g.out.begin),
                      padded.begin() + static_cast<std::ptrdiff_t>(g.out.end), std::int64_t{1},
                      std::multiplies<>());
  return count == round_up(r.in[g.in.begin], shard_count(r.from, g.in.begin));
}

// The exchange along the operand's dimension of `g`.
inline HaloDim split_dim(const ShardedReshape& r, const ReshapeGroup& g) {
  HaloDim h;
  h.dim = g.in.begin;
  h.axes = axes_of(r.to, g.out);
  h.shards = shard_count(r.from, h.dim);
  h.in_size = h.out_size = ceil_div(r.in[h.dim], h.shards);
  for (std::int64_t shard = 0; shard < h.shards; ++shard) {
    std::int64_t first = 0;
    std::int64_t rest = shard;
    std::int64_t below = 1;  // elements from one index of the dimension to the next
    for (std::size_t d = g.out.end; d-- > g.out.begin;) {
      const std::int64_t shards = shard_count(r.to, d);
      first += rest % shards * ceil_div(r.out[d], shards) * below;
      rest /= shards;
      below *= r.out[d];
    }
    const std::int64_t last = first + h.out_size - 1;
    const std::int64_t source = first < r.in[h.dim] ? first / h.in_size : shard;
    const std::int64_t last_source = last < r.in[h.dim] ? last / h.in_size : shard;
    h.left = std::max(h.left, shard - source);
    h.right = std::max(h.right, last_source - shard);
    h.sends = h.sends || source != shard || last_source != shard;
    h.starts.push_back(first < r.in[h.dim] ? first - shard * h.in_size : 0);
  }
  return h;
}

// The exchanges that make the reshape local; none where unsharding is better.
inline std::optional<std::vector<HaloDim>> split_dims(const ShardedReshape& r) {
  std::vector<HaloDim> dims;
  for (const ReshapeGroup& g : r.groups) {
    if (r.is_one_to_one(g) || r.divides(g)) continue;
    if (!is_splitting(r, g)) return std::nullopt;
    dims.push_back(split_dim(r, g));
    if (dims.back().left > 1 || dims.back().right > 1) return std::nullopt;
  }
  if (dims.empty()) return std::nullopt;
  return dims;
}

inline void exchange_and_reshape(PermutationContext& c, const ShardedReshape& r,
                                 std::vector<HaloDim> dims) {
  Module& m = c.module();
  const ValueId value = operand(m, r.op, 0);
  const OpMaker make{m, before(m, r.op), r.op, m.shardings.intern(r.from)};
  HaloExchange x{r.op, value, make.zero(type_of(m, value)), true, r.from, r.to, std::move(dims)};
  const Shape padded = divisible_shape(r.in, r.from);
  if (padded != r.in) x.operand = make.pad_to(value, make.zero(type_of(m, value)), padded);
  x.manual.assign(m.meshes[r.from.mesh].axes.size(), false);
  for (const ReshapeGroup& g : r.groups) {
    if (r.divides(g)) continue;
    for (AxisRef axis : axes_of(r.from, g.in)) x.manual[axis.axis] = true;
    for (AxisRef axis : axes_of(r.to, g.out)) x.manual[axis.axis] = true;
  }
  exchange_halos(c, x, [&](DeviceCode& code, const OpMaker&, ValueId local, ValueId) {
    const TypeId whole = with_shape(m, type_of(m, value), divisible_shape(r.out, r.to));
    const TypeId type = code.local_type(whole, r.to);
    return code.maker(code.local_sharding(r.to)).reshape(local, shape_copy(m, type));
  });
}

// `s` without the axes that `removed` has.
inline TensorSharding without_axes(TensorSharding s, const AxisList& removed) {
  for (DimSharding& dim : s.dims) dim.axes = difference(dim.axes, removed);
  return s;
}

// Unshards the groups whose sizes do not divide, and with `only_local` those that do not line up.
inline void unshard_reshape(PermutationContext& c, const ShardedReshape& r) {
  Module& m = c.module();
  const Mesh& mesh = m.meshes[r.from.mesh];
  AxisList removed;
  for (const ReshapeGroup& g : r.groups) {
    const bool lines_up = r.from.mesh == r.to.mesh && r.is_alike(g, mesh, SplitBy::kStep);
    if ((lines_up || !c.options.only_local) && (r.is_one_to_one(g) || r.divides(g))) continue;
    removed.append(axes_of(r.from, g.in));
    removed.append(axes_of(r.to, g.out));
  }
  const ShardingId in = m.shardings.intern(without_axes(r.from, removed));
  const ShardingId out = m.shardings.intern(without_axes(r.to, removed));
  const ShardingId wanted = m.shardings.intern(r.to);
  const ValueId made = result(m, r.op, 0);
  set_operand(m, r.op, 0, insert_reshard(c.reshards, before(m, r.op), operand(m, r.op, 0), in));
  c.reshards.store.set(made, out);
  const ValueId back = insert_reshard(c.reshards, after(m, r.op), made, wanted);
  replace_uses(m, made, back, defining_op(m, back));
  c.changed = true;
}

inline void resolve_reshape(PermutationContext& c, OpId op) {
  const Module& m = c.module();
  const ValueId value = operand(m, op, 0);
  const ValueId made = result(m, op, 0);
  const auto from = c.sharding(value);
  const auto to = c.sharding(made);
  if ((!from && !to) || !m.types.is_static_tensor(type_of(m, value))) return;
  const MeshId mesh = from ? from->mesh : to->mesh;
  ShardedReshape r{op,
                   shape_copy(m, value),
                   shape_copy(m, made),
                   from.value_or(closed_sharding(mesh, rank_of(m, value))),
                   to.value_or(closed_sharding(mesh, rank_of(m, made))),
                   {}};
  r.groups = reshape_groups(r.in, r.out);
  if (is_reshape_local(r, m.meshes[mesh])) return;
  if (c.options.enable_halo_exchange && r.is_alike(m.meshes[mesh], SplitBy::kParts)) {
    if (auto dims = split_dims(r)) return exchange_and_reshape(c, r, *std::move(dims));
  }
  unshard_reshape(c, r);
}

}  // namespace shardprop::detail
