// Which numbers a text says as they are. A module has the number that is printed for the bits of a
// float, or their hexadecimal digits as a string (float_format.hpp): what is printed for one type
// may not be what is printed for another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "shardprop/io/text/numbers/float_format.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/scanner.hpp"

namespace shardprop::detail {

// Whether `text` has the bits of an infinity or NaN, or of a number that is printed in hexadecimal.
inline bool is_pattern_of(std::string_view text, const FloatFormat& format) {
  std::uint64_t bits = 0;
  if (!text.starts_with("0x") || !parse_hexadecimal(text.substr(2), bits)) return false;
  const bool fits = format.bits() >= 64 || bits >> format.bits() == 0;
  return fits && hexadecimal(bits) == text && !printed_number(bits, format);
}

// Whether `value` is what is printed for some bits of `format`.
inline bool is_float_of(const Module& m, AttrId value, const FloatFormat& format) {
  const AttrKind kind = m.attrs.kind(value);
  if (kind == AttrKind::kString) return is_pattern_of(m.strings[m.attrs.as_string(value)], format);
  if (kind != AttrKind::kFloat) return false;
  const double number = m.attrs.as_float(value);
  return printed_number(round_to_format(number, format), format) == number;
}

// Whether the number `value` is read as itself where its text has the type `dtype`.
inline bool is_number_of(const Module& m, AttrId value, std::string_view dtype) {
  const AttrKind kind = m.attrs.kind(value);
  if (dtype == "i1") return kind == AttrKind::kBool;
  if (const FloatFormat* const format = find_float_format(dtype))
    return is_float_of(m, value, *format);
  if (kind != AttrKind::kInt) return false;
  std::int64_t bits = 64;
  if (dtype != "index" && !(dtype.starts_with('i') && parse_integer(dtype.substr(1), bits)))
    return false;
  const std::int64_t number = m.attrs.as_int(value);
  return bits >= 64 || (bits > 1 && number >= -(std::int64_t{1} << (bits - 1)) &&
                        number < std::int64_t{1} << (bits - 1));
}

// Whether the text of `value` without any types is read as `value`: a number as an i64 or f64, a
// list by its items. What has a notation of its own, or is itself a text, is not.
inline bool is_plain_text(const Module& m, AttrId value) {
  const auto is_plain = [&m](AttrId item) { return is_plain_text(m, item); };
  switch (m.attrs.kind(value)) {
    case AttrKind::kFloat:
      return is_number_of(m, value, "f64");
    case AttrKind::kList: {
      const auto items = m.attrs.items(value);
      return std::all_of(items.begin(), items.end(), is_plain);
    }
    case AttrKind::kDict: {
      const auto entries = m.attrs.entries(value);
      return std::all_of(entries.begin(), entries.end(), [&](const AttrEntry& entry) {
        return m.strings[entry.key] != "opaque" && is_plain(entry.value);
      });
    }
    case AttrKind::kUint:
    case AttrKind::kTyped:
    case AttrKind::kData:
      return false;
    default:
      return true;
  }
}

}  // namespace shardprop::detail
