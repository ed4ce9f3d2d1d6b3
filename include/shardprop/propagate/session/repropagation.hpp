// Takes up a recorded propagation again after its start has changed.
//
// With another start, a transaction (engine/record.hpp) does what it did unless it reads a slot
// that is divergent, that is, which now holds something else than at that time of the old
// propagation. So only those are run again, in the order of time: for each divergent slot the
// visits of the operations that read it, in every run, and the cascades that visited one of them.
// What a transaction now writes, and what the old one wrote, makes slots divergent or the same
// again.
//
// Worked example: %b = tanh(%a), %c = sine(%b), and %a is given the axis x. At the start %a is
// divergent, so tanh is run again at its place of the first run. It now writes x on %b. That does
// not list sine, which still stands beyond the cursor: it is run again at its own place, since it
// reads %b. From then on the three values stay divergent, so that the later runs visit both
// operations again, and find nothing to do.
//
// Cost: what is run again; in a program with sharding groups also O(values) to compare the starts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/propagation.hpp"
#include "shardprop/propagate/session/repropagation_report.hpp"

namespace shardprop::detail {

// The annotation of a value or of a function's result becomes `sharding`.
struct SlotEdit {
  Slot slot;
  ShardingId sharding;
};

class Repropagation {
 public:
  // `p` has run with a record, on a module that had `annotations`. From now on nobody else may run
  // it.
  Repropagation(Propagation& p, const IdVector<ValueId, ShardingId>& annotations)
      : p_(p),
        record_(*p.record),
        annotations_(annotations),
        priorities_(p.priorities->priorities()),
        most_visits_(std::max<std::size_t>(1000, p.report.visits / 4)),
        first_returned_(static_cast<Node>(p.m.ops.size())),
        first_slot_(first_returned_ + static_cast<Node>(p.engine.returned().size())),
        nodes_(first_slot_ + p.store.slot_count()) {
    for (std::size_t i = 0; i < p.engine.returned().size(); ++i) {
      const ReturnedValue& r = p.engine.returned()[i];
      const Node node = first_returned_ + static_cast<Node>(i);
      returned_of_[p.store.slot(r.func, r.number)].push_back(node);
      if (const ValueId holder = p.store.holder(r.value); holder.valid())
        returned_of_[p.store.slot(holder)].push_back(node);
    }
    if (p.groups.size() != 0) originals_ = *originals();
    p.engine.stop_skipping();
    record_.start_replay();
  }

  // Brings the module to what a propagation from the beginning makes of the new annotations. Where
  // the answer is a reason, it did not, and this may not be used any more.
  FullRunReason run(std::span<const SlotEdit> edits, RepropagationReport& out) {
    const std::optional<std::vector<SlotEdit>> starts = new_starts(edits);
    if (!starts) return FullRunReason::kGroupConflict;
    p_.store.attach(&record_);
    for (const SlotEdit& start : *starts) change_start(start);
    if (p_.priorities->priorities() != priorities_) return FullRunReason::kPriorities;
    const std::size_t visits = p_.report.visits;
    while (!queue_.empty()) {
      if (p_.report.visits - visits > most_visits_) return FullRunReason::kLargeChange;
      run_next(out);
    }
    out.visits = p_.report.visits - visits;
    finish(*starts, out);
    return FullRunReason::kNone;
  }

 private:
  // Operations, then returned values, then slots, in one numbering: what takes part in
  // transactions.
  using Node = std::uint32_t;
  struct NodeState {
    std::size_t concerns = 0;  // divergent slots that it reads or is
    Time queued;               // its place in the queue; the start: none
  };
  struct Event {
    Time at;
    Node node;
  };
  static bool is_later(const Event& a, const Event& b) { return a.at > b.at; }
  Node node_of(Slot slot) const { return first_slot_ + slot.index; }

  // --- The start

  // What groups make of the annotations of values; none where members of a group disagree.
  std::optional<IdVector<ValueId, ShardingId>> originals() {
    IdVector<ValueId, ShardingId> all = annotations_;
    std::swap(p_.m.value_shardings, all);
    const bool agree = unify_groups(p_.m, p_.store, p_.groups).empty();
    std::swap(p_.m.value_shardings, all);
    p_.store.clear_changed();
    if (!agree) return std::nullopt;
    return all;
  }

  // The slots that may start with another sharding than before, each with the one before user
  // priorities. None where members of a group disagree.
  std::optional<std::vector<SlotEdit>> new_starts(std::span<const SlotEdit> edits) {
    std::map<Slot, ShardingId> starts;
    for (const SlotEdit& edit : edits) {
      starts[edit.slot] = edit.sharding;
      if (p_.store.is_value(edit.slot)) annotations_[p_.store.value(edit.slot)] = edit.sharding;
    }
    if (p_.groups.size() != 0) {
      std::optional<IdVector<ValueId, ShardingId>> now = originals();
      if (!now) return std::nullopt;
      for (ValueId value : now->ids()) {
        const Slot slot = p_.store.slot(value);
        if ((*now)[value] != originals_[value] || starts.contains(slot))
          starts[slot] = (*now)[value];
      }
      originals_ = std::move(*now);
    }
    std::vector<SlotEdit> all;
    for (const auto& [slot, sharding] : starts) all.push_back({slot, sharding});
    return all;
  }

  // The slot may be restored otherwise than before, even where it starts alike.
  void change_start(const SlotEdit& edit) {
    const Slot slot = edit.slot;
    const ShardingId old = record_.start(slot);
    const bool is_value = p_.store.is_value(slot);
    const bool has_own = !is_value || p_.store.holder(p_.store.value(slot)) == p_.store.value(slot);
    record_.set_start(slot, has_own ? p_.priorities->change(slot, edit.sharding) : edit.sharding);
    touched_.push_back(slot);
    set_divergent(slot, old, record_.start(slot), Time());
    concern(node_of(slot), 1, Time());
  }

  // --- What is divergent

  // Between the transaction at `at` and the next one, the old propagation holds `old` in the slot
  // and the new one `now`.
  void set_divergent(Slot slot, ShardingId old, ShardingId now, Time at) {
    const auto entry = divergent_.find(slot);
    if (entry != divergent_.end()) {
      entry->second = old;
      if (old != now) return;
      divergent_.erase(entry);
    } else {
      if (old == now) return;
      divergent_.emplace(slot, old);
    }
    concern_readers(slot, old == now ? -1 : 1, at);
  }

  void concern_readers(Slot slot, int by, Time at) {
    concern(node_of(slot), by, at);
    if (p_.store.is_value(slot)) {
      p_.engine.readers().for_each(p_.store.value(slot),
                                   [&](OpId op) { concern(op.index, by, at); });
    }
    if (const auto it = returned_of_.find(slot); it != returned_of_.end()) {
      for (Node node : it->second) concern(node, by, at);
    }
  }

  void concern(Node node, int by, Time at) {
    std::size_t& concerns = nodes_[node].concerns;
    concerns = by > 0 ? concerns + 1 : concerns - 1;
    if (by > 0 && concerns == 1) schedule(node, at);
  }

  // --- What is run again, and when

  // The next time after `at` at which `node` takes part in a transaction.
  Time next_time(Node node, Time at) const {
    if (node < first_returned_)
      return std::min(next_own_visit(OpId(node), at), record_.next_visit(OpId(node), at));
    if (node < first_slot_) return next_result_step(node - first_returned_, at);
    const Slot slot(node - first_slot_);
    return std::min(next_restore(slot, at), record_.next_change(slot, at));
  }

  std::size_t total_runs() const { return p_.engine.runs().size() * (priorities_.size() + 1); }

  Time next_own_visit(OpId op, Time at) const {
    const OpPlan& plan = p_.plan.ops[op];
    const std::size_t end = std::min(total_runs(), at.run() + p_.engine.runs().size() + 1);
    for (std::size_t run = at.run(); plan.rule.valid() && run < end; ++run) {
      const Time time(run, Phase::kVisits, plan.place);
      if (time > at && !p_.engine.directions(run).by_group[plan.group].none()) return time;
    }
    return Time::never();
  }

  Time next_result_step(std::size_t i, Time at) const {
    for (std::size_t run = at.run(); run < total_runs(); ++run) {
      for (Phase phase : {Phase::kResultsBefore, Phase::kResultsAfter}) {
        if (const Time time(run, phase, i); time > at) return time;
      }
    }
    return Time::never();
  }

  Time next_restore(Slot slot, Time at) const {
    for (std::size_t i = 0; i < priorities_.size(); ++i) {
      const Time time((i + 1) * p_.runs_per_priority(), Phase::kRestore, slot.index);
      if (time > at && p_.priorities->waits(slot, priorities_[i])) return time;
    }
    return Time::never();
  }

  void schedule(Node node, Time after) {
    const Time at = next_time(node, after);
    Time& queued = nodes_[node].queued;
    if (at == Time::never() || (queued != Time() && queued <= at)) return;
    queued = at;
    queue_.push_back({at, node});
    std::push_heap(queue_.begin(), queue_.end(), is_later);
  }

  // Runs the next transaction again, if one of the nodes that asked for it is still concerned.
  void run_next(RepropagationReport& out) {
    const Time at = queue_.front().at;
    due_.clear();
    bool concerned = false;
    while (!queue_.empty() && queue_.front().at == at) {
      const Node node = queue_.front().node;
      std::pop_heap(queue_.begin(), queue_.end(), is_later);
      queue_.pop_back();
      if (nodes_[node].queued != at) continue;
      nodes_[node].queued = Time();
      due_.push_back(node);
      concerned = concerned || nodes_[node].concerns != 0;
    }
    if (concerned) {
      ++out.transactions;
      execute(at);
      for (Slot slot : record_.written_at(at)) compare(slot, at);
      for (Slot slot : record_.written()) compare(slot, at);
      record_.commit();
    }
    for (Node node : due_) {
      if (nodes_[node].concerns != 0) schedule(node, at);
    }
  }

  void execute(Time at) {
    if (at.phase() == Phase::kRestore) {
      const std::int32_t priority = priorities_[at.run() / p_.runs_per_priority() - 1];
      return p_.priorities->restore(priority, at.run(), Slot(at.index()));
    }
    p_.engine.start(at.run());
    if (at.phase() == Phase::kVisits) {
      p_.engine.cascade(at.index());
    } else {
      p_.engine.pass_result(at.phase(), at.index());
    }
  }

  // Compares what the transaction at `at`, which is not committed yet, leaves in a slot with what
  // the old one left.
  void compare(Slot slot, Time at) {
    ShardingId old = record_.before(slot, at);
    if (const Record::Change* change = record_.change(slot, at)) {
      old = change->after;
    } else if (const auto entry = divergent_.find(slot); entry != divergent_.end()) {
      old = entry->second;
    }
    touched_.push_back(slot);
    set_divergent(slot, old, record_.get(slot), at);
  }

  // Puts what has changed at the end into the module. Nothing is divergent any more.
  void finish(std::span<const SlotEdit> starts, RepropagationReport& out) {
    for (Slot slot : touched_) {
      const ShardingId last = record_.last(slot);
      if (std::exchange(p_.store.in_module(slot), last) == last) continue;
      if (p_.store.is_value(slot)) out.changed.push_back(p_.store.value(slot));
    }
    std::ranges::sort(out.changed);
    for (const SlotEdit& start : starts) concern(node_of(start.slot), -1, Time::never());
    for (const auto& [slot, ignored] : divergent_) concern_readers(slot, -1, Time::never());
    touched_.clear();
    divergent_.clear();
    p_.store.attach(nullptr);
  }

  Propagation& p_;
  Record& record_;
  IdVector<ValueId, ShardingId> annotations_;
  IdVector<ValueId, ShardingId> originals_;  // what groups make of them, if there are any
  std::vector<std::int32_t> priorities_;     // above 0, in order
  std::size_t most_visits_;                  // beyond that a whole run is faster
  Node first_returned_;
  Node first_slot_;
  std::vector<NodeState> nodes_;
  std::unordered_map<Slot, std::vector<Node>> returned_of_;

  std::map<Slot, ShardingId> divergent_;  // with what the old propagation holds
  std::vector<Slot> touched_;             // may hold something else at the end; some twice
  std::vector<Event> queue_;              // a heap, the first on top
  std::vector<Node> due_;
};

}  // namespace shardprop::detail
