// Sorting, as std::stable_sort does it: elements of which neither is less stay in their order. A
// function of its own since a std::sort costs the compiler ten milliseconds for each type of
// element.
#pragma once

#include <cstddef>

#include "shardprop/support/sort.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

namespace detail {

// Fewer than this are sorted in their place, without memory.
inline constexpr std::size_t kSortedInPlace = 16;

template <class T, class Less>
void insertion_sort(T* first, std::size_t count, Less less) {
  for (std::size_t i = 1; i < count; ++i) {
    if (!less(first[i], first[i - 1])) continue;
    T item = static_cast<T&&>(first[i]);
    std::size_t at = i;
    for (; at > 0 && less(item, first[at - 1]); --at) first[at] = static_cast<T&&>(first[at - 1]);
    first[at] = static_cast<T&&>(item);
  }
}

// Merges the sorted first `half` elements with the others, which are sorted too.
template <class T, class Less>
void merge_halves(T* first, std::size_t half, std::size_t count, Vector<T>& left, Less less) {
  if (!less(first[half], first[half - 1])) return;
  left.clear();
  for (std::size_t i = 0; i < half; ++i) left.push_back(static_cast<T&&>(first[i]));
  std::size_t from_left = 0;
  std::size_t from_right = half;
  for (std::size_t to = 0; from_left < half; ++to) {
    const bool right = from_right < count && less(first[from_right], left[from_left]);
    first[to] = static_cast<T&&>(right ? first[from_right++] : left[from_left++]);
  }
}

}  // namespace detail

// Sorts `items`, which has data() and size(). `less(a, b)` says whether a comes before b. O(n log
// n); needs memory for half of the elements where there are more than a few.
template <class Items, class Less>
void sort(Items& items, Less less) {
  using T = typename Items::value_type;
  const std::size_t count = items.size();
  T* const first = items.data();
  std::size_t width = detail::kSortedInPlace;
  for (std::size_t at = 0; at < count; at += width)
    detail::insertion_sort(first + at, count - at < width ? count - at : width, less);
  Vector<T> left;
  for (; width < count; width *= 2) {
    for (std::size_t at = 0; at + width < count; at += 2 * width) {
      const std::size_t both = count - at < 2 * width ? count - at : 2 * width;
      detail::merge_halves(first + at, width, both, left, less);
    }
  }
}

template <class Items>
void sort(Items& items) {
  using T = typename Items::value_type;
  sort(items, [](const T& a, const T& b) { return a < b; });
}

}  // namespace shardprop
