// The tensor that a constant's attribute stands for: numbers, lists of them, or the text that a
// large constant was left in.
#pragma once

#include <bit>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ops/common/float_format.hpp"
#include "shardprop/run/eval_table.hpp"

namespace shardprop {

namespace detail {

// In the exact mode a whole number stands for itself, so that 0 and 1 are what they are in sums and
// products, and any other for its bits.
inline std::uint64_t exact_of(double value) {
  constexpr double kLimit = 9007199254740992.0;  // 2^53
  if (value > -kLimit && value < kLimit &&
      value == static_cast<double>(static_cast<std::int64_t>(value)))
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15u;
}

// Appends numbers to the elements of a tensor, one after the other. `stored` is the type that the
// constant is written in; the tensor's is another one in the exact mode.
class ElementWriter {
 public:
  ElementWriter(Tensor& out, Element stored)
      : stored_(stored), out_(&out), at_(out.write()), end_(at_ + out.bytes()) {}

  bool full() const { return at_ == end_; }
  Element stored() const { return stored_; }

  void add(double number) {
    if (out_->element() == Element::kExact) return put(exact_of(number), Element::kExact);
    put(number, part_of(stored_));
  }
  // The bits of an element, or of a part of a complex one.
  void add_bits(std::uint64_t bits) {
    const Element part = part_of(stored_);
    const Domain domain = domain_of(part);
    if (domain == Domain::kBoolean) return put(std::uint64_t{bits & 1}, stored_);
    if (domain != Domain::kReal) return put(bits, stored_);
    std::byte raw[8];
    for (std::size_t i = 0; i < 8; ++i) raw[i] = static_cast<std::byte>(bits >> (8 * i) & 255);
    double number = 0;
    load_elements(part, raw, 1, &number);
    if (part == Element::kF64) number = std::bit_cast<double>(bits);
    add(number);
  }
  // An integer, of whatever sign; a float gets its value. Those of a float type of which the reader
  // knows nothing are its bits.
  void add_integer(std::uint64_t number, bool negative) {
    if (stored_ == Element::kF8E8M0FNU) return add_bits(number);
    if (domain_of(part_of(stored_)) != Domain::kReal)
      return put(negative ? 0 - number : number, stored_);
    add(negative ? -static_cast<double>(number) : static_cast<double>(number));
  }

 private:
  template <class T>
  void put(T number, Element element) {
    if (full()) return;
    store_elements(element, &number, 1, at_);
    at_ += bytes_of(element);
  }

  Element stored_;
  Tensor* out_;
  std::byte* at_;
  std::byte* end_;
};

inline bool add_word(ElementWriter& out, std::string_view word) {
  if (word == "true" || word == "false") return out.add_bits(word == "true" ? 1 : 0), true;
  const bool negative = word.starts_with('-');
  const std::string_view size = negative ? word.substr(1) : word;
  std::uint64_t bits = 0;
  if (size.starts_with("0x")) {
    if (!parse_hexadecimal(size.substr(2), bits)) return false;
    return out.add_bits(negative ? 0 - bits : bits), true;
  }
  const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), bits);
  if (error == std::errc() && stop == size.data() + size.size())
    return out.add_integer(bits, negative), true;
  const std::optional<double> number = parse_number(word);
  if (number) out.add(*number);
  return number.has_value();
}

// The bytes `0x...` of elements, least significant byte first. Eight booleans may be in a byte.
inline bool add_hexadecimal(ElementWriter& out, std::string_view digits, std::size_t count) {
  const Element part = part_of(out.stored());
  const std::size_t bytes = bytes_of(part);
  const auto byte_at = [&](std::size_t i) -> std::uint64_t {
    std::uint64_t byte = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, byte, 16);
    return byte;
  };
  if (part == Element::kI1 && digits.size() / 2 == (count + 7) / 8 && count > 1) {
    for (std::size_t i = 0; i < count; ++i) out.add_bits(byte_at(i / 8) >> (i % 8));
    return true;
  }
  for (std::size_t at = 0; (at + 1) * bytes * 2 <= digits.size(); ++at) {
    std::uint64_t bits = 0;
    for (std::size_t i = bytes; i-- > 0;) bits = bits << 8 | byte_at(at * bytes + i);
    out.add_bits(bits);
  }
  return true;
}

// The text `dense<...> : type` of a large constant.
inline bool add_text(ElementWriter& out, std::string_view text, std::size_t count) {
  const std::size_t open = text.find('<');
  const std::size_t close = text.rfind("> :");
  if (!text.starts_with("dense") || close == std::string_view::npos) return false;
  text = text.substr(open + 1, close - open - 1);
  if (text.starts_with("\"0x")) return add_hexadecimal(out, text.substr(3, text.size() - 4), count);
  constexpr std::string_view kBetween = "[](), \t\r\n";
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    if (!add_word(out, text.substr(at, end - at))) return false;
    at = text.find_first_not_of(kBetween, end);
  }
  return true;
}

inline bool add_attribute(ElementWriter& out, const Module& m, AttrId value, std::size_t count) {
  value = m.attrs.plain(value);
  switch (m.attrs.kind(value)) {
    case AttrKind::kBool:
      return out.add_bits(m.attrs.as_bool(value) ? 1 : 0), true;
    case AttrKind::kInt: {
      const std::int64_t number = m.attrs.as_int(value);
      const auto bits = static_cast<std::uint64_t>(number);
      return out.add_integer(number < 0 ? 0 - bits : bits, number < 0), true;
    }
    case AttrKind::kUint:
      return out.add_integer(m.attrs.as_uint(value), false), true;
    case AttrKind::kFloat:
      return out.add(m.attrs.as_float(value)), true;
    case AttrKind::kString:
      return add_word(out, m.strings[m.attrs.as_string(value)]);
    case AttrKind::kInts:
      for (std::int64_t number : m.attrs.as_ints(value)) {
        const auto bits = static_cast<std::uint64_t>(number);
        out.add_integer(number < 0 ? 0 - bits : bits, number < 0);
      }
      return true;
    case AttrKind::kList:
      for (AttrId item : m.attrs.items(value)) {
        if (!add_attribute(out, m, item, count)) return false;
      }
      return true;
    case AttrKind::kData:
      return add_text(out, slice_text(m, m.attrs.as_data(value)), count);
    default:
      return false;
  }
}

}  // namespace detail

// The tensor of type `type` that `value` stands for; none where the data was left out or the type
// has elements that the evaluator does not know. One element stands for all.
inline std::optional<Tensor> constant_value(const Module& m, AttrId value, TypeId type,
                                            const EvalOptions& options) {
  const Element element = element_of(m, type, options);
  if (!value.valid() || element == Element::kNone || !m.types.is_static_tensor(type))
    return std::nullopt;
  const Element stored = element_of(m, type, EvalOptions{});
  // An exact tensor has one number for both parts of a complex one.
  const bool pairs = element == Element::kExact && domain_of(stored) == Domain::kPair;
  Shape shape = detail::shape_copy(m, type);
  if (pairs) shape.push_back(2);
  Tensor out(element, shape);
  const std::size_t count = out.count() / (pairs ? 2 : 1);
  detail::ElementWriter writer(out, stored);
  if (!detail::add_attribute(writer, m, value, count)) return std::nullopt;
  if (!writer.full()) {
    Tensor one(element, pairs ? Shape{2} : Shape{});
    detail::ElementWriter first(one, stored);
    if (!detail::add_attribute(first, m, value, 1) || !first.full()) return std::nullopt;
    StridedView view = {0, Shape(shape.size(), 0)};
    if (pairs) view.strides.back() = 1;
    out = gathered(one, view, shape);
  }
  if (!pairs) return out;
  auto parts = numbers_of<std::uint64_t>(out);
  for (std::size_t i = 0; i < count; ++i)
    parts[i] = parts[2 * i] + parts[2 * i + 1] * 0xD6E8FEB86659FD93u;
  parts.resize(count);
  shape.pop_back();
  return tensor_of(element, std::move(shape), parts);
}

}  // namespace shardprop
