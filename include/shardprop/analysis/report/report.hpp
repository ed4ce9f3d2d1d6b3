// A report on what a program costs once it is sharded, and why: each collective with its reason,
// large values that stay replicated, operations that no sharding passes, axes that do not divide,
// conflicts, axes that split nothing; worst first, with what a change would save.
//
// The bytes of the findings of communication sum up to those of `communication`. Equal findings, as
// those of equal layers, are one row. Cost: that of the pipeline, and of it once more for each change
// that is tried.
#pragma once

#include <cstddef>

#include "shardprop/analysis/report/finding.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct ReportOptions {
  // The program has its collectives already: it is not propagated, and nothing can be tried.
  bool is_explicit = false;
  // Values that every device holds whole are told of from this size on.
  double large_bytes = 1 << 20;
  std::size_t max_trials = 24;
};

// Reports on `program`, which must verify. Fails as the pipeline does.
SHARDPROP_INLINE Result<Report> make_report(const Module& program, const OpTable& ops,
                                            const ReportOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/analysis/report/report_inl.hpp"
#endif
