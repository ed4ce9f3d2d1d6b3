// Reverses along sharded dimensions: each device reverses its shard, and the devices take each
// other's places, which is another mesh. Padding at the end of a dimension comes to its begin before,
// so that it is at the end again after.
//
// Worked example, 5 elements on 2 devices: [0 1 2 | 3 4 .] is shifted to [. 0 1 | 2 3 4], reversed on
// the devices to [1 0 . | 4 3 2], and devices in reverse order have [4 3 2 | 1 0 .].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/partition/device_groups.hpp"
#include "shardprop/passes/partition/halo_exchange.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"
#include "shardprop/sharding/mesh.hpp"

namespace shardprop::detail {

// The mesh on which the devices along `axes` stand in reverse order.
inline Mesh reversed_mesh(const Mesh& mesh, AxisSpan axes) {
  const DeviceGrid grid(mesh);
  Mesh reversed = mesh;
  reversed.device_ids.assign(static_cast<std::size_t>(grid.size()), 0);
  std::vector<std::size_t> place_of_id(static_cast<std::size_t>(grid.size()));
  for (std::int64_t place = 0; place < grid.size(); ++place)
    place_of_id[static_cast<std::size_t>(grid.id(place))] = static_cast<std::size_t>(place);
  // All digits along `axes` are turned at once: the groups are in order of the number they make.
  for (const std::vector<std::int64_t>& group : device_groups(mesh, axes)) {
    for (std::size_t i = 0; i < group.size(); ++i)
      reversed.device_ids[place_of_id[static_cast<std::size_t>(group[i])]] =
          group[group.size() - 1 - i];
  }
  return reversed;
}

// A mesh of the module with the content of `mesh`; a new one is named after mesh `origin`.
inline MeshId find_or_add_mesh(PermutationContext& c, Mesh mesh, MeshId origin) {
  Module& m = c.module();
  for (MeshId id : m.meshes.ids()) {
    if (!m.meshes[id].name.empty() && m.meshes[id].same_content(mesh)) return id;
  }
  const std::string& name = m.meshes[origin].name;
  mesh.name = c.symbols.take((name.empty() ? std::string("mesh") : name) + "_reversed");
  return m.meshes.add(std::move(mesh));
}

// Moves the elements of a device's shard by `distance` along `dim`, on to the next shards.
inline ValueId shift_right(DeviceCode& code, ValueId local, std::size_t dim, AxisSpan axes,
                           std::int64_t distance, ShardingId sharding) {
  const OpMaker make = code.maker(sharding);
  const Shape shape = shape_copy(make.m, local);
  const std::int64_t size = shape[dim];
  const std::int64_t hops = distance / size;
  const std::int64_t kept = size - distance % size;
  const auto from = [&](std::int64_t shards) {
    if (shards == 0) return local;
    const ValueId received = code.received(local, axes, shards, sharding);
    if (received.valid()) return received;
    return make.splat(make.zero(type_of(make.m, local)), type_of(make.m, local));
  };
  const ValueId near = from(hops);
  const ValueId far = from(hops + 1);
  Shape start(shape.size(), 0);
  Shape limit = shape;
  start[dim] = kept;
  limit[dim] = kept;
  const ValueId parts[] = {make.slice(far, start, shape),
                           make.slice(near, Shape(shape.size(), 0), limit)};
  return make.concatenate(parts, dim);
}

struct ReversePlan {
  AxisList axes;             // that shard reversed dimensions
  std::vector<bool> manual;  // by axis of the mesh: those that shard one that they do not divide
  Shape padded;
  Shape shift;  // how much of the padding comes before the elements
};

inline ReversePlan plan_reverse(const Module& m, OpId op, const TensorSharding& s) {
  const Shape shape = shape_copy(m, operand(m, op, 0));
  ReversePlan plan{
      {}, std::vector<bool>(m.meshes[s.mesh].axes.size(), false), shape, Shape(shape.size(), 0)};
  for (std::int64_t dim : ints_in(m, op, "dimensions")) {
    const auto d = static_cast<std::size_t>(dim);
    if (shard_count(s, d) == 1) continue;
    plan.axes.append(s.dims[d].axes);
    plan.shift[d] = round_up(shape[d], shard_count(s, d)) - shape[d];
    if (plan.shift[d] == 0) continue;
    for (AxisRef axis : s.dims[d].axes) plan.manual[axis.axis] = true;
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const AxisList& axes = s.dims[d].axes;
    const bool is_manual =
        std::ranges::any_of(axes, [&](AxisRef a) { return plan.manual[a.axis]; });
    if (is_manual) plan.padded[d] = round_up(shape[d], shard_count(s, d));
  }
  return plan;
}

// The operand of `op`, with the padding of each dimension before its elements.
inline ValueId padded_before(PermutationContext& c, OpId op, const TensorSharding& s,
                             const ReversePlan& plan) {
  Module& m = c.module();
  const ValueId value = operand(m, op, 0);
  const OpMaker make{m, before(m, op), op, m.shardings.intern(s)};
  const ValueId input = make.pad_to(value, make.zero(type_of(m, value)), plan.padded);
  DeviceCode code(c, op, s.mesh, plan.manual);
  ValueId local = code.begin({&input, 1}, {s})[0];
  const ShardingId sharding = code.local_sharding(s);
  for (std::size_t d = 0; d < s.rank(); ++d) {
    if (plan.shift[d] == 0) continue;
    local = shift_right(code, local, d, s.dims[d].axes, plan.shift[d], sharding);
  }
  return code.end(local, type_of(m, input), s);
}

// Brings `op`, a reverse, to a mesh in reverse order; false where a size is not known.
inline bool resolve_reverse(PermutationContext& c, OpId op) {
  Module& m = c.module();
  const ValueId made = result(m, op, 0);
  const std::optional<TensorSharding> s = c.sharding(operand(m, op, 0));
  if (!s) return true;
  if (!m.types.is_static_tensor(type_of(m, made))) return false;
  const ReversePlan plan = plan_reverse(m, op, *s);
  if (plan.axes.empty()) return true;
  const ShardingId wanted = m.shardings.intern(c.sharding(made).value_or(*s));
  const Shape shape = shape_copy(m, made);
  if (plan.padded != shape) set_operand(m, op, 0, padded_before(c, op, *s, plan));
  TensorSharding turned = *s;
  turned.mesh = find_or_add_mesh(c, reversed_mesh(m.meshes[s->mesh], plan.axes), s->mesh);
  set_type(m, made, type_of(m, operand(m, op, 0)));
  c.reshards.store.set(made, m.shardings.intern(turned));
  const ValueId back = insert_reshard(c.reshards, after(m, op), made, wanted);
  const OpMaker make{m, after(m, defining_op(m, back)), op, wanted};
  replace_uses(m, made, make.slice_to(back, shape), defining_op(m, back));
  c.changed = true;
  return true;
}

}  // namespace shardprop::detail
