// Where in a user's source something is, out of a location as MLIR has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shardprop/ir/module.hpp"

namespace shardprop {

namespace detail {

// `model.py:12:3` of the first `"model.py":12:3` in `text`; empty where there is none.
inline std::string file_place(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  for (std::size_t open = text.find('"'); open != std::string_view::npos;
       open = text.find('"', open + 1)) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) return {};
    const std::size_t end = text.find_first_not_of("0123456789:", close + 1);
    const std::string_view place = text.substr(close + 1, end - close - 1);
    if (place.size() > 1 && place[0] == ':' && kDigits.find(place[1]) != std::string_view::npos)
      return std::string(text.substr(open + 1, close - open - 1)) + std::string(place);
    open = close;
  }
  return {};
}

inline std::string source_place(const Module& m, LocId location, int depth) {
  const LocationTable& table = m.locations.table;
  if (!location.valid() || depth == 0) return {};
  if (table.is_alias(location) && !table.is_defined(location)) return {};
  const std::string_view text =
      table.is_alias(location) ? table.definition(location) : table.text(location);
  if (std::string place = file_place(text); !place.empty()) return place;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    const std::size_t end = text.find_first_of(",)]> ", at);
    const LocId alias = table.find_alias(text.substr(at + 1, end - at - 1));
    if (std::string place = source_place(m, alias, depth - 1); !place.empty()) return place;
  }
  return {};
}

}  // namespace detail

// `model.py:12:3`, the first place in a file that `location` names; empty where it names none.
inline std::string source_place(const Module& m, LocId location) {
  return detail::source_place(m, location, 8);
}

}  // namespace shardprop
