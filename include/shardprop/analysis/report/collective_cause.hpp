// Why a program has a collective: which operation needs it, and for which of its tensors.
//
// `ModuleLineage::needed_by` says for which operation a reshard or an all-reduce was inserted, and
// what is made of those keeps it. A program that came with collectives has no such notes: there the
// operation is the one around the collectives, the user of what they make, or the maker of what is
// summed.
//
// Worked example: %2 = dot(%0, %1) with %0 sharded [{}, {x}] and %1 [{x}, {}] sums over a split
// dimension: the all_reduce of %2 is a sum, of dot. Were %1 [{}, {}], it would be sliced for operand
// 1; that sends nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/analysis/report/finding.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/reshards/op_reshards.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/sharding/sharding_text.hpp"

namespace shardprop {

namespace detail {

inline bool is_sdy_collective(const Module& m, OpId op) {
  return is_one_of(
      m.ops[op].name,
      {known::kSdyAllGather, known::kSdyAllReduce, known::kSdyReduceScatter, known::kSdyAllToAll,
       known::kSdyCollectivePermute, known::kSdyAllSlice, known::kSdyReshard});
}

// The value that a chain of collectives begins with.
inline ValueId before_collectives(const Module& m, ValueId value, OpId needed_by = OpId()) {
  for (OpId op = defining_op(m, value); op.valid() && is_sdy_collective(m, op);
       op = defining_op(m, value)) {
    const auto need = m.lineage.needed_by.find(op);
    if (needed_by.valid() && need != m.lineage.needed_by.end() && need->second != needed_by) break;
    value = operand(m, op, 0);
  }
  return value;
}

// The value at the end of the collectives after `value`, as far as they are of one line.
inline ValueId after_collectives(const Module& m, ValueId value, OpId needed_by = OpId()) {
  while (has_one_use(m, value)) {
    const OpId user = m.uses[m.values[value].first_use].user;
    if (!is_sdy_collective(m, user)) break;
    const auto need = m.lineage.needed_by.find(user);
    if (needed_by.valid() && need != m.lineage.needed_by.end() && need->second != needed_by) break;
    value = result(m, user, 0);
  }
  return value;
}

inline std::string dims_text(const std::optional<TensorSharding>& s, const MeshTable& meshes) {
  if (!s) return "none";
  std::string out = "[";
  for (std::size_t d = 0; d < s->rank(); ++d) {
    out += d == 0 ? "{" : ", {";
    for (std::size_t i = 0; i < s->dims[d].axes.size(); ++i)
      out += (i == 0 ? "" : ", ") + to_string(s->dims[d].axes[i], meshes[s->mesh]);
    out += "}";
  }
  return out + "]";
}

}  // namespace detail

class CauseFinder {
 public:
  // `m` is the program with its collectives; it may get rules.
  CauseFinder(Module& m, const OpTable& ops) : m_(m), rows_(ops, m), rules_(false) {}

  CollectiveCause find(OpId collective) {
    CollectiveCause out;
    if (!detail::is_sdy_collective(m_, collective)) {
      out.op = collective;
      out.reason = "the program does it itself";
      return out;
    }
    const ValueId source = detail::before_collectives(m_, operand(m_, collective, 0));
    const bool sums =
        is_one_of(m_.ops[collective].name, {known::kSdyAllReduce, known::kSdyReduceScatter});
    out.op = needed_by(collective, source, sums);
    if (!out.op.valid()) {
      out.op = collective;
      out.reason = "the program does it itself";
      return out;
    }
    out.kind = kind_of(out.op, collective, sums);
    if (out.kind == CauseKind::kSum || out.kind == CauseKind::kOperand ||
        out.kind == CauseKind::kResult) {
      describe_tensors(out, collective);
    } else {
      describe_flow(out, source, collective);
    }
    return out;
  }

 private:
  OpId needed_by(OpId collective, ValueId source, bool sums) const {
    const auto need = m_.lineage.needed_by.find(collective);
    if (need != m_.lineage.needed_by.end()) return need->second;
    if (m_.lineage.of_op.is_on()) return OpId();
    if (sums) return defining_op(m_, source);
    const ValueId end = detail::after_collectives(m_, result(m_, collective, 0));
    return has_uses(m_, end) ? m_.uses[m_.values[end].first_use].user : defining_op(m_, source);
  }

  CauseKind kind_of(OpId op, OpId collective, bool sums) {
    const StringId name = m_.ops[op].name;
    if (is_one_of(name, {known::kFuncReturn, known::kSdyReturn})) return CauseKind::kReturn;
    if (name == known::kFuncCall) return CauseKind::kCall;
    if (is_one_of(name, {known::kSdyReshard, known::kSdyShardingConstraint}))
      return CauseKind::kConstraint;
    const OpRow* row = rows_[op];
    if ((row && row->def.data_flow) || !m_.layout[op].next.valid()) return CauseKind::kEdge;
    if (sums) return CauseKind::kSum;
    const ValueId end = detail::after_collectives(m_, result(m_, collective, 0), op);
    for (UseId use : operand_uses(m_, op)) {
      if (m_.uses[use].value == end) return CauseKind::kOperand;
    }
    return CauseKind::kResult;
  }

  RuleId rule_of(OpId op) {
    return m_.ops[op].rule.valid() ? m_.ops[op].rule : rules_.get(m_, rows_, op);
  }

  void describe_tensors(CollectiveCause& out, OpId collective) {
    const OpId op = out.op;
    const std::size_t operands = m_.ops[op].operand_count;
    const std::size_t results = m_.ops[op].result_count;
    const ValueId moved = detail::after_collectives(m_, result(m_, collective, 0), op);
    for (std::size_t t = 0; t < operands + results; ++t) {
      const ValueId own = t < operands ? operand(m_, op, t) : result(m_, op, t - operands);
      CauseTensor tensor;
      tensor.words = detail::tensor_words(op_name(m_, op), t, operands, results);
      tensor.value = t < operands ? detail::before_collectives(m_, own, op)
                                  : detail::after_collectives(m_, own, op);
      tensor.has = tensor_sharding_of(m_, tensor.value);
      tensor.takes = tensor_sharding_of(m_, own);
      tensor.sharding = detail::dims_text(tensor.has, m_.meshes);
      const std::string takes = detail::dims_text(tensor.takes, m_.meshes);
      if (takes != tensor.sharding) tensor.wanted = takes;
      if (out.kind == CauseKind::kOperand ? own == moved : t == operands) out.tensor = t;
      out.tensors.push_back(std::move(tensor));
    }
    out.kind == CauseKind::kSum ? describe_sum(out) : describe_conflict(out);
  }

  // Which dimensions that the operation sums over are split.
  void describe_sum(CollectiveCause& out) {
    const RuleId id = rule_of(out.op);
    std::string dims;
    for (std::size_t t = 0; id.valid() && t < m_.ops[out.op].operand_count; ++t) {
      const OpShardingRule& rule = m_.rules[id];
      const auto& takes = out.tensors[t].takes;
      for (std::size_t d = 0; takes && d < rule.operands[t].size() && d < takes->rank(); ++d) {
        bool reduces = false;
        for (std::uint32_t f : rule.operands[t][d])
          reduces = reduces || rule.factors[f].kind == FactorKind::kReduction;
        if (!reduces || takes->dims[d].axes.empty()) continue;
        dims += fmt::format("{}dimension {} of {}", dims.empty() ? "" : " and ", d,
                            out.tensors[t].words);
      }
    }
    out.reason = dims.empty()
                     ? fmt::format("the parts of {} are added up", op_name(m_, out.op))
                     : fmt::format("{} sums over {}, which is split: the parts are added up",
                                   op_name(m_, out.op), dims);
  }

  void describe_conflict(CollectiveCause& out) {
    const CauseTensor& moved = out.tensors[out.tensor];
    const std::string& wanted = moved.wanted.empty() ? moved.sharding : moved.wanted;
    out.reason = out.kind == CauseKind::kOperand
                     ? fmt::format("{} of {} is sharded {}, the operation takes it {}", moved.words,
                                   op_name(m_, out.op), moved.sharding, wanted)
                     : fmt::format("{} of {} is made {}, its users expect it {}", moved.words,
                                   op_name(m_, out.op), wanted, moved.sharding);
    if (const RuleId id = rule_of(out.op); id.valid()) add_factors(out, m_.rules[id]);
  }

  // Names the tensor that stands against the moved one, factor by factor, and compares sizes.
  void add_factors(CollectiveCause& out, const OpShardingRule& rule) {
    const CauseTensor& moved = out.tensors[out.tensor];
    if (!moved.takes && !moved.has) return;
    const TensorMapping& dims = rule.tensor(out.tensor);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const AxisList has = axes_of(moved.has, d);
      const AxisList takes = axes_of(moved.takes, d);
      if (has == takes) continue;
      std::vector<Joined> others;
      std::int64_t for_it = 0;
      std::int64_t against = element_count(m_, moved.value);
      for (std::size_t t = 0; t < out.tensors.size(); ++t) {
        if (t == out.tensor) continue;
        for (std::size_t e = 0; e < rule.tensor(t).size(); ++e) {
          if (!shares(rule.tensor(t)[e], dims[d])) continue;
          join(others, {e, t, t, axes_text(axes_of(out.tensors[t].has, e), out.tensors[t])},
               m_.ops[out.op].operand_count);
          (axes_of(out.tensors[t].has, e) == takes ? for_it : against) +=
              element_count(m_, out.tensors[t].value);
        }
      }
      if (others.empty()) continue;
      out.reason += fmt::format("; dimension {} is one with {}", d, joined_text(out, others));
      if (for_it > against)
        out.won =
            fmt::format("on dimension {}, {} won: tensors of {} elements have it so, against {}", d,
                        axes_text(takes, moved), for_it, against);
    }
    if (out.won.empty() && !out.tensors.empty()) {
      const AxisList lost = lost_axes(moved);
      for (std::size_t t = 0; t < out.tensors.size() && !lost.empty(); ++t) {
        for (std::size_t e = 0; t != out.tensor && e < rule.tensor(t).size(); ++e) {
          if (!overlaps(axes_of(out.tensors[t].takes, e), lost) ||
              shares_any(rule.tensor(t)[e], dims))
            continue;
          out.won = fmt::format("{} splits dimension {} of {} in this operation, of {} elements",
                                axes_text(lost, moved), e, out.tensors[t].words,
                                element_count(m_, out.tensors[t].value));
          return;
        }
      }
    }
  }

  // A dimension of tensors `first` to `last`, with its axes in all of them.
  struct Joined {
    std::size_t dim;
    std::size_t first;
    std::size_t last;
    std::string axes;
  };

  // Operands that follow each other and are alike are told of once.
  static void join(std::vector<Joined>& all, Joined one, std::size_t operands) {
    const bool is_next = !all.empty() && one.last < operands && all.back().last + 1 == one.first &&
                         all.back().dim == one.dim && all.back().axes == one.axes;
    if (is_next) {
      all.back().last = one.last;
    } else {
      all.push_back(std::move(one));
    }
  }
  static std::string joined_text(const CollectiveCause& cause, const std::vector<Joined>& all) {
    std::string out;
    for (const Joined& one : all) {
      const std::string words = one.first == one.last
                                    ? cause.tensors[one.first].words
                                    : fmt::format("operands {} to {}", one.first, one.last);
      out += fmt::format("{}dimension {} of {}, {}", out.empty() ? "" : "; ", one.dim, words,
                         one.axes);
    }
    return out;
  }

  static AxisList axes_of(const std::optional<TensorSharding>& s, std::size_t dim) {
    return s && dim < s->rank() ? s->dims[dim].axes : AxisList();
  }
  static AxisList lost_axes(const CauseTensor& tensor) {
    AxisList out;
    for (std::size_t d = 0; tensor.has && d < tensor.has->rank(); ++d)
      out.append(difference(tensor.has->dims[d].axes, axes_of(tensor.takes, d)));
    return out;
  }
  static bool shares(const DimMapping& a, const DimMapping& b) {
    return std::ranges::any_of(
        a, [&](std::uint32_t f) { return std::find(b.begin(), b.end(), f) != b.end(); });
  }
  static bool shares_any(const DimMapping& a, const TensorMapping& dims) {
    return std::ranges::any_of(dims, [&](const DimMapping& b) { return shares(a, b); });
  }
  std::string axes_text(const AxisList& axes, const CauseTensor& tensor) const {
    const std::optional<TensorSharding>& s = tensor.has ? tensor.has : tensor.takes;
    if (axes.empty() || !s) return "{}";
    std::string out;
    for (AxisRef axis : axes)
      out += (out.empty() ? "" : ", ") + to_string(axis, m_.meshes[s->mesh]);
    return "{" + out + "}";
  }

  void describe_flow(CollectiveCause& out, ValueId source, OpId collective) {
    const ValueId end = detail::after_collectives(m_, result(m_, collective, 0));
    const std::string has = detail::dims_text(tensor_sharding_of(m_, source), m_.meshes);
    const std::string takes = detail::dims_text(tensor_sharding_of(m_, end), m_.meshes);
    CauseTensor tensor{"the value",
                       source,
                       has,
                       takes == has ? "" : takes,
                       tensor_sharding_of(m_, source),
                       tensor_sharding_of(m_, end)};
    out.tensors.push_back(std::move(tensor));
    std::string_view what = "is taken";
    if (out.kind == CauseKind::kReturn) what = "is returned";
    if (out.kind == CauseKind::kCall) what = "is given to the function";
    if (out.kind == CauseKind::kConstraint) what = "is constrained to";
    if (out.kind == CauseKind::kEdge) what = "enters or leaves the region";
    out.reason = fmt::format("a value that is sharded {} {} {}", has, what, takes);
  }

  Module& m_;
  OpRows rows_;
  RuleCache rules_;
};

}  // namespace shardprop
