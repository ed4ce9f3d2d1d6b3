// Kernels made of functors. A functor computes one element; it is called with the numbers of the
// domains that its row names, so that one functor serves all element types. A functor that needs
// parameters is made from the kernel.
//
// Elements go through three steps of a chunk each: load, compute, store. A chunk stays in the
// fastest memory, so that this costs little more than computing in place.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "shardprop/run/eval_table.hpp"
#include "shardprop/support/hash.hpp"

namespace shardprop::detail {

inline constexpr std::size_t kChunk = 256;

constexpr Domains kIntegers = Domain::kSigned | Domain::kUnsigned;
constexpr Domains kBitwise = kIntegers | Domain::kBoolean;
constexpr Domains kReals = static_cast<Domains>(Domain::kReal);
constexpr Domains kFloats = Domain::kReal | Domain::kPair;
constexpr Domains kNumbers = kIntegers | Domain::kReal | Domain::kPair;

template <class F>
F make_functor(const Kernel& kernel) {
  if constexpr (std::is_constructible_v<F, const Kernel&>) {
    return F(kernel);
  } else {
    return F();
  }
}

template <class F, class T>
void unary_kernel(const Kernel& kernel, const std::byte* const* in, std::byte* out,
                  std::size_t count) {
  const F f = make_functor<F>(kernel);
  T a[kChunk];
  std::invoke_result_t<const F&, T> results[kChunk];
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t n = std::min(kChunk, count - at);
    load_elements(kernel.in, in[0] + at * bytes_of(kernel.in), n, a);
    for (std::size_t i = 0; i < n; ++i) results[i] = f(a[i]);
    store_elements(kernel.out, results, n, out + at * bytes_of(kernel.out));
  }
}

template <class F, class T>
void binary_kernel(const Kernel& kernel, const std::byte* const* in, std::byte* out,
                   std::size_t count) {
  const F f = make_functor<F>(kernel);
  T a[kChunk];
  T b[kChunk];
  std::invoke_result_t<const F&, T, T> results[kChunk];
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t n = std::min(kChunk, count - at);
    load_elements(kernel.in, in[0] + at * bytes_of(kernel.in), n, a);
    load_elements(kernel.in, in[1] + at * bytes_of(kernel.in), n, b);
    for (std::size_t i = 0; i < n; ++i) results[i] = f(a[i], b[i]);
    store_elements(kernel.out, results, n, out + at * bytes_of(kernel.out));
  }
}

template <class F, class T>
void ternary_kernel(const Kernel& kernel, const std::byte* const* in, std::byte* out,
                    std::size_t count) {
  const F f = make_functor<F>(kernel);
  T a[kChunk];
  T b[kChunk];
  T c[kChunk];
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t n = std::min(kChunk, count - at);
    load_elements(kernel.in, in[0] + at * bytes_of(kernel.in), n, a);
    load_elements(kernel.in, in[1] + at * bytes_of(kernel.in), n, b);
    load_elements(kernel.in, in[2] + at * bytes_of(kernel.in), n, c);
    for (std::size_t i = 0; i < n; ++i) a[i] = f(a[i], b[i], c[i]);
    store_elements(kernel.out, a, n, out + at * bytes_of(kernel.out));
  }
}

template <class F, class T>
constexpr Kernel::Run kernel_of() {
  if constexpr (std::is_invocable_v<const F&, T>) {
    return unary_kernel<F, T>;
  } else if constexpr (std::is_invocable_v<const F&, T, T>) {
    return binary_kernel<F, T>;
  } else {
    return ternary_kernel<F, T>;
  }
}

// Signed numbers of functors that wrap are computed as unsigned ones: the bits are the same.
template <class F>
concept Wraps = F::kWraps;

template <class F, Domains domains>
constexpr Kernel::Run kernel_in(Domain domain) {
  using Signed = std::conditional_t<Wraps<F>, std::uint64_t, std::int64_t>;
  if constexpr (has_domain(domains, Domain::kBoolean)) {
    if (domain == Domain::kBoolean) return kernel_of<F, bool>();
  }
  if constexpr (has_domain(domains, Domain::kSigned)) {
    if (domain == Domain::kSigned) return kernel_of<F, Signed>();
  }
  if constexpr (has_domain(domains, Domain::kUnsigned)) {
    if (domain == Domain::kUnsigned) return kernel_of<F, std::uint64_t>();
  }
  if constexpr (has_domain(domains, Domain::kReal)) {
    if (domain == Domain::kReal) return kernel_of<F, double>();
  }
  if constexpr (has_domain(domains, Domain::kPair)) {
    if (domain == Domain::kPair) return kernel_of<F, std::complex<double>>();
  }
  if constexpr (has_domain(domains, Domain::kExact)) {
    if (domain == Domain::kExact) return kernel_of<F, Signed>();
  }
  return nullptr;
}

// In the exact mode: what a function that is not exact in integers gives depends on all its
// operands, their order and the operation, and on nothing else.
inline void mixing_kernel(const Kernel& kernel, const std::byte* const* in, std::byte* out,
                          std::size_t count) {
  const auto operands = static_cast<std::size_t>(kernel.parameters[1]);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t hash = static_cast<std::uint64_t>(kernel.parameters[0]);
    for (std::size_t j = 0; j < operands; ++j) {
      std::uint64_t number = 0;
      load_elements(Element::kExact, in[j] + i * sizeof number, 1, &number);
      hash = hash_mix(hash, number);
    }
    store_elements(Element::kExact, &hash, 1, out + i * sizeof hash);
  }
}

inline Kernel mixing(const KernelInput& in) {
  Kernel kernel;
  kernel.run = mixing_kernel;
  kernel.in = kernel.out = Element::kExact;
  std::uint64_t hash = 0;
  for (char c : op_name(in.m, in.op)) hash = hash_mix(hash, static_cast<unsigned char>(c));
  kernel.parameters = {static_cast<std::int64_t>(hash),
                       static_cast<std::int64_t>(in.operands.size())};
  return kernel;
}

// The kernel of functor `F`, which takes numbers of `domains`; in the exact mode it mixes unless
// the functor is exact.
template <class F, Domains domains>
Kernel elementwise(const KernelInput& in) {
  Kernel kernel;
  kernel.in = in.operands.empty() ? Element::kNone : in.operands.back();
  kernel.out = in.result;
  kernel.run = kernel_in<F, domains>(domain_of(kernel.in));
  const bool same = std::all_of(in.operands.begin(), in.operands.end(),
                                [&](Element e) { return e == kernel.in; });
  if (!same) kernel.run = nullptr;
  if (!kernel.run && same && kernel.in == Element::kExact && kernel.out == Element::kExact)
    return mixing(in);
  return kernel;
}

}  // namespace shardprop::detail
