// The directions that each run allows. Operations that every run treats alike are in one group, so
// that a run is a table of directions by group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/step/direction.hpp"
#include "shardprop/propagate/step/strategy.hpp"

namespace shardprop {

// The four classes of operations whose operands have one use, then the four of the others, then the
// propagation barriers by their direction.
using OpGroup = std::uint8_t;
inline constexpr std::size_t kOpGroups = 12;
inline constexpr OpGroup kFirstBarrierGroup = 8;

constexpr OpGroup op_group(OpClass op_class, bool multi_use) {
  return static_cast<OpGroup>(static_cast<unsigned>(op_class) + (multi_use ? 4u : 0u));
}
constexpr OpGroup barrier_group(Direction direction) {
  return static_cast<OpGroup>(kFirstBarrierGroup + static_cast<unsigned>(direction));
}

// What one run allows, and its strategy.
struct RunDirections {
  Strategy strategy = Strategy::kBasic;
  std::array<Directions, kOpGroups> by_group;
};

// The runs of one user priority. An op-priority round allows what it says and what the rounds
// before it say.
inline std::vector<RunDirections> run_directions(const PropagateOptions& options) {
  std::vector<RunDirections> runs;
  RunDirections run;
  run.by_group.fill(both_ways(Direction::kNone));
  for (unsigned d = 0; d < 4; ++d)
    run.by_group[kFirstBarrierGroup + d] = both_ways(static_cast<Direction>(d));
  for (const OpPriorityRound& round : options.schedule) {
    for (std::size_t c = 0; c < round.allowed.size(); ++c) {
      for (bool multi_use : {false, true}) {
        if (multi_use && round.single_use_only) continue;
        Directions& allowed = run.by_group[op_group(static_cast<OpClass>(c), multi_use)];
        allowed = unite(allowed, round.allowed[c]);
      }
    }
    if (options.strategies != Strategies::kAggressive) {
      run.strategy = Strategy::kBasic;
      runs.push_back(run);
    }
    if (options.strategies != Strategies::kBasic) {
      run.strategy = Strategy::kAggressive;
      runs.push_back(run);
    }
  }
  return runs;
}

}  // namespace shardprop
