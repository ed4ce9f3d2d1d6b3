// The record of a propagation: what each sharding was, and when. From it session/repropagation.hpp
// works out what another start changes. A plain propagation makes none.
//
// A propagation is a sequence of transactions: one step between a returned value and a function's
// result, one sharding restored for its user priority, or one cascade, that is a visit of the
// operation at one place and of all that it puts on top of the list. What a transaction does
// follows from the shardings that it reads and from its time.
//
// In a replay, transactions are run again, first to last. The record up to the transaction under
// way is then that of the new propagation, and the record after it that of the old one.
//
// Cost: some 150 bytes per operation; a look-up is O(log of the changes of one slot).
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop {

// A place that holds a sharding: a value, by its number, or, numbered after the values, a
// function's result.
struct SlotTag;
using Slot = Id<SlotTag>;

// When something happens in a run. Restoring shardings of a user priority comes before the run.
enum class Phase : std::uint8_t { kRestore, kResultsBefore, kVisits, kResultsAfter };

// When a transaction happens: the run, counted through all user priorities, then the phase, then
// the slot, the number of the returned value or the place. The default is the start.
struct Time {
  std::uint64_t ticks = 0;

  Time() = default;
  Time(std::size_t run, Phase phase, std::size_t index)
      : ticks((std::uint64_t{run} << 34 | static_cast<std::uint64_t>(phase) << 32 | index) + 1) {}
  static Time never() {
    Time t;
    t.ticks = ~std::uint64_t{0};
    return t;
  }

  std::size_t run() const { return ticks == 0 ? 0 : static_cast<std::size_t>((ticks - 1) >> 34); }
  Phase phase() const { return static_cast<Phase>((ticks - 1) >> 32 & 3); }
  std::size_t index() const { return static_cast<std::size_t>((ticks - 1) & 0xFFFFFFFFu); }
  friend auto operator<=>(Time, Time) = default;
};

// The slots that a transaction wrote, and the operations that it visited, without the one that a
// cascade starts with. Nothing stands twice.
struct Transaction {
  SmallVector<Slot, 2> written;
  SmallVector<OpId, 2> visited;
};

class Record {
 public:
  struct Change {
    Time at;
    ShardingId after;
  };

  Record(std::size_t slots, std::size_t ops) {
    changes_.resize(slots, {Change{}});
    visits_.resize(ops);
    pending_at_.resize(slots, kNotPending);
  }

  // --- The transaction under way

  void begin(Time at) { now_ = at; }
  void note_visit(OpId op) { visited_.push_back(op); }
  void write(Slot slot, ShardingId sharding) {
    std::uint32_t& at = pending_at_[slot];
    if (at == kNotPending) {
      at = static_cast<std::uint32_t>(written_.size());
      written_.push_back(slot);
      after_.emplace_back();
    }
    after_[at] = sharding;
  }
  // What the transaction reads in the slot.
  ShardingId get(Slot slot) const {
    const std::uint32_t at = pending_at_[slot];
    return at == kNotPending ? before(slot, now_) : after_[at];
  }
  std::span<const Slot> written() const { return written_; }
  // Ends it. In a replay, `commit` ends it, once it has been compared with the old one.
  void end() {
    if (!replays_) commit();
  }
  // Puts it in the place of the one that is recorded at its time, if any.
  void commit() {
    if (replays_) remove(now_);
    if (written_.empty() && visited_.empty()) return;
    std::ranges::sort(visited_);
    visited_.erase(std::unique(visited_.begin(), visited_.end()), visited_.end());
    for (std::size_t i = 0; i < written_.size(); ++i) {
      Changes& all = changes_[written_[i]];
      all.insert_at(position(all, first_at(all, now_)), {now_, after_[i]});
      pending_at_[written_[i]] = kNotPending;
    }
    for (OpId op : visited_) {
      Visits& all = visits_[op];
      all.insert_at(position(all, std::lower_bound(all.begin(), all.end(), now_)), now_);
    }
    transactions_[now_.ticks] = {SmallVector<Slot, 2>(written_), SmallVector<OpId, 2>(visited_)};
    written_.clear();
    after_.clear();
    visited_.clear();
  }

  // From now on transactions are run again.
  void start_replay() { replays_ = true; }
  bool replays() const { return replays_; }

  // --- What is recorded

  ShardingId start(Slot slot) const { return changes_[slot].front().after; }
  void set_start(Slot slot, ShardingId sharding) { changes_[slot].front().after = sharding; }
  // What the slot holds right before `at`, which is not the start.
  ShardingId before(Slot slot, Time at) const {
    const Changes& all = changes_[slot];
    if (all.back().at < at) return all.back().after;
    return (first_at(all, at) - 1)->after;
  }
  ShardingId last(Slot slot) const { return changes_[slot].back().after; }

  // The change that the transaction at `at` made, or null.
  const Change* change(Slot slot, Time at) const {
    const Change* const found = first_at(changes_[slot], at);
    return found != changes_[slot].end() && found->at == at ? found : nullptr;
  }
  // The time of the first change after `at`.
  Time next_change(Slot slot, Time at) const {
    const Changes& all = changes_[slot];
    const auto found = std::ranges::upper_bound(all, at, {}, &Change::at);
    return found == all.end() ? Time::never() : found->at;
  }
  // The time of the first transaction after `at` that visited `op`, having started with another
  // one.
  Time next_visit(OpId op, Time at) const {
    const auto found = std::ranges::upper_bound(visits_[op], at);
    return found == visits_[op].end() ? Time::never() : *found;
  }
  // The slots that the transaction at `at` wrote.
  std::span<const Slot> written_at(Time at) const {
    const auto found = transactions_.find(at.ticks);
    if (found == transactions_.end()) return {};
    return std::span(found->second.written.begin(), found->second.written.size());
  }

 private:
  using Changes = SmallVector<Change, 2>;  // in order of time; the first is the start
  using Visits = SmallVector<Time, 2>;     // in order
  static constexpr std::uint32_t kNotPending = 0xFFFFFFFFu;

  // The first change that is not before `at`.
  static const Change* first_at(const Changes& all, Time at) {
    return std::ranges::lower_bound(all, at, {}, &Change::at);
  }
  template <class List, class T>
  static std::size_t position(const List& all, const T* at) {
    return static_cast<std::size_t>(at - all.begin());
  }

  void remove(Time at) {
    const auto found = transactions_.find(at.ticks);
    if (found == transactions_.end()) return;
    for (Slot slot : found->second.written) {
      Changes& all = changes_[slot];
      all.erase_at(position(all, first_at(all, at)));
    }
    for (OpId op : found->second.visited) {
      Visits& all = visits_[op];
      all.erase_at(position(all, std::lower_bound(all.begin(), all.end(), at)));
    }
    transactions_.erase(found);
  }

  IdVector<Slot, Changes> changes_;
  IdVector<OpId, Visits> visits_;
  std::unordered_map<std::uint64_t, Transaction> transactions_;  // by time; empty ones are left out
  bool replays_ = false;

  Time now_;
  std::vector<Slot> written_;
  std::vector<ShardingId> after_;             // what is written in each
  IdVector<Slot, std::uint32_t> pending_at_;  // the row of `after_`
  std::vector<OpId> visited_;
};

}  // namespace shardprop
