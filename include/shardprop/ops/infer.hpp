// Type inference of one operation through its row. The reader, the builder and the verifier all
// come through here, so that a type is derived in one place.
#pragma once

#include <optional>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"

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
SHARDPROP_INLINE std::optional<std::vector<TypeId>> infer_types(const OpTable& table, Module& m,
                                                                OpId op, Diagnostics& out);

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/infer_inl.hpp"
#endif
