// The main job: the shardings that the reference's pipeline finds for a program, on the program's
// own operations.
//
// The pipeline gives each use of a constant a copy of its own and each call a copy of its function,
// propagates, and cuts what does not divide evenly where values enter and leave functions. All this
// happens on a copy of the module. The outcome is then mapped back (program_outcome.hpp): nothing is
// added to the program and nothing is taken from it, apart from copies of functions whose calls need
// different shardings.
//
// `propagate` (propagate/propagate.hpp) is the propagation alone. It does not enter loops, manual
// computations or calls unless data-flow edges mark them.
#pragma once

#include <functional>
#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct PropagateProgramOptions {
  PropagateOptions propagation = {};
  // Check the module first. False is the caller's promise that it verifies: what happens to a
  // module that does not is then undefined.
  bool verify = true;
  // Copy a function whose calls need different shardings. Otherwise it takes those of the first
  // call, and the report says so.
  bool copy_functions = true;
  // Called on the working copy after each step, with its name: to look on, time, or verify.
  std::function<void(const Module& copy, std::string_view step)> observe = {};
};

// Gives each value of `m` the sharding that the reference's pipeline gives what it became, closed.
// On failure `m` is as it was.
//
// Where a value became several and they differ, the program has no place for both:
// - a constant, or what is made of constants only, keeps what the user wrote, mostly nothing;
// - a function whose calls need different shardings is copied, or takes those of the first call.
// Each such case is a note in the diagnostics of the report, as is each sharding that was cut back
// where values enter and leave functions.
//
// Cost: that of the passes, O(operations + copies of functions, one for each call), and a copy of
// `m` in memory.
SHARDPROP_INLINE Result<PropagationReport> propagate_program(
    Module& m, const OpTable& ops, const PropagateProgramOptions& options = {});

// A copy of a program as propagation leaves it: constants split, calls inlined, edges in place. For
// those who ask how an axis came to a value. `lineage` of the copy says what each value stands for.
struct PropagatedCopy {
  Module module;
  PropagationReport report;
};

// Propagates through a copy of `m`, which must verify.
SHARDPROP_INLINE Result<PropagatedCopy> propagate_copy(const Module& m, const OpTable& ops,
                                                       const PropagateProgramOptions& options = {});

// Gives the values of `m` the shardings of `copy`, which `propagate_copy` made of it; see
// `propagate_program`. On failure `m` is as it was.
SHARDPROP_INLINE Result<PropagationReport> write_outcome(
    Module& m, PropagatedCopy copy, const OpTable& ops,
    const PropagateProgramOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/pipeline/propagate_program_inl.hpp"
#endif
