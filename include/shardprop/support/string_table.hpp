// Interned strings: equal text means equal id. Text lives in one arena; a view stays valid until
// the next `intern`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

struct StringTag;
using StringId = Id<StringTag>;

namespace detail {

template <class Word>
std::uint64_t load_word(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// All bytes of a text of at most 8 bytes.
inline std::uint64_t short_text_word(const char* at, std::size_t size) {
  if (size == 8) return load_word<std::uint64_t>(at);
  if (size >= 4)
    return load_word<std::uint32_t>(at) | load_word<std::uint32_t>(at + size - 4) << 32;
  if (size == 0) return 0;
  return load_word<std::uint8_t>(at) | load_word<std::uint8_t>(at + size / 2) << 8 |
         load_word<std::uint8_t>(at + size - 1) << 16;
}

}  // namespace detail

// Eight bytes at a time.
inline std::uint64_t hash_text(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ull;
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 8; at += 8, left -= 8) {
    hash = (hash ^ detail::load_word<std::uint64_t>(at)) * kOdd;
    hash ^= hash >> 32;
  }
  return hash_mix(hash, detail::short_text_word(at, left));
}

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
