// Definitions of propagation_session.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/engine/propagation.hpp"
#include "shardprop/propagate/engine/unresolved.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/propagate/session/propagation_session.hpp"
#include "shardprop/propagate/session/repropagation.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct PropagationSession::State {
  State(Module m, const OpTable& ops, const PropagateOptions& o)
      : table(ops), options(o), original(std::move(m)) {}

  // Propagates from the beginning, with a record where that can be used.
  Diagnostics run() {
    const auto begin = std::chrono::steady_clock::now();
    repropagation.reset();
    propagation.reset();
    now = original;
    if (Diagnostics errors = detail::check_shapes(now); !errors.empty()) return errors;
    propagation.emplace(now, table, options);
    reason = obstacle();
    propagation->run(reason == FullRunReason::kNone);
    report = propagation->report;
    if (reason == FullRunReason::kNone)
      repropagation.emplace(*propagation, original.value_shardings);
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {};
  }

  // Why the propagation cannot be taken up again.
  FullRunReason obstacle() const {
    if (options.traces()) return FullRunReason::kTraced;
    if (options.max_visits != 0) return FullRunReason::kVisitLimit;
    if (propagation->store.has_owners_in_attributes()) return FullRunReason::kOwnersInAttributes;
    if (!propagation->groups_agree) return FullRunReason::kGroupConflict;
    return FullRunReason::kNone;
  }

  std::vector<Unresolved> unresolved() {
    if (!repropagation) return report.unresolved;
    return UnresolvedFinder(now, propagation->store, propagation->plan).find();
  }

  void check(const AnnotationEdit& edit, Diagnostics& errors) const {
    const bool of_value = edit.value.valid();
    if (of_value ? edit.value.index >= original.values.size()
                 : edit.func.index >= original.funcs.size() ||
                       edit.number >= original.funcs[edit.func].results.size()) {
      errors.push_back({"propagate.unknown_value", "the edit names no value or function result",
                        "use ids of the session's module", Place()});
      return;
    }
    if (!edit.sharding) return;
    const TypeId type = of_value ? type_of(original, edit.value)
                                 : original.funcs[edit.func].results[edit.number].type;
    const bool is_tensor = original.types.is_tensor(type);
    verify_sharding(*edit.sharding, original.meshes,
                    {.is_tensor = is_tensor, .shape = original.types.shape(type)},
                    of_value ? place_of_value(original, edit.value) : Place(), errors);
  }

  // Writes the edits on the original and takes up the propagation. Where the answer is a reason,
  // it must be run from the beginning.
  FullRunReason apply(std::span<const AnnotationEdit> edits, RepropagationReport& out) {
    std::vector<detail::SlotEdit> slots;
    for (const AnnotationEdit& edit : edits) {
      const auto id = [&](Module& m) {
        return edit.sharding ? m.shardings.intern(*edit.sharding) : ShardingId();
      };
      ShardingId& place = edit.value.valid()
                              ? original.value_shardings[edit.value]
                              : original.funcs[edit.func].results[edit.number].sharding;
      place = id(original);
      if (!repropagation) continue;
      const ShardingStore& store = propagation->store;
      const Slot slot =
          edit.value.valid() ? store.slot(edit.value) : store.slot(edit.func, edit.number);
      slots.push_back({slot, id(now)});
    }
    return repropagation ? repropagation->run(slots, out) : reason;
  }

  OpTable table;
  PropagateOptions options;
  Module original;
  Module now;
  PropagationReport report;
  FullRunReason reason = FullRunReason::kNone;  // why there is no record
  std::optional<detail::Propagation> propagation;
  std::optional<detail::Repropagation> repropagation;  // where there is a record
};

SHARDPROP_INLINE PropagationSession::PropagationSession(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
SHARDPROP_INLINE PropagationSession::PropagationSession(PropagationSession&&) noexcept = default;
SHARDPROP_INLINE PropagationSession& PropagationSession::operator=(PropagationSession&&) noexcept =
    default;
SHARDPROP_INLINE PropagationSession::~PropagationSession() = default;

SHARDPROP_INLINE Result<PropagationSession> PropagationSession::start(
    Module m, const OpTable& table, const PropagateOptions& options) {
  PropagationSession session(std::make_unique<State>(std::move(m), table, options));
  if (Diagnostics errors = session.state_->run(); !errors.empty()) return errors;
  return session;
}

SHARDPROP_INLINE const Module& PropagationSession::module() const { return state_->now; }
SHARDPROP_INLINE const Module& PropagationSession::original() const { return state_->original; }
SHARDPROP_INLINE const PropagationReport& PropagationSession::report() const {
  return state_->report;
}
SHARDPROP_INLINE std::vector<Unresolved> PropagationSession::unresolved() const {
  return state_->unresolved();
}

SHARDPROP_INLINE Result<RepropagationReport> PropagationSession::repropagate(
    std::span<const AnnotationEdit> edits) {
  const auto begin = std::chrono::steady_clock::now();
  Diagnostics errors;
  for (const AnnotationEdit& edit : edits) state_->check(edit, errors);
  if (has_errors(errors)) return errors;
  RepropagationReport out;
  out.reason = state_->apply(edits, out);
  if (out.reason != FullRunReason::kNone) {
    errors = state_->run();
    if (!errors.empty()) return errors;
    report_full_run(out);
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

SHARDPROP_INLINE Result<RepropagationReport> PropagationSession::repropagate(
    const AnnotationEdit& edit) {
  return repropagate(std::span<const AnnotationEdit>(&edit, 1));
}

SHARDPROP_INLINE Result<RepropagationReport> PropagationSession::repropagate(Module m) {
  auto state = std::make_unique<State>(std::move(m), state_->table, state_->options);
  if (Diagnostics errors = state->run(); !errors.empty()) return errors;
  state_ = std::move(state);
  RepropagationReport out;
  out.reason = FullRunReason::kStructure;
  report_full_run(out);
  out.seconds = state_->report.seconds;
  return out;
}

SHARDPROP_INLINE void PropagationSession::report_full_run(RepropagationReport& out) const {
  out.fully = true;
  out.visits = state_->report.visits;
  out.transactions = 0;
  out.changed.clear();
}

}  // namespace shardprop
