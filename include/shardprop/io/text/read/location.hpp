// Locations, `loc(...)`: kept as they are written, each text once.
#pragma once

#include <string>
#include <string_view>

#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/sharding.hpp"
#include "shardprop/io/text/read/type.hpp"

namespace shardprop::detail {

// What stands in the brackets after `loc`, which is read; empty after an error.
inline std::string_view read_location_text(TextReadContext& c) {
  if (c.in.peek() != '(') {
    fail_expected(c, "'(' and a location");
    return {};
  }
  const std::string_view all = take_brackets(c, "a location in '(' and ')'");
  if (all.empty()) return {};
  const std::string_view text = trimmed(all.substr(1, all.size() - 2));
  if (text.empty()) fail(c, all.data(), "text.syntax", "expected a location, found '()'");
  return text;
}

// The text of a location as it is kept: as it is written, or in one line where it may have
// comments, which would hide what is written after them; `line` is room for that. Empty after an
// error.
inline std::string_view kept_location(TextReadContext& c, std::string_view text,
                                      std::string& line) {
  if (text.find("//") == std::string_view::npos) return text;
  line = one_line(text);
  const std::string_view kept = trimmed(line);
  if (kept.empty()) fail(c, text.data(), "text.syntax", "expected a location, found a comment");
  return kept;
}

// Reads `loc(...)` if it comes next. Without `keep_locations` it is only passed.
inline bool read_optional_location(TextReadContext& c, LocId& out) {
  if (c.in.peek() != 'l' || !c.in.accept_word("loc")) return true;
  const std::string_view text = read_location_text(c);
  if (text.empty()) return false;
  if (!c.options.keep_locations) return true;
  const std::uint64_t hash = hash_text(text);
  if (const LocId* const known = c.locations.find(text, hash)) {
    out = *known;
    return true;
  }
  LocationTable& table = c.m.locations.table;
  std::string line;
  const std::string_view kept = kept_location(c, text, line);
  if (kept.empty()) return false;
  out = kept.starts_with('#') ? table.alias(kept.substr(1)) : table.inline_text(kept);
  c.locations.add(text, hash, out);
  return true;
}

}  // namespace shardprop::detail
