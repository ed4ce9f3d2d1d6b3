// cholesky, triangular_solve and fft. They compute in double and round at the end.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/ops/products.hpp"
#include "shardprop/run/ops/sort.hpp"

namespace shardprop {

namespace detail {

inline double conjugate(double a) { return a; }
inline std::complex<double> conjugate(std::complex<double> a) { return std::conj(a); }

// The lower triangular L with L * adjoint(L) = A, in the place of A; only that triangle of A is
// read.
template <class T>
void decompose(T* a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      T sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= product_of(a[i * n + k], conjugate(a[j * n + k]));
      a[i * n + j] = i == j ? T(std::sqrt(std::real(sum))) : sum / a[j * n + j];
    }
    for (std::size_t i = 0; i < j; ++i) a[i * n + j] = T(0);
  }
}

template <class T>
void transpose_square(T* a, std::size_t n, bool adjoint) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
  }
  for (std::size_t i = 0; adjoint && i < n * n; ++i) a[i] = conjugate(a[i]);
}

// An upper factor U is the adjoint of the lower one: adjoint(U) * U = A.
inline Result<Tensors> evaluate_cholesky(EvalInput& in) {
  if (in.options.exact) return not_exact(in);
  const bool lower = AttributeReader(in.m, in.op, nullptr).boolean_or("lower", false);
  const Tensor& operand = in.operands[0];
  const auto n = static_cast<std::size_t>(operand.shape().back());
  Tensor out(operand.element(), operand.shape());
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> numbers = numbers_of<T>(operand);
    for (std::size_t at = 0; at < numbers.size(); at += n * n) {
      if (!lower) transpose_square(numbers.data() + at, n, true);
      decompose(numbers.data() + at, n);
      if (!lower) transpose_square(numbers.data() + at, n, true);
    }
    store_elements(out.element(), numbers.data(), numbers.size(), out.write());
  };
  domain_of(operand.element()) == Domain::kPair ? run(std::complex<double>()) : run(double());
  return one_result(std::move(out));
}

// Solves A * X = B for X, in the place of B, which has `columns` columns.
struct Triangle {
  bool lower = false;
  bool unit_diagonal = false;
};
template <class T>
void solve(const T* a, std::size_t n, Triangle triangle, T* b, std::size_t columns) {
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t i = triangle.lower ? step : n - 1 - step;
    const std::size_t first = triangle.lower ? 0 : i + 1;
    const std::size_t last = triangle.lower ? i : n;
    for (std::size_t j = 0; j < columns; ++j) {
      T sum = b[i * columns + j];
      for (std::size_t k = first; k < last; ++k)
        sum -= product_of(a[i * n + k], b[k * columns + j]);
      b[i * columns + j] = triangle.unit_diagonal ? sum : sum / a[i * n + i];
    }
  }
}

// X * A = B is solved as transpose(A) * transpose(X) = transpose(B).
inline Result<Tensors> evaluate_triangular_solve(EvalInput& in) {
  if (in.options.exact) return not_exact(in);
  AttributeReader reader(in.m, in.op, nullptr);
  const bool left = reader.boolean("left_side");
  const std::string_view transpose = reader.text("transpose_a");
  const bool is_turned = (transpose != "NO_TRANSPOSE") == left;
  const Triangle triangle = {reader.boolean("lower") != is_turned, reader.boolean("unit_diagonal")};
  const Tensor& a = in.operands[0];
  const auto n = static_cast<std::size_t>(a.shape().back());
  const std::size_t rank = a.rank();
  Shape order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (!left) std::swap(order[rank - 1], order[rank - 2]);
  const Tensor b = in_order(in.operands[1], order);
  const auto columns = static_cast<std::size_t>(b.shape().back());
  Tensor out(b.element(), b.shape());
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> matrices = numbers_of<T>(a);
    std::vector<T> numbers = numbers_of<T>(b);
    for (std::size_t i = 0; i * n * n < matrices.size(); ++i) {
      T* const matrix = matrices.data() + i * n * n;
      if (is_turned) transpose_square(matrix, n, false);
      for (std::size_t j = 0; transpose == "ADJOINT" && j < n * n; ++j)
        matrix[j] = conjugate(matrix[j]);
      solve(matrix, n, triangle, numbers.data() + i * n * columns, columns);
    }
    store_elements(out.element(), numbers.data(), numbers.size(), out.write());
  };
  domain_of(a.element()) == Domain::kPair ? run(std::complex<double>()) : run(double());
  return one_result(in_order(out, order));
}

// The discrete Fourier transform of `n` numbers, `step` apart, by splitting off the smallest prime
// factor of n: O(n * sum of the prime factors). `roots` are the n-th roots of unity of the whole.
inline void transform(const std::complex<double>* from, std::size_t n, std::size_t step,
                      const std::vector<std::complex<double>>& roots, std::complex<double>* to) {
  if (n == 1) {
    *to = *from;
    return;
  }
  std::size_t prime = 2;
  while (n % prime != 0) prime = prime * prime > n ? n : prime + 1;
  const std::size_t part = n / prime;
  for (std::size_t p = 0; p < prime; ++p)
    transform(from + p * step, part, step * prime, roots, to + p * part);
  std::vector<std::complex<double>> parts(to, to + n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (std::size_t p = 0; p < prime; ++p)
      sum += product_of(parts[p * part + k % part], roots[p * k % n * step]);
    to[k] = sum;
  }
}

// Transforms each line along the last dimension, which has `n` numbers.
inline void transform_lines(std::vector<std::complex<double>>& numbers, std::size_t n,
                            bool inverse) {
  std::vector<std::complex<double>> roots(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    roots[i] = std::polar(1.0, inverse ? turn : -turn);
  }
  std::vector<std::complex<double>> line(n);
  for (std::size_t at = 0; at < numbers.size(); at += n) {
    transform(numbers.data() + at, n, 1, roots, line.data());
    for (std::size_t i = 0; i < n; ++i)
      numbers[at + i] = inverse ? line[i] / static_cast<double>(n) : line[i];
  }
}

// The tensor with dimension `dim` transformed; numbers are kept as complex<f64> in between.
inline Tensor transformed(const Tensor& tensor, std::int64_t dim, bool inverse) {
  const Shape order = with_last(tensor.rank(), dim);
  const Tensor lines = in_order(tensor, order);
  auto numbers = numbers_of<std::complex<double>>(lines);
  transform_lines(numbers, static_cast<std::size_t>(lines.shape().back()), inverse);
  return in_order(tensor_of(Element::kComplexF64, lines.shape(), numbers), inverse_of(order));
}

// The numbers of a line of `n` real numbers' transform, of which the first half is given: the other
// half is its mirror image.
inline Tensor mirrored(const Tensor& half, std::int64_t n) {
  Shape shape = half.shape();
  const auto given = static_cast<std::size_t>(shape.back());
  shape.back() = n;
  const auto length = static_cast<std::size_t>(n);
  const auto from = numbers_of<std::complex<double>>(half);
  std::vector<std::complex<double>> to(count_of(shape));
  for (std::size_t row = 0; row * length < to.size(); ++row) {
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t mirror = length - i;
      to[row * length + i] = i < given        ? from[row * given + i]
                             : mirror < given ? std::conj(from[row * given + mirror])
                                              : 0.0;
    }
  }
  return tensor_of(Element::kComplexF64, shape, to);
}

inline Result<Tensors> evaluate_fft(EvalInput& in) {
  if (in.options.exact) return not_exact(in);
  AttributeReader reader(in.m, in.op, nullptr);
  const std::string_view type = reader.text("fft_type");
  const auto length = reader.ints("fft_length");
  const bool inverse = type == "IFFT" || type == "IRFFT";
  const Element element = result_element(in);
  Tensor numbers = converted(in.operands[0], Element::kComplexF64);
  const auto last = static_cast<std::int64_t>(numbers.rank()) - 1;
  const auto first = last + 1 - static_cast<std::int64_t>(length.size());
  if (numbers.count() == 0) return one_result(Tensor(element, result_shape(in)));
  if (!inverse) numbers = transformed(numbers, last, false);
  if (type == "RFFT") numbers = part_along(numbers, last, 0, length.back() / 2 + 1);
  for (std::int64_t dim = first; dim < last; ++dim) numbers = transformed(numbers, dim, inverse);
  if (type == "IRFFT") numbers = mirrored(numbers, length.back());
  if (inverse) numbers = transformed(numbers, last, true);
  return one_result(converted(numbers, element));
}

}  // namespace detail

inline constexpr EvalDef kLinearAlgebraEvaluators[] = {
    {"stablehlo.cholesky", nullptr, detail::evaluate_cholesky},
    {"stablehlo.triangular_solve", nullptr, detail::evaluate_triangular_solve},
    {"stablehlo.fft", nullptr, detail::evaluate_fft},
};

}  // namespace shardprop
