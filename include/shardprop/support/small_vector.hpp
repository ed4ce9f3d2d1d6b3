// A vector of trivially copyable elements that keeps up to `N` of them inline. Axis lists and
// dimension maps are nearly always shorter than that, so the propagation step does not allocate.
//
// What is added may be an element of the vector itself, or a part of it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace shardprop {

template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>, "SmallVector moves its elements as bytes");

 public:
  using value_type = T;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) {
    append(std::span<const T>(items.begin(), items.size()));
  }
  explicit SmallVector(std::span<const T> items) { append(items); }
  SmallVector(std::size_t count, T fill) { resize(count, fill); }
  SmallVector(const SmallVector& other) { append(other); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallVector() { delete[] heap_; }

  T* data() { return heap_ ? heap_ : inline_; }
  const T* data() const { return heap_ ? heap_ : inline_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return data()[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return data()[i];
  }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T item) {
    reserve(size_ + 1);
    data()[size_++] = item;
  }
  void pop_back() {
    assert(size_ > 0);
    --size_;
  }
  void clear() { size_ = 0; }
  // Keeps the first `count` elements.
  void truncate(std::size_t count) {
    assert(count <= size_);
    size_ = count;
  }
  void resize(std::size_t count, T fill = T()) {
    reserve(count);
    for (std::size_t i = size_; i < count; ++i) data()[i] = fill;
    size_ = count;
  }
  void append(std::span<const T> items) {
    const T* const old = grow(size_ + items.size());
    copy(data() + size_, items.data(), items.size());
    size_ += items.size();
    delete[] old;  // not before: `items` may lie there
  }
  void assign(std::span<const T> items) {
    clear();
    append(items);
  }
  void insert_at(std::size_t at, T item) {
    assert(at <= size_);
    reserve(size_ + 1);
    copy(data() + at + 1, data() + at, size_ - at);
    data()[at] = item;
    ++size_;
  }
  void erase_at(std::size_t at) {
    assert(at < size_);
    copy(data() + at, data() + at + 1, size_ - at - 1);
    pop_back();
  }
  void reserve(std::size_t count) { delete[] grow(count); }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    const T* const other = b.data();
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.data()[i] == other[i])) return false;
    }
    return true;
  }

 private:
  static void copy(T* to, const T* from, std::size_t count) {
    if (count != 0) std::memmove(static_cast<void*>(to), from, count * sizeof(T));
  }

  // Makes room for `count` elements. Gives what the caller must delete: the elements before that,
  // or null.
  [[nodiscard]] const T* grow(std::size_t count) {
    if (count <= capacity_) return nullptr;
    const std::size_t grown = std::max(count, 2 * capacity_);
    T* const heap = new T[grown];
    copy(heap, data(), size_);
    capacity_ = grown;
    return std::exchange(heap_, heap);
  }

  void take(SmallVector& other) {
    if (!other.heap_) {
      assign(other);
    } else {
      delete[] heap_;
      heap_ = other.heap_;
      other.heap_ = nullptr;
      size_ = other.size_;
      capacity_ = other.capacity_;
    }
    other.size_ = 0;
    other.capacity_ = N;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  T inline_[N];
  T* heap_ = nullptr;
};

}  // namespace shardprop
