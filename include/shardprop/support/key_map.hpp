// A hash map whose rows lie side by side in the order in which they were put in, so that going over
// it is deterministic. It has the members of std::unordered_map that the library needs; that one
// costs the compiler more than ten milliseconds for each pair of types.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

// For keys that are integers.
struct IntegerHash {
  std::size_t operator()(std::uint64_t key) const {
    return static_cast<std::size_t>(hash_mix(0, key));
  }
  std::size_t operator()(std::int64_t key) const {
    return (*this)(static_cast<std::uint64_t>(key));
  }
  std::size_t operator()(std::uint32_t key) const { return (*this)(std::uint64_t{key}); }
  std::size_t operator()(std::int32_t key) const {
    return (*this)(static_cast<std::uint64_t>(static_cast<std::int64_t>(key)));
  }
};

// For keys that are texts.
struct TextHash {
  std::size_t operator()(std::string_view key) const {
    return static_cast<std::size_t>(hash_text(key));
  }
};

// Putting in and erasing is O(1) on average and moves rows: pointers to them do not stay. Erasing
// puts the last row in the place of the one that goes.
template <class K, class V, class Hash = IntegerHash>
class KeyMap {
 public:
  struct Row {
    K first;
    V second;
  };
  struct Inserted {
    Row* first;
    bool second;  // whether the row is new
  };

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  Row* begin() { return rows_.begin(); }
  Row* end() { return rows_.end(); }
  const Row* begin() const { return rows_.begin(); }
  const Row* end() const { return rows_.end(); }

  Row* find(const K& key) {
    const std::uint32_t row = row_at(key);
    return row == kNone ? end() : begin() + row;
  }
  const Row* find(const K& key) const {
    const std::uint32_t row = row_at(key);
    return row == kNone ? end() : begin() + row;
  }
  bool contains(const K& key) const { return row_at(key) != kNone; }
  V& at(const K& key) {
    assert(contains(key));
    return find(key)->second;
  }
  const V& at(const K& key) const {
    assert(contains(key));
    return find(key)->second;
  }
  V& operator[](const K& key) { return emplace(key, V()).first->second; }

  // Puts in `value` where `key` has none.
  Inserted emplace(K key, V value) {
    if ((rows_.size() + 1) * 4 > slots_.size() * 3) grow();
    const std::size_t slot = slot_of(key);
    if (slots_[slot] != kNone) return {begin() + slots_[slot], false};
    slots_[slot] = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({static_cast<K&&>(key), static_cast<V&&>(value)});
    return {end() - 1, true};
  }
  Inserted try_emplace(K key, V value = V()) {
    return emplace(static_cast<K&&>(key), static_cast<V&&>(value));
  }

  void erase(const Row* row) { erase_row(static_cast<std::uint32_t>(row - begin())); }
  void erase(const K& key) {
    const std::uint32_t row = row_at(key);
    if (row != kNone) erase_row(row);
  }
  void clear() {
    rows_.clear();
    for (std::uint32_t& slot : slots_) slot = kNone;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  std::size_t mask() const { return slots_.size() - 1; }

  // The slot that names the row of `key`, or the free slot where it belongs. There are slots.
  std::size_t slot_of(const K& key) const {
    std::size_t at = Hash()(key) & mask();
    while (slots_[at] != kNone && !(rows_[slots_[at]].first == key)) at = (at + 1) & mask();
    return at;
  }
  std::uint32_t row_at(const K& key) const { return slots_.empty() ? kNone : slots_[slot_of(key)]; }

  void grow() {
    const std::size_t count = slots_.empty() ? 8 : slots_.size() * 2;
    slots_.clear();
    slots_.resize(count, kNone);
    for (std::size_t row = 0; row < rows_.size(); ++row)
      slots_[slot_of(rows_[row].first)] = static_cast<std::uint32_t>(row);
  }

  void erase_row(std::uint32_t row) {
    free_slot(slot_of(rows_[row].first));
    const std::uint32_t last = static_cast<std::uint32_t>(rows_.size() - 1);
    if (row != last) {
      slots_[slot_of(rows_[last].first)] = row;
      rows_[row] = static_cast<Row&&>(rows_[last]);
    }
    rows_.pop_back();
  }

  // Frees a slot. Slots behind it move up where their search would stop at the gap: those whose own
  // place is not between the gap and them.
  void free_slot(std::size_t gap) {
    for (std::size_t at = (gap + 1) & mask(); slots_[at] != kNone; at = (at + 1) & mask()) {
      const std::size_t own = Hash()(rows_[slots_[at]].first) & mask();
      if (((at - own) & mask()) < ((at - gap) & mask())) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = kNone;
  }

  Vector<Row> rows_;
  Vector<std::uint32_t> slots_;  // row numbers, at a power of two of slots
};

// A set of integers, or of what `Hash` takes.
template <class K, class Hash = IntegerHash>
class KeySet {
 public:
  // Whether `key` is new.
  bool insert(K key) { return keys_.emplace(static_cast<K&&>(key), true).second; }
  bool contains(const K& key) const { return keys_.contains(key); }
  std::size_t size() const { return keys_.size(); }

 private:
  KeyMap<K, bool, Hash> keys_;
};

}  // namespace shardprop
