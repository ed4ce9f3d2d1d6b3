// Reading the attributes that belong to an operation: what MLIR text says of them as the plain
// value that the JSON graph has. The tables are in text_attribute_rows.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardprop/io/text_attribute_rows.hpp"
#include "shardprop/io/text_context.hpp"
#include "shardprop/io/text_read_axes.hpp"
#include "shardprop/io/text_read_dense.hpp"
#include "shardprop/io/text_read_mesh_axes.hpp"
#include "shardprop/io/text_read_type.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop::detail {

// A word, as an interned string.
inline bool read_keyword(TextReadContext& c, AttrId& out) {
  const std::string_view word = c.in.word();
  if (word.empty()) return fail_expected(c, "a keyword");
  out = c.m.attrs.string(c.m.strings.intern(word));
  return true;
}

// `<mode>` or `<name mode>` behind `#stablehlo.name` or `#stablehlo`.
inline bool read_bracketed_keyword(TextReadContext& c, AttrId& out) {
  if (!expect(c, '<')) return false;
  const std::string_view first = c.in.word();
  const std::string_view second = c.in.word();
  if (first.empty()) return fail_expected(c, "a keyword");
  out = c.m.attrs.string(c.m.strings.intern(second.empty() ? first : second));
  return expect(c, '>');
}

inline bool read_field_value(TextReadContext& c, AttributeFieldKind kind, AttrId& out) {
  SmallVector<std::int64_t, 8> ints;
  std::int64_t number = 0;
  TypeId type;
  switch (kind) {
    case AttributeFieldKind::kInts:
      if (!read_integer_list(c, ints)) return false;
      out = c.m.attrs.ints({ints.data(), ints.size()});
      return true;
    case AttributeFieldKind::kInt:
      if (!read_integer(c, number)) return false;
      out = c.m.attrs.integer(number);
      return true;
    case AttributeFieldKind::kFloat:
      return read_number(c, "f64", out);
    case AttributeFieldKind::kType:
      if (!read_type(c, type)) return false;
      out = c.m.attrs.string(c.m.types.dtype(type));
      return true;
    case AttributeFieldKind::kBool:
      if (!c.in.accept_word("true") && !c.in.next_is("false")) return fail_expected(c, "a boolean");
      out = c.m.attrs.boolean(!c.in.accept_word("false"));
      return true;
    case AttributeFieldKind::kMode:
      if (!c.in.accept('#')) return read_keyword(c, out);
      c.in.suffix();
      return read_bracketed_keyword(c, out);
  }
  return false;
}

// Whether a field says no more than its absence.
inline bool is_zero_field(const AttrTable& attrs, AttrId value) {
  const AttrKind kind = attrs.kind(value);
  if (kind == AttrKind::kInt) return attrs.as_int(value) == 0;
  if (kind == AttrKind::kFloat) return attrs.as_float(value) == 0;
  return kind == AttrKind::kInts && attrs.as_ints(value).empty();
}

// `field = value, ...>`, in any order; the bracket before is read.
inline bool read_struct_fields(TextReadContext& c, const AttributeStruct& kind, AttrId& out) {
  constexpr std::size_t kMost = 9;
  std::array<AttrId, kMost> values;
  while (!c.in.accept('>')) {
    const char* const at = c.in.here();
    const std::string_view name = c.in.word();
    std::size_t i = 0;
    while (i < kind.fields.size() && kind.fields[i].name != name) ++i;
    if (i == kind.fields.size() || values[i].valid()) {
      c.in.go_to(at);
      std::string all;
      for (const AttributeField& field : kind.fields) all.append(" ").append(field.name);
      return fail_expected(c, format_text("a field of #stablehlo.{}, each once, or '>'", kind.name),
                           "its fields are" + all);
    }
    if (!expect(c, '=') || !read_field_value(c, kind.fields[i].kind, values[i])) return false;
    if (!c.in.accept(',') && c.in.peek() != '>') return fail_expected(c, "',' or '>'");
  }
  SmallVector<AttrEntry, kMost> entries;
  for (std::size_t i = 0; i < kind.fields.size(); ++i) {
    if (!values[i].valid() || (kind.skips_zero && is_zero_field(c.m.attrs, values[i]))) continue;
    entries.push_back({c.m.strings.intern(kind.fields[i].name), values[i]});
  }
  out = c.m.attrs.dict({entries.data(), entries.size()});
  return true;
}

// `<field = value, ...>`
inline bool read_struct(TextReadContext& c, const AttributeStruct& kind, AttrId& out) {
  return expect(c, '<') && read_struct_fields(c, kind, out);
}

// `<[b, 0, f]x[0, i, o]->[b, 0, f]>` or `<raw input_batch_dimension = 0, ...>`
inline bool read_conv_attribute(TextReadContext& c, AttrId& out) {
  if (!expect(c, '<')) return false;
  if (c.in.accept_word("raw")) return read_struct_fields(c, kConvStruct, out);
  return read_conv_dims(c, out) && expect(c, '>');
}

// What `name` stands for within `#sdy<...>`; `known` as for `read_known_attribute`.
inline bool read_sdy_list(TextReadContext& c, std::string_view name, AttrId& out, bool& known) {
  if (name == "axis_ref_list" || name == "manual_axes") return read_text_axes(c, out);
  if (name == "list_of_axis_ref_lists") return read_attribute_list(c, read_text_axes, out);
  if (name == "all_to_all_param_list") return read_attribute_list(c, read_axes_move, out);
  known = false;
  return true;
}

// Reads a dialect attribute that has a plain form in the JSON graph. `head` is what stands behind
// `#`, which is read: `stablehlo.gather`, or `stablehlo` of `#stablehlo<precision HIGH>`. `known`
// is false, and nothing read, if it is none of those.
inline bool read_known_attribute(TextReadContext& c, std::string_view head, AttrId& plain,
                                 bool& known) {
  const char* const from = c.in.raw();
  known = c.in.raw_peek() == '<';
  if (!known) return true;
  if (head == "stablehlo" || head == "chlo" || head == "sdy") {
    c.in.advance();
    const std::string_view name = c.in.word();
    const bool is_word = head != "sdy" && !c.in.peek_word().empty();
    if (is_word) {
      if (!read_keyword(c, plain)) return false;
    } else {
      known = head == "sdy";
      if (known && !read_sdy_list(c, name, plain, known)) return false;
    }
    if (known && c.in.accept('>')) return true;
    known = false;
    c.in.go_to(from);
    return true;
  }
  constexpr std::string_view kDialect = "stablehlo.";
  const std::string_view name =
      head.starts_with(kDialect) ? head.substr(kDialect.size()) : std::string_view();
  if (name == "conv") return read_conv_attribute(c, plain);
  if (name == "result_accuracy_mode") return read_bracketed_keyword(c, plain);
  if (name == "replica_group_mesh_axes") return read_mesh_axes(c, plain);
  if (const AttributeStruct* const kind = find_attribute_struct(name))
    return read_struct(c, *kind, plain);
  known = false;
  return true;
}

// One value for more elements than this is no list of a known attribute.
inline constexpr std::uint64_t kMostListed = 1 << 16;

// Elements in lists even where the text has one value for all of them: `dense<0> : tensor<2xi64>`.
inline AttrId listed_elements(TextReadContext& c, const TextElements& elements) {
  const AttrKind kind = c.m.attrs.kind(elements.value);
  const bool is_list =
      kind == AttrKind::kInts || kind == AttrKind::kList || kind == AttrKind::kData;
  if (is_list || !c.m.types.is_tensor(elements.type)) return elements.value;
  return list_splat(c, elements, kMostListed);
}

// What the text of a constant, which is no piece of what is being read, says in lists.
inline AttrId list_typed_elements(TextReadContext& c, AttrId plain, std::string_view text) {
  const AttrKind kind = c.m.attrs.kind(plain);
  const std::size_t at = text.rfind("tensor<");
  if (!text.starts_with("dense<") || at == std::string_view::npos) return plain;
  if (kind == AttrKind::kInts || kind == AttrKind::kList) return plain;
  TextElements elements;
  elements.value = plain;
  if (!make_tensor_type(c, text.substr(at), c.in.raw(), elements.type)) return plain;
  return listed_elements(c, elements);
}

// The lists of a large constant that was left in the text.
inline AttrId list_data_elements(TextReadContext& c, AttrId data) {
  const char* const back = c.in.raw();
  const SourceSlice& slice = c.m.attrs.as_data(data);
  const char* const from = c.in.text().data() + slice.offset;
  c.in.go_to(from);
  c.in.word();
  const char* const open = c.in.here();
  TextElements elements;
  bool read = c.in.skip_brackets(depth_left(c));
  const std::string_view inside =
      read ? std::string_view(open + 1, static_cast<std::size_t>(c.in.raw() - open - 2))
           : std::string_view();
  read = read && c.in.accept(':') && read_type(c, elements.type);
  const std::optional<std::uint64_t> count =
      read ? element_count(c.m.types.shape(elements.type)) : std::nullopt;
  elements.text = c.in.since(from);
  if (count) read = read_small_elements(c, inside, elements, *count);
  c.in.go_to(back);
  return read && elements.value.valid() ? listed_elements(c, elements) : data;
}

// A value of a known attribute without what its text says more.
inline AttrId plain_value(TextReadContext& c, AttrId value) {
  const AttrKind kind = c.m.attrs.kind(value);
  if (kind == AttrKind::kData) return list_data_elements(c, value);
  if (kind == AttrKind::kTyped) {
    const AttrId plain = c.m.attrs.plain(value);
    const std::string text(c.m.strings[c.m.attrs.typed_text(value)]);
    return text.starts_with("dense_resource") ? value : list_typed_elements(c, plain, text);
  }
  if (kind != AttrKind::kList) return value;
  const SmallVector<AttrId, 8> items(c.m.attrs.items(value));
  SmallVector<AttrId, 8> plain;
  for (AttrId item : items) {
    plain.push_back(c.m.attrs.kind(item) == AttrKind::kTyped ? plain_value(c, item) : item);
  }
  return plain == items ? value : c.m.attrs.list({plain.data(), plain.size()});
}

// Word number `number` of a blank-separated list; empty if there are fewer.
inline std::string_view word_number(std::string_view words, std::int64_t number) {
  for (; number > 0 && !words.empty(); --number) {
    const std::size_t end = words.find(' ');
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return number == 0 ? words.substr(0, words.find(' ')) : std::string_view();
}

// The plain value of attribute `key` of operation `op`, of which `generic` was read; `generic`
// itself if the operation does not know it.
inline AttrId op_attribute_value(TextReadContext& c, std::string_view op, StringId key,
                                 AttrId generic) {
  const AttrKind kind = c.m.attrs.kind(generic);
  const bool may_say_more =
      kind == AttrKind::kTyped || kind == AttrKind::kData || kind == AttrKind::kList;
  if (!may_say_more) return generic;
  const OpAttributeRow* const row = find_op_attribute(op, c.m.strings[key]);
  if (row == nullptr || row->kind == OpAttributeKind::kAny) return generic;
  if (row->kind == OpAttributeKind::kElements) {
    // Elements that are elsewhere keep their text.
    const AttrId plain = c.m.attrs.plain(generic);
    return c.m.attrs.kind(plain) == AttrKind::kDict ? generic : plain;
  }
  const AttrId plain = plain_value(c, generic);
  if (row->kind != OpAttributeKind::kNumberEnum || c.m.attrs.kind(plain) != AttrKind::kInt)
    return plain;
  const std::string_view word = word_number(row->detail, c.m.attrs.as_int(plain));
  return word.empty() ? plain : c.m.attrs.string(c.m.strings.intern(word));
}

}  // namespace shardprop::detail
