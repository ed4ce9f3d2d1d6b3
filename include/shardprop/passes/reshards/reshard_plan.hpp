// What `insert-explicit-reshards` does at one operation, as rows that can be done again. The rows
// depend on the operation's name, attributes, types and shardings only, so a layer that comes again
// costs one look-up per operation.
//
// Worked example, a product whose lhs is to be resharded to a and whose result, partial over x, has
// the sharding b: {kOperand, 0, a}, then {kReduce, 0, b} with the attributes of the all-reduce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/support/memo.hpp"

namespace shardprop {

enum class ReshardStepKind : std::uint8_t {
  kOperand,  // a reshard of an operand, before the operation
  kResult,   // another sharding of a result, and a reshard for its users after the operation
  kReduce,   // an all-reduce of a result, after the operation and before its reshards
};

struct ReshardStep {
  ReshardStepKind kind;
  std::uint32_t number;  // of the operand or result
  ShardingId sharding;   // of what the new operation makes
  StringId name;         // of the new operation
  AttrId attributes;     // likewise
  ShardingId own;        // kResult: what the result itself takes
};

// Does `steps`, which were noted at an equal operation, at `op`. Those after the operation stand
// in the order of the results, all-reduces before reshards.
inline void do_steps(Module& m, ShardingStore& store, OpId op, std::span<const ReshardStep> steps) {
  const auto build = [&](Cursor at, const ReshardStep& s, ValueId value) {
    return create_op_on(m, at, s.name, value, s.sharding, s.attributes);
  };
  Cursor behind = after(m, op);
  bool reducing = false;
  for (const ReshardStep& s : steps) {
    if (s.kind == ReshardStepKind::kOperand) {
      const ValueId value = operand(m, op, s.number);
      set_operand(m, op, s.number, build(before(m, op), s, value));
      continue;
    }
    if (s.kind == ReshardStepKind::kReduce && !reducing) {
      behind = after(m, op);
      reducing = true;
    }
    const ValueId value = result(m, op, s.number);
    const ValueId made = build(behind, s, value);
    m.locations.of_op.set(defining_op(m, made), m.locations.of_op[op]);
    m.lineage.note_need(defining_op(m, made), op);
    replace_uses(m, value, made, defining_op(m, made));
    if (s.kind == ReshardStepKind::kResult) store.set(value, s.own);
  }
}

// Remembers plans.
class ReshardPlans {
 public:
  // The steps that were noted under `key`; none if there are none. They stay valid until
  // `insert`.
  std::optional<std::span<const ReshardStep>> find(MemoKey<std::uint32_t> key) {
    const Steps* const known = memo_.find(key);
    if (!known) return std::nullopt;
    return std::span(steps_).subspan(known->begin, known->count);
  }

  // Notes `steps` under `key`, which has none.
  void insert(MemoKey<std::uint32_t> key, std::span<const ReshardStep> steps) {
    if (memo_.is_full()) {
      memo_.clear();
      steps_.clear();
    }
    memo_.insert(key, {steps_.size(), steps.size()});
    steps_.insert(steps_.end(), steps.begin(), steps.end());
  }

  std::size_t size() const { return memo_.size(); }

 private:
  struct Steps {
    std::size_t begin;
    std::size_t count;
  };

  Memo<std::uint32_t, Steps> memo_;
  std::vector<ReshardStep> steps_;
};

}  // namespace shardprop
