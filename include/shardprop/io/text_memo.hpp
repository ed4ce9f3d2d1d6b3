// What a piece of the text was read as, so that the same piece is read once: types, shardings and
// dictionaries repeat a lot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop::detail {

inline std::uint64_t load_bytes(const char* from, std::size_t count) {
  std::uint64_t word = 0;
  if (count == 8) {
    std::memcpy(&word, from, 8);
  } else if (count >= 4) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, from, 4);
    std::memcpy(&high, from + count - 4, 4);
    word = (std::uint64_t{high} << 32) | low;
  } else {
    for (std::size_t i = 0; i < count; ++i)
      word = (word << 8) | static_cast<unsigned char>(from[i]);
  }
  return word;
}

// Eight bytes at a time, the last ones perhaps twice; O(size). Only for tables of this process: the
// order of bytes counts.
inline std::uint64_t hash_bytes(std::string_view text) {
  std::uint64_t hash = text.size();
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left > 8; p += 8, left -= 8) {
    hash = (hash ^ load_bytes(p, 8)) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  const std::uint64_t last = text.size() > 8 ? load_bytes(p + left - 8, 8) : load_bytes(p, left);
  return hash_mix(hash, last);
}

// From text to `Value`. The texts must outlive the memo: they are pieces of what is being read.
template <class Value>
class TextMemo {
 public:
  // The value of `text`, or none.
  const Value* find(std::string_view text, std::uint64_t hash) const {
    const std::uint32_t at =
        index_.find(hash, [&](std::uint32_t i) { return rows_[i].text == text; });
    return at == HashIndex::kEmpty ? nullptr : &rows_[at].value;
  }
  // `text` must not be there yet.
  void add(std::string_view text, std::uint64_t hash, Value value) {
    const std::uint32_t next = static_cast<std::uint32_t>(rows_.size());
    index_.find_or_insert(hash, next, [](std::uint32_t) { return false; });
    rows_.push_back({text, value});
  }

 private:
  struct Row {
    std::string_view text;
    Value value;
  };
  Vector<Row> rows_;
  HashIndex index_;
};

}  // namespace shardprop::detail
