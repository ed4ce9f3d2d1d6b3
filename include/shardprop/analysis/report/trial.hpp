// Tries changes of annotations: what does each change in communication and memory?
//
// The program is prepared and propagated once, as `propagation-pipeline` does it. A change is taken
// up by the propagation (session/propagation_session.hpp); from there the rest of the pipeline is
// run on a copy, up to explicit collectives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/analysis/communication.hpp"
#include "shardprop/analysis/report/finding.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/apply_annotations.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/session/propagation_session.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// What a program costs.
struct TrialCost {
  double communication = 0;
  double memory = 0;  // arguments and results of the function that is entered, on each device
};

namespace detail {

// The bytes of a value on each device if it is sharded by `s`, whole without.
inline double held_bytes(const Module& m, ValueId value, const std::optional<TensorSharding>& s) {
  return local_bytes(m, value, s.value_or(closed_sharding(MeshId(), rank_of(m, value))));
}

inline double boundary_bytes(const Module& m) {
  const FuncId f = entry_func(m);
  double bytes = 0;
  if (!f.valid()) return bytes;
  for (ValueId value : m.blocks[m.funcs[f].body].arguments)
    bytes += held_bytes(m, value, tensor_sharding_of(m, value));
  const OpId end = terminator(m, m.funcs[f].body);
  for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i) {
    const auto sharding = stored_sharding(m, m.funcs[f].results[i].sharding);
    bytes += held_bytes(m, operand(m, end, i), sharding);
  }
  return bytes;
}

inline TrialCost cost_of(const Module& m) {
  TrialCost cost;
  for (const CommunicationRow& row : communication(m).rows) cost.communication += row.sent;
  cost.memory = boundary_bytes(m);
  return cost;
}

}  // namespace detail

class TrialRun {
 public:
  // Prepares and propagates a copy of `program`, which must verify. Fails as the passes do.
  static Result<TrialRun> start(const Module& program, const OpTable& ops) {
    const auto calls =
        expand_calls(standard_passes(),
                     *parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true "
                                     "keep-sharding-rules=true}"));
    if (!calls) return calls.errors();
    const auto propagation = std::ranges::find(*calls, "user-priority-propagate", &PassCall::name);
    Module copy = program;
    start_lineage(copy);
    const Result<PipelineReport> imported =
        run_passes(copy, ops, std::span(calls->begin(), propagation));
    if (!imported) return imported.errors();
    Result<PropagationSession> session =
        PropagationSession::start(std::move(copy), ops, {.keep_sharding_rules = true});
    if (!session) return std::move(session.errors());
    return TrialRun(*std::move(session), ops, {propagation + 1, calls->end()});
  }

  const PropagationReport& report() const { return session_.report(); }
  // The program as it is propagated, before reshards.
  const Module& propagated() const { return session_.module(); }

  // The program with its collectives.
  Result<Module> finish() const {
    Module m = session_.module();
    const Result<PipelineReport> done = run_passes(m, ops_, rest_);
    if (!done) return done.errors();
    return m;
  }

  // The cost with `edits`, which are taken back again; none where they do not fit.
  std::optional<TrialCost> cost(std::span<const SuggestedEdit> edits) {
    std::vector<AnnotationEdit> change;
    std::vector<AnnotationEdit> back;
    for (const SuggestedEdit& edit : edits) add(edit, change, back);
    if (change.empty() || !session_.repropagate(change)) return std::nullopt;
    const Result<Module> m = finish();
    std::optional<TrialCost> out;
    if (m) out = detail::cost_of(*m);
    if (!session_.repropagate(back)) return std::nullopt;
    return out;
  }

 private:
  TrialRun(PropagationSession session, const OpTable& ops, std::vector<PassCall> rest)
      : session_(std::move(session)), ops_(ops), rest_(std::move(rest)) {
    const Module& m = session_.original();
    for (ValueId value : m.values.ids()) {
      const OpId op = defining_op(m, value);
      if (op.valid() && is_erased(m, op)) continue;
      if (const ValueId own = m.lineage.of_value.of(value); own.valid())
        stands_for_.emplace_back(own, value);
    }
    std::ranges::stable_sort(stands_for_, {}, &std::pair<ValueId, ValueId>::first);
  }

  // The change of each copy of the value, and what takes it back.
  void add(const SuggestedEdit& edit, std::vector<AnnotationEdit>& change,
           std::vector<AnnotationEdit>& back) const {
    const Module& m = session_.original();
    const auto given = [&](ShardingId id) {
      return id.valid() ? std::optional(m.shardings[id]) : std::nullopt;
    };
    if (!edit.value.value.valid()) {
      const FuncId func = edit.value.func;
      if (func.index >= m.funcs.size() || edit.value.number >= m.funcs[func].results.size()) return;
      change.push_back({{}, func, edit.value.number, edit.sharding});
      back.push_back(
          {{}, func, edit.value.number, given(m.funcs[func].results[edit.value.number].sharding)});
      return;
    }
    auto at = std::ranges::lower_bound(stands_for_, edit.value.value, {},
                                       &std::pair<ValueId, ValueId>::first);
    for (; at != stands_for_.end() && at->first == edit.value.value; ++at) {
      change.push_back({at->second, {}, 0, edit.sharding});
      back.push_back({at->second, {}, 0, given(m.value_shardings[at->second])});
    }
  }

  PropagationSession session_;
  OpTable ops_;
  std::vector<PassCall> rest_;
  std::vector<std::pair<ValueId, ValueId>> stands_for_;  // a value and one of its copies; sorted
};

}  // namespace shardprop
