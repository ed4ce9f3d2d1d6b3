// The directions in which shardings may move through an operation, factor by factor.
#pragma once

#include <cstdint>

#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop {

enum class Direction : std::uint8_t { kNone = 0, kForward = 1, kBackward = 2, kBoth = 3 };

constexpr Direction unite(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

// The direction of an operation's pass-through factors and that of its other factors.
struct Directions {
  Direction pass_through = Direction::kBoth;
  Direction other = Direction::kBoth;

  constexpr bool none() const {
    return pass_through == Direction::kNone && other == Direction::kNone;
  }
  constexpr Direction of(const Factor& factor) const {
    if (factor.blocked) return Direction::kNone;
    return factor.kind == FactorKind::kPassThrough ? pass_through : other;
  }
  constexpr std::uint32_t bits() const {
    return static_cast<std::uint32_t>(pass_through) * 4 + static_cast<std::uint32_t>(other);
  }
  friend constexpr bool operator==(Directions, Directions) = default;
};

constexpr Directions both_ways(Direction d) { return {d, d}; }
constexpr Directions unite(Directions a, Directions b) {
  return {unite(a.pass_through, b.pass_through), unite(a.other, b.other)};
}

}  // namespace shardprop
