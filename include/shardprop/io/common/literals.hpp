// JSON text of strings and numbers, appended to a string.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace shardprop::detail {

template <class Integer>
void append_integer(std::string& out, Integer value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

// The shortest digits that read back as `value`, always with a point or an exponent, so that it
// stays a float. JSON has no infinities and NaNs; they become the opaque form of the graph
// format.
inline void append_number(std::string& out, double value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  if (!std::isfinite(value)) {
    out.append("{\"opaque\": \"").append(text).append("\"}");
    return;
  }
  out.append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out.append(".0");
}

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the UTF-8 sequence at the start of `text` has, or 0 if it is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0u) != 0x80u) return 0;
  }
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  if (length < 3) return length;
  const unsigned second = at(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return length;
}

inline void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\t':
      out.append("\\t");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\b':
      out.append("\\b");
      return;
    case '\f':
      out.append("\\f");
      return;
    default:
      out.append("\\u00");
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

// Text with what is not UTF-8 replaced by U+FFFD.
inline void append_utf8(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out.append(kReplacement);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

// A JSON string. Bytes that are not UTF-8 become U+FFFD, since a document must be UTF-8.
inline void append_string(std::string& out, std::string_view text) {
  const auto is_plain = [](char c) {
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20 &&
           static_cast<unsigned char>(c) < 0x80;
  };
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text.substr(at, end - at));
    if (end == text.size()) break;
    at = end + 1;
    if (static_cast<unsigned char>(text[end]) < 0x80) {
      append_escaped(out, text[end]);
      continue;
    }
    const std::size_t length = utf8_length(text.substr(end));
    if (length == 0) {
      out.append(kReplacement);
    } else {
      out.append(text.substr(end, length));
      at = end + length;
    }
  }
  out += '"';
}

}  // namespace shardprop::detail
