// What of an operation each device can do with its own parts, as a sharding rule: all other factors need
// replication. With such rules, insert-explicit-reshards makes a program in which no operation needs
// data of another device, apart from the all-reduces of its reductions.
//
// Worked example: concatenate of f32[4,8] and f32[2,8] along dimension 0 has the factor of dimension 1
// as it is; that of dimension 0, by which data would move, needs replication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/passes/reshards/factor_axes.hpp"
#include "shardprop/passes/reshards/flow.hpp"
#include "shardprop/passes/reshards/op_reshards.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop::detail {

inline void replicate_kind(OpShardingRule& rule, FactorKind kind) {
  for (Factor& factor : rule.factors) {
    if (factor.kind == kind) factor.kind = FactorKind::kNeedReplication;
  }
}

// The factors of dimensions that are not as large as they are: a part of such a dimension lies elsewhere
// than the part of another tensor's.
inline void replicate_partial_dims(const Module& m, ValueId value, const TensorMapping& mapping,
                                   OpShardingRule& rule) {
  const auto shape = shape_of(m, value);
  for (std::size_t d = 0; d < mapping.size() && d < shape.size(); ++d) {
    std::int64_t size = 1;
    for (std::uint32_t f : mapping[d]) size *= rule.factors[f].size;
    if (size == shape[d]) continue;
    for (std::uint32_t f : mapping[d]) rule.factors[f].kind = FactorKind::kNeedReplication;
  }
}

// Whether what `op` makes depends on where in its result it is, so that parts cannot be made alike.
inline bool makes_by_position(const Module& m, OpId op) {
  const std::string_view name = op_name(m, op);
  return name == "stablehlo.rng" || name == "stablehlo.rng_bit_generator" ||
         name == "stablehlo.dynamic_iota" || name == "stablehlo.infeed" || name == "stablehlo.recv";
}

// Whether only those dimensions can be split that all tensors of `op` have as a whole. A slice reads or
// writes others at places that it is given, a reshape deals them out anew.
inline bool splits_common_dims_only(const Module& m, OpId op) {
  const std::string_view name = op_name(m, op);
  return name == "stablehlo.dynamic_slice" || name == "stablehlo.dynamic_update_slice" ||
         name == "stablehlo.reshape";
}

// Whether `op` moves elements along dimension `dim` of its first operand though its size may stay.
inline bool moves_along(const Module& m, OpId op, std::size_t dim) {
  AttributeReader reader(m, op, nullptr);
  const auto at = [&](std::string_view name, std::int64_t absent) {
    const auto values = reader.ints_or_empty(name);
    return dim < values.size() ? values[dim] : absent;
  };
  const std::string_view name = op_name(m, op);
  if (name == "stablehlo.pad") {
    return at("edge_padding_low", 0) != 0 || at("edge_padding_high", 0) != 0 ||
           at("interior_padding", 0) != 0;
  }
  if (name == "stablehlo.reduce_window" || name == "stablehlo.select_and_scatter") {
    const auto padding = reader.int_lists_or_empty("padding");
    const bool padded = dim < padding.size() && (padding[dim][0] != 0 || padding[dim][1] != 0);
    return padded || at("window_dimensions", 1) != 1;
  }
  return false;
}

inline OpShardingRule local_rule(const Module& m, OpId op, OpShardingRule rule) {
  replicate_kind(rule, FactorKind::kPermutation);
  if (makes_by_position(m, op)) replicate_kind(rule, FactorKind::kPassThrough);
  for (std::uint32_t f = 0; f < rule.factors.size() && splits_common_dims_only(m, op); ++f) {
    if (!is_in_all_tensors(rule, f)) rule.factors[f].kind = FactorKind::kNeedReplication;
  }
  for (std::size_t d = 0; !rule.operands.empty() && d < rule.operands[0].size(); ++d) {
    if (!moves_along(m, op, d)) continue;
    for (std::uint32_t f : rule.operands[0][d]) rule.factors[f].kind = FactorKind::kNeedReplication;
  }
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    const bool is_operand = t < rule.operands.size();
    const ValueId value = is_operand ? operand(m, op, t) : result(m, op, t - rule.operands.size());
    replicate_partial_dims(m, value, TensorMapping(rule.tensor(t)), rule);
  }
  return rule;
}

// The rule of an operation of which nothing is known.
inline OpShardingRule replicating_rule(const Module& m, OpId op) {
  OpShardingRule rule;
  const auto map = [&](ValueId value) {
    TensorMapping mapping;
    for (std::int64_t size : shape_of(m, value)) {
      DimMapping dim;
      dim.push_back(static_cast<std::uint32_t>(rule.factors.size()));
      mapping.push_back(dim);
      Factor factor;
      factor.size = size;
      factor.kind = FactorKind::kNeedReplication;
      rule.factors.push_back(factor);
    }
    return mapping;
  };
  for (std::size_t i = 0; i < m.ops[op].operand_count; ++i)
    rule.operands.push_back(map(operand(m, op, i)));
  for (ValueId value : results(m, op)) rule.results.push_back(map(value));
  return rule;
}

// Takes axes away from a factor where the factor before it in a dimension is not full: they would make
// strided parts of that dimension, but not of the dimensions of other tensors.
inline void drop_strided_axes(const OpShardingRule& rule, FactorAxes& axes) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
      for (const DimMapping& dim : rule.tensor(t)) {
        bool full = true;
        for (std::uint32_t f : dim) {
          changed = changed || (!full && !axes[f].empty());
          if (!full) axes[f].clear();
          full = full && total_size(axes[f]) == rule.factors[f].size;
        }
      }
    }
  }
}

// Makes the tensors of an operation agree by its local rule.
inline FactorAxes resolve_locally(ReshardContext& c, RuledOp& r) {
  std::vector<std::int64_t> sizes;
  for (std::size_t t = 0; t < r.shardings.size(); ++t)
    sizes.push_back(element_count(c.m, tensor_of(c.m, r, t)));
  FactorAxes axes = find_common_axes(r.rule, r.projection, sizes, c.m.meshes[r.mesh]);
  drop_strided_axes(r.rule, axes);
  insert_reshards(c, r, apply_axes(r.projection, axes));
  return axes;
}

// Lets an operation whose tensors are on different meshes work on whole tensors.
inline void replicate_tensors(ReshardContext& c, OpId op) {
  const auto whole = [&](ShardingId id) {
    const TensorSharding& s = c.m.shardings[id];
    return c.m.shardings.intern(closed_sharding(s.mesh, s.rank()));
  };
  for (UseId use : operand_uses(c.m, op)) {
    const ValueId value = c.m.uses[use].value;
    const ShardingId id = c.sharding(value);
    if (!shards_no_dimension(c.m, id))
      set_use(c.m, use, insert_reshard(c, before(c.m, op), value, whole(id)));
  }
  for (ValueId value : results(c.m, op)) {
    const ShardingId id = c.sharding(value);
    if (shards_no_dimension(c.m, id)) continue;
    const ValueId back = insert_reshard(c, after(c.m, op), value, id);
    replace_uses(c.m, value, back, defining_op(c.m, back));
    c.store.set(value, whole(id));
  }
}

// Lets the regions of `op`, which has no data-flow edges, return what its results are sharded as.
inline void reshard_branches(ReshardContext& c, OpId op) {
  for (BlockId block = c.m.ops[op].first_block; block.valid();
       block = c.m.blocks[block].next_sibling) {
    const OpId end = terminator(c.m, block);
    for (std::size_t i = 0; i < c.m.ops[op].result_count; ++i)
      reshard_use(c, before(c.m, end), operand_uses(c.m, end)[i], c.sharding(result(c.m, op, i)),
                  true);
  }
}

}  // namespace shardprop::detail
