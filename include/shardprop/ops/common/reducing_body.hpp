// Operations that combine elements by a body: which reduction that is, and how the parts of one over a
// sharded dimension are put together. Each device reduces its part, then an all-reduce reduces the results.
//
// Worked example, reduce of f32[8] by maximum on two devices: each has the maximum of four, the
// all-reduce takes the maximum of both. Of a product there is no all-reduce in the sdy dialect, and a
// reduction of two tensors together (argmax) needs both at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

namespace detail {

inline bool is_argument_of(const Module& m, ValueId value, BlockId block, std::size_t number) {
  return argument_block(m, value) == block && m.values[value].number == number;
}

// Whether `op` combines two values in any order to the same result: add, multiply, maximum,
// minimum, logical and and or.
inline bool is_reducer(const Module& m, OpId op) {
  const std::string_view name = op_name(m, op);
  if (name == "stablehlo.and" || name == "stablehlo.or") {
    return m.ops[op].result_count == 1 &&
           m.strings[m.types.dtype(type_of(m, result(m, op, 0)))] == "i1";
  }
  return name == "stablehlo.add" || name == "stablehlo.multiply" || name == "stablehlo.maximum" ||
         name == "stablehlo.minimum";
}

}  // namespace detail

// 1 where the body of a reduction or a scatter combines each element with another one, or with its
// update, by one and the same operation, so that parts can be put together afterwards.
inline std::uint32_t combines_by_reduction(const Module& m, OpId op) {
  const BlockId block = m.ops[op].first_block;
  const std::size_t inputs = m.ops[op].operand_count / 2;
  if (!block.valid() || m.blocks[block].arguments.size() != 2 * inputs) return 0;
  const OpId last = terminator(m, block);
  if (!last.valid() || m.ops[last].name != known::kReturn || m.ops[last].operand_count != inputs)
    return 0;
  StringId reducer;
  for (std::size_t i = 0; i < inputs; ++i) {
    const OpId maker = defining_op(m, operand(m, last, i));
    if (!maker.valid() || m.ops[maker].operand_count != 2 || !detail::is_reducer(m, maker))
      return 0;
    if (reducer.valid() && reducer != m.ops[maker].name) return 0;
    reducer = m.ops[maker].name;
    const ValueId lhs = operand(m, maker, 0);
    const ValueId rhs = operand(m, maker, 1);
    const auto are = [&](ValueId a, ValueId b) {
      return detail::is_argument_of(m, a, block, i) &&
             detail::is_argument_of(m, b, block, i + inputs);
    };
    if (!are(lhs, rhs) && !are(rhs, lhs)) return 0;
  }
  return 1;
}

// What puts the parts of `op` together; none where the sdy dialect has no such all-reduce. Each part of a
// reduction begins with the initial value: more than one does not change a maximum or a minimum, but a sum.
inline std::optional<ReductionOp> partial_reduction(const Module& m, OpId op) {
  if (!m.ops[op].first_block.valid()) return ReductionOp::kSum;
  if (!combines_by_reduction(m, op)) return std::nullopt;
  const OpId end = terminator(m, m.ops[op].first_block);
  const StringId reducer = m.ops[defining_op(m, operand(m, end, 0))].name;
  const std::string_view name = m.strings[reducer];
  if (reducer == known::kAdd) return ReductionOp::kSum;
  if (reducer == known::kMaximum) return ReductionOp::kMax;
  if (reducer == known::kMinimum) return ReductionOp::kMin;
  if (name == "stablehlo.or") return ReductionOp::kMax;   // of booleans only
  if (name == "stablehlo.and") return ReductionOp::kMin;  // likewise
  return std::nullopt;
}

}  // namespace shardprop
