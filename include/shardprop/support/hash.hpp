// Hashing for interners: a word mixer, the hash of a text, and an open-addressed index from hash to
// row id. The index stores hashes and ids and asks the table whether a row is equal, so the copy of
// a table has a valid index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace shardprop {

// Mixes `value` into `seed` (the finaliser of splitmix64).
constexpr std::uint64_t hash_mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + value + 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// For maps whose keys are lists of 32-bit numbers.
struct WordsHash {
  std::size_t operator()(std::span<const std::uint32_t> words) const {
    std::uint64_t hash = words.size();
    for (std::uint32_t word : words) hash = hash_mix(hash, word);
    return static_cast<std::size_t>(hash);
  }
};

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

// Reads eight bytes at a time.
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

// The hash index of an interner. Every function is O(1) on average; ids are never removed.
class HashIndex {
 public:
  // Returns the id whose row satisfies `equal(id)`, or stores and returns `next`.
  template <class Equal>
  std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t next, Equal&& equal) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.id == kEmpty) {
        slot = {hash, next};
        ++size_;
        return next;
      }
      if (slot.hash == hash && equal(slot.id)) return slot.id;
    }
  }

  // Returns the id whose row satisfies `equal(id)`, or `kEmpty`.
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, Equal&& equal) const {
    if (slots_.empty()) return kEmpty;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].id != kEmpty; at = (at + 1) & mask) {
      if (slots_[at].hash == hash && equal(slots_[at].id)) return slots_[at].id;
    }
    return kEmpty;
  }

  // Stores `id`, whatever else is stored with the same hash.
  void insert(std::uint64_t hash, std::uint32_t id) {
    find_or_insert(hash, id, [](std::uint32_t) { return false; });
  }

  // Calls `fn(id)` for each id that was stored with `hash`.
  template <class Fn>
  void for_each(std::uint64_t hash, Fn&& fn) const {
    if (slots_.empty()) return;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].id != kEmpty; at = (at + 1) & mask) {
      if (slots_[at].hash == hash) fn(slots_[at].id);
    }
  }

  // Makes room for so many ids in all.
  void reserve(std::size_t count) {
    std::size_t slots = std::max<std::size_t>(kFewest, slots_.size());
    while (count * 4 > slots * 3) slots *= 2;
    if (slots > slots_.size()) resize(slots);
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFu;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id = kEmpty;
  };

  static constexpr std::size_t kFewest = 16;

  void grow() { resize(std::max(kFewest, slots_.size() * 2)); }
  void resize(std::size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kEmpty) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].id != kEmpty) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace shardprop
