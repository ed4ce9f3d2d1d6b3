// Sums of products: the loops under matrix products and convolutions. Numbers are double, complex or
// wrapping integers; a sum is taken in order and rounded once, to the type of the result.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "shardprop/run/ops/arithmetic.hpp"
#include "shardprop/run/tensor.hpp"

namespace shardprop::detail {

// Loads elements as the numbers that products are taken of: signed integers keep their sign in the
// high bits, booleans are 0 and 1.
template <class T>
void load_factors(Element element, const std::byte* from, std::size_t count, T* to) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (domain_of(element) == Domain::kSigned)
      return load_elements(element, from, count, reinterpret_cast<std::int64_t*>(to));
  }
  load_elements(element, from, count, to);
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
  store_elements(element, from, count, to);
}

template <class T>
T product_of(T a, T b) {
  return Multiply()(a, b);
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

// Calls `fn` with a number of the type that sums of such elements are taken in.
template <class Fn>
void with_factor_type(Element element, Fn&& fn) {
  switch (domain_of(element)) {
    case Domain::kReal:
      return fn(double());
    case Domain::kPair:
      return fn(std::complex<double>());
    default:
      return fn(std::uint64_t());
  }
}

}  // namespace shardprop::detail
