// Pass `verify-unreduced-axes`: checks that no operation loses or invents unreduced axes. An
// operation may leave axes unreduced that its operands were not, by its own reduction; only
// reshards, constraints and reducing collectives may remove unreduced axes. Calls, returns and
// what they return to must agree. Changes nothing. O(operations).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/unreduced_axes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

namespace detail {

using MaybeSharding = std::optional<TensorSharding>;

// What an operation takes and makes. A value without a sharding is left out.
struct UnreducedFlow {
  std::vector<TensorSharding> operands;
  std::vector<TensorSharding> results;
};

inline MaybeSharding sharding_before_barriers(const Module& m, ValueId value) {
  return tensor_sharding_of(m, shardprop::before_barriers(m, value));
}

// Whether a reshard or a constraint made `value`: then its unreduced axes may change.
inline bool is_resharded(const Module& m, ValueId value) {
  const OpId op = defining_op(m, shardprop::before_barriers(m, value));
  if (!op.valid()) return false;
  const StringId name = m.ops[op].name;
  return name == known::kSdyReshard || name == known::kSdyShardingConstraint;
}

inline AxisList all_unreduced(const std::vector<TensorSharding>& shardings) {
  AxisList axes;
  for (const TensorSharding& s : shardings) axes.append(s.unreduced);
  return axes;
}

// The sum, maximum or minimum that the first block of `op` computes for all that it returns; else
// none.
inline std::optional<ReductionOp> reduction_of_body(const Module& m, OpId op) {
  const BlockId body = m.ops[op].first_block;
  const OpId end = body.valid() ? terminator(m, body) : OpId();
  if (!end.valid()) return std::nullopt;
  std::optional<ReductionOp> found;
  for (UseId use : operand_uses(m, end)) {
    const OpId combiner = defining_op(m, m.uses[use].value);
    if (!combiner.valid()) return std::nullopt;
    const StringId name = m.ops[combiner].name;
    std::optional<ReductionOp> reduction;
    if (name == known::kAdd) reduction = ReductionOp::kSum;
    if (name == known::kMaximum) reduction = ReductionOp::kMax;
    if (name == known::kMinimum) reduction = ReductionOp::kMin;
    if (!reduction || (found && found != reduction)) return std::nullopt;
    found = reduction;
  }
  return found;
}

class UnreducedVerifier {
 public:
  UnreducedVerifier(const Module& m, const OpTable& ops, Diagnostics& errors)
      : m_(m), rows_(ops, m), symbols_(m), errors_(errors) {
    for (ShardingId s : m.shardings.ids()) any_ = any_ || !m.shardings[s].unreduced.empty();
  }

  void verify(OpId op) {
    const StringId name = m_.ops[op].name;
    const bool reduces = name == known::kSdyAllReduce || name == known::kSdyReduceScatter;
    if (reduces && !sharding_before_barriers(m_, operand(m_, op, 0))) {
      return report(op, "operand", "the operand must have a sharding",
                    "give the operand the sharding that is to be reduced");
    }
    if (!any_ || name == known::kSdyShardingGroup) return;  // a group only names its value
    if (reduces || name == known::kSdyReshard || name == known::kSdyShardingConstraint) {
      return verify_own(op);
    }
    if (name == known::kReduce) {
      return verify_change(op, flow(op, m_.ops[op].result_count), {reduction_of_body(m_, op), {}});
    }
    if (name == known::kAllReduce || name == known::kReduceScatter) {
      return verify_collective(op);
    }
    if (name == known::kFuncCall) return verify_call(op);
    if (name == known::kFuncReturn || name == known::kSdyReturn) return verify_return(op);
    const OpRow* row = rows_[op];
    if (row && (row->def.traits & kTerminator) != 0) return;
    verify_change(op, flow(op, m_.ops[op].operand_count), {ReductionOp::kSum, {}});
  }

 private:
  void report(OpId op, std::string_view code, std::string message, std::string hint) {
    errors_.push_back({fmt::format("verify_unreduced_axes.{}", code), std::move(message),
                       std::move(hint), place_of(m_, op)});
  }

  void verify_own(OpId op) {
    const OpRow* row = rows_[op];
    if (row && row->def.verify) row->def.verify({m_, op, errors_});
  }

  // The first `operands` operands, without those that were resharded, and all results.
  UnreducedFlow flow(OpId op, std::size_t operands) const {
    UnreducedFlow out;
    for (std::size_t i = 0; i < operands && i < m_.ops[op].operand_count; ++i) {
      const ValueId value = operand(m_, op, i);
      if (is_resharded(m_, value)) continue;
      if (MaybeSharding s = sharding_before_barriers(m_, value)) out.operands.push_back(*s);
    }
    for (ValueId value : results(m_, op)) {
      if (MaybeSharding s = tensor_sharding_of(m_, value)) out.results.push_back(*s);
    }
    return out;
  }

  bool on_one_mesh(const UnreducedFlow& f) const {
    const MeshId mesh = f.operands.empty() ? f.results.front().mesh : f.operands.front().mesh;
    const auto same = [&](const TensorSharding& s) {
      return m_.meshes.content(s.mesh) == m_.meshes.content(mesh);
    };
    return std::all_of(f.operands.begin(), f.operands.end(), same) &&
           std::all_of(f.results.begin(), f.results.end(), same);
  }

  void verify_change(OpId op, const UnreducedFlow& f, const UnreducedChange& change) {
    const AxisList before = all_unreduced(f.operands);
    const AxisList after = all_unreduced(f.results);
    if ((before.empty() && after.empty()) || !on_one_mesh(f)) return;
    if (!check_changed(op, {f.results, difference(after, before), change.introduced, "add"}) ||
        !check_changed(op, {f.operands, difference(before, after), change.removed, "drop"})) {
      return;
    }
    for (const TensorSharding& from : f.operands) {
      for (const TensorSharding& to : f.results) {
        if (from.reduction == to.reduction || !overlaps(from.unreduced, to.unreduced)) continue;
        return report(op, "kept",
                      fmt::format("axes that stay unreduced must keep their reduction {}, found {}",
                                  to_string(from.reduction), to_string(to.reduction)),
                      "reduce them with an sdy.reshard first");
      }
    }
  }

  // Axes that come or go, of the shardings that have them.
  struct Changed {
    const std::vector<TensorSharding>& shardings;
    const AxisList axes;
    std::optional<ReductionOp> allowed;
    std::string_view verb;
  };

  bool check_changed(OpId op, const Changed& c) {
    for (const TensorSharding& s : c.shardings) {
      if (!overlaps(s.unreduced, c.axes) || c.allowed == s.reduction) continue;
      const std::string axis = quoted_axis(c.axes[0], m_.meshes[s.mesh]);
      report(op, c.verb == "add" ? "added" : "dropped",
             c.allowed
                 ? fmt::format("the operation may {} axes that are unreduced by {}, but {} "
                               "is by {}",
                               c.verb, to_string(*c.allowed), axis, to_string(s.reduction))
                 : fmt::format("the operation must not {} the unreduced axis {}", c.verb, axis),
             "reduce it with an sdy.reshard, or keep it in the result's sharding");
      return false;
    }
    return true;
  }

  void verify_collective(OpId op) {
    UnreducedFlow f;
    if (m_.ops[op].operand_count == 0 || m_.ops[op].result_count == 0) return;
    if (auto s = sharding_before_barriers(m_, operand(m_, op, 0))) f.operands.push_back(*s);
    if (auto s = tensor_sharding_of(m_, result(m_, op, 0))) f.results.push_back(*s);
    verify_change(op, f, {{}, reduction_of_body(m_, op)});
  }

  std::vector<std::string> unreduced_names(const MaybeSharding& s) const {
    std::vector<std::string> names;
    if (!s) return names;
    for (AxisRef axis : s->unreduced) names.push_back(quoted_axis(axis, m_.meshes[s->mesh]));
    std::ranges::sort(names);
    return names;
  }

  // Meshes may differ, so that axes are compared by name.
  void verify_equal(OpId op, const MaybeSharding& from, const MaybeSharding& to,
                    std::string_view what, std::size_t number) {
    const std::vector<std::string> a = unreduced_names(from);
    const std::vector<std::string> b = unreduced_names(to);
    if (a == b) return;
    report(op, "mismatch",
           fmt::format("{} {} is unreduced along {{{}}} on one side and {{{}}} on the other", what,
                       number, comma_list(a, std::identity()), comma_list(b, std::identity())),
           "put an sdy.reshard between them");
  }

  void verify_call(OpId op) {
    const FuncId callee = symbols_.callee(m_, op);
    if (!callee.valid()) return;
    const IdRange<ValueId> arguments = m_.blocks[m_.funcs[callee].body].arguments;
    for (std::size_t i = 0; i < m_.ops[op].operand_count && i < arguments.size(); ++i) {
      const ValueId value = operand(m_, op, i);
      if (is_resharded(m_, value)) continue;
      verify_equal(op, sharding_before_barriers(m_, value), tensor_sharding_of(m_, arguments[i]),
                   "argument", i);
    }
    const std::vector<FuncResult>& func_results = m_.funcs[callee].results;
    for (std::size_t i = 0; i < m_.ops[op].result_count && i < func_results.size(); ++i) {
      verify_equal(op, stored_sharding(m_, func_results[i].sharding),
                   tensor_sharding_of(m_, result(m_, op, i)), "result", i);
    }
  }

  // What operand `i` of the terminator becomes: a result of the function, or of the operation
  // around, seen from inside.
  MaybeSharding returned_as(OpId op, std::size_t i) const {
    const OpId parent = parent_op(m_, op);
    if (!parent.valid()) {
      const Function& func = m_.funcs[m_.blocks[m_.layout[op].block].parent_func];
      return i < func.results.size() ? stored_sharding(m_, func.results[i].sharding) : std::nullopt;
    }
    if (i >= m_.ops[parent].result_count) return std::nullopt;
    MaybeSharding s = tensor_sharding_of(m_, result(m_, parent, i));
    if (!s || !is_manual_computation(m_, parent)) return s;
    return erase_manual_axes(m_, *s, manual_axes(m_, parent));
  }

  void verify_return(OpId op) {
    for (std::size_t i = 0; i < m_.ops[op].operand_count; ++i) {
      const ValueId value = operand(m_, op, i);
      if (is_resharded(m_, value)) continue;
      if (const MaybeSharding to = returned_as(op, i)) {
        verify_equal(op, sharding_before_barriers(m_, value), to, "returned value", i);
      }
    }
  }

  const Module& m_;
  OpRows rows_;
  const Symbols symbols_;
  Diagnostics& errors_;
  bool any_ = false;  // whether any sharding of the module has unreduced axes
};

}  // namespace detail

inline Result<bool> verify_unreduced_axes(Module& m, const OpTable& ops) {
  Diagnostics errors;
  detail::UnreducedVerifier verifier(m, ops, errors);
  for (OpId op : postorder(m)) verifier.verify(op);
  if (!errors.empty()) return errors;
  return false;
}

}  // namespace shardprop
