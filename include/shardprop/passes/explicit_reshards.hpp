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
#include <cstdint>
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
#include "shardprop/support/hash.hpp"
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

// Keys of operations that need nothing.
class AgreedOps {
 public:
  bool contains(std::uint64_t hash, const std::vector<std::uint32_t>& key) const {
    return index_.find(hash, [&](std::uint32_t row) { return is_row(row, key); }) !=
           HashIndex::kEmpty;
  }
  void insert(std::uint64_t hash, const std::vector<std::uint32_t>& key) {
    index_.insert(hash, static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back({words_.size(), key.size()});
    words_.insert(words_.end(), key.begin(), key.end());
  }

 private:
  struct Row {
    std::size_t begin;
    std::size_t size;
  };
  bool is_row(std::uint32_t row, const std::vector<std::uint32_t>& key) const {
    const Row& r = rows_[row];
    return r.size == key.size() &&
           std::equal(key.begin(), key.end(),
                      words_.begin() + static_cast<std::ptrdiff_t>(r.begin));
  }

  HashIndex index_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> words_;
};

// The walk over the operations, each after what its regions hold.
class ExplicitReshards {
 public:
  ExplicitReshards(ReshardContext& c, OpRows& rows, bool full)
      : c_(c), rows_(rows), rules_(false), symbols_(c.m), full_(full) {
    for (ShardingId id : c.m.shardings.ids())
      any_unreduced_ = any_unreduced_ || !c.m.shardings[id].unreduced.empty();
  }

  void visit(OpId op) {
    const OpRow* row = rows_[op];
    if ((traits_of(row, c_.m, op) & kTerminator) != 0) return;
    const bool full = full_ || is_always_resharded(c_, op);
    if (row && row->def.data_flow) return reshard_edges(c_, op, *row->def.data_flow, full);
    const std::string_view name = op_name(c_.m, op);
    if (name == "func.call") return reshard_call(c_, op, symbols_.callee(c_.m, op), full);
    if (name == "sdy.reshard" && replace_unreducing_reshard(c_, op)) return;
    if (any_unreduced_) reduce_operands(c_, op);
    visit_tensors(op, full);
  }

 private:
  void visit_tensors(OpId op, bool full) {
    const std::vector<ShardingId> results = result_shardings(op);
    for (ShardingId id : results) {
      if (is_single_device(c_.m, id)) return reshard_single_device(c_, op, results);
    }
    if (!full && !may_need_minimal(op)) return;
    const RuleId rule = c_.m.ops[op].rule.valid() ? c_.m.ops[op].rule : rules_.get(c_.m, rows_, op);
    if (!rule.valid() || c_.m.rules[rule].custom) return;
    std::vector<ShardingId> shardings;
    for (UseId use : operand_uses(c_.m, op))
      shardings.push_back(c_.sharding(before_barriers(c_.m, c_.m.uses[use].value)));
    shardings.insert(shardings.end(), results.begin(), results.end());
    if (agreed_before(op, rule, full, shardings)) return;
    const MeshId mesh = mesh_to_use(c_.m, shardings);
    if (!mesh.valid()) return;
    RuledOp ruled{op, c_.m.rules[rule], std::move(shardings), mesh, projection_};
    project(c_.m, ruled);
    const std::size_t before = c_.m.ops.size();
    full ? resolve(ruled) : resolve_minimal(ruled);
    if (c_.m.ops.size() == before && c_.errors.empty()) agreed_.insert(hash_key(), key_);
  }

  // Whether an operation of the same name, rule, types and shardings was left as it is. Sets
  // `key_`.
  bool agreed_before(OpId op, RuleId rule, bool full, const std::vector<ShardingId>& shardings) {
    key_.assign({c_.m.ops[op].name.index, rule.index, full ? 1u : 0u});
    for (ShardingId id : shardings) key_.push_back(id.index);
    for (UseId use : operand_uses(c_.m, op))
      key_.push_back(type_of(c_.m, c_.m.uses[use].value).index);
    for (ValueId value : results(c_.m, op)) {
      key_.push_back(type_of(c_.m, value).index);
      key_.push_back(c_.sharding(value).index);  // behind a barrier it may be another
    }
    return agreed_.contains(hash_key(), key_);
  }
  std::uint64_t hash_key() const {
    std::uint64_t hash = key_.size();
    for (std::uint32_t word : key_) hash = hash_mix(hash, word);
    return hash;
  }

  void resolve(RuledOp& ruled) {
    const bool redistributes =
        op_name(c_.m, ruled.op) == "stablehlo.reshape" && has_overflow(ruled.projection);
    const FactorAxes axes =
        redistributes ? reshard_overflowing_reshape(c_, ruled) : resolve_conflicts(c_, ruled);
    reduce_results(c_, ruled, &axes);
  }

  bool is_product(OpId op) const {
    const std::string_view name = op_name(c_.m, op);
    return name == "stablehlo.dot" || name == "stablehlo.dot_general";
  }

  // Whether the minimal version can have anything to do at `op`.
  bool may_need_minimal(OpId op) const {
    if (is_product(op)) return true;
    if (c_.m.ops[op].result_count == 0) return false;
    const ShardingId made = c_.sharding(result(c_.m, op, 0));
    return made.valid() && !c_.m.shardings[made].unreduced.empty();
  }

  void resolve_minimal(RuledOp& ruled) {
    if (is_product(ruled.op)) reshard_product(c_, ruled);
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
  AgreedOps agreed_;
  std::vector<std::uint32_t> key_;
  bool full_;
  bool any_unreduced_ = false;  // without any, none comes into being
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
