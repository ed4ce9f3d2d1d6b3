// A view of elements that lie side by side, as std::span<T> is one, and made from the same things:
// vectors, arrays, small vectors, std::span. A type of its own since a std::span that is made from
// a vector costs the compiler more than twenty milliseconds for each type of element, and the
// headers have dozens of them.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>

namespace shardprop {

// `T` is const where the elements are only read. The view owns nothing: what it was made from must
// outlive it.
template <class T>
class ArrayView {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using pointer = T*;
  using reference = T&;
  using iterator = T*;

  constexpr ArrayView() = default;
  constexpr ArrayView(T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr ArrayView(T* first, T* last)
      : data_(first), size_(static_cast<std::size_t>(last - first)) {}
  template <std::size_t kSize>
  constexpr ArrayView(T (&array)[kSize]) : data_(array), size_(kSize) {}
  // Whatever has data() and size(), such as a vector; a view, too, which comes to a copy of it.
  template <class Container>
  requires requires(Container& container) {
    pointer{container.data()};
    container.size();
  }
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload)
  constexpr ArrayView(Container&& container) : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  constexpr T& front() const { return (*this)[0]; }
  constexpr T& back() const { return (*this)[size_ - 1]; }

  constexpr ArrayView first(std::size_t count) const {
    assert(count <= size_);
    return {data_, count};
  }
  constexpr ArrayView last(std::size_t count) const {
    assert(count <= size_);
    return {data_ + (size_ - count), count};
  }
  // Without `count`: to the end.
  constexpr ArrayView subspan(std::size_t begin) const {
    assert(begin <= size_);
    return {data_ + begin, size_ - begin};
  }
  constexpr ArrayView subspan(std::size_t begin, std::size_t count) const {
    assert(begin <= size_ && count <= size_ - begin);
    return {data_ + begin, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class Container>
ArrayView(Container&& container) -> ArrayView<std::remove_pointer_t<decltype(container.data())>>;

}  // namespace shardprop
