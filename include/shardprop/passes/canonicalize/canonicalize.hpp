// Pass `canonicalize`: the rewrites of the sdy dialect that reduce the number of reshards,
// collectives and manual computations, as one table.
//
// Operations that a rewrite leaves without users are erased if they are pure; what had no users
// before stays, except reshards and barriers. Linear in the number of operations.
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
    RewriteRow{"manual-computation-unused-inputs", known::kSdyManualComputation, "",
               detail::drop_unused_operands},
    RewriteRow{"redundant-manual-computation", known::kSdyManualComputation, "",
               detail::inline_manual_computation},
    RewriteRow{"reshard-no-use", known::kSdyReshard, kAnyLabel, detail::drop_unused},
    RewriteRow{"barrier-no-use", known::kSdyPropagationBarrier, kAnyLabel, detail::drop_unused},
    RewriteRow{"reshard-of-reshard", known::kSdyReshard, kReshardRewrites, detail::join_reshards},
    RewriteRow{"reshard-common-subexpression", known::kSdyReshard, "", detail::reuse_reshard},
    RewriteRow{"all-gather-noop", known::kSdyAllGather, kCollectiveRewrites,
               detail::drop_all_gather},
    RewriteRow{"all-slice-of-all-gather", known::kSdyAllSlice, kCollectiveRewrites,
               detail::drop_slice_of_gather},
    RewriteRow{"all-slice-noop", known::kSdyAllSlice, kCollectiveRewrites, detail::drop_all_slice},
    RewriteRow{"reduce-scatter-fusion", known::kSdyAllSlice, kCollectiveRewrites,
               detail::scatter_instead_of_slice},
    RewriteRow{"all-reduce-of-replicated-to-unreduced", known::kSdyAllReduce, kCollectiveRewrites,
               detail::drop_reduce_of_replicated},
    RewriteRow{"all-reduce-of-sharded-to-unreduced", known::kSdyAllReduce, kCollectiveRewrites,
               detail::gather_instead_of_reduce},
    RewriteRow{"all-reduce-noop", known::kSdyAllReduce, kCollectiveRewrites,
               detail::drop_all_reduce},
    RewriteRow{"all-to-all-fusion", known::kSdyAllToAll, kCollectiveRewrites,
               detail::join_all_to_alls},
    RewriteRow{"all-to-all-no-use", known::kSdyAllToAll, kCollectiveRewrites,
               detail::drop_unused_all_to_all},
    RewriteRow{"collective-permute-noop", known::kSdyCollectivePermute, kCollectiveRewrites,
               detail::drop_collective_permute},
    RewriteRow{"reduce-scatter-noop", known::kSdyReduceScatter, kCollectiveRewrites,
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
