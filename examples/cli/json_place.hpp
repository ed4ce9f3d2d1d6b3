// Where a JSON pointer leads in the text of a document, so that a diagnostic can show the line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/support/diagnostic.hpp"

namespace shardprop::cli::detail {

// A cursor over JSON that is known to be well formed, at least up to where the pointer leads.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::size_t offset() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    return at_;
  }
  char peek() { return offset() < text_.size() ? text_[at_] : '\0'; }

  // Goes to the value under `key` of the object or list that comes next.
  bool enter(std::string_view key) {
    const char open = peek();
    if (open != '{' && open != '[') return false;
    ++at_;
    for (std::size_t i = 0; peek() != '}' && peek() != ']' && peek() != '\0'; ++i) {
      if (open == '[' ? std::to_string(i) == key : string() == key) return true;
      skip();
    }
    return false;
  }

 private:
  // The string that comes next as it is written, escapes and all.
  std::string_view string() {
    const std::size_t begin = offset() + 1;
    for (at_ = begin; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    const std::size_t end = std::min(at_, text_.size());
    at_ = std::min(end + 1, text_.size());
    return text_.substr(std::min(begin, end), end - std::min(begin, end));
  }

  void skip() {
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return;
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      const bool bracket = c == '{' || c == '[' || c == '}' || c == ']';
      at_ = bracket ? at_ + 1 : std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// `place` with the line and column of its JSON pointer, as far as the document has it.
inline Place with_json_line(Place place, std::string_view text) {
  JsonCursor cursor(text);
  std::string_view rest = place.pointer;
  while (rest.starts_with('/')) {
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    std::string key(rest.substr(1, end - 1));
    for (std::size_t at = 0; (at = key.find('~', at)) != std::string::npos; ++at)
      key.replace(at, 2, key.substr(at + 1, 1) == "1" ? "/" : "~");
    JsonCursor inner = cursor;
    if (!inner.enter(key)) break;
    cursor = inner;
    rest.remove_prefix(end);
  }
  const std::string_view before = text.substr(0, cursor.offset());
  place.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
  place.column = static_cast<std::uint32_t>(before.size() - (before.rfind('\n') + 1) + 1);
  return place;
}

}  // namespace shardprop::cli::detail
