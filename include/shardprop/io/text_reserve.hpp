// Room for the tables of a module, guessed from the number of lines of its text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "shardprop/ir/module.hpp"

namespace shardprop::detail {

// Reserves rows for one operation and one value a line. O(size of the text), at the speed of
// memory.
inline void reserve_for_text(Module& m, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  // A line of an operation has this many bytes at least; shorter lines are something else.
  constexpr std::size_t kShortLine = 24;
  const std::size_t ops = std::min(lines, text.size() / kShortLine);
  m.ops.reserve(ops);
  m.layout.reserve(ops);
  m.uses.reserve(2 * ops);
  m.values.reserve(ops);
  m.value_shardings.reserve(ops);
  m.value_names.reserve(ops);
}

// Gives back what the guess was too large by.
inline void release_unused(Module& m) {
  m.ops.shrink_to_fit();
  m.layout.shrink_to_fit();
  m.uses.shrink_to_fit();
  m.values.shrink_to_fit();
  m.value_shardings.shrink_to_fit();
  m.value_names.shrink_to_fit();
}

}  // namespace shardprop::detail
