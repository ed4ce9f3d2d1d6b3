// Interning: each distinct row is stored once, so that equal rows have equal ids.
//
// The index holds hashes and ids, and compares rows in the table. So a copied interner is complete,
// and the ids mean the same in the copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"

namespace shardprop {

// Adds `items` to a pool that rows of an interner point into; `items` may be a view of the pool.
template <class T>
void append_to_pool(std::vector<T>& pool, std::span<const T> items) {
  const std::size_t begin = pool.size();
  if (items.data() < pool.data() || items.data() >= pool.data() + begin) {
    pool.insert(pool.end(), items.begin(), items.end());
    return;
  }
  const std::size_t from = static_cast<std::size_t>(items.data() - pool.data());
  pool.resize(begin + items.size());
  std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(from), items.size(),
              pool.begin() + static_cast<std::ptrdiff_t>(begin));
}

// Rows are never removed. A reference to a row stays valid until the next `intern`. Every function
// is O(1) on average, apart from hashing and comparing a row.
template <class I, class Row>
class Interner {
 public:
  // The id of `row`, for rows that have `hash_value(row)` and `==`.
  I intern(const Row& row) {
    return intern(
        hash_value(row), [&](const Row& other) { return other == row; },
        [&]() -> const Row& { return row; });
  }

  // The id of the row of this hash for which `equal(row)` holds. If there is none, the row that
  // `make()` gives is added; `make` must not intern in this table. For rows that keep a part of
  // their content elsewhere, as in a pool.
  template <class Equal, class Make>
  I intern(std::uint64_t hash, Equal&& equal, Make&& make) {
    const I next = rows_.next_id();
    const I id(index_.find_or_insert(hash, next.index,
                                     [&](std::uint32_t at) { return equal(rows_[I(at)]); }));
    if (id == next) rows_.push(make());
    return id;
  }

  // The id of the row of this hash for which `equal(row)` holds, or none.
  template <class Equal>
  I find(std::uint64_t hash, Equal&& equal) const {
    return I(index_.find(hash, [&](std::uint32_t at) { return equal(rows_[I(at)]); }));
  }

  const Row& operator[](I id) const { return rows_[id]; }
  // For changes to what is neither part of the hash of a row nor of its equality.
  Row& row(I id) { return rows_[id]; }

  // Makes room for so many rows in all.
  void reserve(std::size_t count) { index_.reserve(count); }

  std::size_t size() const { return rows_.size(); }
  IdRange<I> ids() const { return rows_.ids(); }
  std::size_t bytes() const { return rows_.bytes() + index_.bytes(); }

 private:
  IdTable<I, Row> rows_;
  HashIndex index_;
};

}  // namespace shardprop
