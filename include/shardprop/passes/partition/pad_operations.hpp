// What `pad-for-divisibility` does to operations that see the padding of their operands, or whose
// attributes say how large their result is. What combines elements of a dimension takes a mask over
// its padding, unless that is known to be harmless: contractions zeros, reductions their initial
// value, of which a reduction may take any number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/stablehlo/convolution_dims.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/padded_program.hpp"

namespace shardprop::detail {

// --- Sizes in attributes ---

inline void pad_slice(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId made = result(m, op, 0);
  if (!p.grew(made)) return;
  const Shape start = ints_in(m, op, "start_indices");
  const Shape strides = ints_in(m, op, "strides");
  const Shape original = p.original_shape(made);
  const Shape shape = p.shape(made);
  Shape limit = ints_in(m, op, "limit_indices");
  Shape needed = p.shape(operand(m, op, 0));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == original[d]) continue;
    limit[d] = start[d] + (shape[d] - 1) * strides[d] + 1;
    needed[d] = std::max(needed[d], limit[d]);
  }
  const ValueId value = operand(m, op, 0);
  if (needed != p.shape(value)) {
    const OpMaker maker = p.before_op(op, p.sharding_id(value));
    set_operand(m, op, 0, maker.pad_to(value, maker.zero(type_of(m, value)), needed));
  }
  set_attribute(m, op, "limit_indices", m.attrs.ints(limit));
}

// The padding after the result makes up for that of the operand, which must look like it then.
inline void pad_pad(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const Shape before = p.original_shape(value);
  const Shape now = p.shape(value);
  const Shape target = p.shape(result(m, op, 0));
  const Shape low = ints_in(m, op, "edge_padding_low");
  const Shape high = ints_in(m, op, "edge_padding_high");
  const Shape interior = ints_in(m, op, "interior_padding");
  Shape new_high;
  bool is_cut = false;   // as in the reference, that takes a mask
  bool is_seen = false;  // padding of the operand is where the operation pads
  for (std::size_t d = 0; d < target.size(); ++d) {
    const std::int64_t holes = std::max<std::int64_t>(0, now[d] - 1) * interior[d];
    new_high.push_back(target[d] - now[d] - low[d] - holes);
    is_cut = is_cut || new_high[d] < high[d];
    is_seen = is_seen || (now[d] != before[d] && high[d] > interior[d]);
  }
  const bool is_same = p.has_zeros(value) && is_zero_constant(m, operand(m, op, 1));
  if (is_cut || (is_seen && !is_same)) fill_operand(p, op, 0, operand(m, op, 1), all_dims(now));
  set_attribute(m, op, "edge_padding_high", m.attrs.ints(new_high));
}

// A constant whose elements differ keeps its type, and its padding comes after it.
inline void pad_constant(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = result(m, op, 0);
  const AttrKind kind = m.attrs.kind(m.attrs.plain(attribute(m, op, key::kValue)));
  const bool is_splat = kind != AttrKind::kInts && kind != AttrKind::kList &&
                        kind != AttrKind::kData && kind != AttrKind::kDict;
  if (is_splat) return;
  const Shape target = p.shape(value);
  set_type(m, value, with_shape(m, type_of(m, value), p.original_shape(value)));
  const OpMaker maker = p.after_op(op, m.value_shardings[value]);
  const ValueId padded = maker.pad_to(value, maker.zero(type_of(m, value)), target);
  replace_uses(m, value, padded, defining_op(m, padded));
  p.note_padded(padded, value);
  p.note_zero_padded(padded);
}

// --- Masks ---

// The last dimension of the first operand and the first one of the second are contracted.
inline void pad_dot(PaddedProgram& p, OpId op) {
  const std::int64_t contracted[] = {
      static_cast<std::int64_t>(rank_of(p.m, operand(p.m, op, 0))) - 1, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const ValueId value = operand(p.m, op, i);
    const std::span dims(contracted + i, 1);
    if (grew_along(p, value, dims) && !p.has_zeros(value)) fill_operand_with_zeros(p, op, i, dims);
  }
}

inline void pad_dot_general(PaddedProgram& p, OpId op) {
  AttributeReader reader(p.m, op, nullptr);
  AttributeReader numbers = reader.dict("dot_dimension_numbers");
  const auto copy = [](std::span<const std::int64_t> dims) {
    return Shape(dims.begin(), dims.end());
  };
  const Shape lhs = copy(numbers.ints_or_empty("lhs_contracting_dimensions"));
  const Shape rhs = copy(numbers.ints_or_empty("rhs_contracting_dimensions"));
  fill_operand_with_zeros(p, op, 0, lhs);
  fill_operand_with_zeros(p, op, 1, rhs);
}

inline void pad_reduce(PaddedProgram& p, OpId op) {
  const std::size_t count = p.m.ops[op].operand_count / 2;
  const Shape dims = ints_in(p.m, op, "dimensions");
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId value = operand(p.m, op, i);
    const ValueId initial = operand(p.m, op, count + i);
    if (p.has_zeros(value) && is_zero_constant(p.m, initial)) continue;
    fill_operand(p, op, i, initial, dims);
  }
}

// Windows that reach into the padding of the input find zeros there. The result is cut where there
// are more windows than it has elements.
inline void pad_convolution(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const auto numbers = read_convolution_dims(AttributeReader(m, op, nullptr));
  if (!numbers) return;
  Shape input(numbers->input_spatial.begin(), numbers->input_spatial.end());
  Shape kernel(numbers->kernel_spatial.begin(), numbers->kernel_spatial.end());
  input.push_back(numbers->input_feature);
  kernel.push_back(numbers->kernel_input_feature);
  fill_operand_with_zeros(p, op, 0, input);
  fill_operand_with_zeros(p, op, 1, kernel);
  const ValueId made = result(m, op, 0);
  const Shape target = p.shape(made);
  const auto types = infer_types(p.table, m, op, p.errors);
  if (!types) return;
  const Shape inferred = shape_copy(m, (*types)[0]);
  for (std::size_t d = 0; d < target.size(); ++d) {
    if (inferred[d] >= target[d]) continue;
    return p.errors.push_back(
        {"pad_for_divisibility.convolution",
         fmt::format(
             "dimension {} of the result is sharded and must have {} elements, but there are "
             "only {} windows",
             d, target[d], inferred[d]),
         "run resolve-permutation-factors before, which unshards it", place_of(m, op)});
  }
  p.grow(made, (*types)[0]);
  p.trim(p.after_op(op, m.value_shardings[made]), made, target);
}

}  // namespace shardprop::detail
