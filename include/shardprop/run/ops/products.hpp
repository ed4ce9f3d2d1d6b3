// Sums of products: the loops under matrix products and convolutions. Products and sums are taken
// in order, in float for elements of up to 32 bits, in double for f64, in wrapping integers else,
// and rounded once more to the type of the result.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "shardprop/run/ops/kernels.hpp"
#include "shardprop/run/tensor.hpp"

namespace shardprop::detail {

// The number type of a domain that `T` is a narrower form of, or `T` itself.
template <class T>
struct WideNumber {
  using Type = T;
};
template <>
struct WideNumber<float> {
  using Type = double;
};
template <>
struct WideNumber<std::complex<float>> {
  using Type = std::complex<double>;
};
template <class T>
inline constexpr bool kIsNarrow = !std::is_same_v<T, typename WideNumber<T>::Type>;

// Loads elements as the numbers that products are taken of: signed integers keep their sign in the
// high bits, booleans are 0 and 1.
template <class T>
void load_factors(Element element, const std::byte* from, std::size_t count, T* to) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (domain_of(element) == Domain::kSigned)
      return load_elements(element, from, count, reinterpret_cast<std::int64_t*>(to));
  }
  if constexpr (!kIsNarrow<T>) {
    load_elements(element, from, count, to);
  } else if (part_of(element) == Element::kF32) {
    if (count != 0) std::memcpy(to, from, count * sizeof(T));
  } else {
    typename WideNumber<T>::Type chunk[kChunk];
    for (std::size_t at = 0; at < count; at += kChunk) {
      const std::size_t n = std::min(kChunk, count - at);
      load_elements(element, from + at * bytes_of(element), n, chunk);
      for (std::size_t i = 0; i < n; ++i) to[at + i] = static_cast<T>(chunk[i]);
    }
  }
}
template <class T>
std::vector<T> factors_of(const Tensor& tensor) {
  std::vector<T> out(tensor.count());
  load_factors(tensor.element(), tensor.read(), out.size(), out.data());
  return out;
}

// Stores sums. A sum of booleans is true where it is not 0.
template <class T>
void store_sums(Element element, const T* from, std::size_t count, std::byte* to) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (domain_of(element) == Domain::kBoolean) {
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::byte>(from[i] != 0 ? 1 : 0);
      return;
    }
  }
  if constexpr (!kIsNarrow<T>) {
    store_elements(element, from, count, to);
  } else {
    typename WideNumber<T>::Type chunk[kChunk];
    for (std::size_t at = 0; at < count; at += kChunk) {
      const std::size_t n = std::min(kChunk, count - at);
      std::copy(from + at, from + at + n, chunk);
      store_elements(element, chunk, n, to + at * bytes_of(element));
    }
  }
}

// Without the detours of the standard operator for infinities.
template <class T>
T product_of(T a, T b) {
  return a * b;
}
template <class T>
std::complex<T> product_of(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// sums[j] += a[k] * b[k * width + j], for k in order. Four k at a time, so that sums are loaded and
// stored less often; the order stays.
template <class T>
void add_products(const T* a, const T* b, std::size_t depth, std::size_t width, T* sums) {
  std::size_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    const T a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    const T* const b0 = b + k * width;
    const T* const b1 = b0 + width;
    const T* const b2 = b1 + width;
    const T* const b3 = b2 + width;
    for (std::size_t j = 0; j < width; ++j) {
      T sum = sums[j] + product_of(a0, b0[j]);
      sum = sum + product_of(a1, b1[j]);
      sum = sum + product_of(a2, b2[j]);
      sums[j] = sum + product_of(a3, b3[j]);
    }
  }
  for (; k < depth; ++k) {
    const T factor = a[k];
    const T* const row = b + k * width;
    for (std::size_t j = 0; j < width; ++j) sums[j] = sums[j] + product_of(factor, row[j]);
  }
}

// One product of matrices that lie in memory row by row: [rows, depth] times [depth, columns].
struct MatrixProduct {
  std::size_t rows = 0;
  std::size_t depth = 0;
  std::size_t columns = 0;
  Element left = Element::kNone;
  Element right = Element::kNone;
  Element out = Element::kNone;
};

// Blocks of the right matrix are loaded once and stay in the fast memory for all rows.
template <class T>
void multiply_matrices(const MatrixProduct& p, const std::byte* left, const std::byte* right,
                       std::byte* out) {
  constexpr std::size_t kDepth = 128;
  constexpr std::size_t kColumns = 256;
  std::vector<T> sums(p.rows * std::min(kColumns, p.columns));
  std::vector<T> block(kDepth * kColumns);
  T row[kDepth];
  for (std::size_t column = 0; column < p.columns; column += kColumns) {
    const std::size_t width = std::min(kColumns, p.columns - column);
    std::fill(sums.begin(), sums.end(), T(0));
    for (std::size_t k = 0; k < p.depth; k += kDepth) {
      const std::size_t depth = std::min(kDepth, p.depth - k);
      for (std::size_t i = 0; i < depth; ++i) {
        load_factors(p.right, right + ((k + i) * p.columns + column) * bytes_of(p.right), width,
                     block.data() + i * width);
      }
      for (std::size_t i = 0; i < p.rows; ++i) {
        load_factors(p.left, left + (i * p.depth + k) * bytes_of(p.left), depth, row);
        add_products(row, block.data(), depth, width, sums.data() + i * width);
      }
    }
    for (std::size_t i = 0; i < p.rows; ++i) {
      store_sums(p.out, sums.data() + i * width, width,
                 out + (i * p.columns + column) * bytes_of(p.out));
    }
  }
}

// Calls `fn` with a number of the type that products of `element` are taken in, with a result of
// type `out`.
template <class Fn>
void with_factor_type(Element element, Element out, Fn&& fn) {
  const bool is_wide = part_of(element) == Element::kF64 || part_of(out) == Element::kF64;
  switch (domain_of(element)) {
    case Domain::kReal:
      return is_wide ? fn(double()) : fn(float());
    case Domain::kPair:
      return is_wide ? fn(std::complex<double>()) : fn(std::complex<float>());
    default:
      return fn(std::uint64_t());
  }
}

}  // namespace shardprop::detail
