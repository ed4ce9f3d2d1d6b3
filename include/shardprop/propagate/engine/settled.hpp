// The operations that need no visit: a visit that changed nothing would change nothing again, as
// long as the directions and the strategy are the same and no sharding that the operation reads has
// changed since. To skip it does not change the answer.
//
// Worked example: tanh is visited in the first op-priority round and nothing moves. The rounds 1 to
// 4 allow it the same directions, so they skip it, until a step of a neighbour shards its operand:
// then it is unsettled for all directions, and its place in the run is visited again.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/propagate/engine/plan.hpp"
#include "shardprop/propagate/engine/run_directions.hpp"

namespace shardprop {

class SettledOps {
 public:
  // Nothing is settled. Without `skip`, nothing ever becomes settled. Bits: one per operation for
  // each pair of directions and strategy that its group meets, and one for each group.
  void reset(const Plan& plan, std::span<const RunDirections> runs, bool skip) {
    skip_ = skip;
    count_ = plan.order.size();
    find_kinds(runs);
    const std::size_t words = (count_ + 63) / 64;
    unsettled_.assign(words * kinds_, ~std::uint64_t{0});
    dirty_.assign(words, 0);
    members_.fill({});
    for (std::size_t at = 0; at < count_; ++at) {
      std::vector<std::uint64_t>& members = members_[plan.ops[plan.order[at]].group];
      members.resize(words);
      members[at / 64] |= bit(at);
    }
  }

  void stop_skipping() { skip_ = false; }

  // Starts run `number`. It visits the operations that it can change and that are not settled.
  void begin_run(std::size_t number) {
    run_ = &kind_of_[number];
    std::fill(dirty_.begin(), dirty_.end(), skip_ ? std::uint64_t{0} : ~std::uint64_t{0});
    for (std::size_t group = 0; skip_ && group < kOpGroups; ++group) {
      const std::uint32_t kind = (*run_)[group];
      if (kind == kNoKind || members_[group].empty()) continue;
      for (std::size_t w = 0; w < dirty_.size(); ++w)
        dirty_[w] |= members_[group][w] & unsettled_[w * kinds_ + kind];
    }
  }

  // The first place from `at` on that is to be visited in this run, or the number of places.
  std::size_t next(std::size_t at) const {
    std::size_t w = at / 64;
    if (w >= dirty_.size()) return count_;
    std::uint64_t word = dirty_[w] & (~std::uint64_t{0} << (at % 64));
    while (word == 0) {
      if (++w == dirty_.size()) return count_;
      word = dirty_[w];
    }
    return std::min(count_, w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }

  bool is_settled(std::size_t at, OpGroup group) const {
    if (!skip_) return false;
    const std::uint32_t kind = (*run_)[group];
    return kind == kNoKind || (unsettled_[at / 64 * kinds_ + kind] & bit(at)) == 0;
  }

  // A visit in this run changed nothing.
  void settle(std::size_t at, OpGroup group) {
    if (const std::uint32_t kind = (*run_)[group]; kind != kNoKind)
      unsettled_[at / 64 * kinds_ + kind] &= ~bit(at);
  }

  // A sharding that the operation reads has changed.
  void unsettle(std::size_t at, OpGroup group) {
    std::uint64_t* words = unsettled_.data() + at / 64 * kinds_;
    for (std::size_t kind = 0; kind < kinds_; ++kind) words[kind] |= bit(at);
    if (run_ && (*run_)[group] != kNoKind) dirty_[at / 64] |= bit(at);
  }
  void unsettle_all() {
    std::fill(unsettled_.begin(), unsettled_.end(), ~std::uint64_t{0});
    std::fill(dirty_.begin(), dirty_.end(), ~std::uint64_t{0});
  }

 private:
  static constexpr std::uint32_t kNoKind = 0xFFFFFFFFu;  // the run does not concern the group
  static std::uint64_t bit(std::size_t at) { return std::uint64_t{1} << (at % 64); }

  // Numbers the pairs of directions and strategy that each group meets.
  void find_kinds(std::span<const RunDirections> runs) {
    kinds_ = 0;
    run_ = nullptr;
    kind_of_.assign(runs.size(), {});
    for (std::size_t group = 0; group < kOpGroups; ++group) {
      std::vector<std::pair<Directions, Strategy>> seen;
      for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::pair key(runs[r].by_group[group], runs[r].strategy);
        std::uint32_t kind = 0;
        while (kind < seen.size() && seen[kind] != key) ++kind;
        if (kind == seen.size() && !key.first.none()) seen.push_back(key);
        kind_of_[r][group] = key.first.none() ? kNoKind : kind;
      }
      kinds_ = std::max(kinds_, seen.size());
    }
  }

  bool skip_ = true;
  std::size_t count_ = 0;
  std::size_t kinds_ = 0;
  const std::array<std::uint32_t, kOpGroups>* run_ = nullptr;  // a row of `kind_of_`
  std::vector<std::array<std::uint32_t, kOpGroups>> kind_of_;  // by run and group
  std::vector<std::uint64_t> unsettled_;                       // by word of places and kind
  std::vector<std::uint64_t> dirty_;                           // of this run, by place
  std::array<std::vector<std::uint64_t>, kOpGroups> members_;  // by place
};

}  // namespace shardprop
