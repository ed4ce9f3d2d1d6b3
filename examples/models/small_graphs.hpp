// Graphs that stress one thing each: depth (a chain of layers), joins (diamonds), one value with
// many uses (fan-out), and unforeseen combinations (random). `size` is the number of layers,
// diamonds, uses or operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "examples/models/build_model.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::models {

namespace detail {

inline const DotSpec kMatmul = {.lhs_contracting = {1}, .rhs_contracting = {0}};

inline void add_mesh(GraphBuilder& b) { b.add_mesh("mesh", {{"data", 4}, {"model", 8}}); }

}  // namespace detail

// x = max(x w + bias, 0) in each layer. Weights are split by columns and by rows in turn.
inline Result<Module> mlp(const OpTable& table, std::size_t size) {
  Module m;
  GraphBuilder b(m, table);
  detail::add_mesh(b);
  const std::int64_t widths[] = {1024, 4096};
  const Dims shapes[] = {{256, widths[0]}, {256, widths[1]}};
  const ShardingId weights[] = {b.sharding(R"([{?}, {"model", ?}])"),
                                b.sharding(R"([{"model", ?}, {?}])")};
  std::vector<Param> params = {{b.tensor("f32", shapes[0]), b.sharding(R"([{"data"}, {?}])")}};
  for (std::size_t i = 0; i < size; ++i) {
    params.push_back({b.tensor("f32", {widths[i % 2], widths[(i + 1) % 2]}), weights[i % 2]});
    params.push_back({b.tensor("f32", {widths[(i + 1) % 2]})});
  }
  const auto args = b.begin_func("main", params);
  const ValueId zero = b.constant(0.0, "f32");
  ValueId x = args[0];
  for (std::size_t i = 0; i < size; ++i) {
    const Dims& shape = shapes[(i + 1) % 2];
    const ValueId product = b.dot_general(x, args[1 + 2 * i], detail::kMatmul);
    const ValueId sum =
        b.op("stablehlo.add", {product, b.broadcast_in_dim(args[2 + 2 * i], shape, {1})});
    x = b.op("stablehlo.maximum", {sum, b.broadcast_in_dim(zero, shape, {})});
  }
  b.end_func({x});
  return detail::finish(m, b);
}

// x = sine(x) + cosine(x), repeated.
inline Result<Module> diamond(const OpTable& table, std::size_t size) {
  Module m;
  GraphBuilder b(m, table);
  detail::add_mesh(b);
  const Param param{b.tensor("f32", {256, 1024}), b.sharding(R"([{"data"}, {"model"}])")};
  ValueId x = b.begin_func("main", {&param, 1})[0];
  for (std::size_t i = 0; i < size; ++i) {
    const ValueId left = b.op("stablehlo.sine", {x});
    const ValueId right = b.op("stablehlo.cosine", {x});
    x = b.op("stablehlo.add", {left, right});
  }
  b.end_func({x});
  return detail::finish(m, b);
}

// tanh(x_i w) for each input x_i, all with the same weight. The weight is not sharded; its sharding
// comes from the last input.
inline Result<Module> fan_out(const OpTable& table, std::size_t size) {
  Module m;
  GraphBuilder b(m, table);
  detail::add_mesh(b);
  const TypeId input = b.tensor("f32", {256, 1024});
  std::vector<Param> params = {{b.tensor("f32", {1024, 1024})}};
  for (std::size_t i = 0; i + 1 < size; ++i)
    params.push_back({input, b.sharding(R"([{"data", ?}, {?}])")});
  if (size > 0) params.push_back({input, b.sharding(R"([{?}, {"model", ?}])")});
  const auto args = b.begin_func("main", params);
  std::vector<ValueId> products;
  for (std::size_t i = 0; i < size; ++i) {
    products.push_back(
        b.op("stablehlo.tanh", {b.dot_general(args[i + 1], args[0], detail::kMatmul)}));
  }
  b.end_func(products);
  return detail::finish(m, b);
}

// A generator whose numbers are the same with every compiler and library (the high bits of Knuth's
// MMIX linear congruential generator).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::size_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_;
};

// `size` operations on square matrices. Most operands are among the last 32 values; arguments have
// random shardings.
inline Result<Module> random_dag(const OpTable& table, std::size_t size, std::uint64_t seed = 1) {
  Module m;
  GraphBuilder b(m, table);
  Random random(seed);
  detail::add_mesh(b);
  const Dims shape = {512, 512};
  const char* const shardings[] = {"[{?}, {?}]",
                                   R"([{"data", ?}, {?}])",
                                   R"([{?}, {"model", ?}])",
                                   R"([{"model"}p1, {?}])",
                                   R"([{?}, {"data"}])",
                                   R"([{"model":(1)2, ?}, {?}])"};
  std::vector<Param> params;
  for (std::size_t i = 0; i < 2 + size / 16; ++i) {
    params.push_back(
        {b.tensor("f32", shape), b.sharding(shardings[random.below(std::size(shardings))])});
  }
  const auto args = b.begin_func("main", params);
  std::vector<ValueId> values;
  for (ValueId arg : args) values.push_back(arg);
  const auto pick = [&] {
    return values[values.size() - 1 - random.below(std::min<std::size_t>(values.size(), 32))];
  };
  // Not only from the window, or only the last arguments would have uses.
  const auto pick_any = [&] {
    return random.below(4) == 0 ? values[random.below(values.size())] : pick();
  };
  const char* const unary[] = {"stablehlo.tanh", "stablehlo.negate", "stablehlo.exponential"};
  const char* const binary[] = {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum"};
  for (std::size_t i = 0; i < size; ++i) {
    const ValueId first = pick_any();
    switch (random.below(8)) {
      case 0:
      case 1:
        values.push_back(b.op(unary[random.below(std::size(unary))], {first}));
        break;
      case 2:
        values.push_back(b.transpose(first, {1, 0}));
        break;
      case 3:
        values.push_back(b.dot_general(first, pick(), detail::kMatmul));
        break;
      default: {
        const ValueId second = pick();
        values.push_back(b.op(binary[random.below(std::size(binary))], {first, second}));
      }
    }
  }
  b.end_func({values.back()});
  return detail::finish(m, b);
}

}  // namespace shardprop::models
