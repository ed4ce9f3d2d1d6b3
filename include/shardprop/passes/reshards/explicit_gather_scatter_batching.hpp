// Pass `explicit-gather-scatter-batching`: where the first dimension of a gather's or scatter's
// operand is indexed by an iota, element i of each batch by i, makes it an explicit batching
// dimension, along which the operation can be sharded.
//
// Worked example, operand [B, N], indices = concatenate(iota [B, 1], x [B, 1]): the gather takes x
// alone as indices and has operand and indices batching dimension 0.
//
// As in the reference, the pass also moves each `stablehlo.constant` to the front of its function
// (or of the isolated region that it stands in) and merges equal ones; operations that only fed
// the old indices are erased. O(operations).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/common/erase_unused.hpp"
#include "shardprop/passes/common/hoist_constants.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

using DimNumbers = std::vector<std::int64_t>;

// What gather and scatter call the same things.
struct BatchingNames {
  StringId op;
  std::string_view numbers;
  std::string_view dropped_dims;  // dimensions of the operand that the windows lack
  std::string_view index_map;     // the operand's dimension of each component of an index
  std::string_view operand_batching;
  std::string_view indices_batching;
};

inline constexpr BatchingNames kGatherBatching = {
    known::kGather,    "dimension_numbers",     "collapsed_slice_dims",
    "start_index_map", "operand_batching_dims", "start_indices_batching_dims"};
inline constexpr BatchingNames kScatterBatching = {
    known::kScatter,        "scatter_dimension_numbers",
    "inserted_window_dims", "scatter_dims_to_operand_dims",
    "input_batching_dims",  "scatter_indices_batching_dims"};

// How an operation's dimension numbers become explicit.
struct Batching {
  DimNumbers dropped_dims;
  DimNumbers index_map;
  std::int64_t index_vector_dim = 0;
  std::int64_t component = 0;  // of an index, which the iota gives and which goes
};

class GatherScatterBatcher {
 public:
  GatherScatterBatcher(Module& m, const OpTable& ops) : m_(m), rows_(ops, m) {}

  bool run(FuncId f) {
    std::vector<OpId> found;
    walk_block(m_, m_.funcs[f].body, [&](OpId op) {
      const StringId name = m_.ops[op].name;
      if (name == kGatherBatching.op || name == kScatterBatching.op) found.push_back(op);
    });
    bool changed = false;
    for (std::size_t i = found.size(); i-- > 0;) changed = rewrite(found[i]) || changed;
    return changed;
  }

 private:
  // A gather has an operand and indices, a scatter n inputs, indices and n updates.
  static std::size_t indices_operand(const Module& m, OpId op) {
    return m.ops[op].name == kGatherBatching.op ? 1 : m.ops[op].operand_count / 2;
  }

  bool rewrite(OpId op) {
    const BatchingNames& names =
        m_.ops[op].name == kGatherBatching.op ? kGatherBatching : kScatterBatching;
    const std::optional<Batching> batching = batching_of(op, names);
    if (!batching) return false;
    const ValueId old_indices = operand(m_, op, indices_operand(m_, op));
    const ValueId indices = without_component(op, old_indices, *batching);
    replace_op(op, indices, explicit_numbers(op, names, *batching));
    erase_unused(m_, rows_, {old_indices});
    return true;
  }

  // None where the first dimension is not a batch, or is explicit already.
  std::optional<Batching> batching_of(OpId op, const BatchingNames& names) const {
    if (m_.ops[op].operand_count < 2) return std::nullopt;
    const auto shape = shape_of(m_, operand(m_, op, 0));
    const ValueId indices = operand(m_, op, indices_operand(m_, op));
    const auto indices_shape = shape_of(m_, indices);
    if (shape.empty() || indices_shape.empty()) return std::nullopt;
    AttributeReader attributes(m_, op, nullptr);
    AttributeReader numbers = attributes.dict(names.numbers);
    if (!numbers.ints_or_empty(names.operand_batching).empty()) return std::nullopt;
    Batching b;
    b.index_vector_dim = numbers.integer_or("index_vector_dim", 0);
    const auto rank = static_cast<std::int64_t>(indices_shape.size());
    if (b.index_vector_dim < 0 || b.index_vector_dim >= rank) return std::nullopt;
    if (indices_shape[static_cast<std::size_t>(b.index_vector_dim)] <= 1) return std::nullopt;
    if (indices_shape[0] != shape[0]) return std::nullopt;
    b.index_map = to_numbers(numbers.ints_or_empty(names.index_map));
    b.dropped_dims = to_numbers(numbers.ints_or_empty(names.dropped_dims));
    const auto component = std::find(b.index_map.begin(), b.index_map.end(), 0);
    const auto dropped = std::find(b.dropped_dims.begin(), b.dropped_dims.end(), 0);
    if (component == b.index_map.end() || dropped == b.dropped_dims.end()) return std::nullopt;
    b.component = component - b.index_map.begin();
    if (!is_iota(indices, b)) return std::nullopt;
    b.index_map.erase(component);
    b.dropped_dims.erase(dropped);
    return b;
  }

  static DimNumbers to_numbers(std::span<const std::int64_t> dims) {
    return DimNumbers(dims.begin(), dims.end());
  }

  // The operation called `name` that makes `value`, or none.
  OpId maker(ValueId value, StringId name) const {
    const OpId op = defining_op(m_, value);
    return op.valid() && m_.ops[op].name == name ? op : OpId();
  }

  // Whether the component of the indices is an iota of dimension 0, maybe reshaped, broadcast,
  // clamped or corrected by a select.
  bool is_iota(ValueId indices, const Batching& b) const {
    ValueId value = indices;
    if (const OpId parts = maker(indices, known::kConcatenate); parts.valid()) {
      const auto component = static_cast<std::size_t>(b.component);
      if (int_of(parts, "dimension") != b.index_vector_dim) return false;
      if (component >= m_.ops[parts].operand_count) return false;
      value = operand(m_, parts, component);
    }
    const OpId iota = maker(source_of(value), known::kIota);
    return iota.valid() && int_of(iota, "iota_dimension") == 0;
  }

  std::int64_t int_of(OpId op, std::string_view key) const {
    return AttributeReader(m_, op, nullptr).integer_or(key, 0);
  }

  ValueId source_of(ValueId value) const {
    while (true) {
      const OpId op = defining_op(m_, value);
      if (!op.valid()) return value;
      const StringId name = m_.ops[op].name;
      const std::size_t count = m_.ops[op].operand_count;
      if (name == known::kReshape || name == known::kBroadcastInDim) {
        value = operand(m_, op, 0);
      } else if (name == known::kClamp && count == 3) {
        value = operand(m_, op, 1);
      } else if (name == known::kSelect && count == 3) {
        const bool if_false = maker(operand(m_, op, 2), known::kIota).valid();
        value = operand(m_, op, if_false ? 2 : 1);
      } else {
        return value;
      }
    }
  }

  // The indices without the iota's component, made before `op`.
  ValueId without_component(OpId op, ValueId indices, const Batching& b) {
    std::vector<ValueId> parts;
    const auto size = shape_of(m_, indices)[static_cast<std::size_t>(b.index_vector_dim)];
    const OpId joined = maker(indices, known::kConcatenate);
    if (joined.valid() && m_.ops[joined].operand_count == static_cast<std::size_t>(size)) {
      parts = operands_of(m_, joined);
      parts.erase(parts.begin() + b.component);
    } else {
      if (b.component > 0) parts.push_back(slice(op, indices, b, 0, b.component));
      if (b.component + 1 < size) parts.push_back(slice(op, indices, b, b.component + 1, size));
    }
    if (parts.size() == 1) return parts[0];
    const TypeId type = resized(indices, b, size - 1);
    const AttrEntry dimension[] = {
        {m_.strings.intern("dimension"), m_.attrs.integer(b.index_vector_dim)}};
    const AttrId attributes = m_.attrs.dict(dimension);
    return result(
        m_, create_op(m_, before(m_, op), {known::kConcatenate, parts, {&type, 1}, attributes}), 0);
  }

  ValueId slice(OpId op, ValueId indices, const Batching& b, std::int64_t begin, std::int64_t end) {
    const auto dim = static_cast<std::size_t>(b.index_vector_dim);
    DimNumbers limit = to_numbers(shape_of(m_, indices));
    DimNumbers start(limit.size(), 0);
    const DimNumbers strides(limit.size(), 1);
    start[dim] = begin;
    limit[dim] = end;
    const AttrEntry entries[] = {{m_.strings.intern("start_indices"), m_.attrs.ints(start)},
                                 {m_.strings.intern("limit_indices"), m_.attrs.ints(limit)},
                                 {m_.strings.intern("strides"), m_.attrs.ints(strides)}};
    const AttrId attributes = m_.attrs.dict(entries);
    const TypeId type = resized(indices, b, end - begin);
    const ValueId operands[] = {indices};
    return result(
        m_, create_op(m_, before(m_, op), {known::kSlice, operands, {&type, 1}, attributes}), 0);
  }

  // The type of `indices` with `size` components.
  TypeId resized(ValueId indices, const Batching& b, std::int64_t size) {
    DimNumbers shape = to_numbers(shape_of(m_, indices));
    shape[static_cast<std::size_t>(b.index_vector_dim)] = size;
    return m_.types.tensor(m_.types.dtype(type_of(m_, indices)), shape);
  }

  AttrId explicit_numbers(OpId op, const BatchingNames& names, const Batching& b) {
    const DimNumbers batching = {0};
    AttrId numbers = attribute(m_, op, names.numbers);
    const auto set = [&](std::string_view key, const DimNumbers& dims) {
      const AttrId value = dims.empty() ? AttrId() : m_.attrs.ints(dims);
      numbers = m_.attrs.with(numbers, m_.strings.intern(key), value);
    };
    set(names.dropped_dims, b.dropped_dims);
    set(names.operand_batching, batching);
    set(names.indices_batching, batching);
    set(names.index_map, b.index_map);
    return m_.attrs.with(m_.ops[op].attributes, m_.strings.intern(names.numbers), numbers);
  }

  // Puts an operation with other indices and attributes in the place of `op`.
  void replace_op(OpId op, ValueId indices, AttrId attributes) {
    std::vector<ValueId> operands = operands_of(m_, op);
    operands[indices_operand(m_, op)] = indices;
    const std::vector<TypeId> types = types_of(m_, results(m_, op));
    const OpId made = create_op(m_, before(m_, op), {m_.ops[op].name, operands, types, attributes});
    m_.ops[made].rule = m_.ops[op].rule;
    m_.ops[made].first_block = m_.ops[op].first_block;
    m_.ops[op].first_block = BlockId();
    for (BlockId b = m_.ops[made].first_block; b.valid(); b = m_.blocks[b].next_sibling) {
      m_.blocks[b].parent_op = made;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      m_.value_shardings[result(m_, made, i)] = m_.value_shardings[result(m_, op, i)];
    }
    replace_results(m_, op, made);
    erase_op(m_, op);
  }

  Module& m_;
  OpRows rows_;
};

}  // namespace detail

inline Result<bool> explicit_gather_scatter_batching(Module& m, const OpTable& ops) {
  bool changed = hoist_constants(m, ops);
  detail::GatherScatterBatcher batcher(m, ops);
  for (FuncId f : m.func_order) changed = batcher.run(f) || changed;
  return changed;
}

}  // namespace shardprop
