// Lists of types: what an operation takes and gives, and what its regions take and return.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

inline std::vector<TypeId> operand_types(const Module& m, OpId op) {
  std::vector<TypeId> types;
  for (UseId use : operand_uses(m, op)) types.push_back(type_of(m, m.uses.get(use).value));
  return types;
}

inline std::vector<TypeId> result_types(const Module& m, OpId op) {
  std::vector<TypeId> types;
  for (ValueId value : results(m, op)) types.push_back(type_of(m, value));
  return types;
}

inline std::vector<TypeId> argument_types(const Module& m, BlockId block) {
  std::vector<TypeId> types;
  for (ValueId value : m.blocks.get(block).arguments) types.push_back(type_of(m, value));
  return types;
}

// What `block` returns; empty for an empty block.
inline std::vector<TypeId> returned_types(const Module& m, BlockId block) {
  const OpId last = terminator(m, block);
  return last.valid() ? operand_types(m, last) : std::vector<TypeId>();
}

// Whether both lists have as many types, each compatible with the other's.
inline bool compatible_lists(const Module& m, const std::vector<TypeId>& a,
                             const std::vector<TypeId>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!compatible_types(m, a[i], b[i])) return false;
  }
  return true;
}

// `(tensor<2xf32>, stablehlo.token)`
inline std::string to_string(const Module& m, const std::vector<TypeId>& types) {
  return "(" + comma_list(types, [&](TypeId type) { return to_string(m, type); }) + ")";
}

}  // namespace shardprop
