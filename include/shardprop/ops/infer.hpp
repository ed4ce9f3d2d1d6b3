// Type inference of one operation through its row. The reader, the builder and the verifier all
// come through here, so that a type is derived in one place.
#pragma once

#include <optional>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/signature.hpp"

namespace shardprop {

inline bool can_infer(const OpRow* row) {
  return row && (row->custom ? static_cast<bool>(row->custom->infer) : row->def.infer != nullptr);
}

// Calls the row's own inference, which must be there; operands and regions must be as the row
// declares.
inline std::optional<std::vector<TypeId>> infer_with_row(const OpRow& row,
                                                         const InferInput& input) {
  return row.custom ? row.custom->infer(input) : row.def.infer(input);
}

// The types of the results, in order; none after a diagnostic. The types that the results have
// now do not matter, so that they may be anything, but the operands' and the regions' must be
// known.
inline std::optional<std::vector<TypeId>> infer_types(const OpTable& table, Module& m, OpId op,
                                                      Diagnostics& out) {
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
