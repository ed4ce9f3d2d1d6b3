// Definition of infer.hpp.
#pragma once

#include <optional>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/signature.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

SHARDPROP_INLINE std::optional<std::vector<TypeId>> infer_types(const OpTable& table, Module& m,
                                                                OpId op, Diagnostics& out) {
  const OpRow* row = table.find(op_name(m, op));
  if (!can_infer(row)) {
    report(m, op, out, "cannot_infer",
           row ? "the result types do not follow from the operation"
               : "the result types of an unknown operation cannot be inferred",
           "give shape and dtype of each result");
    return std::nullopt;
  }
  if (!check_inputs(row->def.signature, m, op, out)) return std::nullopt;
  return infer_with_row(*row, {m, m, op, out, row->def.inputs});
}

}  // namespace shardprop
