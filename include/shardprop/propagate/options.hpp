// The options of a propagation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shardprop/ops/op_def.hpp"
#include "shardprop/propagate/step/direction.hpp"

namespace shardprop {

// Which factor strategies a round runs, one after the other.
enum class Strategies : std::uint8_t { kBasic, kAggressive, kBasicThenAggressive };

// The classes of operations that op-priority rounds distinguish.
enum class OpClass : std::uint8_t { kEarly, kEarlyForward, kBroadcast, kLate };

constexpr OpClass op_class(Traits traits) {
  if (traits & (kElementwise | kRearranges)) return OpClass::kEarly;
  if (traits & kSlicesDynamically) return OpClass::kEarlyForward;
  if (traits & kBroadcasts) return OpClass::kBroadcast;
  return OpClass::kLate;
}

// What one op-priority round allows, by class, in addition to the rounds before it.
struct OpPriorityRound {
  std::array<Directions, 4> allowed;  // indexed by OpClass
  // Not through operations of which an operand, other than a scalar, has other uses.
  bool single_use_only = false;
};

namespace detail {
constexpr Directions kNowhere = both_ways(Direction::kNone);
constexpr Directions kForwardOnly = both_ways(Direction::kForward);
constexpr Directions kBackwardOnly = both_ways(Direction::kBackward);
constexpr Directions kBothWays = both_ways(Direction::kBoth);
}  // namespace detail

// The schedule of the reference: first through operations that only rearrange elements, where no
// other use of an operand could disagree; then also where one could; then along pass-through
// factors everywhere; then along all factors; and only in the last round forward through
// broadcasts.
inline constexpr std::array<OpPriorityRound, 5> kOpPrioritySchedule = {{
    {{detail::kBothWays, detail::kForwardOnly, detail::kNowhere, detail::kNowhere}, true},
    {{detail::kBothWays, detail::kForwardOnly, detail::kNowhere, detail::kNowhere}, false},
    {{Directions{Direction::kBoth, Direction::kNone},
      Directions{Direction::kBoth, Direction::kNone},
      Directions{Direction::kBackward, Direction::kNone},
      Directions{Direction::kBoth, Direction::kNone}},
     false},
    {{detail::kBothWays, detail::kBothWays, detail::kBackwardOnly, detail::kBothWays}, false},
    {{detail::kBothWays, detail::kBothWays, detail::kBothWays, detail::kBothWays}, false},
}};

// One round without any preference.
inline constexpr std::array<OpPriorityRound, 1> kNoOpPrioritySchedule = {{
    {{detail::kBothWays, detail::kBothWays, detail::kBothWays, detail::kBothWays}, false},
}};

struct PropagateOptions {
  Strategies strategies = Strategies::kAggressive;
  std::span<const OpPriorityRound> schedule = kOpPrioritySchedule;
  bool user_priorities = true;       // false: all dimensions at once, whatever their priority
  bool keep_sharding_rules = false;  // leave the rules that were used on the operations
  bool conservative = false;         // no sub-axes, no factors that need communication
  bool find_unresolved = true;       // list in the report what did not work out, with reasons
  bool trace = false;                // keep in the report how each axis moved, step by step
  bool trace_origins = false;  // write on the program where each axis was first given
  bool trace_edges = false;    // `trace`, and write on the program which operations carried an axis
  bool memoise = true;         // off only to test that answers do not depend on it
  bool skip_settled = true;    // likewise
  // Stop after this number of visits; 0: no limit. An operation that is skipped because it is
  // settled is not visited.
  std::size_t max_visits = 0;

  bool traces() const { return trace || trace_origins || trace_edges; }
};

}  // namespace shardprop
