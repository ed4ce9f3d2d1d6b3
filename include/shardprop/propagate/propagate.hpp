// Propagation of shardings through a module: the entry points.
//
// Rounds nest: user priority, then op-priority round, then strategy; each is a run of the engine
// over the whole module. Cost: O(operations) per run and O(1) per change; a step that was seen
// before is a look-up.
#pragma once

#include <cstddef>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Finds the shardings of all values from those that are given. `m` must verify (`verify_module`;
// `propagate_program` does it by itself): this is not checked again. Where members of a sharding
// group have different shardings, it inserts operations `sdy.sharding_constraint` and adds a warning
// to the report. Fails, and leaves `m` as it was, where a value has no static shape.
SHARDPROP_INLINE Result<PropagationReport> propagate(Module& m, const OpTable& table,
                                                     const PropagateOptions& options = {});

// Puts on each operation that has none the rule that propagation would use.
SHARDPROP_INLINE std::size_t populate_sharding_rules(Module& m, const OpTable& table,
                                                     bool conservative = false);

namespace detail {

// Shardings need static shapes: an error for each operation that makes something else.
SHARDPROP_INLINE Diagnostics check_shapes(const Module& m);

}  // namespace detail

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/propagate/propagate_inl.hpp"
#endif
