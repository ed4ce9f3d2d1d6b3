// Pass `canonicalize`: the rewrites of the sdy dialect that make reshards, collectives and manual
// computations fewer, as one table.
//
// Operations that a rewrite leaves without users are erased if they are pure; what had no users
// before stays, but reshards and barriers. Linear in the number of operations.
#pragma once

#include <array>
#include <string_view>

#include "shardprop/passes/canonicalize/collective_rewrites.hpp"
#include "shardprop/passes/canonicalize/manual_computation_rewrites.hpp"
#include "shardprop/passes/canonicalize/reduce_scatter_rewrites.hpp"
#include "shardprop/passes/canonicalize/reshard_rewrites.hpp"
#include "shardprop/passes/canonicalize/rewriter.hpp"
#include "shardprop/passes/common/hoist_constants.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Labels that choose a part of the table.
inline constexpr std::string_view kReshardRewrites = "sdy-reshard";
inline constexpr std::string_view kCollectiveRewrites = "sdy-collective";

// Of rewrites of one operation the first that applies is taken.
inline constexpr std::array kRewrites = {
    RewriteRow{"manual-computation-unused-inputs", "sdy.manual_computation", "",
               detail::drop_unused_operands},
    RewriteRow{"redundant-manual-computation", "sdy.manual_computation", "",
               detail::inline_manual_computation},
    RewriteRow{"reshard-no-use", "sdy.reshard", kAnyLabel, detail::drop_unused},
    RewriteRow{"barrier-no-use", "sdy.propagation_barrier", kAnyLabel, detail::drop_unused},
    RewriteRow{"reshard-of-reshard", "sdy.reshard", kReshardRewrites, detail::join_reshards},
    RewriteRow{"reshard-common-subexpression", "sdy.reshard", "", detail::reuse_reshard},
    RewriteRow{"all-gather-noop", "sdy.all_gather", kCollectiveRewrites, detail::drop_all_gather},
    RewriteRow{"all-slice-of-all-gather", "sdy.all_slice", kCollectiveRewrites,
               detail::drop_slice_of_gather},
    RewriteRow{"all-slice-noop", "sdy.all_slice", kCollectiveRewrites, detail::drop_all_slice},
    RewriteRow{"reduce-scatter-fusion", "sdy.all_slice", kCollectiveRewrites,
               detail::scatter_instead_of_slice},
    RewriteRow{"all-reduce-of-replicated-to-unreduced", "sdy.all_reduce", kCollectiveRewrites,
               detail::drop_reduce_of_replicated},
    RewriteRow{"all-reduce-of-sharded-to-unreduced", "sdy.all_reduce", kCollectiveRewrites,
               detail::gather_instead_of_reduce},
    RewriteRow{"all-reduce-noop", "sdy.all_reduce", kCollectiveRewrites, detail::drop_all_reduce},
    RewriteRow{"all-to-all-fusion", "sdy.all_to_all", kCollectiveRewrites,
               detail::join_all_to_alls},
    RewriteRow{"all-to-all-no-use", "sdy.all_to_all", kCollectiveRewrites,
               detail::drop_unused_all_to_all},
    RewriteRow{"collective-permute-noop", "sdy.collective_permute", kCollectiveRewrites,
               detail::drop_collective_permute},
    RewriteRow{"reduce-scatter-noop", "sdy.reduce_scatter", kCollectiveRewrites,
               detail::drop_reduce_scatter},
};

struct CanonicalizeOptions {
  std::string_view label = {};  // only rewrites with this label; empty: all
};

inline Result<bool> canonicalize(Module& m, const OpTable& ops,
                                 const CanonicalizeOptions& options = {}) {
  const bool hoisted = hoist_constants(m, ops);
  return Rewriter(m, ops).run(kRewrites, options.label) || hoisted;
}

}  // namespace shardprop
