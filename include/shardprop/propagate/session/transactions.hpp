// What happened to each sharding during a propagation, and when: the record from which
// incremental.hpp works out what another start would have changed.
//
// A propagation is a sequence of transactions: one step between a returned value and a function's
// result, one sharding restored for its user priority, or one cascade, that is a visit of the
// operation at one place and of all that it puts on top of the list. What a transaction does
// follows from the shardings that it reads and from its time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/engine/run_directions.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop {

// When a transaction happens: the run, counted through all user priorities, then the phase, then
// the place, the number of the returned value or the slot. The default is the start.
struct Time {
  std::uint64_t ticks = 0;

  Time() = default;
  Time(std::size_t run, Phase phase, std::size_t index)
      : ticks((std::uint64_t{run} << 34 | static_cast<std::uint64_t>(phase) << 32 | index) + 1) {}
  std::size_t run() const { return static_cast<std::size_t>((ticks - 1) >> 34); }
  Phase phase() const { return static_cast<Phase>((ticks - 1) >> 32 & 3); }
  std::size_t index() const { return static_cast<std::size_t>((ticks - 1) & 0xFFFFFFFFu); }
  friend auto operator<=>(Time, Time) = default;
};
inline constexpr std::uint64_t kNeverTicks = ~std::uint64_t{0};
inline Time never() {
  Time t;
  t.ticks = kNeverTicks;
  return t;
}

// A place that holds a sharding: a value, by its number, or, beyond them, a function's result.
struct SlotTag;
using Slot = Id<SlotTag>;

// What a transaction wrote, and the operations that it visited; a cascade is listed without the
// operation that it started with. One that wrote nothing and visited nothing else is not recorded.
struct Transaction {
  std::span<const Slot> written;
  std::span<const OpId> visited;

  bool empty() const { return written.empty() && visited.empty(); }
};

class History {
 public:
  struct Change {
    Time at;
    ShardingId after;
  };
  using Changes = SmallVector<Change, 2>;

  History() = default;
  History(std::size_t slots, std::size_t ops) {
    starts_.resize(slots);
    changes_.resize(slots);
    visits_.resize(ops);
  }

  std::size_t slot_count() const { return starts_.size(); }
  ShardingId start(Slot slot) const { return starts_[slot]; }
  void set_start(Slot slot, ShardingId sharding) { starts_[slot] = sharding; }

  // What the slot holds right before `at`. O(log of its changes); O(1) at the end.
  ShardingId before(Slot slot, Time at) const {
    const Changes& all = changes_[slot];
    if (all.empty()) return starts_[slot];
    if (all.back().at < at) return all.back().after;
    const auto it = first_at(all, at);
    return it == all.begin() ? starts_[slot] : (it - 1)->after;
  }
  ShardingId last(Slot slot) const { return before(slot, never()); }

  // The change that the transaction at `at` made, or null.
  const Change* change(Slot slot, Time at) const {
    const auto it = first_at(changes_[slot], at);
    return it != changes_[slot].end() && it->at == at ? &*it : nullptr;
  }
  // The time of the first change after `at`.
  Time next_change(Slot slot, Time at) const {
    const auto it = first_at(changes_[slot], after(at));
    return it == changes_[slot].end() ? never() : it->at;
  }
  // The time of the first transaction after `at` that visited `op`, having started with another
  // one.
  Time next_visit(OpId op, Time at) const {
    const auto& all = visits_[op];
    const auto it = std::upper_bound(all.begin(), all.end(), at);
    return it == all.end() ? never() : *it;
  }

  // The transaction at `at`, empty if none is recorded. O(log of all).
  Transaction find(Time at) const {
    const Row* row = find_row(at);
    return row ? transaction(*row) : Transaction();
  }

  // Takes the transaction at `at` out of the record.
  void remove(Time at) {
    const Row* row = find_row(at);
    if (!row) return;
    for (Slot slot : transaction(*row).written) {
      auto& all = changes_[slot];
      all.erase_at(static_cast<std::size_t>(first_at(all, at) - all.begin()));
    }
    for (OpId op : transaction(*row).visited) {
      auto& all = visits_[op];
      all.erase_at(
          static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), at) - all.begin()));
    }
    garbage_ += row->written_count + row->visited_count + 1;
    later_[at.ticks] = Row();
  }

  // Puts a transaction in; `after(slot)` is what it leaves in each slot that it wrote. No slot and
  // no operation stands twice, and no other transaction has this time.
  template <class After>
  void insert(Time at, const Transaction& t, After&& after) {
    if (t.empty()) return;
    for (Slot slot : t.written) {
      auto& all = changes_[slot];
      all.insert_at(static_cast<std::size_t>(first_at(all, at) - all.begin()), {at, after(slot)});
    }
    for (OpId op : t.visited) {
      auto& all = visits_[op];
      all.insert_at(
          static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), at) - all.begin()), at);
    }
    const Row row = add_row(at, t, written_, visited_);
    if (rows_.empty() || rows_.back().at < at) {
      rows_.push_back(row);
    } else {
      later_[at.ticks] = row;
    }
  }

  // Drops what was taken out, once that is more than what is left. O(1) an insertion, all in all.
  void clean() {
    if (garbage_ <= written_.size() + visited_.size() + rows_.size() - garbage_) return;
    std::vector<Row> live;
    for (const Row& row : rows_) {
      if (!later_.contains(row.at.ticks)) live.push_back(row);
    }
    for (const auto& [ticks, row] : later_) {
      if (row.written_count + row.visited_count != 0) live.push_back(row);
    }
    std::ranges::stable_sort(live, [](const Row& a, const Row& b) { return a.at < b.at; });
    std::vector<Slot> written;
    std::vector<OpId> visited;
    for (Row& row : live) row = add_row(row.at, transaction(row), written, visited);
    rows_ = std::move(live);
    written_ = std::move(written);
    visited_ = std::move(visited);
    later_.clear();
    garbage_ = 0;
  }

 private:
  static Time after(Time at) {
    ++at.ticks;
    return at;
  }
  // The first change that is not before `at`.
  static const Change* first_at(const Changes& all, Time at) {
    return std::lower_bound(all.begin(), all.end(), at,
                            [](const Change& c, Time t) { return c.at < t; });
  }

  // A transaction: rows of `written_` and of `visited_`.
  struct Row {
    Time at;
    std::uint32_t written_begin = 0;
    std::uint32_t written_count = 0;
    std::uint32_t visited_begin = 0;
    std::uint32_t visited_count = 0;
  };

  static Row add_row(Time at, const Transaction& t, std::vector<Slot>& written,
                     std::vector<OpId>& visited) {
    const Row row{at, static_cast<std::uint32_t>(written.size()),
                  static_cast<std::uint32_t>(t.written.size()),
                  static_cast<std::uint32_t>(visited.size()),
                  static_cast<std::uint32_t>(t.visited.size())};
    written.insert(written.end(), t.written.begin(), t.written.end());
    visited.insert(visited.end(), t.visited.begin(), t.visited.end());
    return row;
  }
  Transaction transaction(const Row& row) const {
    return {std::span(written_).subspan(row.written_begin, row.written_count),
            std::span(visited_).subspan(row.visited_begin, row.visited_count)};
  }
  const Row* find_row(Time at) const {
    if (!later_.empty()) {
      if (const auto it = later_.find(at.ticks); it != later_.end())
        return it->second.written_count + it->second.visited_count == 0 ? nullptr : &it->second;
    }
    const auto it = std::lower_bound(rows_.begin(), rows_.end(), at,
                                     [](const Row& row, Time t) { return row.at < t; });
    return it != rows_.end() && it->at == at ? &*it : nullptr;
  }

  IdVector<Slot, ShardingId> starts_;
  IdVector<Slot, Changes> changes_;              // in order of time
  IdVector<OpId, SmallVector<Time, 2>> visits_;  // in order
  std::vector<Row> rows_;                        // in order of time
  std::map<std::uint64_t, Row> later_;           // what came in, or went, out of order: by time
  std::vector<Slot> written_;
  std::vector<OpId> visited_;
  std::size_t garbage_ = 0;  // rows of the three that stand for nothing any more
};

}  // namespace shardprop
