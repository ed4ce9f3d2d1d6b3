// Interned attribute values: plain JSON values plus tensor shardings. Equal values have equal ids,
// so the attributes of a repeated layer are stored once and an operation's whole dictionary is one
// id.
//
// A list of integers is always kind kInts (also the empty list). Dictionaries keep the order of
// their entries.
//
// Two kinds come from MLIR text only. kTyped is a plain value together with a text that says more:
// `1 : i32` is the plain value 1. kData are the elements of a large constant, left where they were
// read. JSON writes the plain value, and `{"elided": true}` for data.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/ir/source.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/string_table.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

struct AttrTag;
using AttrId = Id<AttrTag>;

enum class AttrKind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kFloat,
  kString,
  kInts,
  kList,
  kDict,
  kSharding,
  kTyped,
  kData
};

struct AttrEntry {
  StringId key;
  AttrId value;
  friend bool operator==(const AttrEntry&, const AttrEntry&) = default;
};

class AttrTable {
 public:
  AttrId null() { return scalar(AttrKind::kNull, 0); }
  AttrId boolean(bool value) { return scalar(AttrKind::kBool, value ? 1 : 0); }
  AttrId integer(std::int64_t value) {
    return scalar(AttrKind::kInt, static_cast<std::uint64_t>(value));
  }
  // A non-negative integer; kind kUint only where it does not fit std::int64_t.
  AttrId unsigned_integer(std::uint64_t value) {
    return scalar(value >> 63 ? AttrKind::kUint : AttrKind::kInt, value);
  }
  AttrId number(double value) {
    return scalar(AttrKind::kFloat, std::bit_cast<std::uint64_t>(value));
  }
  AttrId string(StringId value) { return scalar(AttrKind::kString, value.index); }
  AttrId sharding(ShardingId value) { return scalar(AttrKind::kSharding, value.index); }

  // `plain` is no kTyped; `text` is what MLIR text has in its place.
  AttrId typed(AttrId plain, StringId text) {
    assert(kind(plain) != AttrKind::kTyped);
    return scalar(AttrKind::kTyped, (std::uint64_t{plain.index} << 32) | text.index);
  }
  // The whole text of a constant; equal only to the same bytes of the same source.
  AttrId data(const SourceSlice& slice) {
    std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(AttrKind::kData), slice.source);
    hash = hash_mix(hash_mix(hash, slice.offset), slice.length);
    const AttrId next = rows_.next_id();
    const AttrId id(index_.find_or_insert(hash, next.index, [&](std::uint32_t at) {
      const Row& row = rows_[AttrId(at)];
      return row.kind == AttrKind::kData && slices_[row.payload] == slice;
    }));
    if (id == next) {
      rows_.push({AttrKind::kData, 1, slices_.size()});
      slices_.push_back(slice);
    }
    return id;
  }

  AttrId ints(ArrayView<const std::int64_t> values) {
    return intern(AttrKind::kInts, ints_, values,
                  [](std::int64_t v) { return static_cast<std::uint64_t>(v); });
  }
  AttrId list(ArrayView<const AttrId> items) {
    const bool all_ints = std::all_of(items.begin(), items.end(),
                                      [&](AttrId i) { return kind(i) == AttrKind::kInt; });
    if (all_ints) {
      Vector<std::int64_t> values;
      for (AttrId item : items) values.push_back(as_int(item));
      return ints(values);
    }
    return intern(AttrKind::kList, items_, items, [](AttrId v) { return std::uint64_t{v.index}; });
  }
  AttrId dict(ArrayView<const AttrEntry> entries) {
    return intern(AttrKind::kDict, entries_, entries, [](const AttrEntry& e) {
      return (std::uint64_t{e.key.index} << 32) | e.value.index;
    });
  }

  AttrKind kind(AttrId id) const { return rows_[id].kind; }
  bool as_bool(AttrId id) const { return row(id, AttrKind::kBool).payload != 0; }
  std::int64_t as_int(AttrId id) const {
    return static_cast<std::int64_t>(row(id, AttrKind::kInt).payload);
  }
  std::uint64_t as_uint(AttrId id) const { return row(id, AttrKind::kUint).payload; }
  double as_float(AttrId id) const {
    return std::bit_cast<double>(row(id, AttrKind::kFloat).payload);
  }
  StringId as_string(AttrId id) const { return StringId(row(id, AttrKind::kString).payload); }
  ShardingId as_sharding(AttrId id) const {
    return ShardingId(row(id, AttrKind::kSharding).payload);
  }
  // The value itself, without the text that MLIR has for it. None stays none.
  AttrId plain(AttrId id) const {
    if (!id.valid() || kind(id) != AttrKind::kTyped) return id;
    return AttrId(static_cast<std::uint32_t>(rows_[id].payload >> 32));
  }
  StringId typed_text(AttrId id) const {
    return StringId(static_cast<std::uint32_t>(row(id, AttrKind::kTyped).payload));
  }
  const SourceSlice& as_data(AttrId id) const { return slices_[row(id, AttrKind::kData).payload]; }
  // The views below stay valid until the next attribute is made.
  ArrayView<const std::int64_t> as_ints(AttrId id) const {
    return view(ints_, row(id, AttrKind::kInts));
  }
  ArrayView<const AttrId> items(AttrId id) const { return view(items_, row(id, AttrKind::kList)); }
  ArrayView<const AttrEntry> entries(AttrId id) const {
    return view(entries_, row(id, AttrKind::kDict));
  }

  // The value under `key` of dictionary `dict`, or none; an id that is none is an empty dictionary.
  AttrId find(AttrId dict, StringId key) const {
    if (!dict.valid() || !key.valid()) return AttrId();
    for (const AttrEntry& entry : entries(dict)) {
      if (entry.key == key) return entry.value;
    }
    return AttrId();
  }

  // The dictionary with `key` set to `value`, or removed where `value` is none. A dictionary left
  // empty is none.
  AttrId with(AttrId dict, StringId key, AttrId value) {
    Vector<AttrEntry> edited;
    if (dict.valid()) edited.assign(entries(dict).begin(), entries(dict).end());
    const auto at = std::find_if(edited.begin(), edited.end(),
                                 [&](const AttrEntry& e) { return e.key == key; });
    if (at == edited.end()) {
      if (value.valid()) edited.push_back({key, value});
    } else if (value.valid()) {
      at->value = value;
    } else {
      edited.erase(at);
    }
    return edited.empty() ? AttrId() : this->dict(edited);
  }

  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    AttrKind kind;
    std::uint32_t count;
    std::uint64_t payload;  // the value, or where its elements begin
  };

  const Row& row(AttrId id, [[maybe_unused]] AttrKind expected) const {
    assert(rows_[id].kind == expected);
    return rows_[id];
  }
  template <class T>
  static ArrayView<const T> view(const Vector<T>& pool, const Row& row) {
    return ArrayView(pool).subspan(row.payload, row.count);
  }

  AttrId scalar(AttrKind kind, std::uint64_t payload) {
    const AttrId next = rows_.next_id();
    const std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(kind), payload);
    const AttrId id(index_.find_or_insert(hash, next.index, [&](std::uint32_t row) {
      return rows_[AttrId(row)].kind == kind && rows_[AttrId(row)].payload == payload;
    }));
    if (id == next) rows_.push({kind, 0, payload});
    return id;
  }

  template <class T, class Word>
  AttrId intern(AttrKind kind, Vector<T>& pool, ArrayView<const T> elements, Word word) {
    std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(kind), elements.size());
    for (const T& element : elements) hash = hash_mix(hash, word(element));
    const AttrId next = rows_.next_id();
    const AttrId id(index_.find_or_insert(hash, next.index, [&](std::uint32_t at) {
      const Row& row = rows_[AttrId(at)];
      if (row.kind != kind || row.count != elements.size()) return false;
      const ArrayView<const T> stored = view(pool, row);
      return std::equal(stored.begin(), stored.end(), elements.begin());
    }));
    if (id == next) {
      rows_.push({kind, static_cast<std::uint32_t>(elements.size()), pool.size()});
      // `elements` may be a view of `pool`, which the insertion moves.
      const Vector<T> copy(elements.begin(), elements.end());
      pool.append(copy);
    }
    return id;
  }

  IdVector<AttrId, Row> rows_;
  Vector<std::int64_t> ints_;
  Vector<AttrId> items_;
  Vector<AttrEntry> entries_;
  Vector<SourceSlice> slices_;
  HashIndex index_;
};

}  // namespace shardprop
