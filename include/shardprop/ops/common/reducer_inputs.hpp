// The operands of an operation that reduces: n inputs of one shape, then n initial values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop::detail {

// The types of operands `first` to `first + count`.
inline std::vector<TypeId> operand_types(const Module& m, OpId op, std::size_t first,
                                         std::size_t count) {
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < count; ++i) types.push_back(operand_type(m, op, first + i));
  return types;
}

// Half of the operands are inputs, the other half are initial values; 0 after a diagnostic.
inline std::size_t check_input_count(const VerifyInput& in, std::string_view constraint) {
  const std::size_t operands = in.m.ops[in.op].operand_count;
  if (operands > 0 && operands % 2 == 0) return operands / 2;
  report(
      in, constraint,
      fmt::format("there must be as many initial values as inputs, found {} operands", operands));
  return 0;
}

inline bool check_same_shapes(const VerifyInput& in, std::string_view constraint,
                              const std::vector<TypeId>& types) {
  for (TypeId type : types) {
    if (compatible_shapes(in.m.types.shape(types[0]), in.m.types.shape(type))) continue;
    report(in, constraint,
           fmt::format("all inputs must have the same shape, found {} and {}",
                       to_string(in.m, types[0]), to_string(in.m, type)));
    return false;
  }
  return true;
}

}  // namespace shardprop::detail
