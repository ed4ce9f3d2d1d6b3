// The events of a JSON document, for documents that are plain. With nlohmann's parser alone,
// reading a module takes twice the time: here a string without escapes is a view of the document,
// and is looked through eight bytes at a time. `ReadOptions::fast_scan` switches the scan off.
//
// What is not JSON, and what is rare (a number that needs care, a byte order mark), is left to
// nlohmann's parser: the scan gives up, and the reader begins anew. So it never accepts what that
// parser refuses, and says nothing of errors.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/json/tape.hpp"

namespace shardprop::detail {

enum class ScanEnd : std::uint8_t {
  kDone,
  kStopped,  // an event returned false
  kGaveUp
};

// The first byte from `at` on that ends a run of plain text in a string: a quote, a backslash, a
// control character or the first byte of a longer UTF-8 sequence. `end` where there is none.
inline const char* skip_plain_text(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  constexpr std::uint64_t kHighs = 0x8080808080808080ull;
  const auto zero_bytes = [](std::uint64_t x) { return (x - kOnes) & ~x & kHighs; };
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const std::uint64_t stops = zero_bytes(word ^ (kOnes * '"')) |
                                zero_bytes(word ^ (kOnes * '\\')) |
                                ((word - kOnes * 0x20) & ~word & kHighs) | (word & kHighs);
    if (stops != 0) {
      // Which byte it is: a borrow can mark bytes after the first one only, in the order of
      // arithmetic.
      if constexpr (std::endian::native == std::endian::little)
        return at + std::countr_zero(stops) / 8;
      break;
    }
    at += 8;
  }
  while (at < end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20 &&
         static_cast<unsigned char>(*at) < 0x80) {
    ++at;
  }
  return at;
}

inline void append_code_point(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { put(0x80u | ((code >> shift) & 0x3Fu)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0u | (code >> 6));
  } else if (code < 0x10000) {
    put(0xE0u | (code >> 12));
    tail(6);
  } else {
    put(0xF0u | (code >> 18));
    tail(12);
    tail(6);
  }
  tail(0);
}

// `Events` has scalar(kind, payload), string(view), key(view), start_object(), start_list() and
// end_container(); each returns false to stop. A view lives no longer than the call.
template <class Events>
class JsonScan {
 public:
  JsonScan(std::string_view text, Events& events)
      : at_(text.data()), end_(text.data() + text.size()), events_(events) {}

  // O(size of the text).
  ScanEnd run() {
    if (!value()) return ended();
    while (!in_object_.empty()) {
      skip_space();
      if (at_ == end_) return ScanEnd::kGaveUp;
      if (!item()) return ended();
    }
    skip_space();
    return at_ == end_ ? ScanEnd::kDone : ScanEnd::kGaveUp;
  }

 private:
  ScanEnd ended() const { return stopped_ ? ScanEnd::kStopped : ScanEnd::kGaveUp; }
  bool event(bool go_on) {
    stopped_ = !go_on;
    return go_on;
  }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // What stands next in the innermost list or object: its end, or a comma unless it has just begun,
  // and a member.
  bool item() {
    const bool object = in_object_.back() != 0;
    if (*at_ == (object ? '}' : ']')) {
      ++at_;
      in_object_.pop_back();
      begun_ = false;
      return event(events_.end_container());
    }
    if (!begun_) {
      if (!take(',')) return false;
      skip_space();
    }
    begun_ = false;
    if (object) {
      std::string_view name;
      if (!take('"') || !text(name)) return false;
      skip_space();
      if (!take(':')) return false;
      if (!event(events_.key(name))) return false;
      skip_space();
    }
    return value();
  }

  bool value() {
    skip_space();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        return open(true);
      case '[':
        return open(false);
      case '"': {
        ++at_;
        std::string_view found;
        return text(found) && event(events_.string(found));
      }
      case 't':
        return word("true") && event(events_.scalar(JsonKind::kBool, 1));
      case 'f':
        return word("false") && event(events_.scalar(JsonKind::kBool, 0));
      case 'n':
        return word("null") && event(events_.scalar(JsonKind::kNull, 0));
      default:
        return number();
    }
  }

  bool open(bool object) {
    ++at_;
    begun_ = true;
    in_object_.push_back(object ? 1 : 0);
    return event(object ? events_.start_object() : events_.start_list());
  }

  bool word(std::string_view expected) {
    if (static_cast<std::size_t>(end_ - at_) < expected.size()) return false;
    if (std::string_view(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  // The text of a string, from after its first quote.
  bool text(std::string_view& out) {
    const char* const begin = at_;
    at_ = skip_plain_text(at_, end_);
    if (at_ != end_ && *at_ == '"') {
      out = std::string_view(begin, static_cast<std::size_t>(at_ - begin));
      ++at_;
      return true;
    }
    scratch_.assign(begin, at_);
    while (at_ != end_ && *at_ != '"') {
      if (*at_ == '\\' ? !escape() : !sequence()) return false;
      const char* const from = at_;
      at_ = skip_plain_text(at_, end_);
      scratch_.append(from, at_);
    }
    out = scratch_;
    return take('"');
  }

  bool sequence() {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t length = utf8_length(rest);
    if (length < 2) return false;  // a control character, or not UTF-8
    scratch_.append(rest.substr(0, length));
    at_ += length;
    return true;
  }

  bool escape() {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (at_ == end_) return false;
    const std::size_t which = kLetters.find(*at_);
    if (which != std::string_view::npos) {
      scratch_ += kMeanings[which];
      ++at_;
      return true;
    }
    std::uint32_t code = 0;
    if (!unit(code) || (code >= 0xDC00 && code < 0xE000)) return false;
    if (code >= 0xD800 && code < 0xDC00) {
      std::uint32_t low = 0;
      if (!take('\\') || !unit(low) || low < 0xDC00 || low >= 0xE000) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_code_point(scratch_, code);
    return true;
  }
  // `u` and four hexadecimal digits.
  bool unit(std::uint32_t& code) {
    if (!take('u') || end_ - at_ < 4) return false;
    const auto [stop, error] = std::from_chars(at_, at_ + 4, code, 16);
    if (error != std::errc() || stop != at_ + 4) return false;
    at_ = stop;
    return true;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  bool number() {
    const char* const begin = at_;
    const bool negative = take('-');
    const char* const digits = at_;
    std::uint64_t value = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_)
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
    const auto count = at_ - digits;
    constexpr int kSurelyFit = 18;  // digits
    if (count == 0 || count > kSurelyFit || (count > 1 && *digits == '0')) return false;
    if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E')) return real(begin);
    return event(events_.scalar(JsonKind::kInt, negative ? 0 - value : value));
  }

  bool some_digits() {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
  }

  bool real(const char* begin) {
    if (take('.') && !some_digits()) return false;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (!take('+')) (void)take('-');
      if (!some_digits()) return false;
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, at_, value);
    if (error != std::errc() || stop != at_) return false;
    return event(events_.scalar(JsonKind::kFloat, std::bit_cast<std::uint64_t>(value)));
  }

  const char* at_;
  const char* end_;
  Events& events_;
  std::vector<std::uint8_t>
      in_object_;       // of the lists and objects that are open: which are objects
  bool begun_ = false;  // the innermost one, right before: no comma comes
  bool stopped_ = false;
  std::string scratch_;
};

}  // namespace shardprop::detail
