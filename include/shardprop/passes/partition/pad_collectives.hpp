// What `pad-for-divisibility` does to collectives. One that splits a dimension further takes an
// operand that is padded with zeros; of one that joins shards the padding is cut off.
//
// Worked example, 7 elements: all_slice along x=4 takes 8, the last one 0; all_gather of its result
// gives 8, of which a slice takes 7.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/passes/partition/padded_program.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop::detail {

// How a collective changes the sharding of its operand, dimension by dimension.
struct CollectiveShards {
  TensorSharding from;
  TensorSharding to;
};

inline CollectiveShards collective_shards(const Module& m, OpId op) {
  const TensorSharding& to = out_sharding(m, op);
  const auto from = actual_sharding(m, operand(m, op, 0));
  return {from.value_or(closed_sharding(to.mesh, to.rank())), to};
}

// Whether the shards along dimension `dim` are parts or unions of those before, whatever the size.
inline bool shards_line_up(const PaddedProgram& p, OpId op, const CollectiveShards& s,
                           std::size_t dim) {
  const std::int64_t before = shard_count(s.from, dim);
  const std::int64_t after = shard_count(s.to, dim);
  const std::int64_t size = p.original_shape(operand(p.m, op, 0))[dim];
  return before == 1 || after == 1 || round_up(size, before) == round_up(size, after);
}

// Gathers the dimensions that `op` reshards, cuts their padding off, and slices them anew. A
// reduce_scatter becomes an all_reduce before.
inline void reshard_by_gathering(PaddedProgram& p, OpId op, const CollectiveShards& s) {
  Module& m = p.m;
  const Cursor at = before(m, op);
  const ValueId input = operand(m, op, 0);
  ValueId value = input;
  Shape shape = p.shape(input);
  const Shape original = p.original_shape(input);
  const Shape target = p.shape(result(m, op, 0));
  TensorSharding whole = s.from;
  whole.mesh = s.to.mesh;
  std::vector<AxisList> gathered(s.to.rank());
  std::vector<AxisList> sliced(s.to.rank());
  if (m.ops[op].name == known::kSdyReduceScatter) {
    AxisList reduced;
    for (const AxisList& axes :
         axes_per_dim_in(m, attribute(m, op, key::kReduceScatterAxes), m.meshes[s.to.mesh]))
      reduced.append(axes);
    const AttrId attributes =
        m.attrs.with(m.attrs.with({}, key::kReductionAxes, collective_axes(m, reduced, s.to.mesh)),
                     key::kReductionOp, attribute(m, op, key::kReductionOp));
    whole.unreduced = s.to.unreduced;
    value = create_op_on(m, at, known::kSdyAllReduce, value, m.shardings.intern(whole), attributes);
  }
  for (std::size_t d = 0; d < s.to.rank(); ++d) {
    if (s.from.dims[d].axes == s.to.dims[d].axes) continue;
    gathered[d] = s.from.dims[d].axes;
    sliced[d] = s.to.dims[d].axes;
    whole.dims[d].axes.clear();
    shape[d] = original[d];
  }
  const ShardingId in_between = m.shardings.intern(whole);
  const AttrId gathering = collective_axes(m, gathered, s.to.mesh);
  value = build_collective(
      m, at, {known::kSdyAllGather, value, in_between, key::kGatheringAxes, gathering});
  const OpMaker maker{m, at, op, in_between};
  value = maker.slice_to(value, shape);
  if (shape != target) value = maker.pad_to(value, maker.zero(type_of(m, value)), target);
  const AttrId slicing = collective_axes(m, sliced, s.to.mesh);
  const ShardingId out = m.value_shardings[result(m, op, 0)];
  value = build_collective(m, at, {known::kSdyAllSlice, value, out, key::kSlicingAxes, slicing});
  p.note_padded(value, input);
  replace_uses(m, result(m, op, 0), value);
  erase_op(m, op);
}

inline void pad_collective(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const CollectiveShards s = collective_shards(m, op);
  if (p.options.gather_uneven) {
    for (std::size_t d = 0; d < s.to.rank(); ++d) {
      if (!shards_line_up(p, op, s, d)) return reshard_by_gathering(p, op, s);
    }
  }
  const ValueId input = operand(m, op, 0);
  const ValueId output = result(m, op, 0);
  const bool zero_before = p.is_zero_padded(input);
  bool zero = zero_before;
  const Shape during = divisible_shape(p.shape(input), s.to);
  if (during != p.shape(input)) {
    zero = zero || !p.grew(input);
    const OpMaker maker = p.before_op(op, p.sharding_id(input));
    const ValueId padded = maker.pad_to(input, maker.zero(type_of(m, input)), during);
    p.note_padded(padded, input);
    if (zero) p.note_zero_padded(padded);
    set_operand(m, op, 0, padded);
  }
  const Shape target = p.shape(output);
  p.grow(output, reshaped_type(m, type_of(m, output), during));
  if (zero) p.note_zero_padded(output);
  const ValueId trimmed = p.trim(p.after_op(op, m.value_shardings[output]), output, target);
  if (trimmed != output && zero_before) p.note_zero_padded(trimmed);
}

}  // namespace shardprop::detail
