// A cursor over the text forms of this room (meshes, shardings, rules). It skips blanks, reads
// words, numbers and quoted names, and records errors with line and column. Reading stops at the
// first syntax error; errors of meaning are recorded and reading goes on, so that one run shows
// them all. The compiler can run it too (words and symbols); there an error is a compile error,
// since recording one is not `constexpr`.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::detail {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == '$';
}
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// `text` in double quotes; quotes, backslashes and bytes that do not print are escaped (`\\`,
// `\22`).
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '"' || byte < 0x20 || byte > 0x7E) {
      constexpr std::string_view kHexDigits = "0123456789ABCDEF";
      out += {'\\', kHexDigits[byte / 16], kHexDigits[byte % 16]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Reads the whole of `text` as a decimal number that fits 64 bits.
inline bool parse_integer(std::string_view text, std::int64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

class TextScanner {
 public:
  // A syntax error has the code `syntax_code` and the hint `form`; both must outlive the scanner.
  constexpr TextScanner(std::string_view text, std::string_view syntax_code, std::string_view form)
      : text_(text), syntax_code_(syntax_code), form_(form) {}

  // The position of the next character that is not blank.
  constexpr std::size_t offset() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_;
  }
  // Goes on at `offset`, which the caller found.
  void skip_to(std::size_t offset) { at_ = offset; }
  constexpr bool at_end() { return offset() == text_.size(); }
  constexpr bool next_is(std::string_view symbol) {
    return text_.substr(offset()).starts_with(symbol);
  }

  constexpr bool accept(std::string_view symbol) {
    if (!next_is(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  constexpr bool expect(std::string_view symbol) {
    return accept(symbol) || fail(fmt::format("'{}'", symbol));
  }
  constexpr bool expect_end() { return at_end() || fail("the end of the text"); }

  // The letters, digits, '_', '.' and '$' that come next; may be none.
  constexpr std::string_view peek_word() {
    std::size_t end = offset();
    while (end < text_.size() && is_word_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  constexpr std::string_view word() {
    const std::string_view found = peek_word();
    at_ += found.size();
    return found;
  }
  constexpr bool accept_word(std::string_view expected) {
    if (peek_word() != expected) return false;
    at_ += expected.size();
    return true;
  }

  bool integer(std::int64_t& number) {
    std::size_t end = offset();
    if (end < text_.size() && text_[end] == '-') ++end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (!parse_integer(text_.substr(at_, end - at_), number)) return fail("a 64-bit integer");
    at_ = end;
    return true;
  }

  // A name in double quotes, escapes resolved.
  bool string(std::string& name) {
    if (!next_is("\"")) return fail("a name in double quotes");
    name.clear();
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        at_ = i + 1;
        return true;
      }
      if (text_[i] != '\\') {
        name += text_[i];
      } else if (!unescape(i, name)) {
        at_ = i;
        return fail(R"(an escape such as \", \\, \n, \t or two hexadecimal digits)");
      }
    }
    return fail("a closing double quote");
  }

  Place place(std::size_t offset) const {
    Place at;
    at.line = 1;
    at.column = 1;
    for (char c : text_.substr(0, offset)) {
      at.column = c == '\n' ? 1 : at.column + 1;
      if (c == '\n') ++at.line;
    }
    return at;
  }

  // Records an error of meaning at `offset`.
  void report(Diagnostic error, std::size_t offset) {
    error.place = place(offset);
    errors_.push_back(std::move(error));
  }
  // Records a syntax error at the next character; always false.
  bool fail(std::string_view expected) {
    const std::size_t here = offset();
    report({std::string(syntax_code_), fmt::format("expected {}, found {}", expected, found()),
            std::string(form_)},
           here);
    return false;
  }

  constexpr Diagnostics& errors() { return errors_; }

 private:
  std::string found() {
    if (at_end()) return "the end of the text";
    const std::string_view next = peek_word();
    return fmt::format("'{}'", next.empty() ? text_.substr(at_, 1) : next);
  }

  // Reads the escape that begins at `i`, which is left on its last character.
  bool unescape(std::size_t& i, std::string& name) const {
    const std::string_view rest = text_.substr(i + 1);
    if (rest.empty()) return false;
    if (rest[0] == '"' || rest[0] == '\\' || rest[0] == 'n' || rest[0] == 't') {
      name += rest[0] == 'n' ? '\n' : rest[0] == 't' ? '\t' : rest[0];
      i += 1;
      return true;
    }
    if (rest.size() < 2 || hex_value(rest[0]) < 0 || hex_value(rest[1]) < 0) return false;
    name += static_cast<char>(hex_value(rest[0]) * 16 + hex_value(rest[1]));
    i += 2;
    return true;
  }

  std::string_view text_;
  std::string_view syntax_code_;
  std::string_view form_;
  std::size_t at_ = 0;
  Diagnostics errors_;
};

}  // namespace shardprop::detail
