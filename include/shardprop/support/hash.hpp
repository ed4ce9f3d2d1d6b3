// Hashing for interners: a word mixer and an open-addressed index from hash to row id. The index
// stores ids only and asks the table whether a row is equal, so a copied table keeps a valid index.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shardprop/support/vector.hpp"

namespace shardprop {

// Mixes `value` into `seed` (the finaliser of splitmix64).
constexpr std::uint64_t hash_mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + value + 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// The hash index of an interner. `find_or_insert` is O(1) on average; ids are never removed.
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

  // Stores `id` besides what has the same hash.
  void insert(std::uint64_t hash, std::uint32_t id) {
    find_or_insert(hash, id, [](std::uint32_t) { return false; });
  }

  // Calls `fn(id)` for all that were stored with `hash`.
  template <class Fn>
  void for_each(std::uint64_t hash, Fn&& fn) const {
    if (slots_.empty()) return;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].id != kEmpty; at = (at + 1) & mask) {
      if (slots_[at].hash == hash) fn(slots_[at].id);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFu;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id = kEmpty;
  };

  void grow() {
    Vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kEmpty) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].id != kEmpty) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  Vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace shardprop
