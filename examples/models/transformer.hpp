// The forward part of a decoder-only transformer. A layer is normalisation, multi-head attention
// and a gated feed-forward, in 61 operations. The batch is split over `data` first, heads and
// hidden units over `model` next (Megatron), weights over `fsdp` last (ZeRO), as their priorities
// say. Speed is measured on this graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/models/build_model.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::models {

struct TransformerOptions {
  std::size_t layers = 2;
  std::int64_t batch = 64;
  std::int64_t sequence = 1024;
  std::int64_t width = 2048;
  std::int64_t heads = 16;
  std::int64_t hidden = 8192;
  std::int64_t vocabulary = 32000;
};

namespace detail {

// At most one argument of a call makes operations: C++ does not fix the order in which arguments
// are evaluated, and the numbers of values follow that order.
class Transformer {
 public:
  Transformer(GraphBuilder& builder, const TransformerOptions& options)
      : b_(builder),
        o_(options),
        head_size_(options.width / options.heads),
        tokens_{o_.batch, o_.sequence, o_.width} {}

  void build() {
    b_.add_mesh("mesh", {{"data", 4}, {"fsdp", 2}, {"model", 8}});
    const std::vector<Param> params = make_params();
    const IdRange<ValueId> args = b_.begin_func("main", params);
    ValueId x = args[0];
    for (std::size_t i = 0; i < o_.layers; ++i) x = layer(x, args, 1 + kParamsOfLayer * i);
    b_.end_func({b_.dot_general(x, args[args.size() - 1],
                                {.lhs_contracting = {2}, .rhs_contracting = {0}})});
  }

 private:
  static constexpr std::size_t kParamsOfLayer = 8;

  std::vector<Param> make_params() {
    const ShardingId whole = b_.sharding("[{}]");
    const ShardingId in = b_.sharding(R"([{"fsdp", ?}p2, {"model"}p1, {?}])");
    const TypeId scale = b_.tensor("f32", {o_.width});
    const Param gain{scale, whole};
    const Param projection{b_.tensor("f32", {o_.width, o_.heads, head_size_}), in};
    const Param output{b_.tensor("f32", {o_.heads, head_size_, o_.width}),
                       b_.sharding(R"([{"model"}p1, {?}, {"fsdp", ?}p2])")};
    const Param up{b_.tensor("f32", {o_.width, o_.hidden}),
                   b_.sharding(R"([{"fsdp", ?}p2, {"model"}p1])")};
    const Param down{b_.tensor("f32", {o_.hidden, o_.width}),
                     b_.sharding(R"([{"model"}p1, {"fsdp", ?}p2])")};
    std::vector<Param> params = {{b_.tensor("f32", tokens_), b_.sharding(R"([{"data"}, {}, {}])")}};
    for (std::size_t i = 0; i < o_.layers; ++i) {
      for (const Param& param : {gain, gain, projection, projection, projection, output, up, down})
        params.push_back(param);
    }
    params.push_back({b_.tensor("f32", {o_.width, o_.vocabulary}),
                      b_.sharding(R"([{"fsdp", ?}p2, {"model"}p1])")});
    return params;
  }

  ValueId fill(double value, const Dims& shape) {
    return b_.broadcast_in_dim(b_.constant(value, "f32"), shape, {});
  }

  ValueId normalise(ValueId x, ValueId gain) {
    const Dims rows = {o_.batch, o_.sequence};
    const ValueId squares = b_.op("stablehlo.multiply", {x, x});
    const ValueId sum = b_.reduce(squares, b_.constant(0.0, "f32"), {2}, "stablehlo.add");
    const ValueId mean = b_.op("stablehlo.divide", {sum, fill(2048.0, rows)});
    const ValueId shifted = b_.op("stablehlo.add", {mean, fill(9.99999974e-06, rows)});
    const ValueId factor = b_.op("stablehlo.rsqrt", {shifted});
    const ValueId scaled =
        b_.op("stablehlo.multiply", {x, b_.broadcast_in_dim(factor, tokens_, {0, 1})});
    return b_.op("stablehlo.multiply", {scaled, b_.broadcast_in_dim(gain, tokens_, {2})});
  }

  ValueId softmax(ValueId scores) {
    const Dims shape = {o_.batch, o_.heads, o_.sequence, o_.sequence};
    const ValueId lowest =
        b_.constant(b_.string("0xFF800000"), b_.tensor("f32", {}));  // minus infinity
    const ValueId maximum = b_.reduce(scores, lowest, {3}, "stablehlo.maximum");
    const ValueId shifted =
        b_.op("stablehlo.subtract", {scores, b_.broadcast_in_dim(maximum, shape, {0, 1, 2})});
    const ValueId weights = b_.op("stablehlo.exponential", {shifted});
    const ValueId sum = b_.reduce(weights, b_.constant(0.0, "f32"), {3}, "stablehlo.add");
    return b_.op("stablehlo.divide", {weights, b_.broadcast_in_dim(sum, shape, {0, 1, 2})});
  }

  // `weights` is the index of the weight of query; those of key, value and output follow.
  ValueId attention(ValueId h, const IdRange<ValueId>& args, std::size_t weights) {
    const DotSpec project = {.lhs_contracting = {2}, .rhs_contracting = {0}};
    const ValueId query = b_.dot_general(h, args[weights], project);
    const ValueId key = b_.dot_general(h, args[weights + 1], project);
    const ValueId value = b_.dot_general(h, args[weights + 2], project);
    ValueId scores = b_.dot_general(query, key, {{0, 2}, {0, 2}, {3}, {3}});
    scores = b_.op("stablehlo.multiply",
                   {scores, fill(0.0879999995, {o_.batch, o_.heads, o_.sequence, o_.sequence})});
    const ValueId heads = b_.dot_general(softmax(scores), value, {{0, 1}, {0, 2}, {3}, {1}});
    return b_.dot_general(b_.transpose(heads, {0, 2, 1, 3}), args[weights + 3],
                          {.lhs_contracting = {2, 3}, .rhs_contracting = {0, 1}});
  }

  ValueId feed_forward(ValueId h, ValueId up, ValueId down) {
    const DotSpec project = {.lhs_contracting = {2}, .rhs_contracting = {0}};
    const ValueId hidden = b_.dot_general(h, up, project);
    const ValueId gated =
        b_.op("stablehlo.multiply", {hidden, b_.op("stablehlo.logistic", {hidden})});
    return b_.dot_general(gated, down, project);
  }

  ValueId layer(ValueId x, const IdRange<ValueId>& args, std::size_t first) {
    const ValueId attended = attention(normalise(x, args[first]), args, first + 2);
    x = b_.op("stablehlo.add", {x, attended});
    return b_.op("stablehlo.add", {x, feed_forward(normalise(x, args[first + 1]), args[first + 6],
                                                   args[first + 7])});
  }

  GraphBuilder& b_;
  TransformerOptions o_;
  std::int64_t head_size_;
  Dims tokens_;
};

}  // namespace detail

inline Result<Module> transformer(const OpTable& table, const TransformerOptions& options = {}) {
  return detail::build_model<detail::Transformer>(table, options);
}

}  // namespace shardprop::models
