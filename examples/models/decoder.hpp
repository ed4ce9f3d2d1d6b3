// A decoder of eight billion parameters with the shapes of a real one: RMS normalisation, rotary
// position embedding, causal attention with fewer key and value heads than query heads, a gated
// feed-forward (SwiGLU), weights and activations in bf16, sums in f32.
//
// The shardings are what a user would write and no more: the batch over data and fsdp first; heads,
// hidden units and vocabulary over model next; the other dimension of each weight over fsdp last.
// Everything else follows by propagation.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/models/build_model.hpp"
#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::models {

struct DecoderOptions {
  std::size_t layers = 32;
  std::int64_t batch = 16;
  std::int64_t sequence = 2048;
  std::int64_t width = 4096;
  std::int64_t heads = 32;
  std::int64_t key_value_heads = 8;
  std::int64_t head_size = 128;
  std::int64_t hidden = 14336;
  std::int64_t vocabulary = 128256;
  std::vector<MeshAxis> mesh = {{"data", 2}, {"fsdp", 4}, {"model", 8}};
};

namespace detail {

// At most one argument of a call makes operations: C++ does not fix the order in which arguments
// are evaluated, and the numbers of values follow that order.
class Decoder {
 public:
  Decoder(GraphBuilder& builder, const DecoderOptions& options)
      : b_(builder),
        o_(options),
        group_(o_.heads / o_.key_value_heads),
        tokens_{o_.batch, o_.sequence, o_.width} {}

  void build() {
    b_.add_mesh("mesh", o_.mesh);
    const IdRange<ValueId> args = b_.begin_func("main", make_params());
    make_rotary_tables();
    make_mask();
    ValueId x = b_.named(embed(args[1], args[0]), "%embedded");
    for (std::size_t i = 0; i < o_.layers; ++i) x = layer(x, i, args);
    x = normalise(x, args[args.size() - 2]);
    const ValueId logits = b_.dot_general(x, args[args.size() - 1], kProject);
    b_.end_func({b_.named(logits, "%logits")});
  }

 private:
  enum LayerParam : std::size_t {
    kAttentionNorm,
    kQuery,
    kKey,
    kValue,
    kOutput,
    kFeedForwardNorm,
    kGate,
    kUp,
    kDown,
    kCount
  };
  inline static const DotSpec kProject = {.lhs_contracting = {2}, .rhs_contracting = {0}};

  std::vector<Param> make_params() {
    const ShardingId in = b_.sharding(R"([{"fsdp"}p2, {"model"}p1])");
    const ShardingId out = b_.sharding(R"([{"model"}p1, {"fsdp"}p2])");
    const std::int64_t query_width = o_.heads * o_.head_size;
    const std::int64_t key_width = o_.key_value_heads * o_.head_size;
    const auto weight = [&](std::int64_t rows, std::int64_t columns, ShardingId sharding,
                            std::string name) {
      return Param{b_.tensor("bf16", {rows, columns}), sharding, std::move(name)};
    };
    const auto gain = [&](std::string name) {
      return Param{b_.tensor("bf16", {o_.width}), {}, std::move(name)};
    };
    std::vector<Param> params = {{b_.tensor("i32", {o_.batch, o_.sequence}),
                                  b_.sharding(R"([{"data", "fsdp"}, {}])"), "%tokens"},
                                 weight(o_.vocabulary, o_.width, out, "%embedding")};
    for (std::size_t i = 0; i < o_.layers; ++i) {
      const std::string layer = fmt::format("%layers.{}.", i);
      params.push_back(gain(layer + "attention_norm"));
      params.push_back(weight(o_.width, query_width, in, layer + "query_weight"));
      params.push_back(weight(o_.width, key_width, in, layer + "key_weight"));
      params.push_back(weight(o_.width, key_width, in, layer + "value_weight"));
      params.push_back(weight(query_width, o_.width, out, layer + "output_weight"));
      params.push_back(gain(layer + "feed_forward_norm"));
      params.push_back(weight(o_.width, o_.hidden, in, layer + "gate_weight"));
      params.push_back(weight(o_.width, o_.hidden, in, layer + "up_weight"));
      params.push_back(weight(o_.hidden, o_.width, out, layer + "down_weight"));
    }
    params.push_back(gain("%final_norm"));
    params.push_back(weight(o_.width, o_.vocabulary, in, "%head_weight"));
    return params;
  }

  ValueId multiply(ValueId a, ValueId b) { return b_.op("stablehlo.multiply", {a, b}); }
  ValueId add(ValueId a, ValueId b) { return b_.op("stablehlo.add", {a, b}); }
  ValueId fill(double value, ListArg<std::int64_t> shape) {
    return b_.broadcast_in_dim(b_.constant(value, "f32"), shape, {});
  }
  ValueId name(ValueId value, std::string_view what) {
    return b_.named(value, fmt::format("%layers.{}.{}", layer_, what));
  }

  // The angles position * 500000^(-2i/head_size), one for each position and pair of features.
  void make_rotary_tables() {
    constexpr double kLogOfBase =
        13.122363377404328;  // not std::log, whose last bit depends on the library
    const std::int64_t half = o_.head_size / 2;
    const ValueId pair = b_.iota(b_.tensor("f32", {half}), 0);
    const ValueId exponent = multiply(pair, fill(-kLogOfBase / static_cast<double>(half), {half}));
    const ValueId frequency = b_.op("stablehlo.exponential", {exponent});
    const ValueId position = b_.iota(b_.tensor("f32", {o_.sequence, half}), 0);
    const ValueId angle =
        multiply(position, b_.broadcast_in_dim(frequency, {o_.sequence, half}, {1}));
    cosine_ = b_.named(b_.convert(b_.op("stablehlo.cosine", {angle}), "bf16"), "%rotary_cosine");
    sine_ = b_.named(b_.convert(b_.op("stablehlo.sine", {angle}), "bf16"), "%rotary_sine");
  }

  // A position sees itself and the positions before it.
  void make_mask() {
    const TypeId positions = b_.tensor("i32", {o_.sequence, o_.sequence});
    const ValueId row = b_.iota(positions, 0);
    const ValueId column = b_.iota(positions, 1);
    mask_ = b_.named(b_.compare(row, column, "GE"), "%causal_mask");
  }

  // Rows of `table` by token.
  ValueId embed(ValueId table, ValueId tokens) {
    const AttrId numbers = b_.dict({{"offset_dims", b_.ints({2})},
                                    {"collapsed_slice_dims", b_.ints({0})},
                                    {"start_index_map", b_.ints({0})},
                                    {"index_vector_dim", b_.module().attrs.integer(2)}});
    return b_.op(
        "stablehlo.gather", {table, tokens},
        b_.dict({{"dimension_numbers", numbers}, {"slice_sizes", b_.ints({1, o_.width})}}));
  }

  // x / sqrt(mean(x^2) + epsilon) * gain
  ValueId normalise(ValueId x, ValueId gain) {
    const Dims rows = {o_.batch, o_.sequence};
    const ValueId wide = b_.convert(x, "f32");
    const ValueId squares = multiply(wide, wide);
    const ValueId sum = b_.reduce(squares, b_.constant(0.0, "f32"), {2}, "stablehlo.add");
    const ValueId mean = multiply(sum, fill(1.0 / static_cast<double>(o_.width), rows));
    const ValueId factor = b_.op("stablehlo.rsqrt", {add(mean, fill(1e-5, rows))});
    const ValueId scaled =
        b_.convert(multiply(wide, b_.broadcast_in_dim(factor, tokens_, {0, 1})), "bf16");
    return multiply(scaled, b_.broadcast_in_dim(gain, tokens_, {2}));
  }

  // Rotates each pair (x[i], x[i + half]) of a head by the angle of its position. The dimensions of
  // `x` are batch, sequence, heads, features.
  ValueId rotate(ValueId x, std::int64_t heads) {
    const std::int64_t half = o_.head_size / 2;
    const Dims shape = {o_.batch, o_.sequence, heads, half};
    const ValueId first = b_.slice(x, {{0, 0, 0, 0}, shape});
    const ValueId second =
        b_.slice(x, {{0, 0, 0, half}, {o_.batch, o_.sequence, heads, o_.head_size}});
    const ValueId cosine = b_.broadcast_in_dim(cosine_, shape, {1, 3});
    const ValueId sine = b_.broadcast_in_dim(sine_, shape, {1, 3});
    const ValueId first_cosine = multiply(first, cosine);
    const ValueId turned_first =
        b_.op("stablehlo.subtract", {first_cosine, multiply(second, sine)});
    const ValueId second_cosine = multiply(second, cosine);
    return b_.concatenate({turned_first, add(second_cosine, multiply(first, sine))}, 3);
  }

  // Over the last dimension of batch, key heads, sequence, group, sequence.
  ValueId masked_softmax(ValueId scores) {
    const Dims shape = {o_.batch, o_.key_value_heads, o_.sequence, group_, o_.sequence};
    const ValueId wide = b_.convert(scores, "f32");
    const ValueId scaled =
        multiply(wide, fill(1.0 / std::sqrt(static_cast<double>(o_.head_size)), shape));
    const ValueId seen = b_.broadcast_in_dim(mask_, shape, {2, 4});
    const ValueId lowest =
        b_.constant(b_.string("0xFF800000"), b_.tensor("f32", {}));  // minus infinity
    const ValueId masked =
        b_.op("stablehlo.select", {seen, scaled, b_.broadcast_in_dim(lowest, shape, {})});
    const ValueId maximum = b_.reduce(masked, lowest, {4}, "stablehlo.maximum");
    const ValueId shifted =
        b_.op("stablehlo.subtract", {masked, b_.broadcast_in_dim(maximum, shape, {0, 1, 2, 3})});
    const ValueId weights = b_.op("stablehlo.exponential", {shifted});
    const ValueId sum = b_.reduce(weights, b_.constant(0.0, "f32"), {4}, "stablehlo.add");
    const ValueId shares =
        b_.op("stablehlo.divide", {weights, b_.broadcast_in_dim(sum, shape, {0, 1, 2, 3})});
    return b_.convert(shares, "bf16");
  }

  // The projection of `h` by `weight`, split into heads.
  ValueId project_heads(ValueId h, ValueId weight, std::int64_t heads) {
    return b_.reshape(b_.dot_general(h, weight, kProject),
                      {o_.batch, o_.sequence, heads, o_.head_size});
  }

  ValueId attention(ValueId h, const IdRange<ValueId>& args, std::size_t first) {
    const ValueId query =
        name(rotate(project_heads(h, args[first + kQuery], o_.heads), o_.heads), "query");
    const ValueId key =
        name(rotate(project_heads(h, args[first + kKey], o_.key_value_heads), o_.key_value_heads),
             "key");
    const ValueId value = name(project_heads(h, args[first + kValue], o_.key_value_heads), "value");
    const ValueId grouped =
        b_.reshape(query, {o_.batch, o_.sequence, o_.key_value_heads, group_, o_.head_size});
    const ValueId scores = name(b_.dot_general(grouped, key, {{0, 2}, {0, 2}, {4}, {3}}), "scores");
    const ValueId mixed = b_.dot_general(masked_softmax(scores), value, {{0, 1}, {0, 2}, {4}, {1}});
    const ValueId rows = b_.transpose(mixed, {0, 2, 1, 3, 4});
    const ValueId merged =
        name(b_.reshape(rows, {o_.batch, o_.sequence, o_.heads * o_.head_size}), "attended");
    return b_.dot_general(merged, args[first + kOutput], kProject);
  }

  // silu(h gate) * (h up), projected down
  ValueId feed_forward(ValueId h, const IdRange<ValueId>& args, std::size_t first) {
    const ValueId gate = b_.dot_general(h, args[first + kGate], kProject);
    const ValueId active = multiply(gate, b_.op("stablehlo.logistic", {gate}));
    const ValueId up = b_.dot_general(h, args[first + kUp], kProject);
    return b_.dot_general(name(multiply(active, up), "hidden"), args[first + kDown], kProject);
  }

  ValueId layer(ValueId x, std::size_t number, const IdRange<ValueId>& args) {
    layer_ = number;
    const std::size_t first = 2 + number * kCount;
    const ValueId attended = attention(normalise(x, args[first + kAttentionNorm]), args, first);
    x = name(add(x, attended), "after_attention");
    const ValueId fed = feed_forward(normalise(x, args[first + kFeedForwardNorm]), args, first);
    return name(add(x, fed), "out");
  }

  GraphBuilder& b_;
  DecoderOptions o_;
  std::int64_t group_;  // query heads per key head
  Dims tokens_;
  std::size_t layer_ = 0;
  ValueId cosine_;
  ValueId sine_;
  ValueId mask_;
};

}  // namespace detail

inline Result<Module> decoder(const OpTable& table, const DecoderOptions& options = {}) {
  return detail::build_model<detail::Decoder>(table, options);
}

}  // namespace shardprop::models
