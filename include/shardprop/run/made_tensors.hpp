// Tensors to run a program on where the numbers do not matter: counted or random ones. Both are the
// same on each machine.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "shardprop/run/tensor.hpp"

namespace shardprop {

namespace detail {

// A tensor whose element i is `real(i)` or, of integers and booleans, `integer(i)`.
template <class Real, class Integer>
Tensor made_tensor(Element element, Shape shape, Real real, Integer integer) {
  Tensor out(element, std::move(shape));
  const std::size_t width = bytes_of(element);
  const std::size_t count = out.count();
  std::byte* to = out.write();
  for (std::size_t i = 0; i < count; ++i, to += width) {
    if (domain_of(element) == Domain::kPair) {
      const double first = real(i);
      const std::complex<double> number(first, real(i));
      store_elements(element, &number, 1, to);
    } else if (domain_of(element) == Domain::kReal) {
      const double number = real(i);
      store_elements(element, &number, 1, to);
    } else {
      std::uint64_t number = integer(i);
      if (domain_of(element) == Domain::kBoolean) number &= 1;
      store_elements(element, &number, 1, to);
    }
  }
  return out;
}

}  // namespace detail

// 0, 1, 2, ... in row-major order, as the type holds them.
inline Tensor counted(Element element, Shape shape) {
  return detail::made_tensor(
      element, std::move(shape), [](std::size_t i) { return static_cast<double>(i); },
      [](std::size_t i) { return std::uint64_t{i}; });
}

// Floats in [-1, 1), integers in [0, 10), in the exact mode any integers.
inline Tensor random_tensor(Element element, Shape shape, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const bool is_exact = element == Element::kExact;
  const auto real = [&](std::size_t) {
    return static_cast<double>(generator() >> 11) * 0x1p-52 - 1.0;
  };
  const auto integer = [&](std::size_t) {
    const std::uint64_t bits = generator();
    return is_exact ? bits : (bits >> 32) % 10;
  };
  return detail::made_tensor(element, std::move(shape), real, integer);
}

}  // namespace shardprop
