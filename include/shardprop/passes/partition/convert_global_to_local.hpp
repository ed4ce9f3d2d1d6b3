// Pass `convert-global-to-local`: makes the program that each device runs of the sharded one. Every
// tensor gets the type of its part, sdy collectives become those of StableHLO, the bodies of manual
// computations go to where those are, and operations whose meaning depends on the place of a part
// (iota, pad, gather, ...) look that up by the id of the device.
//
// What must move between devices has to be explicit, and dimensions have to divide: the pass comes after
// insert-explicit-reshards{enable-full-version=true}, reshard-to-collectives and pad-for-divisibility.
// What it cannot convert is an error. O(operations + devices * operations that look up their place).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardprop/passes/canonicalize/manual_computation_rewrites.hpp"
#include "shardprop/passes/partition/local_collectives.hpp"
#include "shardprop/passes/partition/local_gather_scatter.hpp"
#include "shardprop/passes/partition/local_movement.hpp"
#include "shardprop/passes/partition/local_program.hpp"
#include "shardprop/passes/partition/local_reduction.hpp"
#include "shardprop/passes/partition/local_transitions.hpp"
#include "shardprop/passes/partition/local_windows.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Moves the body of a manual computation, whose values have local types by now, to where it is.
inline void inline_body(Module& m, OpId op) {
  const BlockId body = block_of(m, op, 0);
  for (std::size_t i = 0; i < m.ops[op].operand_count; ++i)
    replace_uses(m, m.blocks[body].arguments[i], operand(m, op, i));
  const OpId last = terminator(m, body);
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i)
    replace_uses(m, result(m, op, i), operand(m, last, i));
  move_ops(m, body, before(m, op), true);
  erase_op(m, op);
}

inline void localize_nothing(LocalProgram&, OpId) {}

inline constexpr LocalRow kLocalRegions[] = {
    {"sdy.manual_computation", localize_nothing},  // until all other operations are local
    {"sdy.named_computation", localize_nothing},
    {"sdy.return", localize_nothing},
};

// By name; none for an operation of which only the types change.
class LocalRows {
 public:
  explicit LocalRows(Module& m) {
    for (std::span<const LocalRow> rows :
         {std::span<const LocalRow>(kLocalCollectives), std::span<const LocalRow>(kLocalMovement),
          std::span<const LocalRow>(kLocalGatherScatter),
          std::span<const LocalRow>(kLocalReductions), std::span<const LocalRow>(kLocalTransitions),
          std::span<const LocalRow>(kLocalWindows), std::span<const LocalRow>(kLocalRegions)}) {
      for (const LocalRow& row : rows) {
        const StringId name = m.strings.intern(row.name);
        if (rows_.size() <= name.index) rows_.resize(name.index + 1);
        rows_[name.index] = row.localize;
      }
    }
  }
  LocalizeFn find(StringId name) const {
    return name.index < rows_.size() ? rows_[name.index] : nullptr;
  }

 private:
  std::vector<LocalizeFn> rows_;
};

inline void localize_functions(LocalProgram& p) {
  Module& m = p.m;
  for (FuncId f : m.func_order) {
    for (FuncResult& result : m.funcs[f].results) {
      const std::optional<TensorSharding> s = stored_sharding(m, result.sharding);
      if (!s || m.meshes[s->mesh].is_maximal()) continue;
      Place place;
      place.function = std::string(m.strings[m.funcs[f].name]);
      result.type = p.local_type(result.type, *s, place);
    }
  }
}

}  // namespace detail

inline Result<bool> convert_global_to_local(Module& m, const GlobalToLocalOptions& options = {}) {
  if (options.replica_count > 1 && options.partition_count > 1) {
    return Diagnostic{"convert_global_to_local.counts",
                      "replica-count and partition-count are both above 1",
                      "set replica-count or partition-count to 1"};
  }
  Module local = m;
  const detail::LocalRows rows(local);
  const std::vector<OpId> ops = preorder(local);
  detail::LocalProgram p(local, options);
  detail::localize_functions(p);
  for (OpId op : ops) {
    if (!p.errors.empty()) return p.errors;
    p.start(op);
    if (const detail::LocalizeFn localize = rows.find(local.ops[op].name)) {
      localize(p, op);
    } else if (op_name(local, op).starts_with("sdy.")) {
      p.fail(op, "convert_global_to_local.operation", "the operation has no local form",
             "run reshard-to-collectives and the passes of the export pipeline before");
    }
  }
  if (!p.errors.empty()) return p.errors;
  for (OpId op : ops) {
    if (local.ops[op].name == known::kSdyManualComputation) detail::inline_body(local, op);
  }
  m = std::move(local);
  return true;
}

}  // namespace shardprop
