// Propagation that can be taken up again: after the annotation of a value or of a function's result
// has changed, `repropagate` gives exactly the shardings that a propagation from the beginning
// would give, in time proportional to what becomes different on the way. How is told in
// recorded_propagation.hpp.
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
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/propagate/session/recorded_propagation.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// The annotation of `value`, or, where that is none, of result `number` of `func`, becomes
// `sharding`. Meshes are those of the session's module.
struct AnnotationEdit {
  ValueId value;
  FuncId func;
  std::size_t number = 0;
  std::optional<TensorSharding> sharding = {};  // none: the annotation is taken away
};

// A program with its propagated shardings. It holds the program twice, as it was given and as it is
// propagated, and the record: some 200 bytes an operation.
template <class Store>
class BasicPropagationSession {
 public:
  // Propagates `m`, which must verify; fails as `propagate` does. What `options.schedule` names
  // must outlive the session.
  static Result<BasicPropagationSession> start(Module m, const OpTable& table,
                                               const PropagateOptions& options = {}) {
    BasicPropagationSession session(std::make_unique<State>(std::move(m), table, options));
    if (Diagnostics errors = session.state_->run(); !errors.empty()) return errors;
    return session;
  }

  // The program with its propagated shardings.
  const Module& module() const { return state_->now; }
  // The program as it was given, with all edits.
  const Module& original() const { return state_->original; }
  // What the last propagation from the beginning reported.
  const PropagationReport& report() const { return state_->report; }
  // What is not resolved now. O(operations).
  std::vector<Unresolved> unresolved() const {
    return state_->recorded ? state_->recorded->unresolved() : state_->report.unresolved;
  }

  // Changes annotations and propagates. Fails, and changes nothing, where an edit names no value or
  // result, or a sharding does not fit.
  Result<RepropagationReport> repropagate(std::span<const AnnotationEdit> edits) {
    const auto begin = std::chrono::steady_clock::now();
    Diagnostics errors;
    for (const AnnotationEdit& edit : edits) state_->check(edit, errors);
    if (has_errors(errors)) return errors;
    RepropagationReport out;
    for (const AnnotationEdit& edit : edits) state_->write(edit);
    out.reason = state_->recorded ? state_->recorded->repropagate(out) : state_->reason;
    if (out.reason != FullRunReason::kNone) {
      errors = state_->run();
      if (!errors.empty()) return errors;
      report_full_run(out);
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  }
  Result<RepropagationReport> repropagate(const AnnotationEdit& edit) {
    return repropagate(std::span<const AnnotationEdit>(&edit, 1));
  }

  // Goes on with another program, such as `original()` with operations added; always from the
  // beginning. Fails as `start` does; the session is then as it was.
  Result<RepropagationReport> repropagate(Module m) {
    auto state = std::make_unique<State>(std::move(m), state_->table, state_->options);
    if (Diagnostics errors = state->run(); !errors.empty()) return errors;
    state_ = std::move(state);
    RepropagationReport out;
    out.reason = FullRunReason::kStructure;
    report_full_run(out);
    out.seconds = state_->report.seconds;
    return out;
  }

 private:
  struct State {
    State(Module m, const OpTable& ops, const PropagateOptions& o)
        : table(ops), options(o), original(std::move(m)) {}

    // Propagates from the beginning.
    Diagnostics run() {
      recorded.reset();
      now = original;
      if (Diagnostics errors = detail::check_shapes(now); !errors.empty()) return errors;
      recorded.emplace(now, table, options);
      reason = recorded->run();
      if (reason == FullRunReason::kNone) {
        report = recorded->report();
        return {};
      }
      recorded.reset();
      now = original;
      Result<PropagationReport> plain = propagate(now, table, options);
      if (!plain) return plain.errors();
      report = std::move(*plain);
      return {};
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

    void write(const AnnotationEdit& edit) {
      const auto id = [&](Module& m) {
        return edit.sharding ? m.shardings.intern(*edit.sharding) : ShardingId();
      };
      if (edit.value.valid()) {
        original.value_shardings[edit.value] = id(original);
        if (recorded) recorded->write(edit.value, id(now));
      } else {
        original.funcs[edit.func].results[edit.number].sharding = id(original);
        if (recorded) recorded->write(edit.func, edit.number, id(now));
      }
    }

    OpTable table;
    PropagateOptions options;
    Module original;
    Module now;
    PropagationReport report;
    FullRunReason reason = FullRunReason::kNone;  // why there is no record
    std::optional<detail::RecordedPropagation<Store>> recorded;
  };

  explicit BasicPropagationSession(std::unique_ptr<State> state) : state_(std::move(state)) {}

  void report_full_run(RepropagationReport& out) const {
    out.fully = true;
    out.visits = state_->report.visits;
    out.transactions = 0;
    out.changed.clear();
  }

  std::unique_ptr<State> state_;
};

using PropagationSession = BasicPropagationSession<RecordingStore>;

}  // namespace shardprop
