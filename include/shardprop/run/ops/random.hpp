// rng_bit_generator. The algorithms are those of "Parallel random numbers: as easy as 1, 2, 3"
// (Salmon and others, 2011): Threefry of two 32-bit words with 20 rounds, Philox of four with 10.
// How a state becomes key and counter, and how words become elements, is as XLA has it, so that the
// bits are those that a program gets from XLA on a CPU; its default algorithm is Philox.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/eval_table.hpp"
#include "shardprop/run/ops/movement.hpp"

namespace shardprop {

namespace detail {

using RandomKey = std::array<std::uint32_t, 2>;

inline RandomKey words_of(std::uint64_t number) {
  return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
}
inline std::uint64_t number_of(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

inline RandomKey threefry(RandomKey counter, RandomKey key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::uint32_t keys[3] = {key[0], key[1], 0x1BD11BDAu ^ key[0] ^ key[1]};
  std::uint32_t a = counter[0] + keys[0];
  std::uint32_t b = counter[1] + keys[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += keys[(group + 1) % 3];
    b += keys[(group + 2) % 3] + group + 1;
  }
  return {a, b};
}

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> x, RandomKey key) {
  for (int round = 0; round < 10; ++round) {
    const RandomKey a = words_of(std::uint64_t{x[0]} * 0xD2511F53u);
    const RandomKey b = words_of(std::uint64_t{x[2]} * 0xCD9E8D57u);
    x = {b[1] ^ x[1] ^ key[0], b[0], a[1] ^ x[3] ^ key[1], a[0]};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return x;
}

struct RandomBits {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> state;
};

// Two words come from each counter. For 64-bit elements they are one element; for others the first
// words make one half of a dimension and the second words the other: the first dimension of even
// size is split, or the largest, of which one element is left over. Neighbours in that dimension
// are the two words of one counter.
inline RandomBits threefry_bits(const Shape& shape, bool wide,
                                std::span<const std::uint64_t> state) {
  const RandomKey key = words_of(state[0]);
  const std::size_t count = count_of(shape);
  RandomBits out{std::vector<std::uint64_t>(count), {state[0], state[1]}};
  if (wide) {
    for (std::size_t i = 0; i < count; ++i) {
      const RandomKey words = threefry(words_of(state[1] + i), key);
      out.numbers[i] = number_of(words[0], words[1]);
    }
    out.state[1] += count;
    return out;
  }
  std::size_t split = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] % 2 == 0 && shape[split] % 2 != 0) split = d;
    if (shape[split] % 2 != 0 && shape[d] > shape[split]) split = d;
  }
  const std::size_t size = shape.empty() ? 1 : static_cast<std::size_t>(shape[split]);
  const std::size_t half = (size + 1) / 2;
  const std::size_t minor = shape.empty() ? 1 : static_cast<std::size_t>(strides_of(shape)[split]);
  const std::size_t major = size == 0 ? 0 : count / (size * minor);
  for (std::size_t i = 0; i < major; ++i) {
    for (std::size_t j = 0; j < half; ++j) {
      for (std::size_t k = 0; k < minor; ++k) {
        const RandomKey words = threefry(words_of(state[1] + (i * half + j) * minor + k), key);
        for (std::size_t w = 0; w < 2 && 2 * j + w < size; ++w)
          out.numbers[(i * size + 2 * j + w) * minor + k] = words[w];
      }
    }
  }
  out.state[1] += major * half * minor;
  return out;
}

// The counter has 128 bits; four words come from each. A state of two numbers has the counter's low
// half in its second number and takes the key as the high half.
inline RandomBits philox_bits(const Shape& shape, bool wide, std::span<const std::uint64_t> state) {
  const std::size_t count = count_of(shape);
  const std::size_t per_counter = wide ? 2 : 4;
  const std::size_t counters = (count + per_counter - 1) / per_counter;
  const std::uint64_t low = state[1];
  const std::uint64_t high = state.size() > 2 ? state[2] : state[0];
  RandomBits out{std::vector<std::uint64_t>(count), {state.begin(), state.end()}};
  for (std::size_t i = 0; i < counters; ++i) {
    const RandomKey a = words_of(low + i);
    const RandomKey b = words_of(high + (low + i < low ? 1 : 0));
    const auto words = philox({a[0], a[1], b[0], b[1]}, words_of(state[0]));
    for (std::size_t j = 0; j < per_counter && i * per_counter + j < count; ++j) {
      out.numbers[i * per_counter + j] =
          wide ? number_of(words[2 * j], words[2 * j + 1]) : words[j];
    }
  }
  out.state[1] = low + counters;
  if (out.state.size() > 2) out.state[2] = high + (low + counters < low ? 1 : 0);
  return out;
}

inline Result<Tensors> evaluate_rng_bit_generator(EvalInput& in) {
  if (result_element(in, 1) == Element::kExact) return not_exact(in);
  const bool is_threefry =
      AttributeReader(in.m, in.op, nullptr).text("rng_algorithm") == "THREE_FRY";
  const Tensor& initial = in.operands[0];
  const Element element = result_element(in, 1);
  const std::size_t size = initial.count();
  if (initial.element() != Element::kUi64 || size < 2 || size > 3) {
    return eval_error(in, "unsupported",
                      fmt::format("random bits cannot be made from a state of {}",
                                  to_string(in.m, type_of(in.m, operand(in.m, in.op, 0)))));
  }
  const auto state = numbers_of<std::uint64_t>(initial);
  const Shape shape = result_shape(in, 1);
  const bool wide = bytes_of(element) == 8;
  const RandomBits bits =
      is_threefry ? threefry_bits(shape, wide, state) : philox_bits(shape, wide, state);
  // The bits are the element, whatever its type.
  constexpr Element kUnsigned[] = {Element::kNone, Element::kUi8,  Element::kUi16,
                                   Element::kNone, Element::kUi32, Element::kNone,
                                   Element::kNone, Element::kNone, Element::kUi64};
  Tensors out;
  out.push_back(tensor_of(initial.element(), initial.shape(), bits.state));
  out.push_back(tensor_of(kUnsigned[bytes_of(element)], shape, bits.numbers).retyped(element));
  return out;
}

}  // namespace detail

inline constexpr EvalDef kRandomEvaluators[] = {
    {"stablehlo.rng_bit_generator", nullptr, detail::evaluate_rng_bit_generator},
};

}  // namespace shardprop
