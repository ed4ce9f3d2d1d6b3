// Room for the tables of a module, guessed from the number of lines of its text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "shardprop/ir/edit.hpp"

namespace shardprop::detail {

// Reserves rows for one operation and one value a line. O(size of the text), at the speed of
// memory.
inline void reserve_for_text(Module& m, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  // A line of an operation has this many bytes at least; shorter lines are something else.
  constexpr std::size_t kShortLine = 24;
  const std::size_t ops = std::min(lines, text.size() / kShortLine);
  reserve_rows(m, ops, ops);
}

}  // namespace shardprop::detail
