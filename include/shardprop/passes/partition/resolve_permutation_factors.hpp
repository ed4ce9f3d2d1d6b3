// Pass `resolve-permutation-factors`: makes operations local that move elements along sharded
// dimensions: pads, slices, reverses, windows, and reshapes whose sizes do not divide. Devices
// exchange the ends of their shards (halo_dims.hpp), or the dimension is unsharded around the
// operation, which is what any other operation of such factors takes, and all do without
// `enable-halo-exchange`.
//
// Runs after `insert-explicit-reshards` (full), before `reshard-to-collectives`. O(operations +
// operands), and O(devices) per exchange.
#pragma once

#include <algorithm>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/resolve_by_unsharding.hpp"
#include "shardprop/passes/partition/resolve_pad_slice.hpp"
#include "shardprop/passes/partition/resolve_reshape.hpp"
#include "shardprop/passes/partition/resolve_reverse.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Whether `op` was resolved by exchanging, or needs no resolving.
inline bool resolve_by_exchange(PermutationContext& c, OpId op) {
  if (!c.options.enable_halo_exchange) return false;
  if (is_shift(c.module(), op)) return resolve_shift(c, op);
  if (op_name(c.module(), op) == "stablehlo.reverse") return resolve_reverse(c, op);
  return false;
}

inline bool has_permutation(const OpShardingRule& rule) {
  return std::ranges::any_of(
      rule.factors, [](const Factor& factor) { return factor.kind == FactorKind::kPermutation; });
}

}  // namespace detail

// Error: `resolve_permutation_factors.counts`.
inline Result<bool> resolve_permutation_factors(Module& m, const OpTable& ops,
                                                const ResolvePermutationOptions& options = {}) {
  if (options.replica_count > 1 && options.partition_count > 1) {
    return Diagnostic{"resolve_permutation_factors.counts",
                      "replica-count and partition-count are both above 1",
                      "set replica-count or partition-count to 1"};
  }
  OpRows rows(ops, m);
  ShardingStore store(m, rows);
  Diagnostics errors;
  ReshardContext reshards{m, store, errors};
  detail::PermutationContext c{reshards, options, detail::ChannelIds(m), Symbols(m)};
  RuleCache rules(false);
  Projection scratch;
  for (OpId op : postorder(m)) {
    if (!op_name(m, op).starts_with("stablehlo.")) continue;
    if ((traits_of(rows[op], m, op) & kTerminator) != 0) continue;
    if (m.ops[op].name == known::kReshape) {
      detail::resolve_reshape(c, op);
      continue;
    }
    const RuleId id = m.ops[op].rule.valid() ? m.ops[op].rule : rules.get(m, rows, op);
    if (!id.valid() || m.rules[id].custom) continue;
    const bool any_kind = options.only_local && detail::is_shift(m, op);
    if (!any_kind && !detail::has_permutation(m.rules[id])) continue;
    if (detail::resolve_by_exchange(c, op)) continue;
    const OpShardingRule rule = m.rules[id];
    detail::resolve_by_unsharding(c, op, rule, scratch);
  }
  store.finish();
  for (ValueId value : c.computed) m.value_shardings[value] = ShardingId();
  return c.changed;
}

}  // namespace shardprop
