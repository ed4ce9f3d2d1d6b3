// Names of values in four bytes: `%12` is stored as the number 12, anything else as an interned
// string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

struct ValueName {
  static constexpr std::uint32_t kIsText = 0x80000000u;
  static constexpr std::uint32_t kUnnamed = 0xFFFFFFFFu;
  std::uint32_t bits = kUnnamed;

  friend bool operator==(ValueName, ValueName) = default;
};

constexpr ValueName numbered_name(std::uint32_t number) { return {number}; }

// Whether `text` is `%` and a decimal number below 10^9 without leading zeros; the number goes to
// `number`.
constexpr bool parse_numbered_name(std::string_view text, std::uint32_t& number) {
  if (text.size() < 2 || text.size() > 10 || text[0] != '%') return false;
  if (text[1] == '0' && text.size() > 2) return false;
  number = 0;
  for (char c : text.substr(1)) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return true;
}

inline ValueName make_value_name(StringTable& strings, std::string_view text) {
  std::uint32_t number = 0;
  if (parse_numbered_name(text, number)) return numbered_name(number);
  return {strings.intern(text).index | ValueName::kIsText};
}

// The text of a name; empty for an unnamed value.
inline std::string to_string(const StringTable& strings, ValueName name) {
  if (name.bits == ValueName::kUnnamed) return {};
  if (name.bits & ValueName::kIsText)
    return std::string(strings[StringId(name.bits & ~ValueName::kIsText)]);
  return fmt::format("%{}", name.bits);
}

}  // namespace shardprop
