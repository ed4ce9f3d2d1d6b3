// Pass `insert-explicit-reshards`: puts an sdy.reshard wherever an operation's tensors disagree on
// how a factor is sharded, and an sdy.all_reduce wherever a sharded factor is reduced, so that each
// operation can run on its shards as they are. Runs after propagation, with the data-flow edges
// taken away.
//
// The minimal version does so for calls and concatenations that need it, for products whose result
// is cheaper to reshard than their operands, and for unreduced axes; the full version for
// everything.
//
// O(operations + operands + results), apart from the choice of axes, which is quadratic in the
// distinct axis lists of one operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/passes/explicit_reshards_context.hpp"
#include "shardprop/passes/explicit_reshards_dot.hpp"
#include "shardprop/passes/explicit_reshards_flow.hpp"
#include "shardprop/passes/explicit_reshards_op.hpp"
#include "shardprop/passes/explicit_reshards_reshape.hpp"
#include "shardprop/passes/explicit_reshards_single_device.hpp"
#include "shardprop/passes/explicit_reshards_unreduced.hpp"
#include "shardprop/propagate/projection.hpp"
#include "shardprop/propagate/sharding_store.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct ExplicitReshardsOptions {
  bool enable_full_version = false;
};

namespace detail {

// Operations that the minimal version treats as the full one does.
inline bool is_always_resharded(const ReshardContext& c, OpId op) {
  const std::string_view name = op_name(c.m, op);
  if (name == "func.call" || name == "mhlo.ragged_dot") return true;
  if (name != "stablehlo.concatenate") return false;
  const ShardingId made = c.sharding(result(c.m, op, 0));
  const IdRange<UseId> uses = operand_uses(c.m, op);
  return std::any_of(uses.begin(), uses.end(),
                     [&](UseId use) { return c.sharding(c.m.uses[use].value) != made; });
}

// The walk over the operations, each after what its regions hold.
class ExplicitReshards {
 public:
  ExplicitReshards(ReshardContext& c, OpRows& rows, bool full)
      : c_(c), rows_(rows), rules_(false), symbols_(c.m), full_(full) {}

  void visit(OpId op) {
    const OpRow* row = rows_[op];
    if ((traits_of(row, c_.m, op) & kTerminator) != 0) return;
    const bool full = full_ || is_always_resharded(c_, op);
    if (row && row->def.data_flow) return reshard_edges(c_, op, *row->def.data_flow, full);
    const std::string_view name = op_name(c_.m, op);
    if (name == "func.call") return reshard_call(c_, op, symbols_.callee(c_.m, op), full);
    if (name == "sdy.reshard" && replace_unreducing_reshard(c_, op)) return;
    reduce_operands(c_, op);
    visit_tensors(op, full);
  }

 private:
  void visit_tensors(OpId op, bool full) {
    const std::vector<ShardingId> results = result_shardings(op);
    for (ShardingId id : results) {
      if (is_single_device(c_.m, id)) return reshard_single_device(c_, op, results);
    }
    const RuleId rule = c_.m.ops[op].rule.valid() ? c_.m.ops[op].rule : rules_.get(c_.m, rows_, op);
    if (!rule.valid() || c_.m.rules[rule].custom) return;
    std::vector<ShardingId> shardings;
    for (UseId use : operand_uses(c_.m, op))
      shardings.push_back(c_.sharding(before_barriers(c_.m, c_.m.uses[use].value)));
    shardings.insert(shardings.end(), results.begin(), results.end());
    const MeshId mesh = mesh_to_use(c_.m, shardings);
    if (!mesh.valid()) return;
    RuledOp ruled{op, c_.m.rules[rule], std::move(shardings), mesh, projection_};
    project(c_.m, ruled);
    full ? resolve(ruled) : resolve_minimal(ruled);
  }

  void resolve(RuledOp& ruled) {
    const bool redistributes =
        op_name(c_.m, ruled.op) == "stablehlo.reshape" && has_overflow(ruled.projection);
    const FactorAxes axes =
        redistributes ? reshard_overflowing_reshape(c_, ruled) : resolve_conflicts(c_, ruled);
    reduce_results(c_, ruled, &axes);
  }

  void resolve_minimal(RuledOp& ruled) {
    const std::string_view name = op_name(c_.m, ruled.op);
    if (name == "stablehlo.dot" || name == "stablehlo.dot_general") reshard_product(c_, ruled);
    reduce_results(c_, ruled, nullptr);
  }

  std::vector<ShardingId> result_shardings(OpId op) const {
    std::vector<ShardingId> shardings;
    for (ValueId value : results(c_.m, op))
      shardings.push_back(c_.sharding(before_barriers(c_.m, value)));
    return shardings;
  }

  ReshardContext& c_;
  OpRows& rows_;
  RuleCache rules_;
  Symbols symbols_;
  Projection projection_;
  bool full_;
};

inline Result<bool> insert_reshards_everywhere(Module& m, const OpTable& ops, bool full) {
  Diagnostics errors;
  OpRows rows(ops, m);
  ShardingStore store(m, rows);
  ReshardContext c{m, store, errors};
  const std::size_t before = m.ops.size();
  for (FuncId f : m.func_order) check_no_single_device(c, f);
  if (errors.empty()) {
    ExplicitReshards pass(c, rows, full);
    for (OpId op : postorder(m)) pass.visit(op);
    for (FuncId f : m.func_order) reshard_returned(c, f, full);
  }
  store.finish();
  if (!errors.empty()) return errors;
  return m.ops.size() > before;
}

// All that can fail has to do with unreduced axes or single devices.
inline bool may_fail(const Module& m) {
  for (ShardingId id : m.shardings.ids()) {
    if (is_single_device(m, id) || !m.shardings[id].unreduced.empty()) return true;
  }
  return false;
}

}  // namespace detail

inline Result<bool> insert_explicit_reshards(Module& m, const OpTable& ops,
                                             ExplicitReshardsOptions options = {}) {
  if (!detail::may_fail(m))
    return detail::insert_reshards_everywhere(m, ops, options.enable_full_version);
  Module trial = m;
  Result<bool> changed =
      detail::insert_reshards_everywhere(trial, ops, options.enable_full_version);
  if (changed) m = std::move(trial);
  return changed;
}

}  // namespace shardprop
