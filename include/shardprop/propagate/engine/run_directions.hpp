// What each run allows. Operations that every run treats alike are of one group, so that a run is a
// table of directions by group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/step/direction.hpp"
#include "shardprop/propagate/step/strategy.hpp"

namespace shardprop {

// Four classes of operations without, then with operands of several uses; then the propagation
// barriers, by their direction.
using OpGroup = std::uint8_t;
inline constexpr std::size_t kOpGroups = 12;
inline constexpr OpGroup kFirstBarrierGroup = 8;

constexpr OpGroup op_group(OpClass op_class, bool multi_use) {
  return static_cast<OpGroup>(static_cast<unsigned>(op_class) + (multi_use ? 4u : 0u));
}
constexpr OpGroup barrier_group(Direction direction) {
  return static_cast<OpGroup>(kFirstBarrierGroup + static_cast<unsigned>(direction));
}

// When something happens in a run. Restoring shardings of a user priority comes before the run.
enum class Phase : std::uint8_t { kRestore, kResultsBefore, kVisits, kResultsAfter };

struct RunKind {
  Strategy strategy = Strategy::kBasic;
  std::array<Directions, kOpGroups> directions;  // by OpGroup
};

// The runs of one user priority: each op-priority round allows what it says and what those before
// it said.
inline std::vector<RunKind> run_kinds(const PropagateOptions& options) {
  std::vector<RunKind> runs;
  RunKind kind;
  kind.directions.fill(both_ways(Direction::kNone));
  for (unsigned d = 0; d < 4; ++d)
    kind.directions[kFirstBarrierGroup + d] = both_ways(static_cast<Direction>(d));
  for (const OpPriorityRound& round : options.schedule) {
    for (std::size_t c = 0; c < round.allowed.size(); ++c) {
      for (bool multi_use : {false, true}) {
        if (multi_use && round.single_use_only) continue;
        Directions& allowed = kind.directions[op_group(static_cast<OpClass>(c), multi_use)];
        allowed = unite(allowed, round.allowed[c]);
      }
    }
    if (options.strategies != Strategies::kAggressive) {
      kind.strategy = Strategy::kBasic;
      runs.push_back(kind);
    }
    if (options.strategies != Strategies::kBasic) {
      kind.strategy = Strategy::kAggressive;
      runs.push_back(kind);
    }
  }
  return runs;
}

}  // namespace shardprop
