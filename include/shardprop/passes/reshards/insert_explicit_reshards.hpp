// Pass `insert-explicit-reshards`: puts an sdy.reshard wherever an operation's tensors disagree on
// how a factor is sharded, and an sdy.all_reduce wherever a sharded factor is reduced, so that each
// operation can run on its shards as they are. Runs after propagation, with the data-flow edges
// removed.
//
// The minimal version does so for calls and concatenations that need it, for products whose result
// is cheaper to reshard than their operands, and for unreduced axes; the full version for
// everything.
//
// O(operations + operands + results), apart from the choice of axes, which is quadratic in the
// distinct axis lists of one operation. It is made once for equal operations: see
// reshard_plan.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/reducing_body.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/passes/reshards/dot.hpp"
#include "shardprop/passes/reshards/flow.hpp"
#include "shardprop/passes/reshards/local_rule.hpp"
#include "shardprop/passes/reshards/op_reshards.hpp"
#include "shardprop/passes/reshards/reshape.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"
#include "shardprop/passes/reshards/reshard_plan.hpp"
#include "shardprop/passes/reshards/single_device.hpp"
#include "shardprop/passes/reshards/unreduced.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct ExplicitReshardsOptions {
  bool enable_full_version = false;
  // Let no operation need data of other devices: what it would move is replicated before it. Beyond the
  // reference; only with the full version.
  bool only_local = false;
};

namespace detail {

// The walk over the operations, each after what its regions hold.
class ExplicitReshards {
 public:
  ExplicitReshards(ReshardContext& c, OpRows& rows, ExplicitReshardsOptions options)
      : c_(c),
        rows_(rows),
        rules_(false),
        symbols_(c.m),
        full_(options.enable_full_version),
        only_local_(options.only_local) {
    has_barriers_ = has_op(c.m, known::kSdyPropagationBarrier);
    for (ShardingId id : c.m.shardings.ids()) {
      any_unreduced_ = any_unreduced_ || !c.m.shardings[id].unreduced.empty();
      any_single_device_ = any_single_device_ || is_single_device(c.m, id);
    }
  }

  void visit(OpId op) {
    const OpRow* row = rows_[op];
    if ((traits_of(row, c_.m, op) & kTerminator) != 0) return;
    const StringId name = c_.m.ops[op].name;
    const bool full = full_ || is_always_resharded(op, name);
    if (row && row->def.data_flow) return reshard_edges(c_, op, *row->def.data_flow, full);
    if (only_local_ && name == known::kIf) return reshard_branches(c_, op);
    if (name == known::kFuncCall) return reshard_call(c_, op, symbols_.callee(c_.m, op), full);
    if (any_unreduced_) {
      if (name == known::kSdyReshard && replace_unreducing_reshard(c_, op)) return;
      reduce_operands(c_, op);
    }
    if (any_single_device_ && visit_single_device(op)) return;
    if (full || may_need_minimal(op)) visit_tensors(op, row, full);
  }

 private:
  // Operations that the minimal version treats as the full one does.
  bool is_always_resharded(OpId op, StringId name) const {
    if (name == known::kFuncCall || name == known::kMhloRaggedDot) return true;
    if (name != known::kConcatenate) return false;
    const ShardingId made = c_.sharding(result(c_.m, op, 0));
    const IdRange<UseId> uses = operand_uses(c_.m, op);
    return std::any_of(uses.begin(), uses.end(),
                       [&](UseId use) { return c_.sharding(c_.m.uses[use].value) != made; });
  }

  // Whether `op` runs on one device.
  bool visit_single_device(OpId op) {
    std::vector<ShardingId> shardings;
    for (ValueId value : results(c_.m, op)) shardings.push_back(sharding_before_barriers(value));
    const bool single = std::any_of(shardings.begin(), shardings.end(),
                                    [&](ShardingId id) { return is_single_device(c_.m, id); });
    if (single) reshard_single_device(c_, op, shardings);
    return single;
  }

  void visit_tensors(OpId op, const OpRow* row, bool full) {
    const MemoKey<std::uint32_t> key = make_key(op, row);
    if (const auto known = plans_.find(key)) return do_steps(c_.m, c_.store, op, *known);
    c_.steps.clear();
    resolve_tensors(op, full);
    if (c_.errors.empty()) plans_.insert(key, c_.steps);
  }

  // All that the rule of `op` depends on, then the type and the shardings of each tensor.
  MemoKey<std::uint32_t> make_key(OpId op, const OpRow* row) {
    const Operation& o = c_.m.ops[op];
    const bool has_context = row && row->def.context && !o.rule.valid();
    words_.clear();
    const auto reduction = o.first_block.valid() ? partial_reduction(c_.m, op) : std::nullopt;
    for (std::uint32_t word :
         {o.rule.index, o.operand_count, has_context ? row->def.context(c_.m, op) : 0,
          reduction ? static_cast<std::uint32_t>(*reduction) + 1 : 0})
      words_.push_back(word);
    for (UseId use : operand_uses(c_.m, op)) add_to_key(c_.m.uses[use].value);
    for (ValueId value : results(c_.m, op)) add_to_key(value);
    return {(std::uint64_t{o.name.index} << 32) | o.attributes.index, words_};
  }
  void add_to_key(ValueId value) {
    words_.push_back(type_of(c_.m, value).index);
    words_.push_back(c_.sharding(value).index);
    if (has_barriers_) words_.push_back(sharding_before_barriers(value).index);
  }
  ShardingId sharding_before_barriers(ValueId value) const {
    return c_.sharding(has_barriers_ ? before_barriers(c_.m, value) : value);
  }

  // The rule by which the tensors of `op` are made to agree; none where they may differ.
  std::optional<OpShardingRule> rule_for(OpId op, std::optional<ReductionOp> reduction) {
    const RuleId id = c_.m.ops[op].rule.valid() ? c_.m.ops[op].rule : rules_.get(c_.m, rows_, op);
    if (!only_local_ && (!id.valid() || c_.m.rules[id].custom)) return std::nullopt;
    if (!id.valid()) {
      if (op_name(c_.m, op).starts_with("sdy.")) return std::nullopt;
      return replicating_rule(c_.m, op);
    }
    OpShardingRule rule = c_.m.rules[id];
    if (!reduction) replicate_kind(rule, FactorKind::kReduction);
    return only_local_ ? local_rule(c_.m, op, std::move(rule)) : rule;
  }

  void resolve_tensors(OpId op, bool full) {
    const std::optional<ReductionOp> reduction = partial_reduction(c_.m, op);
    const std::optional<OpShardingRule> rule = rule_for(op, reduction);
    if (!rule) return;
    std::vector<ShardingId> shardings;
    for (UseId use : operand_uses(c_.m, op))
      shardings.push_back(sharding_before_barriers(c_.m.uses[use].value));
    for (ValueId value : results(c_.m, op)) shardings.push_back(sharding_before_barriers(value));
    const MeshId mesh = mesh_to_use(c_.m, shardings);
    if (!mesh.valid()) return only_local_ ? replicate_tensors(c_, op) : void();
    RuledOp ruled{op, *rule, std::move(shardings), mesh, projection_};
    ruled.reduction = reduction.value_or(ReductionOp::kSum);
    project(c_.m, ruled);
    full ? resolve(ruled) : resolve_minimal(ruled);
  }

  void resolve(RuledOp& ruled) {
    if (only_local_) {
      const FactorAxes axes = resolve_locally(c_, ruled);
      return reduce_results(c_, ruled, &axes);
    }
    const bool redistributes =
        c_.m.ops[ruled.op].name == known::kReshape && has_overflow(ruled.projection);
    const FactorAxes axes =
        redistributes ? reshard_overflowing_reshape(c_, ruled) : resolve_conflicts(c_, ruled);
    reduce_results(c_, ruled, &axes);
  }

  bool is_product(OpId op) const {
    return is_one_of(c_.m.ops[op].name, {known::kDotGeneral, known::kDot});
  }

  // Whether the minimal version can have anything to do at `op`.
  bool may_need_minimal(OpId op) const {
    if (is_product(op)) return true;
    if (!any_unreduced_ || c_.m.ops[op].result_count == 0) return false;
    const ShardingId made = c_.sharding(result(c_.m, op, 0));
    return made.valid() && !c_.m.shardings[made].unreduced.empty();
  }

  void resolve_minimal(RuledOp& ruled) {
    if (is_product(ruled.op)) reshard_product(c_, ruled);
    reduce_results(c_, ruled, nullptr);
  }

  ReshardContext& c_;
  OpRows& rows_;
  RuleCache rules_;
  Symbols symbols_;
  Projection projection_;
  ReshardPlans plans_;
  std::vector<std::uint32_t> words_;
  bool full_;
  bool only_local_;
  bool has_barriers_ = false;
  bool any_unreduced_ = false;  // without any, none comes into being
  bool any_single_device_ = false;
};

inline Result<bool> insert_reshards_everywhere(Module& m, const OpTable& ops,
                                               ExplicitReshardsOptions options) {
  Diagnostics errors;
  OpRows rows(ops, m);
  ShardingStore store(m, rows);
  ReshardContext c{m, store, errors};
  const std::size_t before = m.ops.size();
  for (FuncId f : m.func_order) check_no_single_device(c, f);
  if (errors.empty()) {
    ExplicitReshards pass(c, rows, options);
    for (OpId op : postorder(m)) pass.visit(op);
    for (FuncId f : m.func_order) reshard_returned(c, f, options.enable_full_version);
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
  if (!detail::may_fail(m)) return detail::insert_reshards_everywhere(m, ops, options);
  Module trial = m;
  Result<bool> changed = detail::insert_reshards_everywhere(trial, ops, options);
  if (changed) m = std::move(trial);
  return changed;
}

}  // namespace shardprop
