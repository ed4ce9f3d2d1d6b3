// The outcome of a pipeline, mapped back from the copy that it ran on to the program itself.
//
// The copy and the program are walked together, function by function. What each row of the copy
// stands for is in its lineage (ir/lineage.hpp).
//
// Worked example: @main calls @f twice. In the outcome the calls are of @f and @f_0, which differ.
// The walk of @main meets the first call and gives @f the shardings of @f; it meets the second,
// copies the program's @f, lets the call name the copy, and gives that the shardings of @f_0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::detail {

// The shardings with which values enter and leave functions, to tell afterwards which were cut.
class BoundaryShardings {
 public:
  explicit BoundaryShardings(const Module& m) : values_(m.value_shardings) {
    for (FuncId f : m.func_order) {
      for (const FuncResult& r : m.funcs[f].results) results_.push_back(r.sharding);
    }
  }

  // Adds a note for each value, and each result of a function, that has another sharding now.
  void note_cuts(const Module& m, Diagnostics& out) const {
    for (ValueId value : values_.ids()) {
      if (m.value_shardings[value] == values_[value]) continue;
      note(m, place_of_value(m, value), name_of(m, value), values_[value], m.value_shardings[value],
           out);
    }
    std::size_t row = 0;
    for (FuncId f : m.func_order) {
      for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i, ++row) {
        const ShardingId now = m.funcs[f].results[i].sharding;
        if (now == results_[row]) continue;
        Place place;
        place.function = std::string(m.strings[m.funcs[f].name]);
        note(m, std::move(place), fmt::format("result {}", i), results_[row], now, out);
      }
    }
  }

 private:
  static void note(const Module& m, Place place, std::string_view what, ShardingId before,
                   ShardingId now, Diagnostics& out) {
    out.push_back({"propagate.cut_at_boundary",
                   fmt::format("{} was cut from {} to {}: inputs and outputs take whole axes that "
                               "divide their dimensions",
                               what, to_string(m.shardings[before], m.meshes),
                               to_string(m.shardings[now], m.meshes)),
                   "", std::move(place), Severity::kNote});
  }

  IdVector<ValueId, ShardingId> values_;
  std::vector<ShardingId> results_;
};

// Writes shardings of the outcome `work` to the program `m` that it began as.
class OutcomeWriter {
 public:
  OutcomeWriter(Module& m, const Module& work, bool copy_functions, Diagnostics& notes)
      : m_(m),
        work_(work),
        symbols_(m),
        work_symbols_(work),
        copy_functions_(copy_functions),
        notes_(notes),
        user_shardings_(m.value_shardings) {}

  void run() {
    grow_columns();
    for (FuncId f : work_.func_order) {
      const FuncId own = user_func(work_.funcs[f].body);
      if (!work_.funcs[f].is_private && own.valid()) enter(f, own, own);
    }
    for (std::size_t i = 0; i < instances_.size(); ++i) write_func(i);
    note_open_constants();
  }

 private:
  // A function of the outcome, and the function of the program that has its shardings.
  struct Instance {
    FuncId outcome;
    FuncId own;                          // what the outcome's function stands for
    FuncId target;                       // that function, or a copy of it
    ValueMap values;                     // of `own` to `target`, where that is a copy
    std::unordered_map<OpId, OpId> ops;  // likewise
  };

  enum State : std::uint8_t { kUntouched, kWritten, kConflict };

  FuncId user_func(BlockId body) const {
    const BlockId own = work_.lineage.of_block.of(body);
    return own.valid() ? m_.blocks[own].parent_func : FuncId();
  }

  // The instance of `outcome`, which is made and put on the list where there is none.
  std::size_t enter(FuncId outcome, FuncId own, FuncId target) {
    const auto [found, is_new] = instance_of_.try_emplace(outcome, instances_.size());
    if (!is_new) return found->second;
    has_instance_.insert(own);
    instances_.push_back({outcome, own, target, {}, {}});
    if (target != own) pair_with_copy(instances_.back());
    return found->second;
  }

  // A copy has the operations and values of its original in the same order. It begins with what the
  // user wrote, as its original did.
  void pair_with_copy(Instance& at) {
    grow_columns();
    const auto pair_values = [&](IdRange<ValueId> from, IdRange<ValueId> to) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        at.values[from[i].index] = to[i];
        user_shardings_[to[i]] = m_.value_shardings[to[i]] = user_shardings_[from[i]];
      }
    };
    const BlockId from = m_.funcs[at.own].body;
    const BlockId to = m_.funcs[at.target].body;
    pair_values(m_.blocks[from].arguments, m_.blocks[to].arguments);
    std::vector<OpId> copies;
    walk_block(m_, to, [&](OpId op) { copies.push_back(op); });
    std::size_t next = 0;
    walk_block(m_, from, [&](OpId op) {
      const OpId copy = copies[next++];
      at.ops[op] = copy;
      pair_values(results(m_, op), results(m_, copy));
      for (std::size_t b = 0; b < block_count(m_, op); ++b) {
        pair_values(m_.blocks[block_of(m_, op, b)].arguments,
                    m_.blocks[block_of(m_, copy, b)].arguments);
      }
    });
  }

  OpId target_of(const Instance& at, OpId own) const {
    const auto found = at.ops.find(own);
    return found == at.ops.end() ? own : found->second;
  }

  void write_func(std::size_t i) {
    const FuncId outcome = instances_[i].outcome;
    const FuncId target = instances_[i].target;
    write_body(i, work_.funcs[outcome].body);
    for (std::size_t r = 0; r < m_.funcs[target].results.size(); ++r) {
      m_.funcs[target].results[r].sharding = own_id(work_.funcs[outcome].results[r].sharding);
    }
  }

  void write_body(std::size_t i, BlockId body) {
    write_values(i, work_.blocks[body].arguments);
    walk_block(work_, body, [&](OpId op) { write_op(i, op); });
  }

  void write_op(std::size_t i, OpId op) {
    for (BlockId b = work_.ops[op].first_block; b.valid(); b = work_.blocks[b].next_sibling) {
      write_values(i, work_.blocks[b].arguments);
    }
    const OpId own = work_.lineage.of_op.of(op);
    if (!own.valid()) return;
    if (work_.ops[op].name == known::kFuncCall) {
      m_.ops[own].name == known::kFuncCall ? write_call(i, op, own)
                                           : write_named_computation(i, op, own);
      return;
    }
    write_values(i, results(work_, op));
    const OpId target = target_of(instances_[i], own);
    m_.ops[target].rule = own_id(work_.ops[op].rule);
    if (work_.ops[op].name == known::kSdyManualComputation) {
      for (std::string_view key : {kInShardings, kOutShardings}) {
        if (const auto list = sharding_list(work_, op, key)) write_list(target, key, *list);
      }
    }
  }

  void write_call(std::size_t i, OpId op, OpId own) {
    write_values(i, results(work_, op));
    const OpId target = target_of(instances_[i], own);
    const FuncId outcome = work_symbols_.callee(work_, op);
    const FuncId callee = symbols_.callee(m_, own);
    if (!outcome.valid() || !callee.valid()) return;
    const auto [call, is_new] = callee_of_.try_emplace(target, 0);
    if (is_new) {
      call->second = instance_for(outcome, callee, target);
    } else if (instances_[call->second].outcome != outcome) {
      // A call of constants that was copied for its uses: one place for all copies.
      write_body(call->second, work_.funcs[outcome].body);
    }
    if (instances_[call->second].target != callee)
      set_callee(m_, target, instances_[call->second].target);
  }

  // The instance that the call `target` of `callee` is of.
  std::size_t instance_for(FuncId outcome, FuncId callee, OpId target) {
    if (const auto found = instance_of_.find(outcome); found != instance_of_.end())
      return found->second;
    if (!has_instance_.contains(callee)) return enter(outcome, callee, callee);
    const std::string name(m_.strings[m_.funcs[callee].name]);
    if (!copy_functions_) {
      note("propagate.calls_disagree",
           fmt::format("calls of @{} need different shardings; it has those of its first call",
                       name),
           "let the function be copied, or give its arguments and results shardings", target);
      for (std::size_t i = 0; i < instances_.size(); ++i) {
        if (instances_[i].own == callee) return i;
      }
    }
    const FuncId copy = clone_func(m_, callee);
    symbols_.add(m_, copy, name);
    note("propagate.function_copied",
         fmt::format("calls of @{} need different shardings: this one calls the copy @{}", name,
                     m_.strings[m_.funcs[copy].name]),
         "", target);
    return enter(outcome, callee, copy);
  }

  // A named computation of the user, which the pipeline made a function and a call.
  void write_named_computation(std::size_t i, OpId call, OpId own) {
    const FuncId outcome = work_symbols_.callee(work_, call);
    if (!outcome.valid()) return;
    const auto shardings_of = [&](IdRange<ValueId> values) {
      std::vector<ShardingId> shardings;
      for (ValueId value : values) {
        if (!work_.value_shardings[value].valid()) return std::vector<ShardingId>();
        shardings.push_back(work_.value_shardings[value]);
      }
      return shardings;
    };
    const OpId target = target_of(instances_[i], own);
    const BlockId body = work_.funcs[outcome].body;
    if (const auto in = shardings_of(work_.blocks[body].arguments); !in.empty())
      write_list(target, kInShardings, in);
    if (const auto out = shardings_of(results(work_, call)); !out.empty())
      write_list(target, kOutShardings, out);
    walk_block(work_, body, [&](OpId op) { write_op(i, op); });
  }

  void write_list(OpId target, std::string_view key, const std::vector<ShardingId>& shardings) {
    std::vector<ShardingId> own;
    for (ShardingId sharding : shardings) own.push_back(own_id(sharding));
    set_sharding_list(m_, target, key, own);
  }

  void write_values(std::size_t i, IdRange<ValueId> values) {
    for (ValueId value : values) {
      const ValueId own = work_.lineage.of_value.of(value);
      if (!own.valid()) continue;
      const ValueId target = copy_of(instances_[i].values, own);
      write_value(target, own_id(work_.value_shardings[value]));
    }
  }

  void write_value(ValueId target, ShardingId sharding) {
    if (state_[target] == kUntouched) {
      state_[target] = kWritten;
      m_.value_shardings[target] = sharding;
    } else if (state_[target] == kWritten && m_.value_shardings[target] != sharding) {
      state_[target] = kConflict;
      m_.value_shardings[target] = user_shardings_[target];
      open_.push_back(target);
    }
  }

  // Rows for the values of copied functions.
  void grow_columns() {
    state_.resize(m_.values.size(), kUntouched);
    user_shardings_.resize(m_.values.size());
  }

  // The sharding of the outcome as an id of the program.
  ShardingId own_id(ShardingId id) {
    if (!id.valid()) return id;
    TensorSharding s = work_.shardings[id];
    for (std::size_t mesh = m_.meshes.size(); mesh <= s.mesh.index; ++mesh)
      m_.meshes.add(work_.meshes[MeshId(mesh)]);
    return m_.shardings.intern(s);
  }
  RuleId own_id(RuleId id) { return id.valid() ? m_.rules.intern(work_.rules[id]) : id; }

  void note_open_constants() {
    if (open_.empty()) return;
    notes_.push_back(
        {"propagate.constant_open",
         fmt::format("{} is used with different shardings and stays as it was written; "
                     "{} such values of constants in all",
                     name_of(m_, open_[0]), open_.size()),
         "each use takes what it needs: a constant is on every device",
         place_of_value(m_, open_[0]), Severity::kNote});
  }

  void note(std::string code, std::string message, std::string hint, OpId op) {
    notes_.push_back(
        {std::move(code), std::move(message), std::move(hint), place_of(m_, op), Severity::kNote});
  }

  Module& m_;
  const Module& work_;
  Symbols symbols_;
  const Symbols work_symbols_;
  bool copy_functions_;
  Diagnostics& notes_;
  IdVector<ValueId, ShardingId> user_shardings_;
  IdVector<ValueId, std::uint8_t> state_;
  std::vector<Instance> instances_;
  std::unordered_map<FuncId, std::size_t> instance_of_;  // by the outcome's function
  std::unordered_set<FuncId> has_instance_;              // functions of the program
  std::unordered_map<OpId, std::size_t> callee_of_;      // instances, by the program's calls
  std::vector<ValueId> open_;
};

}  // namespace shardprop::detail
