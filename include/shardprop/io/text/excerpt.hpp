// The line that an error is about, with a caret under its column:
//
//     12 |   %0 = stablehlo.add %a %b : tensor<8xf32>
//        |                         ^
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::size_t kExcerptWidth = 100;  // bytes of a line that are shown

// Line number `line`, counted from 1, without its end; empty if there is none.
inline std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

inline bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace detail

// Two lines without a line break at their end; of a long line the part around the column. Empty if
// `place` has no line, or `text` has not that line. O(size of the text up to the line).
inline std::string excerpt(std::string_view text, const Place& place) {
  if (place.line == 0) return {};
  const std::string_view line = detail::line_of(text, place.line);
  if (line.empty()) return {};
  const std::size_t column =
      std::min<std::size_t>(place.column == 0 ? 0 : place.column - 1, line.size());
  std::size_t begin = 0;
  if (line.size() > detail::kExcerptWidth && column > detail::kExcerptWidth / 2) {
    begin = std::min(column - detail::kExcerptWidth / 2, line.size() - detail::kExcerptWidth);
  }
  std::size_t end = std::min(line.size(), begin + detail::kExcerptWidth);
  while (begin > 0 && detail::continues_utf8(line[begin])) --begin;
  while (end < line.size() && detail::continues_utf8(line[end])) ++end;
  const std::string number = std::to_string(place.line);
  const std::string margin(std::max<std::size_t>(number.size(), 5), ' ');
  std::string out = margin.substr(number.size()) + number + " | ";
  out += begin > 0 ? "..." : "";
  std::string under = margin + " | " + (begin > 0 ? "   " : "");
  for (std::size_t i = begin; i < end; ++i) {
    const unsigned char byte = static_cast<unsigned char>(line[i]);
    const bool prints = byte >= 0x20 || line[i] == '\t';
    out += prints ? line[i] : '?';
    // A tab under a tab keeps the caret in its column, whatever a tab is wide.
    if (i < column && !detail::continues_utf8(line[i])) under += line[i] == '\t' ? '\t' : ' ';
  }
  out += end < line.size() ? "..." : "";
  return out + '\n' + under + '^';
}

}  // namespace shardprop
