// Source locations as MLIR text has them: the text inside `loc(...)`, kept as it was written.
//
// A location is either a text of its own or an alias, `#loc3`, whose definition `#loc3 = loc(...)`
// is outside of the module and may name other aliases. Each is stored once. JSON has no locations,
// so only a module that was read from text has any.
#pragma once

#include <cassert>
#include <string_view>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/interner.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

struct LocTag;
using LocId = Id<LocTag>;

class LocationTable {
 public:
  // The location that is written as `text`: `"model.py":12:3`, `unknown`, `fused["a", #loc2]`.
  LocId inline_text(std::string_view text) { return intern(texts_.intern(text), false); }
  // The location called `name` (without `#`), which may be defined later.
  LocId alias(std::string_view name) { return intern(texts_.intern(name), true); }
  // Defines what an alias stands for. False if the alias has a definition already.
  bool define(LocId alias, std::string_view text) {
    Row& row = rows_.row(alias);
    assert(row.is_alias);
    if (row.definition.valid()) return false;
    row.definition = texts_.intern(text);
    return true;
  }

  // The alias called `name`, or none.
  LocId find_alias(std::string_view name) const {
    const StringId text = texts_.find(name);
    if (!text.valid()) return LocId();
    return rows_.find(hash_mix(1, text.index),
                      [&](const Row& row) { return row.text == text && row.is_alias; });
  }

  bool is_alias(LocId id) const { return rows_[id].is_alias; }
  // The text of a location, or the name of an alias.
  std::string_view text(LocId id) const { return texts_[rows_[id].text]; }
  bool is_defined(LocId alias) const { return rows_[alias].definition.valid(); }
  // What an alias stands for. The alias must be defined. Valid until the next location is made.
  std::string_view definition(LocId alias) const { return texts_[rows_[alias].definition]; }

  // All locations, in the order in which they were first seen.
  IdRange<LocId> ids() const { return rows_.ids(); }
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    StringId text;
    StringId definition;
    bool is_alias;
  };

  LocId intern(StringId text, bool is_alias) {
    return rows_.intern(
        hash_mix(is_alias ? 1 : 0, text.index),
        [&](const Row& row) { return row.text == text && row.is_alias == is_alias; },
        [&] {
          return Row{text, StringId(), is_alias};
        });
  }

  StringTable texts_;
  Interner<LocId, Row> rows_;
};

// The locations of the rows of another table. Rows without a location at the end are not stored.
template <class I>
class LocationColumn {
 public:
  LocId operator[](I id) const { return id.index < rows_.size() ? rows_[id] : LocId(); }
  void set(I id, LocId location) {
    if (id.index >= rows_.size()) {
      if (!location.valid()) return;
      rows_.resize(id.index + 1);
    }
    rows_[id] = location;
  }
  bool empty() const { return rows_.empty(); }
  void reserve(std::size_t rows) { rows_.reserve(rows); }
  void shrink_to_fit() { rows_.shrink_to_fit(); }

 private:
  IdVector<I, LocId> rows_;
};

}  // namespace shardprop
