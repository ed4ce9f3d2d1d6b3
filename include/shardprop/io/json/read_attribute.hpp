// Attributes: plain JSON to interned attribute values. Integers stay integers and floats stay
// floats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/read_fields.hpp"

namespace shardprop::detail {

inline AttrId read_attribute(ReadContext& c, NodeId at);

inline AttrId read_attribute_list(ReadContext& c, NodeId at) {
  bool all_ints = true;
  for (NodeId item : c.tape.items(at)) all_ints = all_ints && c.tape.kind(item) == JsonKind::kInt;
  if (all_ints) {
    SmallVector<std::int64_t, 16> ints;
    for (NodeId item : c.tape.items(at)) ints.push_back(c.tape.as_int(item));
    return c.m.attrs.ints({ints.data(), ints.size()});
  }
  SmallVector<AttrId, 16> items;
  for (NodeId item : c.tape.items(at)) items.push_back(read_attribute(c, item));
  return c.m.attrs.list({items.data(), items.size()});
}

using AttrEntries = SmallVector<AttrEntry, 8>;

// Reports keys that stand twice among the members of `object`, of which `entries` has the keys.
inline void check_duplicate_keys(ReadContext& c, NodeId object, const AttrEntries& entries) {
  constexpr std::size_t kFew = 16;
  bool duplicate = false;
  if (entries.size() <= kFew) {
    for (std::size_t i = 1; i < entries.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) duplicate = duplicate || entries[i].key == entries[j].key;
    }
  } else {
    std::vector<StringId> keys;
    for (const AttrEntry& entry : entries) keys.push_back(entry.key);
    std::ranges::sort(keys);
    duplicate = std::adjacent_find(keys.begin(), keys.end()) != keys.end();
  }
  if (!duplicate) return;
  std::vector<StringId> seen;
  for (NodeId key = c.tape.first(object); key < c.tape.end(object); key = c.tape.next(key + 1)) {
    const StringId id = c.m.strings.find(c.tape.text(key));
    if (id.valid() && std::find(seen.begin(), seen.end(), id) != seen.end()) {
      report(c, key, "json.duplicate_key",
             fmt::format("the key \"{}\" is given twice", c.tape.text(key)), "keep one of the two");
    }
    seen.push_back(id);
  }
}

// The entries of a dictionary. `special(key node)` returns nothing for a plain member, or the value
// that it made of it, which may be none to leave the member out.
template <class Special>
AttrEntries read_entries(ReadContext& c, NodeId object, Special&& special) {
  AttrEntries entries;
  for (NodeId key = c.tape.first(object); key < c.tape.end(object); key = c.tape.next(key + 1)) {
    const std::optional<AttrId> made = special(key);
    const AttrId value = made ? *made : read_attribute(c, key + 1);
    if (value.valid()) entries.push_back({c.m.strings.intern(c.tape.text(key)), value});
  }
  check_duplicate_keys(c, object, entries);
  return entries;
}

inline AttrId read_attribute(ReadContext& c, NodeId at) {
  switch (c.tape.kind(at)) {
    case JsonKind::kNull:
      return c.m.attrs.null();
    case JsonKind::kBool:
      return c.m.attrs.boolean(c.tape.as_bool(at));
    case JsonKind::kInt:
      return c.m.attrs.integer(c.tape.as_int(at));
    case JsonKind::kUint:
      return c.m.attrs.unsigned_integer(c.tape.as_uint(at));
    case JsonKind::kFloat:
      return c.m.attrs.number(c.tape.as_float(at));
    case JsonKind::kString:
    case JsonKind::kKey:
      return c.m.attrs.string(c.m.strings.intern(c.tape.text(at)));
    case JsonKind::kList:
      return read_attribute_list(c, at);
    case JsonKind::kObject:
      break;
  }
  const AttrEntries entries = read_entries(c, at, [](NodeId) { return std::optional<AttrId>(); });
  return c.m.attrs.dict({entries.data(), entries.size()});
}

// Refuses a sharding of a value that hides among its attributes, where nothing would look for it.
inline std::optional<AttrId> refuse_hidden_sharding(ReadContext& c, NodeId key) {
  if (c.tape.text(key) != kOpShardings) return std::nullopt;
  report(c, key, "json.hidden_sharding",
         fmt::format("\"{}\" is not an attribute of the graph", kOpShardings),
         "put the sharding of a value, or the list of an operation without results, in the field "
         "\"sharding\"");
  return AttrId();
}

// The dictionary under `attributes` of anything but an operation; none where it is empty.
inline AttrId read_attributes(ReadContext& c, NodeId at) {
  if (c.tape.kind(at) != JsonKind::kObject) {
    report_kind(c, at, "attributes", "an object");
    return AttrId();
  }
  const AttrEntries entries =
      read_entries(c, at, [&](NodeId key) { return refuse_hidden_sharding(c, key); });
  return entries.empty() ? AttrId() : c.m.attrs.dict({entries.data(), entries.size()});
}

}  // namespace shardprop::detail
