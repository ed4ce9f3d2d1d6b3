// Interned attribute values: plain JSON values plus tensor shardings. Equal values have equal ids,
// so the attributes of a repeated layer are stored once and an operation's whole dictionary is one
// id.
//
// A list of integers, also the empty list, is always of kind kInts. Dictionaries keep the order of
// their entries.
//
// Two kinds come from MLIR text only. kTyped is a plain value together with a text that says more:
// `1 : i32` has the plain value 1. kData is the text of a large constant, which stays where it was
// read; the JSON writer decodes it. JSON has the plain value of kTyped.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/interner.hpp"
#include "shardprop/support/small_vector.hpp"
#include "shardprop/support/string_table.hpp"

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

// `length` bytes of `Module::sources[source]`, from `offset` on.
struct SourceSlice {
  std::uint32_t source = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const SourceSlice&, const SourceSlice&) = default;
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

  // `plain` must not be of kind kTyped; `text` is the whole attribute as MLIR text has it.
  AttrId typed(AttrId plain, StringId text) {
    assert(kind(plain) != AttrKind::kTyped);
    return scalar(AttrKind::kTyped, (std::uint64_t{plain.index} << 32) | text.index);
  }
  // The whole text of a constant. It equals only the same bytes of the same source.
  AttrId data(const SourceSlice& slice) {
    std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(AttrKind::kData), slice.source);
    hash = hash_mix(hash_mix(hash, slice.offset), slice.length);
    const auto equal = [&](const Row& row) {
      return row.kind == AttrKind::kData && slices_[row.payload] == slice;
    };
    return rows_.intern(hash, equal, [&] {
      slices_.push_back(slice);
      return Row{AttrKind::kData, 1, slices_.size() - 1};
    });
  }

  AttrId ints(std::span<const std::int64_t> values) {
    return intern(AttrKind::kInts, ints_, values,
                  [](std::int64_t v) { return static_cast<std::uint64_t>(v); });
  }
  AttrId list(std::span<const AttrId> items) {
    const bool all_ints = std::all_of(items.begin(), items.end(),
                                      [&](AttrId i) { return kind(i) == AttrKind::kInt; });
    if (all_ints) {
      std::vector<std::int64_t> values;
      for (AttrId item : items) values.push_back(as_int(item));
      return ints(values);
    }
    return intern(AttrKind::kList, items_, items, [](AttrId v) { return std::uint64_t{v.index}; });
  }
  AttrId dict(std::span<const AttrEntry> entries) {
    return intern(AttrKind::kDict, entries_, entries, [](const AttrEntry& e) {
      return (std::uint64_t{e.key.index} << 32) | e.value.index;
    });
  }

  AttrKind kind(AttrId id) const { return rows_[id].kind; }  // of none kNull
  bool as_bool(AttrId id) const { return row(id, AttrKind::kBool).payload != 0; }
  std::int64_t as_int(AttrId id) const {
    return static_cast<std::int64_t>(row(id, AttrKind::kInt).payload);
  }
  std::uint64_t as_uint(AttrId id) const { return row(id, AttrKind::kUint).payload; }
  double as_float(AttrId id) const {
    return std::bit_cast<double>(row(id, AttrKind::kFloat).payload);
  }
  StringId as_string(AttrId id) const { return StringId(row(id, AttrKind::kString).payload); }
  // None where `id` is none or anything but a string.
  StringId string_or_none(AttrId id) const {
    return kind(id) == AttrKind::kString ? as_string(id) : StringId();
  }
  ShardingId as_sharding(AttrId id) const {
    return ShardingId(row(id, AttrKind::kSharding).payload);
  }
  // The plain value of a kTyped, and any other value itself. None stays none.
  AttrId plain(AttrId id) const {
    if (kind(id) != AttrKind::kTyped) return id;
    return AttrId(static_cast<std::uint32_t>(rows_[id].payload >> 32));
  }
  StringId typed_text(AttrId id) const {
    return StringId(static_cast<std::uint32_t>(row(id, AttrKind::kTyped).payload));
  }
  SourceSlice as_data(AttrId id) const {
    const Row& data = row(id, AttrKind::kData);
    return data.kind == AttrKind::kData ? slices_[data.payload] : SourceSlice();
  }
  // The views below stay valid until the next attribute is made.
  std::span<const std::int64_t> as_ints(AttrId id) const {
    return view(ints_, row(id, AttrKind::kInts));
  }
  std::span<const AttrId> items(AttrId id) const { return view(items_, row(id, AttrKind::kList)); }
  std::span<const AttrEntry> entries(AttrId id) const {
    return view(entries_, row(id, AttrKind::kDict));
  }

  // The value under `key` of `dict`, or none; also where `dict` is none or not a dictionary.
  AttrId find(AttrId dict, StringId key) const {
    if (!dict.valid() || !key.valid() || kind(dict) != AttrKind::kDict) return AttrId();
    for (const AttrEntry& entry : entries(dict)) {
      if (entry.key == key) return entry.value;
    }
    return AttrId();
  }

  // The dictionary with `key` set to `value`, or without `key` if `value` is none. An empty
  // dictionary is none.
  AttrId with(AttrId dict, StringId key, AttrId value) {
    SmallVector<AttrEntry, 4> edited;
    if (kind(dict) == AttrKind::kDict) edited.append(entries(dict));
    const auto at = std::find_if(edited.begin(), edited.end(),
                                 [&](const AttrEntry& e) { return e.key == key; });
    if (at == edited.end()) {
      if (value.valid()) edited.push_back({key, value});
    } else if (value.valid()) {
      at->value = value;
    } else {
      edited.erase_at(static_cast<std::size_t>(at - edited.begin()));
    }
    return edited.empty() ? AttrId() : this->dict(edited);
  }

  std::size_t size() const { return rows_.size(); }
  // Makes room for so many attributes in all.
  void reserve(std::size_t count) { rows_.reserve(count); }

 private:
  struct Row {
    AttrKind kind;
    std::uint32_t count;
    std::uint64_t payload;  // the value, or where its elements begin
  };

  // An attribute of another kind has no elements, and as a number or an id it is -1 or none.
  const Row& row(AttrId id, AttrKind expected) const {
    static constexpr Row kOther = {AttrKind::kNull, 0, ~std::uint64_t{0}};
    const Row& row = rows_[id];
    assert(row.kind == expected);
    return row.kind == expected ? row : kOther;
  }
  template <class T>
  static std::span<const T> view(const std::vector<T>& pool, const Row& row) {
    return row.count == 0 ? std::span<const T>() : std::span(pool).subspan(row.payload, row.count);
  }

  AttrId scalar(AttrKind kind, std::uint64_t payload) {
    return rows_.intern(
        hash_mix(static_cast<std::uint64_t>(kind), payload),
        [&](const Row& row) { return row.kind == kind && row.payload == payload; },
        [&] {
          return Row{kind, 0, payload};
        });
  }

  template <class T, class Word>
  AttrId intern(AttrKind kind, std::vector<T>& pool, std::span<const T> elements, Word word) {
    std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(kind), elements.size());
    for (const T& element : elements) hash = hash_mix(hash, word(element));
    const auto equal = [&](const Row& row) {
      return row.kind == kind && row.count == elements.size() &&
             std::equal(elements.begin(), elements.end(), view(pool, row).begin());
    };
    return rows_.intern(hash, equal, [&] {
      const Row row = {kind, static_cast<std::uint32_t>(elements.size()), pool.size()};
      append_to_pool(pool, elements);
      return row;
    });
  }

  Interner<AttrId, Row> rows_;
  std::vector<std::int64_t> ints_;
  std::vector<AttrId> items_;
  std::vector<AttrEntry> entries_;
  std::vector<SourceSlice> slices_;
};

}  // namespace shardprop
