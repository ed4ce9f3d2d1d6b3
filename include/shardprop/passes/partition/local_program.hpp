// The state of `convert-global-to-local`: what each value was in the global program, and the
// operations that a local one is built of.
//
// When this is made, every value gets its local type at once; `global_shape` and `sharding` still
// tell what it was. A conversion then changes attributes of its operation, or builds others before it
// and hands their result to `replace`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/passes/partition/device_groups.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

struct GlobalToLocalOptions {
  // Gather dimension by dimension, not all at once.
  bool per_dim_all_gather = false;
  // Scatter several dimensions by one reduce_scatter, not by an all_reduce and a slice.
  bool combine_multi_dimension_reduce_scatter = false;
  // Name the groups of collectives by axes of the mesh where those are whole.
  bool enable_rgv3 = false;
  // How many copies of the program run, and on how many parts each is split: one of both is 1. With
  // copies, a device is told by its replica_id.
  std::int64_t replica_count = 1;
  std::int64_t partition_count = 1;
  // With copies, all_to_all and collective_permute keep a channel id, as the reference has it. By the
  // StableHLO specification they then go across the partitions of one copy, not across copies.
  bool channels_across_replicas = true;
};

namespace detail {

using Shape = std::vector<std::int64_t>;

class LocalProgram {
 public:
  LocalProgram(Module& module, const GlobalToLocalOptions& wanted) : m(module), options(wanted) {
    shardings_.resize(m.values.size());
    global_types_.resize(m.values.size());
    for (FuncId f : m.func_order) note_block(m.funcs[f].body);
    for (OpId op : preorder(m)) {
      for (ValueId value : results(m, op)) note(value);
      for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling)
        note_block(b);
      note_channel(op);
    }
    for (std::uint32_t i = 0; i < global_types_.size(); ++i) {
      const ValueId value(i);
      if (global_types_[i].valid()) set_type(m, value, local_type(value));
    }
  }

  Module& m;
  const GlobalToLocalOptions options;
  Diagnostics errors;

  // None where the value has no sharding.
  const TensorSharding* sharding(ValueId value) const {
    const ShardingId id = shardings_[value.index];
    return id.valid() ? &m.shardings[id] : nullptr;
  }
  AxisSpan axes(ValueId value, std::size_t dim) const {
    const TensorSharding* s = sharding(value);
    return s && dim < s->rank() ? AxisSpan(s->dims[dim].axes) : AxisSpan();
  }
  std::int64_t shards(ValueId value, std::size_t dim) const { return total_size(axes(value, dim)); }
  bool is_split(ValueId value) const {
    const TensorSharding* s = sharding(value);
    return s && !shards_no_dimension(*s);
  }
  const Mesh& mesh(ValueId value) const { return m.meshes[sharding(value)->mesh]; }
  Shape global_shape(ValueId value) const {
    const auto shape = m.types.shape(global_types_[value.index]);
    return {shape.begin(), shape.end()};
  }
  Shape local_shape(ValueId value) const {
    const auto shape = shape_of(m, value);
    return {shape.begin(), shape.end()};
  }

  // The type of a tensor of `type` on each device.
  TypeId local_type(TypeId type, const TensorSharding& s, const Place& place) {
    if (!m.types.is_tensor(type) || s.rank() != m.types.rank(type)) return type;
    Shape shape(m.types.shape(type).begin(), m.types.shape(type).end());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t shards = total_size(s.dims[d].axes);
      if (shards == 1 || shape[d] == kDynamic) continue;
      if (shape[d] % shards != 0) {
        fail("convert_global_to_local.not_divisible",
             fmt::format("dimension {} of size {} does not divide by its {} shards", d, shape[d],
                         shards),
             "run pad-for-divisibility before", place);
      }
      shape[d] /= shards;
    }
    return m.types.tensor(m.types.dtype(type), shape, m.types.encoding(type));
  }

  void fail(std::string code, std::string message, std::string_view what_to_do, Place place) {
    errors.push_back(
        {std::move(code), std::move(message), std::string(what_to_do), std::move(place)});
  }
  void fail(OpId op, std::string code, std::string message, std::string_view what_to_do) {
    fail(std::move(code), std::move(message), what_to_do, place_of(m, op));
  }

  // From here on operations are built before `op` and have its location.
  void start(OpId op) { at_ = op; }
  OpId current() const { return at_; }

  OpId make_op(OpName name, std::span<const ValueId> operands, std::span<const TypeId> types,
               AttrId attributes = {}) {
    const OpId op = create_op(m, before(m, at_), {name, operands, types, attributes});
    m.locations.of_op.set(op, m.locations.of_op[at_]);
    return op;
  }
  ValueId make(OpName name, std::initializer_list<ValueId> operands, TypeId type,
               AttrId attributes = {}) {
    return result(m, make_op(name, {operands.begin(), operands.size()}, {&type, 1}, attributes), 0);
  }

  // Lets `value` stand for the only result of the current operation, which is erased.
  void replace(ValueId value) {
    const ValueId old = result(m, at_, 0);
    if (value == operand(m, at_, 0)) {
      replace_uses(m, old, value);
      return erase_op(m, at_);
    }
    shardings_.resize(m.values.size());
    global_types_.resize(m.values.size());
    shardings_[value.index] = shardings_[old.index];
    global_types_[value.index] = global_types_[old.index];
    m.value_names[value] = m.value_names[old];
    m.lineage.of_value.note(old, value);
    m.lineage.of_op.note(at_, defining_op(m, value));
    replace_uses(m, old, value);
    erase_op(m, at_);
  }
  // The current operation goes on as one without a sharding.
  void drop_sharding() {
    for (ValueId value : results(m, at_)) m.value_shardings[value] = ShardingId();
  }

  StringId key(std::string_view name) { return m.strings.intern(name); }
  AttrId ints(std::span<const std::int64_t> values) { return m.attrs.ints(values); }
  AttrId dict(std::initializer_list<std::pair<std::string_view, AttrId>> entries) {
    std::vector<AttrEntry> list;
    for (const auto& [name, value] : entries) list.push_back({key(name), value});
    return m.attrs.dict(list);
  }

  TypeId type(std::string_view dtype, std::span<const std::int64_t> shape = {}) {
    return tensor_type(m, dtype, shape);
  }
  // A tensor of the elements of `like` in another shape.
  TypeId type_as(ValueId like, std::span<const std::int64_t> shape) {
    return m.types.tensor(m.types.dtype(type_of(m, like)), shape);
  }

  ValueId constant(TypeId of, AttrId value) {
    return make(known::kConstant, {}, of, dict({{"value", value}}));
  }
  ValueId index(std::int64_t value) { return constant(type("i64"), m.attrs.integer(value)); }
  ValueId reshape(ValueId value, std::span<const std::int64_t> shape) {
    return make(known::kReshape, {value}, type_as(value, shape));
  }
  ValueId transpose(ValueId value, std::span<const std::int64_t> permutation) {
    Shape shape;
    for (std::int64_t d : permutation) shape.push_back(shape_of(m, value)[std::size_t(d)]);
    return make(known::kTranspose, {value}, type_as(value, shape),
                dict({{"permutation", ints(permutation)}}));
  }
  ValueId broadcast(ValueId value, TypeId to, std::span<const std::int64_t> dims = {}) {
    return make(known::kBroadcastInDim, {value}, to, dict({{"broadcast_dimensions", ints(dims)}}));
  }
  ValueId dynamic_slice(ValueId value, std::span<const ValueId> starts,
                        std::span<const std::int64_t> sizes) {
    std::vector<ValueId> operands = {value};
    operands.insert(operands.end(), starts.begin(), starts.end());
    const TypeId to = type_as(value, sizes);
    return result(m,
                  make_op("stablehlo.dynamic_slice", operands, {&to, 1},
                          dict({{"slice_sizes", ints(sizes)}})),
                  0);
  }
  ValueId compare(ValueId a, ValueId b, std::string_view direction) {
    return make(known::kCompare, {a, b}, type("i1", local_shape(a)),
                dict({{"comparison_direction", text_attribute(m, direction)}}));
  }

  // The id of the device that runs the program, a scalar.
  ValueId device_id() {
    const ValueId id =
        make(options.replica_count > 1 ? known::kReplicaId : known::kPartitionId, {}, type("ui32"));
    return make(known::kConvert, {id}, type("i64"));
  }
  // The number that a table has for `device`: the only element of the result.
  ValueId look_up(std::string_view dtype, std::span<const AttrId> by_device, ValueId device) {
    const Shape size = {static_cast<std::int64_t>(by_device.size())};
    const bool equal = std::ranges::all_of(by_device, [&](AttrId a) { return a == by_device[0]; });
    const ValueId table =
        constant(type(dtype, size), equal ? by_device[0] : m.attrs.list(by_device));
    const std::int64_t one = 1;
    return dynamic_slice(table, {&device, 1}, {&one, 1});
  }
  ValueId look_up(std::span<const std::int64_t> by_device, ValueId device) {
    std::vector<AttrId> table;
    for (std::int64_t number : by_device) table.push_back(m.attrs.integer(number));
    return reshape(look_up("i64", table, device), {});
  }
  // Whether this device is the first of its group along `axes`: the only element of the result.
  ValueId leads_group(const Mesh& mesh, AxisSpan axes) {
    std::vector<AttrId> leads;
    for (std::int64_t shard : DeviceGrid(mesh).shards_by_id(axes))
      leads.push_back(m.attrs.boolean(shard == 0));
    return look_up("i1", leads, device_id());
  }
  // Where the shard of this device begins, along a dimension that is split by `axes`.
  ValueId offset(const Mesh& mesh, AxisSpan axes, std::int64_t shard_size) {
    Shape offsets = DeviceGrid(mesh).shards_by_id(axes);
    for (std::int64_t& at : offsets) at *= shard_size;
    return look_up(offsets, device_id());
  }
  // The part of `value`, which is whole along these axes, that this device has.
  ValueId slice_of_device(ValueId value, const Mesh& mesh, std::span<const AxisList> axes_per_dim,
                          std::span<const std::int64_t> shape) {
    std::vector<ValueId> starts;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const AxisSpan axes = axes_per_dim[d];
      starts.push_back(axes.empty() ? index(0) : offset(mesh, axes, shape[d]));
    }
    return dynamic_slice(value, starts, shape);
  }

  AttrId next_channel() {
    return dict({{"handle", m.attrs.integer(next_channel_++)}, {"type", m.attrs.integer(1)}});
  }

 private:
  void note_block(BlockId block) {
    for (ValueId value : m.blocks[block].arguments) note(value);
  }
  void note(ValueId value) {
    global_types_[value.index] = type_of(m, value);
    if (const auto s = tensor_sharding_of(m, value))
      shardings_[value.index] = m.shardings.intern(*s);
  }
  void note_channel(OpId op) {
    const AttrId channel = attribute(m, op, "channel_handle");
    const AttrId handle = m.attrs.find(channel, m.strings.find("handle"));
    if (m.attrs.kind(handle) == AttrKind::kInt)
      next_channel_ = std::max(next_channel_, m.attrs.as_int(handle) + 1);
  }

  TypeId local_type(ValueId value) {
    const TypeId global = global_types_[value.index];
    const ShardingId id = shardings_[value.index];
    if (!id.valid() || m.meshes[m.shardings[id].mesh].is_maximal()) return global;
    const std::uint64_t known = std::uint64_t{global.index} << 32 | id.index;
    if (const auto at = local_types_.find(known); at != local_types_.end()) return at->second;
    const TypeId local =
        local_type(global, TensorSharding(m.shardings[id]), place_of_value(m, value));
    local_types_.emplace(known, local);
    return local;
  }

  // By value of the global program, or what replaced it.
  std::vector<ShardingId> shardings_;
  std::vector<TypeId> global_types_;
  std::unordered_map<std::uint64_t, TypeId> local_types_;  // by global type and sharding
  std::int64_t next_channel_ = 1;
  OpId at_;
};

// Converts one operation whose operands and results have local types already.
using LocalizeFn = void (*)(LocalProgram&, OpId);

struct LocalRow {
  std::string_view name;
  LocalizeFn localize;
};

}  // namespace detail

}  // namespace shardprop
