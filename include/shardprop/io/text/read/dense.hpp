// Elements of a tensor: `dense<...> : tensor<...>` and `dense_resource<...> : tensor<...>`.
//
// A single value for all elements becomes a number, a small constant nested lists. A large one is
// left where it stands in the text: nothing of it is decoded or copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/element.hpp"
#include "shardprop/io/text/read/type.hpp"

namespace shardprop::detail {

// A constant of tensor type. `value` is what JSON says of it: a number, a list, `{"elided": true}`;
// or kind kData.
struct TextElements {
  AttrId value;
  TypeId type;
  std::string_view text;     // all of it, with the type
  bool names_alias = false;  // as its type, or in it
};

inline AttrId elided(TextReadContext& c) {
  const AttrEntry entry{key::kElided, c.m.attrs.boolean(true)};
  return c.m.attrs.dict({&entry, 1});
}

// Leaves `text`, a piece of what is being read, where it is; the module then keeps the source.
inline SourceSlice keep_in_source(TextReadContext& c, std::string_view text) {
  if (!c.source_is_kept) {
    c.source_row = static_cast<std::uint32_t>(c.m.sources.size());
    c.m.sources.push_back({c.source.owner, c.source.text});
    c.source_is_kept = true;
  }
  SourceSlice slice;
  slice.source = c.source_row;
  slice.offset = c.in.offset_of(text.data());
  slice.length = text.size();
  return slice;
}

// Leaves elements where they are. A type that names an alias is not a type where the alias is not
// known: such elements are copied, with what it stands for in its place.
inline SourceSlice keep_elements(TextReadContext& c, const TextElements& elements) {
  if (!elements.names_alias) return keep_in_source(c, elements.text);
  auto owner =
      std::make_shared<const std::string>(kept_text(c, elements.text, elements.text.data()));
  SourceSlice slice;
  slice.source = static_cast<std::uint32_t>(c.m.sources.size());
  slice.length = owner->size();
  const std::string_view text = *owner;
  c.m.sources.push_back({std::move(owner), text});
  return slice;
}

// `[[1, 2], [3, 4]]` as lists of the sizes in `shape`.
inline bool read_elements_list(TextReadContext& c, std::string_view dtype,
                               std::span<const std::int64_t> shape, AttrId& out) {
  if (shape.empty()) return read_element(c, dtype, out);
  TextDepth depth(c);
  if (!depth.check() || !expect(c, '[')) return false;
  std::vector<AttrId> items;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    if (i != 0 && !expect(c, ',')) return false;
    AttrId item;
    if (!read_elements_list(c, dtype, shape.subspan(1), item)) return false;
    items.push_back(item);
  }
  out = c.m.attrs.list(items);
  return expect(c, ']');
}

// The number of elements; none where it is not known or does not fit 64 bits.
inline std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  for (std::int64_t size : shape) {
    if (size == 0) return 0;
  }
  for (std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    const std::uint64_t factor = static_cast<std::uint64_t>(size);
    if (count > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
    count *= factor;
  }
  return count;
}

// A tensor of more dimensions than this is not written out in lists within lists.
inline constexpr std::size_t kMostListedDims = 64;

// Lists of the sizes in `shape` of `items`, from number `next` on.
inline AttrId nested_lists(TextReadContext& c, std::span<const std::int64_t> shape,
                           std::span<const AttrId> items, std::size_t& next) {
  if (shape.empty()) return items[next++];
  std::vector<AttrId> list;
  for (std::int64_t i = 0; i < shape[0]; ++i)
    list.push_back(nested_lists(c, shape.subspan(1), items, next));
  return c.m.attrs.list(list);
}

// Booleans of which a byte holds eight; a byte of the same bits is one value for all.
inline bool decode_booleans(TextReadContext& c, std::string_view digits, std::uint64_t count,
                            std::vector<AttrId>& out) {
  const bool is_splat = digits == "00" || digits == "FF" || digits == "ff";
  if (!is_splat && digits.size() != 2 * (count / 8 + (count % 8 != 0))) return false;
  for (std::uint64_t i = 0; i < (is_splat ? 1 : count); ++i) {
    const std::optional<std::uint64_t> byte = element_bits(digits, i / 8, 1);
    if (!byte) return false;
    out.push_back(c.m.attrs.boolean((*byte >> (i % 8) & 1) != 0));
  }
  return true;
}

// What hexadecimal digits say, or none where they cannot be decoded. One element stands for all.
inline AttrId decode_elements(TextReadContext& c, std::string_view digits, std::string_view dtype,
                              std::span<const std::int64_t> shape, std::uint64_t count) {
  const std::size_t parts = complex_part(dtype) == dtype ? 1 : 2;
  const std::size_t size = 2 * parts * element_bytes(complex_part(dtype));
  if (size == 0 || count == 0 || shape.size() > kMostListedDims) return AttrId();
  std::vector<AttrId> items;
  if (dtype != "i1" || !decode_booleans(c, digits, count, items)) {
    const bool is_splat = digits.size() == size && dtype != "i1";
    if (!is_splat && (digits.size() % size != 0 || digits.size() / size != count)) return AttrId();
    items.resize(is_splat ? 1 : count);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!decode_element(c, digits, i, dtype, items[i])) return AttrId();
    }
  }
  std::size_t next = 0;
  return items.size() == 1 ? items[0] : nested_lists(c, shape, items, next);
}

// The one element of lists within lists, one for each of `dims` dimensions.
inline AttrId only_element(TextReadContext& c, AttrId lists, std::size_t dims) {
  for (; dims > 0; --dims) {
    lists = c.m.attrs.kind(lists) == AttrKind::kInts
                ? c.m.attrs.integer(c.m.attrs.as_ints(lists)[0])
                : c.m.attrs.items(lists)[0];
  }
  return lists;
}

// Elements at the cursor. Those that are not there are an empty list, whatever the shape:
// `dense<[[], []]>`, too; a single one is not a list, whatever the shape: `dense<[[1]]>`, too.
inline bool read_some_elements(TextReadContext& c, TextElements& out, std::uint64_t count) {
  const std::string dtype(c.m.strings[c.m.types.dtype(out.type)]);
  const auto dims = c.m.types.shape(out.type);
  const std::vector<std::int64_t> shape(dims.begin(), dims.end());
  if (count == 0 && (c.in.peek() == '>' || c.in.accept("[]"))) {
    out.value = c.m.attrs.list({});
    return true;
  }
  if (c.in.peek() == '[') {
    if (!read_elements_list(c, dtype, shape, out.value)) return false;
    if (count == 0) out.value = c.m.attrs.list({});
    if (count == 1) out.value = only_element(c, out.value, shape.size());
    return true;
  }
  std::string_view raw;
  bool has_escapes = false;
  if (element_bytes(complex_part(dtype)) == 0 || !c.in.string_raw(raw, has_escapes))
    return read_element(c, dtype, out.value);
  if (raw.starts_with("0x")) out.value = decode_elements(c, raw.substr(2), dtype, shape, count);
  if (!out.value.valid()) out.value = c.m.attrs.data(keep_elements(c, out));
  return true;
}

// Reads the inside of `dense<...>`, which is `inside`; the cursor is put back.
inline bool read_small_elements(TextReadContext& c, std::string_view inside, TextElements& out,
                                std::uint64_t count) {
  const char* const back = c.in.raw();
  c.in.go_to(inside.data());
  const bool read = read_some_elements(c, out, count) &&
                    (c.in.here() == inside.data() + inside.size() || fail_expected(c, "'>'"));
  c.in.go_to(back);
  return read;
}

// Whether the inside of `dense<...>` is a list, or the bytes of elements, but for a few. All else
// is one value for all elements.
inline bool is_long(TextReadContext& c, std::string_view inside, TypeId type) {
  constexpr std::size_t kFew = 64;
  const char* const back = c.in.raw();
  c.in.go_to(inside.data());
  const char first = c.in.peek();
  c.in.go_to(back);
  const bool has_bytes = element_bytes(complex_part(c.m.strings[c.m.types.dtype(type)])) != 0;
  return first == '[' || (first == '"' && has_bytes && inside.size() >= kFew);
}

// The value of a constant of which the text and the type are known; `inside` is what stands between
// `<` and `>`.
inline bool make_elements(TextReadContext& c, TextElements& out, const char* at,
                          std::string_view inside, bool is_resource) {
  if (is_resource) {
    out.value = c.m.attrs.typed(elided(c), c.m.strings.intern(kept_text(c, out.text, at)));
    return true;
  }
  const std::optional<std::uint64_t> count =
      c.m.types.is_tensor(out.type) ? element_count(c.m.types.shape(out.type)) : std::nullopt;
  if (!count) {
    return fail(c, at, "text.dense", "a constant must be of a tensor type with known sizes",
                "write it as dense<0.0> : tensor<8x32xf32>");
  }
  if (*count > c.options.max_listed_elements && is_long(c, inside, out.type)) {
    out.value = c.m.attrs.data(keep_elements(c, out));
    return true;
  }
  return read_small_elements(c, inside, out, *count);
}

// Reads `dense<...> : type` or `dense_resource<...> : type` at the cursor. Errors: `text.dense`,
// and those of types and numbers.
inline bool read_tensor_elements(TextReadContext& c, TextElements& out) {
  const char* const at = c.in.here();
  const bool is_resource = c.in.accept_word("dense_resource");
  if (!is_resource && !expect_word(c, "dense")) return false;
  const char* const open = c.in.here();
  if (c.in.peek() != '<' || !c.in.skip_brackets(depth_left(c)))
    return fail_expected(c, "the elements of a tensor, such as <[1, 2]> or <0.0>");
  const std::string_view inside{open + 1, static_cast<std::size_t>(c.in.raw() - open - 2)};
  if (!expect(c, ':')) return false;
  const char* const type = c.in.here();
  if (!read_type(c, out.type)) return false;
  out.text = c.in.since(at);
  out.names_alias = names_alias(c, c.in.since(type));
  constexpr std::size_t kShort = 128;
  const std::uint64_t hash = out.text.size() <= kShort ? hash_text(out.text) : 0;
  if (out.text.size() <= kShort) {
    if (const AttrId* const known = c.constants.find(out.text, hash)) {
      out.value = *known;
      return true;
    }
  }
  const char* const end = c.in.raw();
  if (!make_elements(c, out, at, inside, is_resource)) return false;
  c.in.go_to(end);
  if (out.text.size() <= kShort) c.constants.add(out.text, hash, out.value);
  return true;
}

}  // namespace shardprop::detail
