// Plain values of attributes: what MLIR text says in elements of a tensor as lists, and what it
// says with types as the numbers and lists alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shardprop/io/text/numbers/number.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/dense.hpp"
#include "shardprop/io/text/read/type.hpp"
#include "shardprop/support/small_vector.hpp"

namespace shardprop::detail {

// --- elements in lists ---

// `value` in lists of the sizes in `shape`.
inline AttrId repeat_value(TextReadContext& c, std::span<const std::int64_t> shape, AttrId value) {
  if (shape.empty()) return value;
  const AttrId item = repeat_value(c, shape.subspan(1), value);
  return c.m.attrs.list(std::vector<AttrId>(static_cast<std::size_t>(shape[0]), item));
}

// The one value of all elements, once for each: `dense<0> : tensor<2xi64>` is [0, 0]. It stays one
// where there are more than `most` elements and lists around them.
inline AttrId list_splat(TextReadContext& c, const TextElements& splat, std::uint64_t most) {
  const SmallVector<std::int64_t, 8> shape(c.m.types.shape(splat.type));
  const std::optional<std::uint64_t> count = element_count({shape.data(), shape.size()});
  const std::size_t lists = shape.size() < 2 ? 1 : shape.size();
  if (!count || *count > most / lists || shape.size() > kMostListedDims) return splat.value;
  if (*count == 0) return c.m.attrs.list({});
  return repeat_value(c, {shape.data(), shape.size()}, splat.value);
}

// One value for more elements than this is not a list of a known attribute.
inline constexpr std::uint64_t kMostListed = 1 << 16;

// Elements in lists even where the text has one value for all of them: `dense<0> : tensor<2xi64>`.
inline AttrId listed_elements(TextReadContext& c, const TextElements& elements) {
  const AttrKind kind = c.m.attrs.kind(elements.value);
  const bool is_list =
      kind == AttrKind::kInts || kind == AttrKind::kList || kind == AttrKind::kData;
  return is_list ? elements.value : list_splat(c, elements, kMostListed);
}

// The lists of a large constant that was left in the text.
inline AttrId list_data_elements(TextReadContext& c, AttrId data) {
  const TextCursor back = c.in;
  const SourceSlice& slice = c.m.attrs.as_data(data);
  const std::string_view text = slice_text(c.m, slice);
  TextElements elements;
  elements.names_alias = !c.source_is_kept || slice.source != c.source_row;  // it is a copy
  if (elements.names_alias) c.in = TextCursor(text);
  const char* const from = text.data();
  c.in.go_to(from);
  c.in.word();
  const char* const open = c.in.here();
  bool read = c.in.skip_brackets(depth_left(c));
  const std::string_view inside =
      read ? std::string_view(open + 1, static_cast<std::size_t>(c.in.raw() - open - 2))
           : std::string_view();
  read = read && c.in.accept(':') && read_type(c, elements.type);
  const std::optional<std::uint64_t> count =
      read ? element_count(c.m.types.shape(elements.type)) : std::nullopt;
  elements.text = c.in.since(from);
  if (count) read = read_small_elements(c, inside, elements, *count);
  c.in = back;
  return read && elements.value.valid() ? listed_elements(c, elements) : data;
}

// Reads elements of a tensor and writes them out in lists, however many there are.
inline bool read_listed_elements(TextReadContext& c, AttrId& out) {
  TextElements elements;
  if (!read_tensor_elements(c, elements)) return false;
  const bool is_data = c.m.attrs.kind(elements.value) == AttrKind::kData;
  out = is_data ? list_data_elements(c, elements.value) : listed_elements(c, elements);
  return true;
}

// --- plain values ---

// The type of the elements of a tensor that `value` is; none of any other attribute.
inline TypeId element_type(const TextReadContext& c, AttrId value) {
  return value.index < c.element_types.size() ? c.element_types[value.index] : TypeId();
}

// A value without what its text says more, elements of a tensor in lists. Elements that are
// elsewhere keep their text.
inline AttrId plain_value(TextReadContext& c, AttrId value) {
  const AttrKind kind = c.m.attrs.kind(value);
  if (kind == AttrKind::kData) return list_data_elements(c, value);
  if (kind == AttrKind::kTyped) {
    TextElements elements;
    elements.value = c.m.attrs.plain(value);
    elements.type = element_type(c, value);
    if (!elements.type.valid()) return elements.value;
    const bool is_elsewhere = c.m.attrs.kind(elements.value) == AttrKind::kDict;
    return is_elsewhere ? value : listed_elements(c, elements);
  }
  if (kind != AttrKind::kList) return value;
  const SmallVector<AttrId, 8> items(c.m.attrs.items(value));
  SmallVector<AttrId, 8> plain;
  for (AttrId item : items)
    plain.push_back(c.m.attrs.kind(item) == AttrKind::kList ? item : plain_value(c, item));
  return plain == items ? value : c.m.attrs.list({plain.data(), plain.size()});
}

// `plain_value`, unless the text of `value` is needed to say it.
inline AttrId plain_or_text(TextReadContext& c, AttrId value) {
  const AttrId plain = plain_value(c, value);
  return is_plain_text(c.m, plain) ? plain : value;
}

// A number as one of `format`, rounded to it; what is not a number stays as it is.
inline AttrId float_value(TextReadContext& c, AttrId plain, const FloatFormat& format) {
  double number = 0;
  switch (c.m.attrs.kind(plain)) {
    case AttrKind::kInt:
      number = static_cast<double>(c.m.attrs.as_int(plain));
      break;
    case AttrKind::kUint:
      number = static_cast<double>(c.m.attrs.as_uint(plain));
      break;
    case AttrKind::kFloat:
      number = c.m.attrs.as_float(plain);
      break;
    default:
      return plain;
  }
  return float_attribute(c, round_to_format(number, format), format);
}

}  // namespace shardprop::detail
