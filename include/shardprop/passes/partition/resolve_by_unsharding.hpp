// Unshards the factors of an operation that would need other devices' elements: reshards around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/passes/partition/permutation_context.hpp"
#include "shardprop/passes/partition/resolve_pad_slice.hpp"
#include "shardprop/passes/reshards/op_reshards.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop::detail {

inline bool is_shift(const Module& m, OpId op) {
  return m.ops[op].name == known::kSlice || is_pad(m, op);
}

// Which factors of `op` to unshard. Of a pad or a slice, not those of dimensions that are local.
inline std::vector<bool> factors_to_unshard(const PermutationContext& c, OpId op,
                                            const OpShardingRule& rule) {
  const Module& m = c.module();
  std::vector<bool> chosen(rule.factors.size(), false);
  const bool any_kind = c.options.only_local && is_shift(m, op);
  for (std::size_t f = 0; f < chosen.size(); ++f)
    chosen[f] = any_kind || rule.factors[f].kind == FactorKind::kPermutation;
  if (!is_shift(m, op)) return chosen;
  const auto in = c.sharding(operand(m, op, 0));
  const auto out = c.sharding(result(m, op, 0));
  for (std::size_t d = 0; d < rule.tensor(0).size(); ++d) {
    const bool agree = in && out && in->dims[d].axes == out->dims[d].axes;
    if (!agree || !is_shift_local(m, op, *in, d)) continue;
    for (std::uint32_t f : rule.tensor(0)[d]) chosen[f] = false;
  }
  return chosen;
}

// Takes the axes of `chosen` factors away from every tensor. Which tensors changed.
inline std::vector<bool> clear_factors(Projection& projection, const std::vector<bool>& chosen) {
  std::vector<bool> changed(projection.tensor_count(), false);
  for (std::size_t t = 0; t < projection.tensor_count(); ++t) {
    for (std::size_t f = 0; f < projection.factor_count(); ++f) {
      FactorSharding& cell = projection.at(t, f);
      if (!chosen[f] || !cell.mapped || (cell.axes.empty() && cell.overflow.empty())) continue;
      cell.axes.clear();
      cell.overflow.clear();
      changed[t] = true;
    }
  }
  return changed;
}

inline void resolve_by_unsharding(PermutationContext& c, OpId op, const OpShardingRule& rule,
                                  Projection& scratch) {
  Module& m = c.module();
  std::vector<ShardingId> shardings;
  const auto add = [&](ValueId value) {
    shardings.push_back(c.reshards.sharding(before_barriers(m, value)));
  };
  for (UseId use : operand_uses(m, op)) add(m.uses[use].value);
  for (ValueId value : results(m, op)) add(value);
  const MeshId mesh = mesh_to_use(m, shardings);
  if (!mesh.valid()) return;
  RuledOp ruled{.op = op,
                .rule = rule,
                .shardings = std::move(shardings),
                .mesh = mesh,
                .projection = scratch};
  project(m, ruled);
  const std::vector<bool> changed = clear_factors(scratch, factors_to_unshard(c, op, rule));
  if (std::ranges::find(changed, true) == changed.end()) return;
  c.changed = true;
  insert_reshards(c.reshards, ruled, changed);
}

}  // namespace shardprop::detail
