// A growing array, as std::vector is one, with the same names. A type of its own since the library
// has a hundred types of rows, and a std::vector costs the compiler many times as much for each:
// with it, including the library took 1.6 times as long.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

#include "shardprop/support/array_view.hpp"

namespace shardprop {

// Iterators are pointers; growth moves the elements and invalidates them. An element may be added
// that lies in the vector itself, a range of elements may not. What a constructor of T throws
// leaves the elements before it.
template <class T>
class Vector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  Vector() = default;
  explicit Vector(std::size_t count) { resize(count); }
  Vector(std::size_t count, const T& fill) { resize(count, fill); }
  Vector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  // Whatever has data() and size(): a std::vector, an ArrayView.
  explicit Vector(ArrayView<const T> items) { append(items.begin(), items.end()); }
  template <class Iterator>
  requires requires(Iterator at) { *at; }
  Vector(Iterator first, Iterator last) { append(first, last); }
  Vector(const Vector& other) { append(other.begin(), other.end()); }
  Vector(Vector&& other) noexcept { swap(other); }
  Vector& operator=(Vector other) noexcept {
    swap(other);
    return *this;
  }
  ~Vector() {
    truncate(0);
    ::operator delete(items_);
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* data() { return items_; }
  const T* data() const { return items_; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return items_[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return items_[i];
  }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T item) {
    if (size_ == capacity_) grow_to(size_ + 1);
    new (items_ + size_) T(static_cast<T&&>(item));
    ++size_;
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    push_back(T(static_cast<Args&&>(args)...));
    return back();
  }
  void pop_back() { truncate(size_ - 1); }
  void clear() { truncate(0); }
  void reserve(std::size_t count) {
    if (count > capacity_) move_to(count);
  }
  void shrink_to_fit() {
    if (size_ < capacity_) move_to(size_);
  }
  void resize(std::size_t count) {
    truncate(count);
    if (count > capacity_) grow_to(count);
    for (; size_ < count; ++size_) new (items_ + size_) T();
  }
  void resize(std::size_t count, const T& fill) {
    truncate(count);
    if (count > capacity_) grow_to(count);
    for (; size_ < count; ++size_) new (items_ + size_) T(fill);
  }
  void assign(std::size_t count, const T& fill) {
    clear();
    resize(count, fill);
  }
  template <class Iterator>
  requires requires(Iterator at) { *at; }
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  void assign(std::initializer_list<T> items) { assign(items.begin(), items.end()); }

  // The elements from `first` to `last`, which must not lie in this vector.
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    if constexpr (std::is_pointer_v<Iterator>) {
      const std::size_t count = size_ + static_cast<std::size_t>(last - first);
      if (count > capacity_) grow_to(count);
      for (; first != last; ++first, ++size_) new (items_ + size_) T(*first);
    } else {
      for (; first != last; ++first) emplace_back(*first);
    }
  }
  void append(ArrayView<const T> items) { append(items.begin(), items.end()); }

  // Gives the place of the element that it added, or of the one behind those it removed.
  T* insert(const T* at, T item) {
    const std::size_t place = index_of(at);
    push_back(static_cast<T&&>(item));
    for (std::size_t i = size_ - 1; i > place; --i) {
      T above = static_cast<T&&>(items_[i]);
      items_[i] = static_cast<T&&>(items_[i - 1]);
      items_[i - 1] = static_cast<T&&>(above);
    }
    return items_ + place;
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    T* to = items_ + index_of(first);
    const std::size_t count = static_cast<std::size_t>(last - first);
    if (count == 0) return to;
    for (T* from = to + count; from != end(); ++from, ++to) *to = static_cast<T&&>(*from);
    truncate(size_ - count);
    return items_ + index_of(first);
  }

  void swap(Vector& other) noexcept {
    T* const items = items_;
    const std::size_t size = size_;
    const std::size_t capacity = capacity_;
    items_ = other.items_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.items_ = items;
    other.size_ = size;
    other.capacity_ = capacity;
  }

  friend bool operator==(const Vector& a, const Vector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.items_[i] == b.items_[i])) return false;
    }
    return true;
  }

 private:
  std::size_t index_of(const T* at) const {
    assert(at >= begin() && at <= end());
    return static_cast<std::size_t>(at - begin());
  }

  void truncate(std::size_t count) {
    for (; size_ > count; --size_) items_[size_ - 1].~T();
  }

  // Out of line, so that the calls that need no memory are short.
  [[gnu::noinline]] void grow_to(std::size_t count) {
    move_to(count > capacity_ * 2 ? count : capacity_ * 2);
  }

  // Moves the elements to memory for `capacity` of them.
  void move_to(std::size_t capacity) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of a pointer, too
    constexpr std::size_t kSize = sizeof(T);
    const std::size_t bytes = capacity * kSize;
    T* const items = bytes == 0 ? nullptr : static_cast<T*>(::operator new(bytes));
    if constexpr (__is_trivially_copyable(T)) {  // cheaper to compile than the trait
      if (size_ != 0) std::memcpy(static_cast<void*>(items), items_, size_ * kSize);
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        new (items + i) T(static_cast<T&&>(items_[i]));
        items_[i].~T();
      }
    }
    ::operator delete(items_);
    items_ = items;
    capacity_ = capacity;
  }

  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Removes the elements of which `is_unwanted` is true.
template <class T, class Predicate>
void erase_if(Vector<T>& items, Predicate is_unwanted) {
  T* kept = items.begin();
  for (T& item : items) {
    if (is_unwanted(item)) continue;
    if (kept != &item) *kept = static_cast<T&&>(item);
    ++kept;
  }
  items.erase(kept, items.end());
}

}  // namespace shardprop
