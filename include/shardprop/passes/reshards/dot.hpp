// Matrix products in the minimal version: a result that should be sharded by the axes that are
// contracted, along a dimension that an operand shards differently, is computed as the operands
// want it and then resharded. That trades a reduce-scatter of a larger tensor for an all-reduce and
// a reshard of a smaller one.
//
// Worked example: lhs 4x32 [{}, {x}], rhs 32x8 [{x}, {y}], result 4x8 [{}, {x}]. The product is
// made as [{}, {y}], on which both operands agree, and resharded to [{}, {x}].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "shardprop/passes/reshards/op_reshards.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"

namespace shardprop {

namespace detail {

// One factor of a product as the operands see it.
struct ProductFactor {
  const FactorSharding* lhs;
  const FactorSharding* rhs;
  const FactorSharding* result;

  bool in_both() const { return lhs->mapped && rhs->mapped; }
  const AxisList& operand_axes() const { return lhs->mapped ? lhs->axes : rhs->axes; }
};

inline ProductFactor product_factor(const Projection& p, std::size_t factor) {
  return {&p.at(0, factor), &p.at(1, factor), &p.at(2, factor)};
}

// The only factor that the result shards differently from the operands, if the operands agree on
// it and shard it, and the result is not larger than the operand.
inline std::optional<std::size_t> conflicting_factor(const Module& m, const RuledOp& r) {
  const std::int64_t sizes[] = {element_count(m, tensor_of(m, r, 0)),
                                element_count(m, tensor_of(m, r, 1)),
                                element_count(m, tensor_of(m, r, 2))};
  std::optional<std::size_t> conflict;
  AxisList seen;
  for (std::size_t f = 0; f < r.rule.factors.size(); ++f) {
    const ProductFactor factor = product_factor(r.projection, f);
    const AxisList& axes = factor.operand_axes();
    if (factor.in_both()) {
      if (factor.lhs->axes != factor.rhs->axes) return std::nullopt;
      if (r.rule.factors[f].kind == FactorKind::kReduction) continue;
    } else {
      if (overlaps(axes, seen)) return std::nullopt;
      seen.append(axes);
    }
    if (factor.result->axes == axes) continue;
    const std::int64_t size = factor.in_both()     ? std::max(sizes[0], sizes[1])
                              : factor.lhs->mapped ? sizes[0]
                                                   : sizes[1];
    if (axes.empty() || conflict || sizes[2] > size) return std::nullopt;
    conflict = f;
  }
  return conflict;
}

}  // namespace detail

inline void reshard_product(ReshardContext& c, RuledOp& r) {
  if (r.rule.tensor_count() != 3) return;
  const std::optional<std::size_t> conflict = detail::conflicting_factor(c.m, r);
  if (!conflict) return;
  AxisList reduced;
  for (std::size_t f = 0; f < r.rule.factors.size(); ++f) {
    if (r.rule.factors[f].kind == FactorKind::kReduction)
      reduced.append(detail::product_factor(r.projection, f).operand_axes());
  }
  FactorSharding& cell = r.projection.at(2, *conflict);
  if (cell.axes.empty() || cell.axes != reduced) return;
  cell.axes = detail::product_factor(r.projection, *conflict).operand_axes();
  const ValueId value = result(c.m, r.op, 0);
  const ShardingId own = unproject(c.m, r, 2);
  c.store.set(value, own);
  const ValueId back = insert_reshard(c, after(c.m, r.op), value, r.shardings[2]);
  replace_uses(c.m, value, back, defining_op(c.m, back));
  c.note(ReshardStepKind::kResult, 0, back, own);
}

}  // namespace shardprop
