// Builds the exchange of halos: an sdy.manual_computation in which each device joins its shard with
// those of its neighbours along one dimension after the other, and cuts out what it needs.
//
// Worked example, slice [1:5] of 8 elements on 2 devices: device 0 has 0..3 and needs 1, 2; device 1
// has 4..7 and needs 3, 4. Each takes its left neighbour's shard, [., 0..3] and [0..3, 4..7], where
// device 0 gets zeros from nobody; 2 elements of padding come before and after, and each cuts 2
// elements out at 7 - 2 * shard.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/passes/partition/device_groups.hpp"
#include "shardprop/passes/partition/halo_plan.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"

namespace shardprop::detail {

// Which device sends to which if each sends its shard along `axes` to the one that is `distance`
// shards further: [from, to] in the order of the mesh.
inline std::vector<Shape> shift_pairs(const Mesh& mesh, AxisSpan axes, std::int64_t distance) {
  const DeviceGrid grid(mesh);
  std::vector<std::int64_t> targets(static_cast<std::size_t>(grid.size()), -1);  // by id
  for (const std::vector<std::int64_t>& group : device_groups(mesh, axes)) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::int64_t to = static_cast<std::int64_t>(i) + distance;
      if (to >= 0 && to < static_cast<std::int64_t>(group.size()))
        targets[static_cast<std::size_t>(group[i])] = group[static_cast<std::size_t>(to)];
    }
  }
  std::vector<Shape> pairs;
  for (std::int64_t place = 0; place < grid.size(); ++place) {
    const std::int64_t from = grid.id(place);
    const std::int64_t to = targets[static_cast<std::size_t>(from)];
    if (to >= 0) pairs.push_back({from, to});
  }
  return pairs;
}

// A manual computation that is being built: what each device does with its part of a tensor.
class DeviceCode {
 public:
  // `manual` are the axes of `mesh` by which the body's tensors are split, by number.
  DeviceCode(PermutationContext& c, OpId op, MeshId mesh, std::vector<bool> manual)
      : c_(c), m_(c.module()), op_(op), mesh_(mesh), manual_(std::move(manual)) {}

  // Begins the body. Gives its arguments, the parts of `operands`, which are sharded by `shardings`.
  std::vector<ValueId> begin(std::span<const ValueId> operands,
                             const std::vector<TensorSharding>& shardings) {
    std::vector<TypeId> types;
    std::vector<ShardingId> ids;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      types.push_back(local_type(type_of(m_, operands[i]), shardings[i]));
      ids.push_back(m_.shardings.intern(shardings[i]));
    }
    computation_ = create_op(m_, before(m_, op_), {known::kSdyManualComputation, operands, {}, {}});
    m_.locations.of_op.set(computation_, m_.locations.of_op[op_]);
    m_.lineage.note_need(computation_, op_);
    set_sharding_list(m_, computation_, kInShardings, ids);
    body_ = append_block(m_, computation_, types);
    const IdRange<ValueId> arguments = m_.blocks[body_].arguments;
    return {arguments.begin(), arguments.end()};
  }

  // Ends the body with what it gives for the result, which is of `type` and sharded by `sharding`.
  // Gives that result.
  ValueId end(ValueId local, TypeId type, const TensorSharding& sharding) {
    create_op(m_, at_end(body_), {known::kSdyReturn, {&local, 1}, {}, {}});
    add_results(m_, computation_, {&type, 1});
    set_sharding_list(m_, computation_, kOutShardings, {m_.shardings.intern(sharding)});
    std::vector<AttrId> names;
    for (std::string_view name : manual_names()) names.push_back(text_attribute(m_, name));
    set_attribute(m_, computation_, key::kManualAxes, m_.attrs.list(names));
    c_.changed = true;
    const ValueId made = result(m_, computation_, 0);
    m_.value_shardings[made] = m_.shardings.intern(sharding);
    c_.computed.push_back(made);
    return made;
  }

  // Makes operations at the end of the body; without a sharding for scalars and what is sent.
  OpMaker maker(ShardingId sharding = {}) { return {m_, at_end(body_), op_, sharding}; }

  // How the body sees `sharding`.
  ShardingId local_sharding(const TensorSharding& sharding) {
    return m_.shardings.intern(erase_manual_axes(m_, sharding, manual_names()));
  }
  TypeId local_type(TypeId type, const TensorSharding& sharding) {
    Shape shape = shape_copy(m_, type);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (AxisRef axis : sharding.dims[d].axes) {
        if (manual_[axis.axis]) shape[d] /= axis.size;
      }
    }
    return with_shape(m_, type, shape);
  }

  // `value` of the device whose shard along `axes` is `distance` lower. None where there is nobody
  // to send.
  ValueId received(ValueId value, AxisSpan axes, std::int64_t distance, ShardingId sharding = {}) {
    const std::vector<Shape> pairs = shift_pairs(m_.meshes[mesh_], axes, distance);
    if (pairs.empty()) return ValueId();
    std::vector<AttrId> rows;
    for (const Shape& pair : pairs) rows.push_back(m_.attrs.ints(pair));
    const OpMaker make = maker(sharding);
    return make.make(known::kCollectivePermute, {value}, type_of(m_, value),
                     make.dict({{"source_target_pairs", m_.attrs.list(rows)},
                                {"channel_handle", c_.channels.next(m_)}}));
  }

  // The shard along `axes` that the device has, a scalar: a table where devices have an order of
  // their own, else arithmetic.
  ValueId shard(AxisSpan axes) {
    const OpMaker make = maker();
    const ValueId id =
        make.make(c_.options.replica_count > 1 ? known::kReplicaId : known::kPartitionId, {},
                  tensor_type(m_, "ui32", {}));
    const ValueId device = make.make(known::kConvert, {id}, tensor_type(m_, "i64", {}));
    if (!m_.meshes[mesh_].device_ids.empty())
      return look_up(DeviceGrid(m_.meshes[mesh_]).shards_by_id(axes), device);
    ValueId shard;
    for (AxisRef axis : axes) {
      const ValueId digit = axis_digit(make, device, axis);
      shard =
          shard.valid()
              ? make.binary(known::kAdd,
                            make.binary("stablehlo.multiply", shard, make.index(axis.size)), digit)
              : digit;
    }
    return shard.valid() ? shard : make.index(0);
  }

  // Element `index` of `table`, a scalar.
  ValueId look_up(std::span<const std::int64_t> table, ValueId index) {
    const OpMaker make = maker();
    const Shape size = {static_cast<std::int64_t>(table.size())};
    const bool equal = std::ranges::all_of(table, [&](std::int64_t n) { return n == table[0]; });
    const ValueId all = make.constant(tensor_type(m_, "i64", size),
                                      equal ? m_.attrs.integer(table[0]) : m_.attrs.ints(table));
    return make.reshape(make.dynamic_slice(all, {&index, 1}, Shape{1}), {});
  }

 private:
  AxisNames manual_names() const {
    AxisNames names;
    const Mesh& mesh = m_.meshes[mesh_];
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
      if (manual_[i]) names.push_back(mesh.axes[i].name);
    }
    return names;
  }

  // The digit of `device` along `axis`.
  ValueId axis_digit(const OpMaker& make, ValueId device, AxisRef axis) const {
    const Mesh& mesh = m_.meshes[mesh_];
    std::int64_t below = mesh.axes[axis.axis].size / axis.next_pre_size();
    for (std::size_t i = axis.axis + 1u; i < mesh.axes.size(); ++i) below *= mesh.axes[i].size;
    ValueId digit = device;
    if (below > 1) digit = make.binary("stablehlo.divide", digit, make.index(below));
    if (axis.size < mesh.device_count())
      digit = make.binary("stablehlo.remainder", digit, make.index(axis.size));
    return digit;
  }

  PermutationContext& c_;
  Module& m_;
  OpId op_;
  MeshId mesh_;
  std::vector<bool> manual_;
  OpId computation_;
  BlockId body_;
};

}  // namespace shardprop::detail
