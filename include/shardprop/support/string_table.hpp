// Interned strings: equal text means equal id. Text lives in one arena; a view stays valid until
// the next `intern`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

struct StringTag;
using StringId = Id<StringTag>;

class StringTable {
 public:
  StringId intern(std::string_view text) {
    const std::uint32_t next = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t id = index_.find_or_insert(
        hash_text(text), next, [&](std::uint32_t row) { return (*this)[StringId(row)] == text; });
    if (id == next) {
      rows_.push_back(
          {static_cast<std::uint32_t>(arena_.size()), static_cast<std::uint32_t>(text.size())});
      arena_.append(text);
    }
    return StringId(id);
  }

  // The id of `text`, or none if it was never interned.
  StringId find(std::string_view text) const {
    return StringId(index_.find(hash_text(text),
                                [&](std::uint32_t row) { return (*this)[StringId(row)] == text; }));
  }

  std::string_view operator[](StringId id) const {
    const Row& row = rows_[id.index];
    return std::string_view(arena_).substr(row.begin, row.size);
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t bytes() const {
    return arena_.capacity() + rows_.capacity() * sizeof(Row) + index_.bytes();
  }

 private:
  struct Row {
    std::uint32_t begin;
    std::uint32_t size;
  };
  std::string arena_;
  Vector<Row> rows_;
  HashIndex index_;
};

}  // namespace shardprop
