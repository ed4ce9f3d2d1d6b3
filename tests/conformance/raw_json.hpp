// Splits a JSON object into its members without reading the values: the graphs of a case go to our
// reader as they stand.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace shardprop::conformance {

struct RawMember {
  std::string_view key;    // between the quotes, escapes as they stand
  std::string_view value;  // JSON text
};

namespace detail {

inline constexpr std::string_view kSpace = " \t\r\n";

// The offset after the string that begins at `at`, or npos.
inline std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

// The offset of the comma or bracket that ends the value that begins at `at`, or npos.
inline std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace detail

// The members in order; none when `text` is not an object. Linear; what the values hold is not
// checked.
inline std::optional<std::vector<RawMember>> split_members(std::string_view text) {
  constexpr std::size_t kEnd = std::string_view::npos;
  std::vector<RawMember> out;
  std::size_t at = text.find_first_not_of(detail::kSpace);
  if (at == kEnd || text[at] != '{') return std::nullopt;
  do {
    at = text.find_first_not_of(detail::kSpace, at + 1);
    if (at == kEnd || text[at] != '"') return std::nullopt;
    const std::size_t key_end = detail::skip_string(text, at);
    if (key_end == kEnd) return std::nullopt;
    const std::size_t colon = text.find_first_not_of(detail::kSpace, key_end);
    if (colon == kEnd || text[colon] != ':') return std::nullopt;
    const std::size_t end = detail::skip_value(text, colon + 1);
    if (end == kEnd) return std::nullopt;
    out.push_back({text.substr(at + 1, key_end - at - 2), text.substr(colon + 1, end - colon - 1)});
    at = end;
  } while (text[at] == ',');
  if (text[at] != '}') return std::nullopt;
  return out;
}

}  // namespace shardprop::conformance
