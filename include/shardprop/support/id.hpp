// Typed 32-bit ids and tables indexed by them. Everything in a module is named by such an id, which
// is the number of a row of a table and never a pointer. So a module can be copied as a value, and
// the ids mean the same in the copy.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace shardprop {

// A row number that fits only the tables of its own `Tag`. A default id names nothing.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {
    assert(i <= kNone);
  }
  constexpr bool valid() const { return index != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace shardprop

template <class Tag>
struct std::hash<shardprop::Id<Tag>> {
  std::size_t operator()(shardprop::Id<Tag> id) const noexcept { return id.index; }
};

namespace shardprop {

// Ids that were made one after the other, such as the results of an operation.
template <class I>
struct IdRange {
  I first;
  std::uint32_t count = 0;

  struct Iterator {
    using iterator_category = std::forward_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;

    std::uint32_t at = 0;
    I operator*() const { return I(at); }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    Iterator operator++(int) { return {at++}; }
    friend bool operator==(Iterator, Iterator) = default;
  };
  Iterator begin() const { return {count == 0 ? 0 : first.index}; }
  Iterator end() const { return {count == 0 ? 0 : first.index + count}; }
  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  // None where there are not so many.
  I operator[](std::size_t i) const { return i < count ? I(first.index + i) : I(); }
};

// A growing table of `T`. Its rows are named by ids of type `I`. `[]` is for ids of the table itself,
// which it does not check in a release build: the propagation engine lives on it. `get` is for any id.
template <class I, class T>
class IdVector {
 public:
  I push(T row) {
    rows_.push_back(std::move(row));
    return I(rows_.size() - 1);
  }
  T& operator[](I id) {
    assert(id.index < rows_.size());
    return rows_[id.index];
  }
  const T& operator[](I id) const {
    assert(id.index < rows_.size());
    return rows_[id.index];
  }
  // Whether `id` names a row. Compares addresses, since the number of rows is a division.
  bool has(I id) const {
    const auto address = [](const T* at) { return reinterpret_cast<std::uintptr_t>(at); };
    return address(rows_.data()) + std::uintptr_t{id.index} * sizeof(T) <
           address(std::to_address(rows_.end()));
  }
  // The row of `id`, or an empty one.
  const T& get(I id) const {
    if (has(id)) [[likely]]
      return rows_[id.index];
    static const T kEmpty{};
    return kEmpty;
  }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  I next_id() const { return I(rows_.size()); }
  void resize(std::size_t n, T fill = T()) { rows_.resize(n, fill); }
  void reserve(std::size_t n) { rows_.reserve(n); }
  void shrink_to_fit() { rows_.shrink_to_fit(); }
  std::size_t bytes() const { return rows_.capacity() * sizeof(T); }
  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  IdRange<I> ids() const { return {I(0), static_cast<std::uint32_t>(rows_.size())}; }

 private:
  std::vector<T> rows_;
};

// As IdVector, with the check at each access: an id that names no row reads as an empty row, and
// what is written there is lost. For tables that are asked rarely.
template <class I, class T>
class IdTable : public IdVector<I, T> {
 public:
  T& operator[](I id) {
    if (this->has(id)) [[likely]]
      return IdVector<I, T>::operator[](id);
    return empty_ = T();
  }
  const T& operator[](I id) const { return this->get(id); }

 private:
  T empty_{};
};

}  // namespace shardprop
