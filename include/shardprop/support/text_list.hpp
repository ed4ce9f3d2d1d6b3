// Lists in texts, with something between their items.
#pragma once

#include <string>
#include <string_view>

namespace shardprop {

// Calls `write(item)`, which appends to `out`, for each of `items`; appends `comma` between them.
template <class Items, class Write>
void append_list(std::string& out, const Items& items, Write&& write,
                 std::string_view comma = ", ") {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out.append(comma);
    first = false;
    write(item);
  }
}

// The texts `text(item)` of `items`, with ", " between them.
template <class Items, class Text>
std::string comma_list(const Items& items, Text&& text) {
  std::string out;
  append_list(out, items, [&](const auto& item) { out.append(text(item)); });
  return out;
}

}  // namespace shardprop
