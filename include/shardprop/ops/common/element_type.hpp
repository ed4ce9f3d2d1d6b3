// Element types by name, as the StableHLO specification (section Types) lists them: i1, si8
// (written i8), ui8, f32, bf16, f8E4M3FN, complex<f32>, !quant.uniform<...>; plus what is not
// an element type but takes its place, such as tokens.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace shardprop {

// A set of classes: what a row of the operation table accepts.
using ElementClasses = std::uint16_t;
constexpr ElementClasses kBool = 1;
constexpr ElementClasses kSignedInt = 2;
constexpr ElementClasses kUnsignedInt = 4;
constexpr ElementClasses kFloat = 8;
constexpr ElementClasses kComplex = 16;
constexpr ElementClasses kQuantized = 32;
constexpr ElementClasses kToken = 64;
constexpr ElementClasses kOther = 128;  // tuples, buffers, futures, index
constexpr ElementClasses kInt = kSignedInt | kUnsignedInt;
constexpr ElementClasses kAnyTensorElement = kBool | kInt | kFloat | kComplex | kQuantized;
constexpr ElementClasses kAnyValue = 0xFFFF;

struct ElementType {
  ElementClasses kind = kOther;  // exactly one class
  int bits = 0;                  // storage bits; of a complex number both parts; 0 where unknown
};

namespace detail {

// The leading decimal number of `text`, or 0.
inline int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace detail

inline ElementType parse_element_type(std::string_view name) {
  using detail::leading_number;
  if (name == "i1") return {kBool, 1};
  if (name == "bf16") return {kFloat, 16};
  if (name == "tf32") return {kFloat, 32};
  if (name.starts_with("complex<"))
    return {kComplex, 2 * parse_element_type(name.substr(8, name.size() - 9)).bits};
  if (name.starts_with("!quant")) {
    const std::size_t open = name.find('<');
    if (open == std::string_view::npos) return {kQuantized, 0};
    const std::string_view storage =
        name.substr(open + 1, name.find_first_of(":<", open + 1) - open - 1);
    return {kQuantized, parse_element_type(storage).bits};
  }
  if (name.ends_with("token")) return {kToken, 0};
  if (name.starts_with("ui")) return {kUnsignedInt, leading_number(name.substr(2))};
  if (name.starts_with("si")) return {kSignedInt, leading_number(name.substr(2))};
  const int bits = name.empty() ? 0 : leading_number(name.substr(1));
  if (bits > 0 && name[0] == 'i') return {kSignedInt, bits};
  if (bits > 0 && name[0] == 'f') return {kFloat, bits};
  return {kOther, 0};
}

}  // namespace shardprop
