// A propagation with its record, which can be taken up again after its start has changed.
//
// How: a propagation is a sequence of transactions (history.hpp), each a function of the shardings
// that it reads. They are recorded. With another start, a transaction does what it did
// unless it reads a slot that is divergent, that is, which now holds something else than at that
// time of the old propagation. So only those are run again, in the order of time: for each
// divergent slot the visits of the operations that read it, in every run, and the cascades that had
// come by one of them. What a transaction now writes, and the old one wrote, makes slots divergent
// or the same again.
//
// Worked example: %b = tanh(%a), %c = sine(%b), and %a is given the axis x. At the start %a is
// divergent, so tanh is run again at its place of the first run. It now writes x on %b. That does
// not list sine, which still stands beyond the cursor: it is run again at its own place, since it
// reads %b. From then on the three values stay divergent, so that the later runs visit both
// operations again, and find nothing to do.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/engine/engine.hpp"
#include "shardprop/propagate/engine/unresolved.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/propagate/session/recording_store.hpp"
#include "shardprop/propagate/session/repropagation_report.hpp"
#include "shardprop/propagate/session/start_shardings.hpp"

namespace shardprop {

namespace detail {

// A propagation with its record, of a module that stays where it is. `Store` is `RecordingStore`; a
// template so that it costs the compiler nothing where it is not used.
template <class Store>
class RecordedPropagation {
 public:
  // `m` must be verified, and its shapes checked. Nothing is propagated yet.
  RecordedPropagation(Module& m, const OpTable& table, const PropagateOptions& options)
      : m_(m), options_(options), rows_(table, m), groups_(m), structure_(m, rows_) {}

  // Propagates, unless it must be done in another way.
  FullRunReason run() {
    if (options_.trace_origins || options_.trace_edges) return FullRunReason::kTraced;
    if (options_.max_visits != 0) return FullRunReason::kVisitLimit;
    if (structure_.has_owners_in_attributes()) return FullRunReason::kOwnersInAttributes;
    if (groups_.has_mixed_ranks()) return FullRunReason::kGroupConflict;
    starts_.emplace(m_, structure_, groups_, options_.user_priorities);
    if (!starts_->sync()) return FullRunReason::kGroupConflict;
    const auto begin = std::chrono::steady_clock::now();
    plan_ = Planner(m_, rows_, structure_, options_.conservative, report_).make();
    store_.emplace(m_, structure_, std::max<std::size_t>(1, run_kinds(options_).size()));
    engine_.emplace(m_, *store_, groups_, plan_, options_, report_);
    set_starts();
    run_all();
    for (std::uint32_t s = 0; s < store_->history().slot_count(); ++s) store_->flush(Slot(s));
    if (options_.find_unresolved)
      report_.unresolved = UnresolvedFinder(m_, structure_, plan_).find();
    leave_rules(m_, plan_, options_.keep_sharding_rules);
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    prepare_again();
    return FullRunReason::kNone;
  }

  // The annotation of a value, or of a function's result, becomes `sharding`.
  void write(ValueId value, ShardingId sharding) {
    sync_ = starts_->write(value, sharding) || sync_;
    changed_starts_.push_back(store_->slot(value));
  }
  void write(FuncId f, std::size_t number, ShardingId sharding) {
    const Slot slot = store_->slot(f, number);
    result_starts_[slot.index] = sharding;
    changed_starts_.push_back(slot);
  }

  // Takes up what was written. Where the reason is not none, nothing else may be done with it.
  FullRunReason repropagate(RepropagationReport& out) {
    if (!apply_writes()) return FullRunReason::kGroupConflict;
    for (const auto& row : priority_counts_) {
      if (row.second == 0 || !is_known(row.first)) return FullRunReason::kPriorities;
    }
    const std::size_t visits = report_.visits;
    follow_flips(Time());
    for (const auto& row : edited_) schedule(slot_node(Slot(row.first)), Time());
    while (!queue_.empty()) {
      if (report_.visits - visits > most_visits_) return FullRunReason::kLargeChange;
      run_again(out);
    }
    out.visits = report_.visits - visits;
    finish(out);
    return FullRunReason::kNone;
  }

  const PropagationReport& report() const { return report_; }
  std::vector<Unresolved> unresolved() { return UnresolvedFinder(m_, structure_, plan_).find(); }

 private:
  // Operations, then returned values, then slots, in one numbering: what has to be run again at
  // certain times.
  using Node = std::uint32_t;
  struct Event {
    Time at;
    Node node;
  };
  static bool is_later(const Event& a, const Event& b) { return a.at > b.at; }

  // --- The whole propagation

  ShardingId original(Slot slot) const {
    if (store_->is_value(slot)) return starts_->original(ValueId(slot.index));
    const auto it = result_starts_.find(slot.index);
    return it == result_starts_.end() ? ShardingId() : it->second;
  }

  void set_starts() {
    for (FuncId f : m_.func_order) {
      for (std::size_t i = 0; i < m_.funcs[f].results.size(); ++i)
        result_starts_[store_->slot(f, i).index] = m_.funcs[f].results[i].sharding;
    }
    originals_.resize(store_->history().slot_count());
    for (std::uint32_t s = 0; s < originals_.size(); ++s) {
      const Slot slot(s);
      // Results of functions that are not part of the program any more stay as they are.
      if (!store_->is_value(slot) && !result_starts_.contains(s)) continue;
      originals_[slot] = original(slot);
      store_->set_start(slot, starts_->first(*store_, slot, originals_[slot]));
      for (std::int32_t priority : starts_->priorities(*store_, slot, originals_[slot])) {
        ++priority_counts_[priority];
        waiting_[priority].push_back(slot);
      }
    }
    for (const auto& row : priority_counts_)
      priorities_.push_back(static_cast<std::int32_t>(row.first));
    std::ranges::sort(priorities_);
  }

  bool is_known(std::int64_t priority) const {
    return std::binary_search(priorities_.begin(), priorities_.end(), priority);
  }
  // Which one it is, from 1 on, of those above 0.
  std::size_t number_of(std::int32_t priority) const {
    const auto at = std::lower_bound(priorities_.begin(), priorities_.end(), priority);
    return static_cast<std::size_t>(at - priorities_.begin()) + 1;
  }

  void run_all() {
    run_rounds();
    for (std::int32_t priority : priorities_) {
      store_->set_priority(number_of(priority));
      for (Slot slot : waiting_[priority]) restore(slot, priority);
      run_rounds();
    }
    waiting_ = {};
  }
  void run_rounds() {
    for (std::size_t r = 0; r < engine_->run_count(); ++r) engine_->run(r);
  }
  // A transaction of its own: no other sharding is read or set.
  void restore(Slot slot, std::int32_t priority) {
    store_->begin(0, Phase::kRestore, slot.index);
    const TensorSharding& now = m_.shardings[store_->get(slot)];
    store_->write(
        slot, m_.shardings.intern(restore_priority(now, m_.shardings[originals_[slot]], priority)));
    store_->end();
  }

  void prepare_again() {
    most_visits_ = std::max<std::size_t>(1000, report_.visits / 4);
    first_returned_ = static_cast<Node>(m_.ops.size());
    first_slot_ = first_returned_ + static_cast<Node>(engine_->returned().size());
    around_.assign(first_slot_, 0);
    queued_.assign(first_slot_ + store_->history().slot_count(), Time());
    for (std::size_t i = 0; i < engine_->returned().size(); ++i) {
      const ReturnedValue& r = engine_->returned()[i];
      const Node node = first_returned_ + static_cast<Node>(i);
      returned_of_[store_->slot(r.func, r.number).index].push_back(node);
      if (const ValueId holder = structure_.holder(r.value); holder.valid())
        returned_of_[store_->slot(holder).index].push_back(node);
    }
    engine_->stop_skipping();
    store_->start_again();
  }

  // --- Taking it up again

  // Gives all slots that are concerned by what was written their new start.
  bool apply_writes() {
    if (std::exchange(sync_, false)) {
      const auto add = [&](ValueId value) { changed_starts_.push_back(store_->slot(value)); };
      starts_->for_each_set_by_groups(add);
      if (!starts_->sync()) return false;
      starts_->for_each_set_by_groups(add);
    }
    for (Slot slot : changed_starts_) {
      const ShardingId now = original(slot);
      const ShardingId old = std::exchange(originals_[slot], now);
      if (now == old) continue;
      for (std::int32_t p : starts_->priorities(*store_, slot, old)) --priority_counts_[p];
      for (std::int32_t p : starts_->priorities(*store_, slot, now)) ++priority_counts_[p];
      store_->change_start(slot, starts_->first(*store_, slot, now));
      edited_.emplace(slot.index, true);
    }
    changed_starts_.clear();
    return true;
  }

  Node slot_node(Slot slot) const { return first_slot_ + slot.index; }

  // Whether `node` reads or is a divergent slot.
  bool is_concerned(Node node) const {
    if (node < first_slot_) return around_[node] != 0;
    const Slot slot(node - first_slot_);
    return store_->is_divergent(slot) || edited_.contains(slot.index);
  }

  // The next time after `at` at which `node` takes part in a transaction.
  Time next_time(Node node, Time at) const {
    if (node < first_returned_) {
      const OpId op(node);
      return std::min(next_own_visit(op, at), store_->history().next_visit(op, at));
    }
    if (node < first_slot_) return next_result_step(node - first_returned_, at);
    const Slot slot(node - first_slot_);
    return std::min(next_restore(slot, at), store_->history().next_change(slot, at));
  }

  std::size_t total_runs() const { return engine_->run_count() * (priorities_.size() + 1); }
  static std::size_t run_of(Time at) { return at == Time() ? 0 : at.run(); }

  Time next_own_visit(OpId op, Time at) const {
    const OpPlan& plan = plan_.ops[op];
    const std::size_t first = run_of(at);
    const std::size_t end = std::min(total_runs(), first + engine_->run_count() + 1);
    for (std::size_t run = first; plan.rule.valid() && run < end; ++run) {
      const RunKind& kind = engine_->run_kind(run % engine_->run_count());
      const Time time(run, Phase::kVisits, plan.place);
      if (time > at && !kind.directions[plan.group].none()) return time;
    }
    return never();
  }

  Time next_result_step(std::size_t i, Time at) const {
    for (std::size_t run = run_of(at); run < total_runs(); ++run) {
      for (Phase phase : {Phase::kResultsBefore, Phase::kResultsAfter}) {
        if (const Time time(run, phase, i); time > at) return time;
      }
    }
    return never();
  }

  Time next_restore(Slot slot, Time at) const {
    Time next = never();
    if (!originals_[slot].valid()) return next;
    for (std::int32_t p : starts_->priorities(*store_, slot, originals_[slot])) {
      const std::size_t run = number_of(p) * store_->run_count();
      const Time time(run, Phase::kRestore, slot.index);
      if (time > at) next = std::min(next, time);
    }
    return next;
  }

  void schedule(Node node, Time after) {
    const Time at = next_time(node, after);
    if (at == never() || (queued_[node] != Time() && queued_[node] <= at)) return;
    queued_[node] = at;
    queue_.push_back({at, node});
    std::push_heap(queue_.begin(), queue_.end(), is_later);
  }

  // Takes in which slots became divergent, or the same again, in the transaction at `at`.
  void follow_flips(Time at) {
    for (const typename Store::Flip& flip : store_->flips()) {
      const auto note = [&](Node node) {
        around_[node] += flip.divergent ? 1u : ~0u;
        if (flip.divergent && around_[node] == 1) schedule(node, at);
      };
      if (store_->is_value(flip.slot)) {
        engine_->for_each_reader(ValueId(flip.slot.index), [&](OpId op) { note(op.index); });
      }
      if (const auto it = returned_of_.find(flip.slot.index); it != returned_of_.end()) {
        for (Node node : it->second) note(node);
      }
      if (flip.divergent) schedule(slot_node(flip.slot), at);
    }
    store_->clear_flips();
  }

  // Runs the next transaction again, and lists those that come after it.
  void run_again(RepropagationReport& out) {
    const Time at = queue_.front().at;
    nodes_.clear();
    bool concerned = false;
    while (!queue_.empty() && queue_.front().at == at) {
      const Node node = queue_.front().node;
      std::pop_heap(queue_.begin(), queue_.end(), is_later);
      queue_.pop_back();
      if (queued_[node] != at) continue;
      queued_[node] = Time();
      nodes_.push_back(node);
      concerned = is_concerned(node) || concerned;
    }
    if (concerned) {
      ++out.transactions;
      execute(at);
      follow_flips(at);
    }
    for (Node node : nodes_) {
      if (is_concerned(node)) schedule(node, at);
    }
  }

  void execute(Time at) {
    const std::size_t number = at.run() / store_->run_count();
    store_->set_priority(number);
    if (at.phase() == Phase::kRestore) return restore_again(at, number);
    engine_->start(at.run() % engine_->run_count());
    if (at.phase() == Phase::kVisits) {
      engine_->cascade(at.index());
    } else {
      engine_->pass_result(at.phase(), at.index());
    }
  }

  // Restores a slot for the priority with this number, if it still waits for that.
  void restore_again(Time at, std::size_t number) {
    const Slot slot(at.index());
    for (std::int32_t p : starts_->priorities(*store_, slot, originals_[slot])) {
      if (number_of(p) == number) return restore(slot, p);
    }
    store_->begin(0, Phase::kRestore, slot.index);
    store_->end();
  }

  void finish(RepropagationReport& out) {
    for (Slot slot : store_->touched()) {
      if (store_->flush(slot) && store_->is_value(slot)) out.changed.push_back(ValueId(slot.index));
    }
    std::ranges::sort(out.changed);
    // What is divergent to the end is around nothing any more when the next edit comes.
    store_->finish_again();
    follow_flips(never());
    edited_ = {};
  }

  Module& m_;
  const PropagateOptions& options_;
  PropagationReport report_;
  OpRows rows_;
  ShardingGroups groups_;
  ShardingStore structure_;
  Plan plan_;
  std::optional<StartShardings> starts_;
  std::optional<Store> store_;
  std::optional<BasicEngine<Store>> engine_;

  IdVector<Slot, ShardingId> originals_;                         // before priorities
  std::unordered_map<std::uint32_t, ShardingId> result_starts_;  // by slot of a function's result
  std::vector<std::int32_t> priorities_;                         // above 0, in order
  std::map<std::int64_t, std::size_t> priority_counts_;          // slots that wait for it
  std::unordered_map<std::int64_t, std::vector<Slot>> waiting_;  // during the whole propagation

  bool sync_ = false;
  std::vector<Slot> changed_starts_;
  std::map<std::uint32_t, bool> edited_;  // slots with another start than before
  std::size_t most_visits_ = 0;           // of what is run again; beyond that a whole run is faster
  Node first_returned_ = 0;
  Node first_slot_ = 0;
  std::vector<std::uint32_t> around_;  // by node: how many divergent slots it reads
  std::vector<Time> queued_;           // by node: its place in the queue, or the start
  std::unordered_map<std::uint32_t, std::vector<Node>> returned_of_;  // by slot
  std::vector<Event> queue_;                                          // a heap, the first on top
  std::vector<Node> nodes_;
};

}  // namespace detail

}  // namespace shardprop
