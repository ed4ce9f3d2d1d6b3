// Text from a pattern: `format_text("{} of {}", 3, name)` puts each argument where the next `{}`
// is. It is no template over its arguments: the library has hundreds of messages, and an
// instantiation for each of them would be what compiling it costs. The number of arguments is
// checked at compile time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardprop {

// An argument as text; it lives no longer than the call. Integers are decimal.
class TextArg {
 public:
  TextArg(std::string_view text) : text_(text) {}
  TextArg(const std::string& text) : text_(text) {}
  TextArg(const char* text) : text_(text) {}
  TextArg(char text) : text_(digits_, 1) { digits_[0] = text; }
  TextArg(int number) : TextArg(static_cast<long long>(number)) {}
  TextArg(long number) : TextArg(static_cast<long long>(number)) {}
  TextArg(long long number) {
    const auto bits = static_cast<unsigned long long>(number);
    set_number(number < 0 ? 0 - bits : bits, number < 0);
  }
  TextArg(unsigned number) { set_number(number, false); }
  TextArg(unsigned long number) { set_number(number, false); }
  TextArg(unsigned long long number) { set_number(number, false); }
  TextArg(bool) = delete;
  TextArg(double) = delete;
  TextArg(const TextArg&) = delete;
  TextArg& operator=(const TextArg&) = delete;

  std::string_view text() const { return text_; }

 private:
  void set_number(unsigned long long number, bool negative) {
    char* const end = digits_ + sizeof(digits_);
    char* at = end;
    do {
      *--at = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    if (negative) *--at = '-';
    text_ = std::string_view(at, static_cast<std::size_t>(end - at));
  }

  std::string_view text_;
  char digits_[24];  // of 64 bits, at most 20 and a sign
};

namespace detail {

// Not constexpr: a call stops the compiler where the pattern is wrong.
inline void pattern_and_arguments_do_not_fit() {}

}  // namespace detail

// A pattern for `kCount` arguments: literal text with `{}` for each of them in order. A brace that
// stands for itself is written twice.
template <int kCount>
struct TextPattern {
  std::string_view text;

  consteval TextPattern(const char* pattern) : text(pattern) {
    int found = 0;
    for (const char* at = pattern; *at != '\0'; ++at) {
      if (*at != '{' && *at != '}') continue;
      if (*at == '{' && at[1] == '}') {
        ++found;
      } else if (at[1] != *at) {
        detail::pattern_and_arguments_do_not_fit();
      }
      ++at;
    }
    if (found != kCount) detail::pattern_and_arguments_do_not_fit();
  }
};

namespace detail {

// `texts` has one row for each `{}` of the pattern.
inline std::string fill_pattern(std::string_view pattern, const std::string_view* texts) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t brace = pattern.find_first_of("{}", at);
    out += pattern.substr(at, brace - at);
    if (brace == std::string_view::npos) return out;
    if (pattern[brace] == pattern[brace + 1]) {
      out += pattern[brace];
    } else {
      out += *texts++;
    }
    at = brace + 2;
  }
}

}  // namespace detail

inline std::string format_text(TextPattern<1> pattern, const TextArg& a) {
  const std::string_view texts[] = {a.text()};
  return detail::fill_pattern(pattern.text, texts);
}
inline std::string format_text(TextPattern<2> pattern, const TextArg& a, const TextArg& b) {
  const std::string_view texts[] = {a.text(), b.text()};
  return detail::fill_pattern(pattern.text, texts);
}
inline std::string format_text(TextPattern<3> pattern, const TextArg& a, const TextArg& b,
                               const TextArg& c) {
  const std::string_view texts[] = {a.text(), b.text(), c.text()};
  return detail::fill_pattern(pattern.text, texts);
}
inline std::string format_text(TextPattern<4> pattern, const TextArg& a, const TextArg& b,
                               const TextArg& c, const TextArg& d) {
  const std::string_view texts[] = {a.text(), b.text(), c.text(), d.text()};
  return detail::fill_pattern(pattern.text, texts);
}
inline std::string format_text(TextPattern<5> pattern, const TextArg& a, const TextArg& b,
                               const TextArg& c, const TextArg& d, const TextArg& e) {
  const std::string_view texts[] = {a.text(), b.text(), c.text(), d.text(), e.text()};
  return detail::fill_pattern(pattern.text, texts);
}
inline std::string format_text(TextPattern<6> pattern, const TextArg& a, const TextArg& b,
                               const TextArg& c, const TextArg& d, const TextArg& e,
                               const TextArg& f) {
  const std::string_view texts[] = {a.text(), b.text(), c.text(), d.text(), e.text(), f.text()};
  return detail::fill_pattern(pattern.text, texts);
}
inline std::string format_text(TextPattern<7> pattern, const TextArg& a, const TextArg& b,
                               const TextArg& c, const TextArg& d, const TextArg& e,
                               const TextArg& f, const TextArg& g) {
  const std::string_view texts[] = {a.text(), b.text(), c.text(), d.text(),
                                    e.text(), f.text(), g.text()};
  return detail::fill_pattern(pattern.text, texts);
}

}  // namespace shardprop
