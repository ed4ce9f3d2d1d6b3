// A store of shardings that remembers: what each transaction of a propagation wrote and visited,
// and what a slot held at any time. The engine uses it in place of `ShardingStore`, first for a
// whole propagation, then to run single transactions again after the start has changed.
//
// While transactions are run again, the record up to the time of the transaction is that of the new
// propagation and the record after it that of the old one. A slot is divergent while the two
// propagations hold different shardings in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/session/transactions.hpp"

namespace shardprop {

class RecordingStore {
 public:
  static constexpr bool kRecords = true;

  // `run_count` runs a user priority. The history starts with what `m` holds.
  RecordingStore(Module& m, const ShardingStore& structure, std::size_t run_count)
      : m_(m), structure_(structure), run_count_(run_count) {
    std::size_t slots = m.values.size();
    first_result_.resize(m.funcs.size());
    for (FuncId f : m.funcs.ids()) {
      first_result_[f] = Slot(slots);
      slots += m.funcs[f].results.size();
    }
    history_ = History(slots, m.ops.size());
    for (ValueId value : m.values.ids()) history_.set_start(slot(value), m.value_shardings[value]);
    for (FuncId f : m.funcs.ids()) {
      for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i)
        history_.set_start(slot(f, i), m.funcs[f].results[i].sharding);
    }
    written_at_.resize(slots, kNotWritten);
  }

  // --- What the engine asks

  const ShardingStore& structure() const { return structure_; }
  ValueId holder(ValueId value) const { return structure_.holder(value); }
  const EdgeInfo* edge(OpId op) const { return structure_.edge(op); }
  OpId edge_of_source(UseId use) const { return structure_.edge_of_source(use); }

  ShardingId get(ValueId value) const {
    const ValueId at = holder(value);
    return at.valid() ? get(slot(at)) : ShardingId();
  }
  ShardingId get_result(FuncId f, std::size_t i) const { return get(slot(f, i)); }
  void set_result(FuncId f, std::size_t i, ShardingId sharding) { write(slot(f, i), sharding); }
  // As `ShardingStore::set`.
  void set(ValueId value, ShardingId sharding) {
    const ValueId at = holder(value);
    if (!at.valid()) return;
    // Whether any result has a sharding is read here, so that the operation counts as visited.
    if (detail::has_siblings(m_, at)) note_visit(defining_op(m_, at));
    detail::open_siblings(
        m_, at, sharding, [&](ValueId result) { return get(slot(result)); },
        [&](ValueId result, ShardingId open) { write(slot(result), open); });
    write(slot(at), sharding);
  }

  void note_changes() {}
  std::span<const ValueId> changed() const { return changed_; }
  bool attributes_changed() const { return false; }
  void clear_changed() { changed_.clear(); }

  void begin(std::size_t run, Phase phase, std::size_t index) {
    now_ = Time(priority_ * run_count_ + run, phase, index);
  }
  void note_visit(OpId op) { visited_.push_back(op); }
  void end() {
    if (again_) {
      compare();
      history_.remove(now_);
    }
    if (slots_.empty() && visited_.empty()) return;
    std::ranges::sort(visited_);
    visited_.erase(std::unique(visited_.begin(), visited_.end()), visited_.end());
    history_.insert(now_, {slots_, visited_},
                    [&](Slot slot) { return written_[written_at_[slot]]; });
    for (Slot slot : slots_) written_at_[slot] = kNotWritten;
    slots_.clear();
    visited_.clear();
    written_.clear();
  }

  // --- What the owner asks

  struct Flip {
    Slot slot;
    bool divergent;
  };

  Slot slot(ValueId value) const { return Slot(value.index); }
  Slot slot(FuncId f, std::size_t i) const { return Slot(first_result_[f].index + i); }
  bool is_value(Slot slot) const { return slot.index < m_.values.size(); }
  const History& history() const { return history_; }
  std::size_t run_count() const { return run_count_; }

  void set_start(Slot slot, ShardingId sharding) { history_.set_start(slot, sharding); }
  // The runs to come are those of user priority number `priority`, in their order.
  void set_priority(std::size_t priority) { priority_ = priority; }
  ShardingId get(Slot slot) const {
    const std::uint32_t at = written_at_[slot];
    return at == kNotWritten ? history_.before(slot, now_) : written_[at];
  }
  void write(Slot slot, ShardingId sharding) {
    if (!again_ && is_value(slot) && get(slot) != sharding) changed_.push_back(ValueId(slot.index));
    std::uint32_t& at = written_at_[slot];
    if (at == kNotWritten) {
      at = static_cast<std::uint32_t>(written_.size());
      written_.emplace_back();
      slots_.push_back(slot);
    }
    written_[at] = sharding;
  }

  // From now on transactions are run again.
  void start_again() { again_ = true; }
  void change_start(Slot slot, ShardingId sharding) {
    const ShardingId old = history_.start(slot);
    history_.set_start(slot, sharding);
    touched_.push_back(slot);
    set_divergent(slot, old, sharding);
  }
  bool is_divergent(Slot slot) const { return divergent_.contains(slot.index); }
  // The slots that became or ceased to be divergent since `clear_flips`.
  std::span<const Flip> flips() const { return flips_; }
  void clear_flips() { flips_.clear(); }
  // The slots that may hold something else at the end; each perhaps several times.
  std::span<const Slot> touched() const { return touched_; }
  // Nothing is divergent any more; the flips say what was.
  void finish_again() {
    touched_.clear();
    history_.clean();
    for (const auto& [slot, ignored] : divergent_) flips_.push_back({Slot(slot), false});
    divergent_ = {};
  }
  // Puts what `slot` holds at the end into the module. Whether that is something else.
  bool flush(Slot slot) {
    ShardingId& place = is_value(slot) ? m_.value_shardings[ValueId(slot.index)] : result(slot);
    return std::exchange(place, history_.last(slot)) != place;
  }

 private:
  static constexpr std::uint32_t kNotWritten = 0xFFFFFFFFu;

  ShardingId& result(Slot slot) {
    const auto next = std::upper_bound(first_result_.begin(), first_result_.end(), slot);
    const FuncId f(static_cast<std::size_t>(next - first_result_.begin()) - 1);
    return m_.funcs[f].results[slot.index - first_result_[f].index].sharding;
  }

  // Compares what the transaction leaves with what the old one left. Both are still there.
  void compare() {
    for (Slot slot : history_.find(now_).written) compare(slot);
    for (Slot slot : slots_) compare(slot);
  }
  void compare(Slot slot) {
    const auto divergent = divergent_.find(slot.index);
    const ShardingId new_before = history_.before(slot, now_);
    ShardingId old = divergent == divergent_.end() ? new_before : divergent->second;
    if (const History::Change* change = history_.change(slot, now_)) old = change->after;
    touched_.push_back(slot);
    set_divergent(slot, old, get(slot));
  }
  void set_divergent(Slot slot, ShardingId old, ShardingId now) {
    if (old == now) {
      if (!divergent_.contains(slot.index)) return;
      divergent_.erase(slot.index);
      flips_.push_back({slot, false});
      return;
    }
    const auto entry = divergent_.emplace(slot.index, old);
    entry.first->second = old;
    if (entry.second) flips_.push_back({slot, true});
  }

  Module& m_;
  const ShardingStore& structure_;
  std::size_t run_count_;
  std::size_t priority_ = 0;
  IdVector<FuncId, Slot> first_result_;
  History history_;

  // The transaction that is under way.
  Time now_;
  std::vector<Slot> slots_;          // that it wrote
  std::vector<ShardingId> written_;  // what it wrote there
  std::vector<OpId> visited_;
  IdVector<Slot, std::uint32_t> written_at_;  // the row of `written_`
  std::vector<ValueId> changed_;

  bool again_ = false;
  std::map<std::uint32_t, ShardingId> divergent_;  // by slot, what the old one holds
  std::vector<Flip> flips_;
  std::vector<Slot> touched_;
};

}  // namespace shardprop
