// Reading the attributes that belong to an operation: what MLIR text says of them as the plain
// value that the JSON graph has. The tables are in forms/attribute_rows.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/read/axes.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/dense.hpp"
#include "shardprop/io/text/read/mesh_axes.hpp"
#include "shardprop/io/text/read/plain.hpp"
#include "shardprop/io/text/read/type.hpp"

namespace shardprop::detail {

// A word, as an interned string.
inline bool read_keyword(TextReadContext& c, AttrId& out) {
  const std::string_view word = c.in.word();
  if (word.empty()) return fail_expected(c, "a keyword");
  out = c.m.attrs.string(c.m.strings.intern(word));
  return true;
}

// `<mode>` or `<name mode>` after `#stablehlo.name` or `#stablehlo`.
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
      return fail_expected(c, fmt::format("a field of #stablehlo.{}, each once, or '>'", kind.name),
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

// Reads a dialect attribute that has a plain form in the JSON graph. `head` is what follows
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

// Word number `number` of a blank-separated list; empty if there are fewer.
inline std::string_view word_number(std::string_view words, std::int64_t number) {
  for (; number > 0 && !words.empty(); --number) {
    const std::size_t end = words.find(' ');
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return number == 0 ? words.substr(0, words.find(' ')) : std::string_view();
}

// The entries of a dictionary in the order of `keys`; the dictionary itself if it has others.
inline AttrId in_order(TextReadContext& c, AttrId dict, std::span<const std::string_view> keys) {
  SmallVector<AttrEntry, 8> ordered;
  for (std::string_view key : keys) {
    const StringId name = c.m.strings.find(key);
    const AttrId value = c.m.attrs.find(dict, name);
    if (value.valid()) ordered.push_back({name, value});
  }
  if (ordered.size() != c.m.attrs.entries(dict).size()) return dict;
  return c.m.attrs.dict({ordered.data(), ordered.size()});
}

// A dictionary as the attribute `kind` has it: in the order of the fields, without those that say
// no more than their absence, with floats for all numbers that are to be floats. The dictionary
// itself if it has others.
inline AttrId own_fields(TextReadContext& c, const AttributeStruct& kind, AttrId dict) {
  SmallVector<AttrEntry, 8> own;
  std::size_t found = 0;
  for (const AttributeField& field : kind.fields) {
    AttrEntry entry{c.m.strings.find(field.name), AttrId()};
    entry.value = c.m.attrs.find(dict, entry.key);
    if (!entry.value.valid()) continue;
    ++found;
    if (field.kind == AttributeFieldKind::kFloat)
      entry.value = float_value(c, entry.value, *find_float_format("f64"));
    if (!kind.skips_zero || !is_zero_field(c.m.attrs, entry.value)) own.push_back(entry);
  }
  if (found != c.m.attrs.entries(dict).size()) return dict;
  return c.m.attrs.dict({own.data(), own.size()});
}

// Dictionaries in the order of the notation that `row` has for them, also those of a list.
inline AttrId own_dictionaries(TextReadContext& c, const OpAttributeRow& row, AttrId value) {
  constexpr std::array<std::string_view, 3> kMove = {"axes", "source_dimension",
                                                     "target_dimension"};
  const AttrKind kind = c.m.attrs.kind(value);
  if (kind == AttrKind::kDict) {
    if (row.kind == OpAttributeKind::kAxesMoves) return in_order(c, value, kMove);
    const AttributeStruct* const fields = find_attribute_struct(row.detail);
    return fields == nullptr ? value : own_fields(c, *fields, value);
  }
  if (kind != AttrKind::kList) return value;
  SmallVector<AttrId, 8> items(c.m.attrs.items(value));
  for (AttrId& item : items) {
    if (c.m.attrs.kind(item) == AttrKind::kDict) item = own_dictionaries(c, row, item);
  }
  return c.m.attrs.list({items.data(), items.size()});
}

// The value of a constant: its elements, or a number of `type`.
inline AttrId constant_value(TextReadContext& c, AttrId generic, TypeId type) {
  const AttrId plain = c.m.attrs.plain(generic);
  if (!type.valid() || c.m.attrs.kind(plain) == AttrKind::kDict) return generic;
  const bool is_own =
      c.m.types.is_tensor(type) || is_number_of(c.m, plain, c.m.strings[c.m.types.dtype(type)]);
  return is_own || is_plain_text(c.m, plain) ? plain : generic;
}

// Whether `value` is groups of replicas by axes of a mesh, which have a notation of their own.
inline bool is_mesh_axes(const Module& m, AttrId value) {
  return m.attrs.kind(value) == AttrKind::kTyped &&
         m.strings[m.attrs.typed_text(value)].starts_with("#stablehlo.replica_group_mesh_axes<");
}

// The plain value of attribute `key` of `op`, of which `generic` was read; `generic` itself if the
// operation does not know the attribute, or the text is needed to say the value.
inline AttrId op_attribute_value(TextReadContext& c, const TextOp& op, StringId key,
                                 AttrId generic) {
  const OpAttributeRow* const row = find_op_attribute(c.m.strings[op.name], c.m.strings[key]);
  if (row == nullptr || row->kind == OpAttributeKind::kAny) return generic;
  if (row->kind == OpAttributeKind::kElements) {
    const bool has_result = op.result_types.size() == 1;
    return constant_value(c, generic, has_result ? op.result_types[0] : TypeId());
  }
  if (row->kind == OpAttributeKind::kF32) {
    const FloatFormat& format = *find_float_format("f32");
    const AttrId number = float_value(c, plain_value(c, generic), format);
    return is_float_of(c.m, number, format) ? number : plain_or_text(c, generic);
  }
  if (row->kind == OpAttributeKind::kMatrix && is_mesh_axes(c.m, generic))
    return c.m.attrs.plain(generic);
  const AttrId plain = plain_or_text(c, generic);
  const bool has_dictionaries = row->kind == OpAttributeKind::kStruct ||
                                row->kind == OpAttributeKind::kStructs ||
                                row->kind == OpAttributeKind::kAxesMoves;
  if (has_dictionaries) return own_dictionaries(c, *row, plain);
  if (row->kind != OpAttributeKind::kNumberEnum || c.m.attrs.kind(plain) != AttrKind::kInt)
    return plain;
  const std::string_view word = word_number(row->detail, c.m.attrs.as_int(plain));
  return word.empty() ? plain : c.m.attrs.string(c.m.strings.intern(word));
}

}  // namespace shardprop::detail
