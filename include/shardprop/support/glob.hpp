// Patterns of names, as shells have them: `*` is any text, `?` any one character, `{3-18}` a
// decimal number from 3 to 18, `{q,k,v}` one of these texts. Anything else stands for itself.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace shardprop::detail {

inline bool glob_number(std::string_view text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

// Whether `choice`, what stands between commas in braces, begins `text`; tries `rest` after each
// beginning that fits.
template <class Rest>
bool glob_choice(std::string_view choice, std::string_view text, Rest rest) {
  const std::size_t dash = choice.find('-', 1);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (dash == std::string_view::npos || !glob_number(choice.substr(0, dash), first) ||
      !glob_number(choice.substr(dash + 1), last)) {
    return text.starts_with(choice) && rest(text.substr(choice.size()));
  }
  for (std::size_t size = 1; size <= text.size() && text[size - 1] >= '0' && text[size - 1] <= '9';
       ++size) {
    std::uint64_t number = 0;
    const bool leading_zero = size > 1 && text[0] == '0';
    if (leading_zero || !glob_number(text.substr(0, size), number)) return false;
    if (number >= first && number <= last && rest(text.substr(size))) return true;
  }
  return false;
}

}  // namespace shardprop::detail

namespace shardprop {

// Whether `text` holds anything that `glob_match` does not take literally.
inline bool is_glob(std::string_view text) {
  return text.find_first_of("*?{") != std::string_view::npos;
}

// Whether the whole of `text` fits `pattern`. O(size of the text) for each `*` within another.
inline bool glob_match(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  const std::string_view rest = pattern.substr(1);
  if (pattern[0] == '*') {
    for (std::size_t size = 0; size <= text.size(); ++size) {
      if (glob_match(rest, text.substr(size))) return true;
    }
    return false;
  }
  const std::size_t close = pattern[0] == '{' ? pattern.find('}') : std::string_view::npos;
  if (close != std::string_view::npos) {
    const auto then = [&](std::string_view left) {
      return glob_match(pattern.substr(close + 1), left);
    };
    for (std::size_t begin = 1; begin <= close;) {
      const std::size_t end = pattern.substr(0, close).find(',', begin);
      const std::size_t stop = end == std::string_view::npos ? close : end;
      if (detail::glob_choice(pattern.substr(begin, stop - begin), text, then)) return true;
      begin = stop + 1;
    }
    return false;
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         glob_match(rest, text.substr(1));
}

}  // namespace shardprop
