// The state of `pad-for-divisibility`. When it is made, every value that its sharding does not
// divide gets the type that it divides; from here on the first elements of the value are those of
// the program, and the rest, its padding, is anything. A handler then adapts an operation to its
// new types.
//
// Where the padding is known to be 0, that is noted, so that no mask is made in vain. Zeros that a
// pad or a mask made are followed through collectives, as the reference does, which decides where
// dot_general and convolution take a mask. For all else they are followed through every operation
// that makes zeros of zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sdy/unreduced_axes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

namespace detail {

// The sharding that a value has: a propagation barrier passes on that of its operand, whatever its
// own says. None where there is none.
inline ShardingId actual_sharding_id(Module& m, ValueId value) {
  const ValueId source = before_barriers(m, value);
  if (const ShardingId own = m.value_shardings[source]; own.valid()) return own;
  const auto s = tensor_sharding_of(m, source);
  return s ? m.shardings.intern(*s) : ShardingId();
}

// A value that its sharding does not divide, and the type that it needs.
struct GrownValue {
  ValueId value;
  TypeId type;
};

// The values of `m` that must grow. Each pair of a type and a sharding is looked at once.
inline std::vector<GrownValue> values_to_grow(Module& m) {
  std::vector<GrownValue> grown;
  std::unordered_map<std::uint64_t, TypeId> known;
  const auto note = [&](ValueId value) {
    const ShardingId sharding = actual_sharding_id(m, value);
    if (!sharding.valid()) return;
    const TypeId type = type_of(m, value);
    const std::uint64_t key = std::uint64_t{type.index} << 32 | sharding.index;
    const auto [at, is_new] = known.emplace(key, type);
    if (is_new) {
      const TensorSharding s = m.shardings[sharding];
      at->second = divisible_type(m, type, &s);
    }
    if (at->second != type) grown.push_back({value, at->second});
  };
  walk_ops(m, [&](OpId op) {
    for (ValueId value : results(m, op)) note(value);
    for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
      for (ValueId argument : m.blocks[b].arguments) note(argument);
    }
  });
  return grown;
}

class PaddedProgram {
 public:
  PaddedProgram(Module& module, const OpTable& ops, std::span<const GrownValue> grown)
      : m(module), table(ops) {
    for (const GrownValue& g : grown) grow(g.value, g.type);
  }

  Module& m;
  const OpTable& table;
  Diagnostics errors;

  bool grew(ValueId value) const { return original_.contains(value); }
  bool touches(OpId op) const {
    const IdRange<UseId> uses = operand_uses(m, op);
    const IdRange<ValueId> made = results(m, op);
    return std::any_of(uses.begin(), uses.end(),
                       [&](UseId use) { return grew(m.uses[use].value); }) ||
           std::any_of(made.begin(), made.end(), [&](ValueId value) { return grew(value); });
  }

  // The shape of `value` without padding.
  Shape original_shape(ValueId value) const {
    const auto at = original_.find(value);
    return shape_copy(m, at == original_.end() ? type_of(m, value) : at->second);
  }
  Shape shape(ValueId value) const { return shape_copy(m, type_of(m, value)); }

  // Says that `made` has the elements of `value`, and padding if it is larger.
  void note_padded(ValueId made, ValueId value) {
    const auto at = original_.find(value);
    const TypeId original = at == original_.end() ? type_of(m, value) : at->second;
    if (type_of(m, made) != original) original_[made] = original;
  }

  // `value` takes `type`, with padding where that is larger.
  void grow(ValueId value, TypeId type) {
    original_.try_emplace(value, type_of(m, value));
    set_type(m, value, type);
  }

  bool is_zero_padded(ValueId value) const { return zero_padded_.contains(value); }
  void note_zero_padded(ValueId value) { zero_padded_.insert(value); }
  // The same with what follows from it.
  bool has_zeros(ValueId value) const {
    return !grew(value) || zeros_.contains(value) || is_zero_padded(value);
  }
  void note_zeros(ValueId value) { zeros_.insert(value); }

  // Makes operations before, or after, `op`.
  OpMaker before_op(OpId op, ShardingId sharding = {}) { return {m, before(m, op), op, sharding}; }
  OpMaker after_op(OpId op, ShardingId sharding = {}) { return {m, after(m, op), op, sharding}; }

  // None where `value` has no sharding.
  ShardingId sharding_id(ValueId value) { return actual_sharding_id(m, value); }

  // Lets the users of `value` use the first `shape` elements of it, which `maker` slices out.
  ValueId trim(const OpMaker& maker, ValueId value, const Shape& shape) {
    const ValueId trimmed = maker.slice_to(value, shape);
    if (trimmed == value) return value;
    replace_uses(m, value, trimmed, defining_op(m, trimmed));
    note_padded(trimmed, value);
    return trimmed;
  }

 private:
  std::unordered_map<ValueId, TypeId> original_;  // of the values that have padding
  std::unordered_set<ValueId> zero_padded_;
  std::unordered_set<ValueId> zeros_;
};

// A mask over `shape`: true within `valid` along each of `dims` that has padding. None where none
// has.
inline ValueId valid_mask(const OpMaker& maker, const Shape& shape, const Shape& valid,
                          std::span<const std::int64_t> dims) {
  ValueId mask;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    if (valid[d] == shape[d] || std::ranges::find(dims, dim) == dims.end()) continue;
    const TypeId type = tensor_type(maker.m, "i32", shape);
    const ValueId position = maker.make(
        known::kIota, {}, type, maker.dict({{"iota_dimension", maker.m.attrs.integer(dim)}}));
    const ValueId limit = maker.splat(maker.scalar("i32", valid[d]), type);
    const ValueId inside = maker.compare(position, limit, "LT");
    mask = mask.valid() ? maker.binary("stablehlo.and", mask, inside) : inside;
  }
  return mask;
}

// All dimensions of `shape`.
inline Shape all_dims(const Shape& shape) {
  Shape dims(shape.size());
  for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<std::int64_t>(d);
  return dims;
}

// Lets operand `i` of `op` have the scalar `fill` as padding along `dims`. Whether that took a mask.
inline bool fill_operand(PaddedProgram& p, OpId op, std::size_t i, ValueId fill,
                         std::span<const std::int64_t> dims) {
  const ValueId value = operand(p.m, op, i);
  const OpMaker maker = p.before_op(op, p.sharding_id(value));
  const ValueId mask = valid_mask(maker, p.shape(value), p.original_shape(value), dims);
  if (!mask.valid()) return false;
  const ValueId filled = maker.select(mask, value, maker.splat(fill, type_of(p.m, value)));
  p.note_padded(filled, value);
  set_operand(p.m, op, i, filled);
  return true;
}

// Lets operand `i` of `op` have zeros as padding along `dims`. As in the reference, the constant is
// made even where no mask is.
inline void fill_operand_with_zeros(PaddedProgram& p, OpId op, std::size_t i,
                                    std::span<const std::int64_t> dims) {
  const ValueId value = operand(p.m, op, i);
  if (!p.grew(value) || p.is_zero_padded(value)) return;
  fill_operand(p, op, i, p.before_op(op).zero(type_of(p.m, value)), dims);
}

// Whether `value` has padding along one of `dims`.
inline bool grew_along(const PaddedProgram& p, ValueId value, std::span<const std::int64_t> dims) {
  const Shape before = p.original_shape(value);
  const Shape now = p.shape(value);
  return std::ranges::any_of(dims, [&](std::int64_t dim) {
    const auto d = static_cast<std::size_t>(dim);
    return before[d] != now[d];
  });
}

}  // namespace detail

}  // namespace shardprop
