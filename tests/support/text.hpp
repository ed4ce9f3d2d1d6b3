// Texts of tests that differ in a place or two.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace shardprop::test {

using Replacements = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// `text` with each `$name` replaced, for programs that differ in a place or two.
inline std::string with(Replacements replacements, std::string_view text) {
  std::string out(text);
  for (const auto& [name, by] : replacements) {
    for (std::size_t at = 0; (at = out.find(name, at)) != std::string::npos; at += by.size())
      out.replace(at, name.size(), by);
  }
  return out;
}

}  // namespace shardprop::test
