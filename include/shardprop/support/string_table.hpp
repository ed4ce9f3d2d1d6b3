// Interned strings: equal text means equal id. Text lives in one arena; a view stays valid until
// the next `intern`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/interner.hpp"

namespace shardprop {

struct StringTag;
using StringId = Id<StringTag>;

class StringTable {
 public:
  StringId intern(std::string_view text) {
    return rows_.intern(
        hash_text(text), [&](Row row) { return text_of(row) == text; },
        [&] {
          const Row row = {static_cast<std::uint32_t>(arena_.size()),
                           static_cast<std::uint32_t>(text.size())};
          arena_.append(text);
          return row;
        });
  }

  // The id of `text`, or none if it was never interned.
  StringId find(std::string_view text) const {
    return rows_.find(hash_text(text), [&](Row row) { return text_of(row) == text; });
  }

  std::string_view operator[](StringId id) const { return text_of(rows_[id]); }

  std::size_t size() const { return rows_.size(); }
  std::size_t bytes() const { return arena_.capacity() + rows_.bytes(); }

 private:
  struct Row {
    std::uint32_t begin;
    std::uint32_t size;
  };

  std::string_view text_of(Row row) const {
    return std::string_view(arena_).substr(row.begin, row.size);
  }

  std::string arena_;
  Interner<StringId, Row> rows_;
};

}  // namespace shardprop
