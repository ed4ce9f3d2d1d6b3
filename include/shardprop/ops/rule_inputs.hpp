// A guard of sharding rules: a rule is asked for operations that nobody verified yet, so it looks
// before it indexes.
#pragma once

#include <cstddef>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/pointwise_rule.hpp"

namespace shardprop::detail {

// Whether `op` has so many operands and results, and all of them are tensors of static shape.
// O(tensors and dimensions).
inline bool has_static_tensors(const RuleInput& in, std::size_t operands, std::size_t results) {
  const Operation& op = in.m.ops[in.op];
  return op.operand_count == operands && op.result_count == results &&
         has_static_tensors(in.m, in.op);
}

}  // namespace shardprop::detail
