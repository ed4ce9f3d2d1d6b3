// A cursor over MLIR text: blanks and `//` comments, words, names of values and symbols, numbers,
// strings, and the skipping of what stands in brackets. It allocates nothing and records nothing;
// the functions of context.hpp make errors. All are O(characters they pass).
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/sharding/scanner.hpp"

namespace shardprop::detail {

constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// What a character can be part of, a bit each, looked up instead of compared.
inline constexpr std::uint8_t kInBlank = 1;
inline constexpr std::uint8_t kInWord = 2;
inline constexpr std::uint8_t kInSuffix = 4;   // of a name after `%`, `@`, `#`
inline constexpr std::uint8_t kIsBracket = 8;  // or what else stops the passing of brackets

struct CharacterBits {
  std::uint8_t bits[256] = {};

  constexpr CharacterBits() {
    for (int i = 0; i < 256; ++i) {
      const char c = static_cast<char>(i);
      const bool is_word = is_word_char(c);
      const bool stops = c == '<' || c == '>' || c == '(' || c == ')' || c == '[' || c == ']' ||
                         c == '{' || c == '}' || c == '"' || c == '-' || c == '/';
      bits[i] = static_cast<std::uint8_t>((is_blank(c) ? kInBlank : 0) | (is_word ? kInWord : 0) |
                                          (is_word || c == '-' ? kInSuffix : 0) |
                                          (stops ? kIsBracket : 0));
    }
  }
};
inline constexpr CharacterBits kCharacters;

constexpr bool is_in(char c, std::uint8_t what) {
  return (kCharacters.bits[static_cast<unsigned char>(c)] & what) != 0;
}

class TextCursor {
 public:
  TextCursor() = default;
  explicit TextCursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // The whole text.
  std::string_view text() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }

  // Where the next character that is not a blank stands. What is passed with `go_to` must be a
  // place of this text.
  const char* here() {
    skip_blanks();
    return at_;
  }
  void go_to(const char* at) { at_ = at; }
  // Where the cursor stands, blanks not skipped: right after what was read last.
  const char* raw() const { return at_; }
  std::string_view since(const char* from) const {
    return {from, static_cast<std::size_t>(at_ - from)};
  }
  std::size_t offset_of(const char* at) const { return static_cast<std::size_t>(at - begin_); }
  bool at_end() { return here() == end_; }

  // The next character that is not a blank, `\0` at the end. (A zero byte in the text is not
  // a blank, and nothing accepts it.)
  char peek() {
    skip_blanks();
    return at_ == end_ ? '\0' : *at_;
  }
  // The character right here, `\0` at the end.
  char raw_peek() const { return at_ == end_ ? '\0' : *at_; }
  void advance() { ++at_; }  // over a character that `peek` or `raw_peek` showed

  bool next_is(std::string_view symbol) {
    skip_blanks();
    return starts_here(symbol);
  }
  bool accept(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  // A symbol of several characters, such as `->`.
  bool accept(std::string_view symbol) {
    if (!next_is(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  // As `accept`, but right here, without a blank before.
  bool accept_raw(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // The word that comes next: a letter or `_`, then letters, digits, `_`, `$` and `.`; else empty.
  std::string_view peek_word() {
    skip_blanks();
    const char* end = at_;
    if (end == end_ || !starts_name(*end)) return {};
    while (end != end_ && is_in(*end, kInWord)) ++end;
    return {at_, static_cast<std::size_t>(end - at_)};
  }
  std::string_view word() {
    const std::string_view found = peek_word();
    at_ += found.size();
    return found;
  }
  // `expected` as a whole word.
  bool accept_word(std::string_view expected) {
    if (!next_is(expected)) return false;
    const char* const end = at_ + expected.size();
    if (end != end_ && is_in(*end, kInWord)) return false;
    at_ = end;
    return true;
  }

  // The letters, digits, `_`, `$`, `.` and `-` right here: what may follow `%`, `^`, `@`, `#`, `!`.
  std::string_view suffix() {
    const char* const from = at_;
    while (at_ != end_ && is_in(*at_, kInSuffix)) ++at_;
    return since(from);
  }

  // The name of a value, `%12` or `%arg0`, with the `%` and without `#1`; else empty.
  std::string_view value_name() {
    if (peek() != '%') return {};
    const char* const from = at_++;
    if (suffix().empty()) at_ = from;
    return since(from);
  }

  // A decimal integer, with `-` where it is negative. False, and nothing read, if there is none or
  // it does not fit.
  bool integer(std::int64_t& number) {
    skip_blanks();
    const auto [stop, error] = std::from_chars(at_, end_, number);
    if (error != std::errc()) return false;
    at_ = stop;
    return true;
  }

  // Passes what a number without sign may be made of: digits, `.`, an exponent; or `0x` and digits.
  void skip_number() {
    if (starts_here("0x")) {
      at_ += 2;
      while (at_ != end_ && hex_value(*at_) >= 0) ++at_;
      return;
    }
    while (at_ != end_ && (is_digit(*at_) || *at_ == '.')) ++at_;
    if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return;
    const char* exponent = at_ + 1;
    if (exponent != end_ && (*exponent == '-' || *exponent == '+')) ++exponent;
    if (exponent == end_ || !is_digit(*exponent)) return;
    while (exponent != end_ && is_digit(*exponent)) ++exponent;
    at_ = exponent;
  }

  // A string in double quotes: `raw` is what stands between them, escapes included. False if there
  // is none or it is not closed in its line.
  bool string_raw(std::string_view& raw, bool& has_escapes) {
    if (peek() != '"') return false;
    const char* const from = at_ + 1;
    const char* close = find_char(from, '"');
    // A quote after an odd number of backslashes is part of the string.
    while (close != end_ && backslashes_before(from, close) % 2 == 1)
      close = find_char(close + 1, '"');
    raw = {from, static_cast<std::size_t>(close - from)};
    if (close == end_ || raw.find('\n') != std::string_view::npos) return false;
    has_escapes = raw.find('\\') != std::string_view::npos;
    at_ = close + 1;
    return true;
  }

  // Passes `<`, and all up to the next `>`, if nothing that needs a closer look comes between.
  bool skip_simple_brackets() {
    if (raw_peek() != '<') return false;
    const char* p = at_ + 1;
    while (p != end_ && !is_in(*p, kIsBracket)) ++p;
    if (p == end_ || *p != '>') return false;
    at_ = p + 1;
    return true;
  }

  // The number of a name such as `%12` here, at most 9 digits without a zero in front; -1, and
  // nothing read, if there is no such name.
  std::int32_t numbered_name() {
    const char* p = at_;
    if (static_cast<std::size_t>(end_ - p) < 2 || *p != '%') return -1;
    const char* const first = ++p;
    std::int32_t number = 0;
    while (p != end_ && is_digit(*p) && p - first < 9) number = number * 10 + (*p++ - '0');
    const bool ends = p == end_ || !is_in(*p, kInSuffix);
    if (p == first || !ends || (*first == '0' && p - first > 1)) return -1;
    at_ = p;
    return number;
  }

  // Passes a bracket and all up to the one that closes it; `->` is not a bracket. False if it
  // is not closed, or brackets inside do not match, or more than `max_depth` are open.
  bool skip_brackets(std::size_t max_depth) {
    stack_.clear();
    const char* p = here();
    while (p != end_) {
      const char c = *p;
      if (!is_in(c, kIsBracket)) {
        ++p;
        if (stack_.empty()) return false;  // there is no bracket here
        continue;
      }
      if (c == '"') {
        at_ = p;
        std::string_view raw;
        bool escapes = false;
        if (!string_raw(raw, escapes)) return false;
        p = at_;
        continue;
      }
      if (c == '/' && p + 1 != end_ && p[1] == '/') {
        while (p != end_ && *p != '\n') ++p;
        continue;
      }
      if (c == '<' || c == '(' || c == '[' || c == '{') {
        if (stack_.size() == max_depth) return false;
        stack_.push_back(c == '(' ? ')' : static_cast<char>(c + 2));
      } else if (c == '-' && p + 1 != end_ && p[1] == '>') {
        ++p;
      } else if (c == '>' || c == ')' || c == ']' || c == '}') {
        if (stack_.empty() || stack_.back() != c) return false;
        stack_.pop_back();
      }
      ++p;
      if (!stack_.empty()) continue;
      at_ = p;
      return true;
    }
    return false;
  }

  void skip_blanks() {
    while (at_ != end_) {
      if (is_in(*at_, kInBlank)) {
        ++at_;
      } else if (*at_ == '/' && at_ + 1 != end_ && at_[1] == '/') {
        while (at_ != end_ && *at_ != '\n') ++at_;
      } else {
        return;
      }
    }
  }

 private:
  bool starts_here(std::string_view symbol) const {
    return static_cast<std::size_t>(end_ - at_) >= symbol.size() &&
           std::char_traits<char>::compare(at_, symbol.data(), symbol.size()) == 0;
  }

  const char* find_char(const char* from, char c) const {
    const std::size_t left = static_cast<std::size_t>(end_ - from);
    const void* const found = left == 0 ? nullptr : std::memchr(from, c, left);
    return found == nullptr ? end_ : static_cast<const char*>(found);
  }
  static std::size_t backslashes_before(const char* from, const char* at) {
    const char* p = at;
    while (p != from && p[-1] == '\\') --p;
    return static_cast<std::size_t>(at - p);
  }

  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::vector<char> stack_;  // of `skip_brackets`, kept for its memory
};

// `text` without blanks at its ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Appends what the inside of a string means: `\\`, `\"`, `\n`, `\t` and `\0A` are escapes. False at
// an unknown escape.
inline bool unescape_text(std::string_view raw, std::string& out) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    if (++i == raw.size()) return false;
    const char c = raw[i];
    if (c == '"' || c == '\\') {
      out += c;
    } else if (c == 'n' || c == 't') {
      out += c == 'n' ? '\n' : '\t';
    } else {
      if (i + 1 == raw.size() || hex_value(c) < 0 || hex_value(raw[i + 1]) < 0) return false;
      out += static_cast<char>(hex_value(c) * 16 + hex_value(raw[++i]));
    }
  }
  return true;
}

struct LineAndColumn {
  std::uint32_t line = 1;  // both count from 1
  std::uint32_t column = 1;
};

// Where byte number `offset` stands. O(offset); for errors.
inline LineAndColumn line_and_column(std::string_view text, std::size_t offset) {
  LineAndColumn at;
  for (char c : text.substr(0, offset)) {
    at.column = c == '\n' ? 1 : at.column + 1;
    if (c == '\n') ++at.line;
  }
  return at;
}

}  // namespace shardprop::detail
