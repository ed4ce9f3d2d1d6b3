// The storage of a growing table: as much of a vector as IdVector and KeyMap need. The module and
// the passes have dozens of tables, and a std::vector costs the compiler four times as much for
// each type of row.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace shardprop::detail {

template <class T>
class Rows {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  Rows() = default;
  Rows(const Rows& other) {
    reserve(other.size_);
    for (; size_ < other.size_; ++size_) new (rows_ + size_) T(other.rows_[size_]);
  }
  Rows(Rows&& other) noexcept { swap(other); }
  Rows& operator=(Rows other) noexcept {
    swap(other);
    return *this;
  }
  ~Rows() {
    truncate(0);
    ::operator delete(rows_);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }
  T* begin() { return rows_; }
  T* end() { return rows_ + size_; }
  const T* begin() const { return rows_; }
  const T* end() const { return rows_ + size_; }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return rows_[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return rows_[i];
  }

  // `row` must not lie in this table.
  void push_back(T&& row) {
    if (size_ == capacity_) move_to(capacity_ == 0 ? 1 : capacity_ * 2);
    new (rows_ + size_) T(static_cast<T&&>(row));
    ++size_;
  }
  // New rows are copies of `fill`, which must not lie in this table.
  void resize(std::size_t count, const T& fill) {
    truncate(count);
    if (count > capacity_) move_to(count > capacity_ * 2 ? count : capacity_ * 2);
    for (; size_ < count; ++size_) new (rows_ + size_) T(fill);
  }
  void pop_back() {
    assert(size_ != 0);
    truncate(size_ - 1);
  }
  void clear() { truncate(0); }
  void reserve(std::size_t count) {
    if (count > capacity_) move_to(count);
  }
  void shrink_to_fit() {
    if (size_ < capacity_) move_to(size_);
  }

 private:
  void swap(Rows& other) noexcept {
    T* const rows = rows_;
    const std::size_t size = size_;
    const std::size_t capacity = capacity_;
    rows_ = other.rows_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.rows_ = rows;
    other.size_ = size;
    other.capacity_ = capacity;
  }

  void truncate(std::size_t count) {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::size_t i = size_; i > count; --i) rows_[i - 1].~T();
    }
    if (count < size_) size_ = count;
  }

  // Moves the rows to memory for `capacity` of them.
  void move_to(std::size_t capacity) {
    T* const rows = capacity == 0 ? nullptr : static_cast<T*>(::operator new(capacity * sizeof(T)));
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (size_ != 0) std::memcpy(static_cast<void*>(rows), rows_, size_ * sizeof(T));
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        new (rows + i) T(static_cast<T&&>(rows_[i]));
        rows_[i].~T();
      }
    }
    ::operator delete(rows_);
    rows_ = rows;
    capacity_ = capacity;
  }

  T* rows_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace shardprop::detail
