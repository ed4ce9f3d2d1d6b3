// One element of a tensor constant: a number, a boolean, a string or a complex number, as it is
// written or from the hexadecimal digits of its bytes.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "shardprop/io/text/numbers/float_format.hpp"
#include "shardprop/io/text/read/context.hpp"

namespace shardprop::detail {

// An integer of `dtype`, whose bits may have been written as a number without sign: 255 as i8 is
// -1.
inline AttrId integer_attribute(TextReadContext& c, std::string_view dtype, bool negative,
                                std::uint64_t size) {
  if (dtype == "i1") return c.m.attrs.boolean(size != 0);
  std::int64_t bits = 64;
  const bool is_signless = dtype.starts_with('i') && parse_integer(dtype.substr(1), bits);
  if (negative) return c.m.attrs.integer(static_cast<std::int64_t>(0 - size));
  if (is_signless && bits >= 1 && bits <= 64 && (size >> (bits - 1)) == 1) {
    const std::uint64_t above = bits == 64 ? 0 : ~std::uint64_t{0} << bits;
    return c.m.attrs.integer(static_cast<std::int64_t>(size | above));
  }
  return c.m.attrs.unsigned_integer(size);
}

// The number of a pattern, or its hexadecimal digits where MLIR prints those. Bits that the format
// does not have count for nothing.
inline AttrId float_attribute(TextReadContext& c, std::uint64_t pattern,
                              const FloatFormat& format) {
  if (format.bits() < 64) pattern &= (format.sign_bit() << 1) - 1;
  const std::optional<double> number = printed_number(pattern, format);
  return number ? c.m.attrs.number(*number)
                : c.m.attrs.string(c.m.strings.intern(hexadecimal(pattern)));
}

// A number: an integer or a float, decimal or hexadecimal, of element type `dtype`. A number that
// fits nothing is an error.
inline bool read_number(TextReadContext& c, std::string_view dtype, AttrId& out) {
  const char* const at = c.in.here();
  const bool negative = c.in.accept('-');
  const char* const digits = c.in.raw();
  c.in.skip_number();
  std::string_view text = c.in.since(digits);
  const FloatFormat* const format = find_float_format(dtype);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;  // of a negative integer
  std::uint64_t bits = 0;
  if (text.starts_with("0x")) {
    if (!parse_hexadecimal(text.substr(2), bits) || (negative && bits > kMost))
      return fail(c, at, "text.number", "a hexadecimal number does not fit 64 bits");
    if (format && negative) {
      return fail(c, at, "text.number", "the bits of a float have a sign before them",
                  "set the bit of the sign: 0xBF800000 : f32 is -1.0");
    }
    if (format) {
      out = float_attribute(c, bits, *format);
    } else {
      out = integer_attribute(c, dtype, negative, bits);
    }
    return true;
  }
  const bool is_integer = text.find_first_of(".eE") == std::string_view::npos;
  if (is_integer && !format) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error == std::errc() && stop == text.data() + text.size() && (!negative || bits <= kMost)) {
      out = integer_attribute(c, dtype, negative, bits);
      return true;
    }
  }
  text = c.in.since(at);  // with the sign
  const std::optional<double> number = parse_number(text);
  if (!number) {
    c.in.go_to(at);
    return fail_expected(c, "a number");
  }
  if (!format) {
    if (!std::isfinite(*number)) {
      return fail(c, at, "text.number", "a number is too large for its type");
    }
    out = c.m.attrs.number(*number);
    return true;
  }
  out = float_attribute(c, *parse_pattern(text, *format), *format);
  return true;
}

// The bytes that one element of `dtype` has in a hexadecimal string; 0 where that is not known.
inline std::size_t element_bytes(std::string_view dtype) {
  if (const FloatFormat* const format = find_float_format(dtype))
    return static_cast<std::size_t>(format->bits() + 7) / 8;
  if (dtype == "index") return 8;
  std::string_view digits = dtype;
  if (digits.starts_with('u') || digits.starts_with('s')) digits.remove_prefix(1);
  std::int64_t bits = 0;
  if (!digits.starts_with('i') || !parse_integer(digits.substr(1), bits)) return 0;
  return bits >= 1 && bits <= 64 ? static_cast<std::size_t>(bits + 7) / 8 : 0;
}

// One element: a number, `true`, a string, `(re, im)`.
inline bool read_element(TextReadContext& c, std::string_view dtype, AttrId& out) {
  const char* const at = c.in.here();
  const bool is_true = c.in.accept_word("true");
  if (is_true || c.in.accept_word("false")) {
    if (dtype != "i1") {
      return fail(c, at, "text.number", "true and false are elements of i1 tensors only",
                  "write 1 or 0");
    }
    out = c.m.attrs.boolean(is_true);
    return true;
  }
  if (c.in.peek() == '"' && element_bytes(complex_part(dtype)) == 0) {
    StringId text;
    if (!read_string(c, text)) return false;
    out = c.m.attrs.string(text);
    return true;
  }
  const bool is_complex = complex_part(dtype) != dtype;
  if (!is_complex && c.in.peek() != '(') return read_number(c, dtype, out);
  if (!is_complex) return fail_expected(c, "a number");
  if (!c.in.accept('(')) return fail_expected(c, "a complex number, such as (1.0, -2.0)");
  AttrId parts[2];
  const std::string_view part = complex_part(dtype);
  if (!read_number(c, part, parts[0]) || !expect(c, ',') || !read_number(c, part, parts[1]))
    return false;
  out = c.m.attrs.list(parts);
  return expect(c, ')');
}

// The bits of element number `at` of `bytes` bytes each, least significant byte first; none where
// `digits` are not hexadecimal.
inline std::optional<std::uint64_t> element_bits(std::string_view digits, std::size_t at,
                                                 std::size_t bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    const std::size_t place = 2 * (at * bytes + i);
    const int high = hex_value(digits[place]);
    const int low = hex_value(digits[place + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bits = (bits << 8) | static_cast<std::uint64_t>(high * 16 + low);
  }
  return bits;
}

// Element number `at` of the hexadecimal digits of a string; a complex one is two numbers.
inline bool decode_element(TextReadContext& c, std::string_view digits, std::size_t at,
                           std::string_view dtype, AttrId& out) {
  if (const std::string_view part = complex_part(dtype); part != dtype) {
    AttrId parts[2];
    if (!decode_element(c, digits, 2 * at, part, parts[0]) ||
        !decode_element(c, digits, 2 * at + 1, part, parts[1]))
      return false;
    out = c.m.attrs.list(parts);
    return true;
  }
  const std::size_t bytes = element_bytes(dtype);
  const std::optional<std::uint64_t> read = element_bits(digits, at, bytes);
  if (!read) return false;
  std::uint64_t bits = *read;
  if (const FloatFormat* const format = find_float_format(dtype)) {
    out = float_attribute(c, bits, *format);
    return true;
  }
  if (dtype.starts_with('s') && bytes < 8 && (bits >> (8 * bytes - 1)) == 1)
    bits |= ~std::uint64_t{0} << (8 * bytes);
  const bool negative = dtype.starts_with('s') && (bits >> 63) == 1;
  out = integer_attribute(c, dtype, negative, negative ? 0 - bits : bits);
  return true;
}

}  // namespace shardprop::detail
