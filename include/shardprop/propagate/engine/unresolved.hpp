// What propagation left unresolved: factors that tensors of one operation shard differently at the
// end, each with the reason why the tensor with the smaller sharding does not follow. A partitioner
// must reshard there, so the report gives the reason of each such place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/propagate/step/step.hpp"
#include "shardprop/propagate/step/strategy.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/memo.hpp"
#include "shardprop/support/string_table.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

namespace detail {

// Why `tensor` is not sharded along `factor` by the first axis of `wanted` that it lacks.
inline UnresolvedReason reason_for(const OpShardingRule& rule, const Projection& p,
                                   std::size_t tensor, std::size_t factor, AxisSpan wanted) {
  const FactorSharding& cell = p.at(tensor, factor);
  if (rule.factors[factor].blocked) return UnresolvedReason::kBlockedFactor;
  if (prefix_order(cell.axes, wanted) != PrefixOrder::kStrictPrefix)
    return UnresolvedReason::kDifferentAxes;
  const std::size_t had = cell.axes.size();
  const bool cut =
      had > 0 && cell.axes.back() != wanted[had - 1];  // it has the major part of an axis
  const AxisRef next = cut ? wanted[had - 1] : wanted[had];
  if (overlaps(AxisSpan(&next, 1), p.replicated(tensor))) return UnresolvedReason::kReplicatedAxis;
  if (overlaps(AxisSpan(&next, 1), p.unreduced(tensor))) return UnresolvedReason::kUnreducedAxis;
  for (std::size_t other = 0; other < p.factor_count(); ++other) {
    const FactorSharding& used = p.at(tensor, other);
    if (other == factor || !used.mapped) continue;
    if (overlaps(AxisSpan(&next, 1), used.axes) || overlaps(AxisSpan(&next, 1), used.overflow)) {
      return UnresolvedReason::kAxisInUse;
    }
  }
  if (cell.closed) return UnresolvedReason::kClosedDimension;
  if (!cell.minor_most || !cell.overflow.empty()) return UnresolvedReason::kNotDivisible;
  return UnresolvedReason::kOtherTensor;
}

inline std::string factor_axes_text(AxisSpan axes, const Mesh& mesh) {
  return "{" + comma_list(axes, [&](AxisRef axis) { return to_string(axis, mesh); }) + "}";
}

// `dimension 1 of operand 0`: where `tensor`, which has the factor, has it.
inline std::string factor_text(const OpShardingRule& rule, std::size_t tensor, std::size_t factor) {
  const TensorMapping& dims = rule.tensor(tensor);
  std::size_t dim = 0;
  while (std::find(dims[dim].begin(), dims[dim].end(), factor) == dims[dim].end()) ++dim;
  const std::size_t operands = rule.operands.size();
  const std::string part = dims[dim].size() == 1 ? "" : "a part of ";
  return tensor < operands
             ? fmt::format("{}dimension {} of operand {}", part, dim, tensor)
             : fmt::format("{}dimension {} of result {}", part, dim, tensor - operands);
}

}  // namespace detail

// Finds and counts what is unresolved; places with the same operation name, reason and axes are one
// entry. O(operations); each (operation name, rule, shardings) is worked out once.
class UnresolvedFinder {
 public:
  UnresolvedFinder(Module& m, const ShardingStore& store, const Plan& plan)
      : m_(m), store_(store), plan_(plan) {}

  std::vector<Unresolved> find() {
    for (OpId op : plan_.order) {
      if (plan_.ops[op].form == StepForm::kOp) visit(op, plan_.ops[op].rule);
    }
    return std::move(found_);
  }

 private:
  // The entries of one (operation name, rule, shardings), among `entry_rows_`.
  struct Rows {
    std::uint32_t begin;
    std::uint32_t end;
  };

  void visit(OpId op, RuleId rule) {
    shardings_.clear();
    for (UseId use : operand_uses(m_, op)) shardings_.push_back(store_.get(m_.uses[use].value));
    for (ValueId value : results(m_, op)) shardings_.push_back(store_.get(value));
    const MemoKey<ShardingId> key = {(std::uint64_t{m_.ops[op].name.index} << 32) | rule.index,
                                     shardings_};
    const Rows* rows = memo_.find(key);
    if (!rows) rows = &memo_.insert(key, add(op, rule));
    for (std::uint32_t row = rows->begin; row < rows->end; ++row) ++found_[entry_rows_[row]].count;
  }

  Rows add(OpId op, RuleId rule_id) {
    const std::uint32_t begin = static_cast<std::uint32_t>(entry_rows_.size());
    if (const MeshId mesh = common_mesh(m_, shardings_); !mesh.valid()) {
      add_mesh_conflict(op);
    } else if (!m_.meshes[mesh].is_maximal()) {
      add_factor_conflicts(op, m_.rules[rule_id], m_.meshes[mesh]);
    }
    return {begin, static_cast<std::uint32_t>(entry_rows_.size())};
  }

  void add_mesh_conflict(OpId op) {
    for (ShardingId id : shardings_) {
      if (!id.valid()) continue;
      return add_entry(op, UnresolvedReason::kDifferentMeshes,
                       "its operands and results are sharded on different meshes");
    }
  }

  void add_factor_conflicts(OpId op, const OpShardingRule& rule, const Mesh& mesh) {
    projection_.reset(rule);
    for (std::size_t t = 0; t < shardings_.size(); ++t) {
      project_tensor(rule, t, shardings_[t].valid() ? &m_.shardings[shardings_[t]] : nullptr, mesh,
                     projection_);
    }
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      if (const std::optional<std::size_t> most = most_sharded(f))
        add_factor_conflicts(op, rule, mesh, f, *most);
    }
  }

  std::optional<std::size_t> most_sharded(std::size_t factor) const {
    std::optional<std::size_t> most;
    for (std::size_t t = 0; t < projection_.tensor_count(); ++t) {
      const FactorSharding& cell = projection_.at(t, factor);
      if (!cell.mapped || cell.axes.empty()) continue;
      if (!most || total_size(cell.axes) > total_size(projection_.at(*most, factor).axes)) most = t;
    }
    return most;
  }

  void add_factor_conflicts(OpId op, const OpShardingRule& rule, const Mesh& mesh,
                            std::size_t factor, std::size_t most) {
    const AxisSpan wanted = projection_.at(most, factor).axes;
    for (std::size_t t = 0; t < projection_.tensor_count(); ++t) {
      const FactorSharding& cell = projection_.at(t, factor);
      if (!cell.mapped || equal(cell.axes, wanted)) continue;
      const UnresolvedReason reason = detail::reason_for(rule, projection_, t, factor, wanted);
      add_entry(
          op, reason,
          fmt::format("{} is sharded along {}, {} along {}: {}",
                      detail::factor_text(rule, most, factor),
                      detail::factor_axes_text(wanted, mesh), detail::factor_text(rule, t, factor),
                      detail::factor_axes_text(cell.axes, mesh), explain(reason)));
    }
  }

  void add_entry(OpId op, UnresolvedReason reason, std::string message) {
    const std::uint32_t next = static_cast<std::uint32_t>(found_.size());
    const std::uint64_t hash = hash_mix(
        hash_text(message), hash_mix(m_.ops[op].name.index, static_cast<std::uint64_t>(reason)));
    const std::uint32_t row = entry_index_.find_or_insert(hash, next, [&](std::uint32_t i) {
      return found_[i].reason == reason && found_[i].message == message &&
             found_[i].first.operation == op_name(m_, op);
    });
    entry_rows_.push_back(row);
    if (row == next) found_.push_back({reason, std::move(message), 0, place_of(m_, op)});
  }

  Module& m_;
  const ShardingStore& store_;
  const Plan& plan_;
  Projection projection_;
  std::vector<ShardingId> shardings_;
  Memo<ShardingId, Rows> memo_;
  std::vector<std::uint32_t> entry_rows_;  // of `found_`
  std::vector<Unresolved> found_;
  HashIndex entry_index_;  // of rows of `found_`
};

}  // namespace shardprop
