// One training step of a decoder-only transformer: forward, loss, backward and Adam, written by
// hand as a framework would differentiate it. Parameters and optimiser state are arguments and
// results. It shows the sharding strategies of the literature (docs/communication.md): a strategy
// is only a mesh and the shardings of the arguments.
//
// A layer is x + attention(norm(x)), then x + mlp(norm(x)). For y = x w, the gradients are
// dx = dy w^T and dw = x^T dy, which makes three products per weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "examples/models/build_model.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::models {

// The sharding of each kind of weight, in the notation of sdy: `[{"data"}, {}]`. Empty means none.
struct WeightShardings {
  std::string gain;    // width
  std::string input;   // width, heads, head size: query, key, value
  std::string fused;   // width, 3, heads, head size: the three in one
  std::string output;  // heads, head size, width
  std::string up;      // width, hidden
  std::string down;    // hidden, width
  std::string head;    // width, vocabulary
};

struct TrainingOptions {
  std::size_t layers = 32;
  std::int64_t batch = 64;
  std::int64_t sequence = 1024;
  std::int64_t width = 2048;
  std::int64_t heads = 16;
  std::int64_t hidden = 8192;
  std::int64_t vocabulary = 32000;
  bool fused_projection = false;  // query, key and value by one weight
  std::vector<MeshAxis> mesh = {{"data", 8}};
  std::string tokens;  // batch, sequence, width
  std::string labels;  // batch, sequence
  std::string stream;  // constraint on the residual stream and its gradient; empty means none
  WeightShardings weights;
  WeightShardings state;  // of both moments of Adam
};

namespace detail {

// At most one argument of a call makes operations: C++ does not fix the order in which arguments
// are evaluated, and the numbers of values follow that order.
class Training {
 public:
  Training(GraphBuilder& builder, const TrainingOptions& options)
      : b_(builder),
        o_(options),
        head_size_(o_.width / o_.heads),
        rows_{o_.batch, o_.sequence},
        tokens_{o_.batch, o_.sequence, o_.width},
        scores_{o_.batch, o_.heads, o_.sequence, o_.sequence} {}

  void build() {
    b_.add_mesh("mesh", o_.mesh);
    const std::vector<Param> weights = make_params(o_.weights);
    const std::vector<Param> moments = make_params(o_.state);
    std::vector<Param> params = {{b_.tensor("f32", tokens_), sharding(o_.tokens)},
                                 {b_.tensor("i32", rows_), sharding(o_.labels)}};
    for (const auto* part : {&weights, &moments, &moments})
      params.insert(params.end(), part->begin(), part->end());
    args_ = b_.begin_func("main", params);
    count_ = weights.size();
    gradients_.resize(count_);
    saved_.resize(o_.layers);
    ValueId x = args_[0];
    for (std::size_t i = 0; i < o_.layers; ++i) x = layer(x, i);
    ValueId gradient = loss_and_gradient(x);
    for (std::size_t i = o_.layers; i-- > 0;) gradient = layer_gradient(gradient, i);
    finish(params, gradient);
  }

 private:
  struct Norm {
    ValueId factor;  // 1 / root mean square, one per row
    ValueId normed;
    ValueId out;
  };
  struct Saved {
    Norm first;
    ValueId query, key, value;  // batch, sequence, heads, head size
    ValueId weights;            // of the softmax
    ValueId mixed;
    Norm second;
    ValueId hidden, gate, gated;
  };

  // --- Parameters

  ShardingId sharding(const std::string& dims) {
    return dims.empty() ? ShardingId() : b_.sharding(dims);
  }
  Param param(const Dims& shape, const std::string& dims) {
    return {b_.tensor("f32", shape), sharding(dims)};
  }
  std::vector<Param> make_params(const WeightShardings& s) {
    const Param gain = param({o_.width}, s.gain);
    std::vector<Param> layer = {gain};
    if (o_.fused_projection) {
      layer.push_back(param({o_.width, 3, o_.heads, head_size_}, s.fused));
    } else {
      layer.insert(layer.end(), 3, param({o_.width, o_.heads, head_size_}, s.input));
    }
    layer.push_back(param({o_.heads, head_size_, o_.width}, s.output));
    layer.push_back(gain);
    layer.push_back(param({o_.width, o_.hidden}, s.up));
    layer.push_back(param({o_.hidden, o_.width}, s.down));
    of_layer_ = layer.size();
    std::vector<Param> all;
    for (std::size_t i = 0; i < o_.layers; ++i) all.insert(all.end(), layer.begin(), layer.end());
    all.push_back(gain);
    all.push_back(param({o_.width, o_.vocabulary}, s.head));
    return all;
  }
  // Indices of weights: counted from the front and from the end of a layer.
  std::size_t front(std::size_t layer, std::size_t i) const { return layer * of_layer_ + i; }
  std::size_t back(std::size_t layer, std::size_t i) const { return (layer + 1) * of_layer_ - i; }
  ValueId weight(std::size_t i) { return args_[2 + i]; }

  // --- Small things

  ValueId multiply(ValueId a, ValueId b) { return b_.op("stablehlo.multiply", {a, b}); }
  ValueId add(ValueId a, ValueId b) { return b_.op("stablehlo.add", {a, b}); }
  ValueId subtract(ValueId a, ValueId b) { return b_.op("stablehlo.subtract", {a, b}); }
  ValueId fill(double value, ListArg<std::int64_t> shape) {
    return b_.broadcast_in_dim(b_.constant(value, "f32"), shape, {});
  }
  ValueId scale(ValueId x, double factor) {
    const auto shape = shape_of(b_.module(), x);
    return multiply(x, fill(factor, Dims(shape.begin(), shape.end())));
  }
  ValueId sum(ValueId x, ListArg<std::int64_t> dims) {
    return b_.reduce(x, b_.constant(0.0, "f32"), dims, "stablehlo.add");
  }
  ValueId constrain(ValueId x) {
    if (o_.stream.empty() || !x.valid()) return x;
    return b_.constrain(x, b_.sharding(o_.stream));
  }

  // --- Normalisation: x / sqrt(mean(x^2) + epsilon) * gain

  Norm normalise(ValueId x, std::size_t gain) {
    Norm n;
    const ValueId mean = scale(sum(multiply(x, x), {2}), 1.0 / static_cast<double>(o_.width));
    n.factor = b_.op("stablehlo.rsqrt", {add(mean, fill(1e-5, rows_))});
    n.normed = multiply(x, b_.broadcast_in_dim(n.factor, tokens_, {0, 1}));
    n.out = multiply(n.normed, b_.broadcast_in_dim(weight(gain), tokens_, {2}));
    return n;
  }
  // dx = factor (dn - n mean(dn n)), where dn = dy gain.
  ValueId normalise_gradient(ValueId dy, const Norm& n, std::size_t gain) {
    gradients_[gain] = sum(multiply(dy, n.normed), {0, 1});
    const ValueId dn = multiply(dy, b_.broadcast_in_dim(weight(gain), tokens_, {2}));
    const ValueId mean =
        scale(sum(multiply(dn, n.normed), {2}), 1.0 / static_cast<double>(o_.width));
    const ValueId along = multiply(n.normed, b_.broadcast_in_dim(mean, tokens_, {0, 1}));
    const ValueId across = subtract(dn, along);
    return multiply(across, b_.broadcast_in_dim(n.factor, tokens_, {0, 1}));
  }

  // --- Attention

  ValueId project(ValueId h, std::size_t i) {
    return b_.dot_general(h, weight(i), {.lhs_contracting = {2}, .rhs_contracting = {0}});
  }
  // One third of the product with the fused weight.
  ValueId third(ValueId fused, std::int64_t i) {
    const Dims shape = {o_.batch, o_.sequence, o_.heads, head_size_};
    const ValueId part =
        b_.slice(fused, {{0, 0, i, 0, 0}, {o_.batch, o_.sequence, i + 1, o_.heads, head_size_}});
    return b_.reshape(part, shape);
  }
  ValueId softmax(ValueId scores) {
    const ValueId lowest = b_.constant(b_.string("0xFF800000"), b_.tensor("f32", {}));
    const ValueId maximum = b_.reduce(scores, lowest, {3}, "stablehlo.maximum");
    const ValueId shifted = subtract(scores, b_.broadcast_in_dim(maximum, scores_, {0, 1, 2}));
    const ValueId powers = b_.op("stablehlo.exponential", {shifted});
    const ValueId total = b_.broadcast_in_dim(sum(powers, {3}), scores_, {0, 1, 2});
    return b_.op("stablehlo.divide", {powers, total});
  }
  ValueId attention(Saved& s, std::size_t layer) {
    if (o_.fused_projection) {
      const ValueId fused = project(s.first.out, front(layer, 1));
      s.query = third(fused, 0);
      s.key = third(fused, 1);
      s.value = third(fused, 2);
    } else {
      s.query = project(s.first.out, front(layer, 1));
      s.key = project(s.first.out, front(layer, 2));
      s.value = project(s.first.out, front(layer, 3));
    }
    s.weights = softmax(scale(b_.dot_general(s.query, s.key, {{0, 2}, {0, 2}, {3}, {3}}), 0.088));
    const ValueId mixed = b_.dot_general(s.weights, s.value, {{0, 1}, {0, 2}, {3}, {1}});
    s.mixed = mixed;  // batch, heads, sequence, head size
    return b_.dot_general(mixed, weight(back(layer, 4)),
                          {.lhs_contracting = {1, 3}, .rhs_contracting = {0, 1}});
  }
  // Of `h` through query, key and value, whose gradients are batch, heads, sequence, head size.
  ValueId projection_gradient(ValueId h, const std::vector<ValueId>& d, std::size_t layer) {
    if (o_.fused_projection) {
      std::vector<ValueId> parts;
      for (ValueId x : d)
        parts.push_back(b_.reshape(x, {o_.batch, 1, o_.heads, o_.sequence, head_size_}));
      const ValueId all = b_.concatenate(parts, 1);
      gradients_[front(layer, 1)] =
          b_.dot_general(h, all, {.lhs_contracting = {0, 1}, .rhs_contracting = {0, 3}});
      return b_.dot_general(all, weight(front(layer, 1)),
                            {.lhs_contracting = {1, 2, 4}, .rhs_contracting = {1, 2, 3}});
    }
    ValueId total;
    for (std::size_t i = 0; i < d.size(); ++i) {
      const std::size_t w = front(layer, 1 + i);
      gradients_[w] =
          b_.dot_general(h, d[i], {.lhs_contracting = {0, 1}, .rhs_contracting = {0, 2}});
      const ValueId part =
          b_.dot_general(d[i], weight(w), {.lhs_contracting = {1, 3}, .rhs_contracting = {1, 2}});
      total = i == 0 ? part : add(total, part);
    }
    return total;
  }
  ValueId attention_gradient(ValueId dy, const Saved& s, std::size_t layer) {
    const std::size_t output = back(layer, 4);
    gradients_[output] =
        b_.dot_general(s.mixed, dy, {.lhs_contracting = {0, 2}, .rhs_contracting = {0, 1}});
    const ValueId dmixed =
        b_.dot_general(dy, weight(output), {.lhs_contracting = {2}, .rhs_contracting = {2}});
    const ValueId dweights = b_.dot_general(dmixed, s.value, {{0, 2}, {0, 2}, {3}, {3}});
    const ValueId along =
        b_.broadcast_in_dim(sum(multiply(dweights, s.weights), {3}), scores_, {0, 1, 2});
    const ValueId dshifted = subtract(dweights, along);
    const ValueId dscores = scale(multiply(s.weights, dshifted), 0.088);
    const ValueId dquery = b_.dot_general(dscores, s.key, {{0, 1}, {0, 2}, {3}, {1}});
    const ValueId dkey = b_.dot_general(dscores, s.query, {{0, 1}, {0, 2}, {2}, {1}});
    const ValueId dvalue = b_.dot_general(s.weights, dmixed, {{0, 1}, {0, 2}, {2}, {1}});
    return projection_gradient(s.first.out, {dquery, dkey, dvalue}, layer);
  }

  // --- Feed-forward: silu(h up) down

  ValueId feed_forward(Saved& s, std::size_t layer) {
    s.hidden = project(s.second.out, back(layer, 2));
    s.gate = b_.op("stablehlo.logistic", {s.hidden});
    s.gated = multiply(s.hidden, s.gate);
    return project(s.gated, back(layer, 1));
  }
  // The derivative of u s(u) is s + u s (1 - s).
  ValueId feed_forward_gradient(ValueId dy, const Saved& s, std::size_t layer) {
    const DotSpec of_weight = {.lhs_contracting = {0, 1}, .rhs_contracting = {0, 1}};
    const DotSpec of_input = {.lhs_contracting = {2}, .rhs_contracting = {1}};
    gradients_[back(layer, 1)] = b_.dot_general(s.gated, dy, of_weight);
    const ValueId dgated = b_.dot_general(dy, weight(back(layer, 1)), of_input);
    const ValueId rest = multiply(s.gated, s.gate);
    const ValueId slope = subtract(add(s.gate, s.gated), rest);
    const ValueId dhidden = multiply(dgated, slope);
    gradients_[back(layer, 2)] = b_.dot_general(s.second.out, dhidden, of_weight);
    return b_.dot_general(dhidden, weight(back(layer, 2)), of_input);
  }

  // --- Layers, loss and update

  ValueId layer(ValueId x, std::size_t i) {
    Saved& s = saved_[i];
    s.first = normalise(x, front(i, 0));
    x = constrain(add(x, attention(s, i)));
    s.second = normalise(x, back(i, 3));
    return constrain(add(x, feed_forward(s, i)));
  }
  ValueId layer_gradient(ValueId dx, std::size_t i) {
    const Saved& s = saved_[i];
    const ValueId dsecond = feed_forward_gradient(dx, s, i);
    dx = constrain(add(dx, normalise_gradient(dsecond, s.second, back(i, 3))));
    const ValueId dfirst = attention_gradient(dx, s, i);
    return constrain(add(dx, normalise_gradient(dfirst, s.first, front(i, 0))));
  }

  // Cross-entropy of a linear head, as the mean of all tokens. Its gradient is softmax - one-hot.
  ValueId loss_and_gradient(ValueId x) {
    const std::size_t gain = count_ - 2;
    const Dims shape = {o_.batch, o_.sequence, o_.vocabulary};
    const double share = 1.0 / static_cast<double>(o_.batch * o_.sequence);
    const Norm norm = normalise(x, gain);
    const ValueId logits = project(norm.out, gain + 1);
    const ValueId lowest = b_.constant(b_.string("0xFF800000"), b_.tensor("f32", {}));
    const ValueId maximum = b_.reduce(logits, lowest, {2}, "stablehlo.maximum");
    const ValueId shifted = subtract(logits, b_.broadcast_in_dim(maximum, shape, {0, 1}));
    const ValueId powers = b_.op("stablehlo.exponential", {shifted});
    const ValueId total = sum(powers, {2});
    const ValueId words = b_.iota(b_.tensor("i32", shape), 2);
    const ValueId label = b_.broadcast_in_dim(args_[1], shape, {0, 1});
    const ValueId wanted = b_.convert(b_.compare(label, words, "EQ"), "f32");
    const ValueId log_total = b_.op("stablehlo.log", {total});
    const ValueId logs = subtract(shifted, b_.broadcast_in_dim(log_total, shape, {0, 1}));
    loss_ = scale(sum(multiply(wanted, logs), {0, 1, 2}), -share);
    const ValueId guess =
        b_.op("stablehlo.divide", {powers, b_.broadcast_in_dim(total, shape, {0, 1})});
    const ValueId dlogits = scale(subtract(guess, wanted), share);
    gradients_[gain + 1] =
        b_.dot_general(norm.out, dlogits, {.lhs_contracting = {0, 1}, .rhs_contracting = {0, 1}});
    const ValueId dout =
        b_.dot_general(dlogits, weight(gain + 1), {.lhs_contracting = {2}, .rhs_contracting = {1}});
    return constrain(normalise_gradient(dout, norm, gain));
  }

  // Adam without bias correction.
  void update(std::size_t i, std::vector<ValueId>& results) {
    const ValueId g = gradients_[i];
    const ValueId old_first = scale(args_[2 + count_ + i], 0.9);
    const ValueId first = add(old_first, scale(g, 0.1));
    const ValueId old_second = scale(args_[2 + 2 * count_ + i], 0.999);
    const ValueId second = add(old_second, scale(multiply(g, g), 0.001));
    const ValueId root = b_.op("stablehlo.sqrt", {second});
    const auto shape = shape_of(b_.module(), root);
    const ValueId floor = fill(1e-8, Dims(shape.begin(), shape.end()));
    const ValueId step = b_.op("stablehlo.divide", {first, add(root, floor)});
    results[i] = subtract(weight(i), scale(step, 1e-4));
    results[count_ + i] = first;
    results[2 * count_ + i] = second;
  }

  // Results have the order and the shardings of their arguments. The loss and the gradient of the
  // tokens, for the embedding, follow.
  void finish(const std::vector<Param>& params, ValueId token_gradient) {
    std::vector<ValueId> results(3 * count_);
    for (std::size_t i = 0; i < count_; ++i) update(i, results);
    results.push_back(loss_);
    results.push_back(token_gradient);
    b_.end_func(results);
    Module& m = b_.module();
    Function& func = m.funcs[m.func_order.back()];
    for (std::size_t i = 0; i < 3 * count_ && i < func.results.size(); ++i)
      func.results[i].sharding = params[2 + i].sharding;
  }

  GraphBuilder& b_;
  TrainingOptions o_;
  std::int64_t head_size_;
  Dims rows_, tokens_, scores_;
  IdRange<ValueId> args_;
  std::size_t count_ = 0;     // weights
  std::size_t of_layer_ = 0;  // weights per layer
  std::vector<ValueId> gradients_;
  std::vector<Saved> saved_;
  ValueId loss_;
};

}  // namespace detail

inline Result<Module> training(const OpTable& table, const TrainingOptions& options = {}) {
  return detail::build_model<detail::Training>(table, options);
}

}  // namespace shardprop::models
