// Attributes and dictionaries of attributes in MLIR text.
//
// JSON does not say the type of a number or of a list. Where nothing else is known, an integer is
// written as i64, a number as f64 and a list as an array; the reader gives the same JSON back.
#pragma once

#include <cstdint>

#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/dense.hpp"
#include "shardprop/io/text/write/sharding.hpp"
#include "shardprop/io/text/write/type.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

inline void write_number_attribute(TextWriteContext& c, AttrId id, bool with_type) {
  const AttrTable& attrs = c.m.attrs;
  if (attrs.kind(id) == AttrKind::kInt) {
    append_integer(c.out, attrs.as_int(id));
    if (with_type) c.out.append(" : i64");
  } else if (attrs.kind(id) == AttrKind::kUint) {
    append_integer(c.out, attrs.as_uint(id));
    c.out.append(" : ui64");
  } else {
    append_text_float(c.out, attrs.as_float(id), "f64");
    c.out.append(" : f64");
  }
}

// `{a = 1 : i64}`; the opaque form of the JSON graph is the text that it holds.
inline void write_dict_attribute(TextWriteContext& c, AttrId id) {
  const auto entries = c.m.attrs.entries(id);
  const bool opaque = entries.size() == 1 && c.m.strings[entries[0].key] == "opaque" &&
                      c.m.attrs.kind(entries[0].value) == AttrKind::kString;
  if (opaque) {
    c.out.append(c.m.strings[c.m.attrs.as_string(entries[0].value)]);
    return;
  }
  c.out += '{';
  append_list(c.out, entries, [&](const AttrEntry& entry) {
    write_key(c, c.m.strings[entry.key]);
    c.out.append(" = ");
    write_attribute(c, entry.value);
  });
  c.out += '}';
}

inline void write_list_attribute(TextWriteContext& c, AttrId id) {
  c.out += '[';
  if (c.m.attrs.kind(id) == AttrKind::kInts) {
    append_list(c.out, c.m.attrs.as_ints(id),
                [&](std::int64_t number) { append_integer(c.out, number); });
  } else {
    append_list(c.out, c.m.attrs.items(id), [&](AttrId item) {
      const bool is_int = c.m.attrs.kind(item) == AttrKind::kInt;
      is_int ? write_number_attribute(c, item, false) : write_attribute(c, item);
    });
  }
  c.out += ']';
}

inline void write_plain_attribute(TextWriteContext& c, AttrId id) {
  switch (c.m.attrs.kind(id)) {
    case AttrKind::kNull:
      c.out.append("unit");
      return;
    case AttrKind::kBool:
      c.out.append(c.m.attrs.as_bool(id) ? "true" : "false");
      return;
    case AttrKind::kInt:
    case AttrKind::kUint:
    case AttrKind::kFloat:
      return write_number_attribute(c, id, true);
    case AttrKind::kString:
      return write_string(c, c.m.strings[c.m.attrs.as_string(id)]);
    case AttrKind::kInts:
    case AttrKind::kList:
      return write_list_attribute(c, id);
    case AttrKind::kDict:
      return write_dict_attribute(c, id);
    case AttrKind::kSharding:
      return write_sharding_attribute(c, c.m.attrs.as_sharding(id));
    case AttrKind::kTyped:
      c.out.append(c.m.strings[c.m.attrs.typed_text(id)]);
      return;
    case AttrKind::kData:
      c.out.append(slice_text(c.m, c.m.attrs.as_data(id)));
      return;
  }
}

inline void write_attribute(TextWriteContext& c, AttrId attribute) {
  WriteDepth depth(c);
  if (!depth.check()) return;
  c.attrs.append(c.out, attribute, [&] { write_plain_attribute(c, attribute); });
}

inline bool is_unit(const Module& m, AttrId id) {
  const AttrKind kind = m.attrs.kind(id);
  return kind == AttrKind::kNull ||
         (kind == AttrKind::kTyped && m.strings[m.attrs.typed_text(id)] == "unit");
}

// `key = value`, or `key` alone for a unit.
inline void write_entry(TextWriteContext& c, const AttrEntry& entry) {
  write_key(c, c.m.strings[entry.key]);
  if (is_unit(c.m, entry.value)) return;
  c.out.append(" = ");
  write_attribute(c, entry.value);
}

// The attributes of an argument or a result of a function, or of a module, after a blank: ` {...}`.
// `sharding` goes among them as `sdy.sharding`. Nothing if there are none.
inline void write_value_attributes(TextWriteContext& c, ShardingId sharding, AttrId dict) {
  if (!sharding.valid() && !dict.valid()) return;
  bool first = true;
  const auto next = [&] {
    c.out.append(first ? " {" : ", ");
    first = false;
  };
  const auto write_the_sharding = [&] {
    next();
    c.out.append(kOpShardings).append(" = ");
    write_sharding_attribute(c, sharding);
  };
  bool pending = sharding.valid();
  if (dict.valid()) {
    for (const AttrEntry& entry : c.m.attrs.entries(dict)) {
      if (pending && c.m.strings[entry.key] > kOpShardings) {
        write_the_sharding();
        pending = false;
      }
      next();
      write_entry(c, entry);
    }
  }
  if (pending) write_the_sharding();
  if (!first) c.out += '}';
}

}  // namespace shardprop::detail
