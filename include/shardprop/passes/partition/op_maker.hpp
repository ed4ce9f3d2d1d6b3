// Makes the operations that the partitioner's passes put into a program, at one place, with the
// source location of the operation that needs them. All have one result, which gets `sharding`.
// O(operands) each. Shapes that are given must not be views of the module's types, which move.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/passes/common/identity.hpp"

namespace shardprop::detail {

inline Shape shape_copy(const Module& m, ValueId value) { return shape_copy(m, type_of(m, value)); }

// The list of integers under `key` of `op`, empty where there is none.
inline Shape ints_in(const Module& m, OpId op, std::string_view key) {
  AttributeReader reader(m, op, nullptr);
  const auto values = reader.ints_or_empty(key);
  return {values.begin(), values.end()};
}

// Whether `value` is a constant whose elements are all 0, and not -0.
inline bool is_zero_constant(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  if (!op.valid() ||
      !is_one_of(m.ops[op].name, {known::kConstant, known::kSdyConstant, known::kArithConstant}))
    return false;
  const AttrId attr = m.attrs.plain(attribute(m, op, key::kValue));
  switch (m.attrs.kind(attr)) {
    case AttrKind::kBool:
      return !m.attrs.as_bool(attr);
    case AttrKind::kInt:
      return m.attrs.as_int(attr) == 0;
    case AttrKind::kFloat:
      return std::bit_cast<std::uint64_t>(m.attrs.as_float(attr)) == 0;
    default:
      return false;
  }
}

using AttributeArg = std::pair<std::string_view, AttrId>;

inline AttrId attributes_of(Module& m, std::initializer_list<AttributeArg> entries) {
  std::vector<AttrEntry> list;
  for (const auto& [name, value] : entries) list.push_back({m.strings.intern(name), value});
  return m.attrs.dict(list);
}

struct OpMaker {
  Module& m;
  Cursor at;
  OpId cause;
  ShardingId sharding = {};

  ValueId make(OpName name, std::span<const ValueId> operands, TypeId type,
               AttrId attributes = {}) const {
    const OpId op = create_op(m, at, {name, operands, {&type, 1}, attributes});
    m.locations.of_op.set(op, m.locations.of_op[cause]);
    m.lineage.note_need(op, cause);
    m.value_shardings[result(m, op, 0)] = sharding;
    return result(m, op, 0);
  }
  ValueId make(OpName name, std::initializer_list<ValueId> operands, TypeId type,
               AttrId attributes = {}) const {
    return make(name, std::span(operands.begin(), operands.size()), type, attributes);
  }

  AttrId dict(std::initializer_list<AttributeArg> entries) const {
    return attributes_of(m, entries);
  }
  AttrId ints(std::span<const std::int64_t> values) const { return m.attrs.ints(values); }

  // --- Constants, which have no sharding ---

  ValueId constant(TypeId type, AttrId value) const {
    return unsharded().make(known::kConstant, {}, type, dict({{"value", value}}));
  }
  ValueId scalar(std::string_view dtype, std::int64_t value) const {
    return constant(tensor_type(m, dtype, {}), m.attrs.integer(value));
  }
  ValueId index(std::int64_t value) const { return scalar("i64", value); }
  // A scalar 0 of the elements of `type`.
  ValueId zero(TypeId type) const {
    const TypeId scalar = with_shape(m, type, {});
    return constant(scalar, zero_of(m, scalar));
  }

  // --- Shapes ---

  // Dimension d of `value` with `low[d]` elements of `fill` before it, `high[d]` after it and
  // `interior[d]` between two elements. No list: 0 everywhere.
  ValueId pad(ValueId value, ValueId fill, TypeId type, std::span<const std::int64_t> low,
              std::span<const std::int64_t> high,
              std::span<const std::int64_t> interior = {}) const {
    const Shape none(rank_of(m, value), 0);
    const auto list = [&](std::span<const std::int64_t> values) {
      return ints(values.empty() ? std::span<const std::int64_t>(none) : values);
    };
    return make("stablehlo.pad", {value, fill}, type,
                dict({{"edge_padding_low", list(low)},
                      {"edge_padding_high", list(high)},
                      {"interior_padding", list(interior)}}));
  }
  // `value` grown to `shape` at the end of each dimension.
  ValueId pad_to(ValueId value, ValueId fill, std::span<const std::int64_t> shape) const {
    Shape high(shape.begin(), shape.end());
    for (std::size_t d = 0; d < high.size(); ++d) high[d] -= shape_of(m, value)[d];
    return pad(value, fill, with_shape(m, type_of(m, value), shape), {}, high);
  }
  // Elements `start[d]`, `start[d] + strides[d]`, ... of dimension d, all below `limit[d]`. No
  // strides: all 1.
  ValueId slice(ValueId value, std::span<const std::int64_t> start,
                std::span<const std::int64_t> limit,
                std::span<const std::int64_t> strides = {}) const {
    const Shape ones(start.size(), 1);
    if (strides.empty()) strides = ones;
    Shape shape;
    for (std::size_t d = 0; d < start.size(); ++d)
      shape.push_back((limit[d] - start[d] + strides[d] - 1) / strides[d]);
    return make(known::kSlice, {value}, with_shape(m, type_of(m, value), shape),
                dict({{"start_indices", ints(start)},
                      {"limit_indices", ints(limit)},
                      {"strides", ints(strides)}}));
  }
  // The first `shape[d]` elements of each dimension; `value` itself if these are all.
  ValueId slice_to(ValueId value, std::span<const std::int64_t> shape) const {
    if (std::ranges::equal(shape_of(m, value), shape)) return value;
    return slice(value, Shape(shape.size(), 0), shape);
  }
  ValueId dynamic_slice(ValueId value, std::span<const ValueId> starts,
                        std::span<const std::int64_t> sizes) const {
    std::vector<ValueId> operands = {value};
    operands.insert(operands.end(), starts.begin(), starts.end());
    return make("stablehlo.dynamic_slice", operands, with_shape(m, type_of(m, value), sizes),
                dict({{"slice_sizes", ints(sizes)}}));
  }
  ValueId concatenate(std::span<const ValueId> parts, std::size_t dim) const {
    Shape shape = shape_copy(m, type_of(m, parts[0]));
    for (ValueId part : parts.subspan(1)) shape[dim] += shape_of(m, part)[dim];
    const AttrId dimension = m.attrs.integer(static_cast<std::int64_t>(dim));
    return make(known::kConcatenate, parts, with_shape(m, type_of(m, parts[0]), shape),
                dict({{"dimension", dimension}}));
  }
  ValueId reshape(ValueId value, std::span<const std::int64_t> shape) const {
    return make(known::kReshape, {value}, with_shape(m, type_of(m, value), shape));
  }
  // The scalar `value` as each element of a tensor.
  ValueId splat(ValueId value, TypeId type) const {
    return make(known::kBroadcastInDim, {value}, type, dict({{"broadcast_dimensions", ints({})}}));
  }

  // --- Arithmetic ---

  // `name` is an operation of two operands and a result of one type, such as stablehlo.add.
  ValueId binary(OpName name, ValueId a, ValueId b) const {
    return make(name, {a, b}, type_of(m, a));
  }
  ValueId compare(ValueId a, ValueId b, std::string_view direction) const {
    return make(known::kCompare, {a, b}, tensor_type(m, "i1", shape_copy(m, type_of(m, a))),
                dict({{"comparison_direction", text_attribute(m, direction)}}));
  }
  ValueId select(ValueId condition, ValueId a, ValueId b) const {
    return make(known::kSelect, {condition, a, b}, type_of(m, a));
  }

  // Makes operations whose results have no sharding.
  OpMaker unsharded() const { return {m, at, cause}; }
};

// The channel ids that a module has not used yet.
class ChannelIds {
 public:
  explicit ChannelIds(const Module& m) {
    const StringId handle = m.strings.find("handle");
    walk_ops(m, [&](OpId op) {
      const AttrId id = m.attrs.find(attribute(m, op, "channel_handle"), handle);
      if (m.attrs.kind(id) == AttrKind::kInt) next_ = std::max(next_, m.attrs.as_int(id) + 1);
    });
  }

  // The attribute `channel_handle` of a collective from device to device.
  AttrId next(Module& m) {
    return attributes_of(m, {{"handle", m.attrs.integer(next_++)}, {"type", m.attrs.integer(1)}});
  }

 private:
  std::int64_t next_ = 1;
};

}  // namespace shardprop::detail
