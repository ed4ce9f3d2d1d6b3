// Random StableHLO programs with random shardings, as text. The same seed gives the same program.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace shardprop::test {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : generator_(seed) {
    make_mesh();
    std::string arguments;
    const std::size_t count = below(3) + 1;
    for (std::size_t i = 0; i < count; ++i) {
      const Dims shape = random_shape();
      const std::string name = fmt::format("%arg{}", i);
      arguments +=
          fmt::format("{}{}: {}{}", i == 0 ? "" : ", ", name, type(shape), annotation(shape));
      values_.push_back({name, shape});
    }
    const std::size_t steps = below(8) + 3;
    for (std::size_t i = 0; i < steps; ++i) add_operation();
    const Value last = values_.back();
    const Value other = values_[below(values_.size())];
    text_ = fmt::format(
        "module {{\n  sdy.mesh @mesh = <[{}]>\n  func.func @main({}) -> ({}{}, {}{}) {{\n{}    "
        "return {}, "
        "{} : {}, {}\n  }}\n}}\n",
        mesh_, arguments, type(last.shape), annotation(last.shape), type(other.shape),
        annotation(other.shape), body_, last.name, other.name, type(last.shape), type(other.shape));
  }

  const std::string& text() const { return text_; }

 private:
  using Dims = std::vector<std::int64_t>;
  struct Value {
    std::string name;
    Dims shape;
  };

  std::size_t below(std::size_t n) { return generator_() % n; }
  bool once_in(std::size_t n) { return below(n) == 0; }

  static std::string type(const Dims& shape, std::string_view dtype = "f32") {
    std::string out = "tensor<";
    for (std::int64_t size : shape) out += fmt::format("{}x", size);
    return out + std::string(dtype) + ">";
  }

  void make_mesh() {
    static const std::vector<Dims> kMeshes = {{2}, {4},       {2, 2}, {2, 3}, {4, 2},
                                              {8}, {2, 2, 2}, {4, 4}, {3}};
    const Dims& sizes = kMeshes[below(kMeshes.size())];
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      axes_.push_back({fmt::format("\"{}\"", static_cast<char>('a' + i)), {sizes[i]}});
      mesh_ += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes_.back().name, sizes[i]);
    }
    if (once_in(4)) {  // another order of devices
      Dims ids;
      std::int64_t devices = 1;
      for (std::int64_t size : sizes) devices *= size;
      for (std::int64_t i = 0; i < devices; ++i) ids.push_back(i);
      std::shuffle(ids.begin(), ids.end(), generator_);
      mesh_ += fmt::format("], device_ids=[{}", fmt::join(ids, ", "));
    }
  }

  // Two of three sizes divide by most axes.
  std::int64_t random_size() {
    static const Dims kEven = {8, 12, 24, 16, 4};
    return once_in(3) ? static_cast<std::int64_t>(below(7) + 1) : kEven[below(kEven.size())];
  }
  Dims random_shape() {
    Dims shape(below(3) + 1);
    for (std::int64_t& size : shape) size = random_size();
    return shape;
  }

  std::string sharding(const Dims& shape) {
    std::vector<std::string> free;
    for (const Value& axis : axes_) {
      const std::int64_t size = axis.shape[0];
      if (size == 4 && once_in(3)) {  // a part of it; both parts side by side would be the axis
        free.push_back(axis.name + (once_in(2) ? ":(1)2" : ":(2)2"));
      } else {
        free.push_back(axis.name);
      }
    }
    std::shuffle(free.begin(), free.end(), generator_);
    std::string out = "<@mesh, [";
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::string dim;
      while (!free.empty() && once_in(2)) {
        dim += (dim.empty() ? "" : ", ") + free.back();
        free.pop_back();
      }
      out += fmt::format("{}{{{}{}}}", d == 0 ? "" : ", ", dim,
                         once_in(2)    ? ""
                         : dim.empty() ? "?"
                                       : ", ?");
    }
    return out + "]>";
  }
  std::string annotation(const Dims& shape) {
    return once_in(3) ? "" : fmt::format(" {{sdy.sharding = #sdy.sharding{}}}", sharding(shape));
  }

  std::string fresh() { return fmt::format("%v{}", number_++); }
  const Value add(std::string_view call, const Dims& shape) {
    const Value value = {fresh(), shape};
    body_ += fmt::format("    {} = {}\n", value.name, call);
    values_.push_back(value);
    return value;
  }
  const Value& any() { return values_[below(values_.size())]; }
  Value constant(std::string_view number) {
    const Value value = {fresh(), {}};
    body_ +=
        fmt::format("    {} = stablehlo.constant dense<{}> : tensor<f32>\n", value.name, number);
    return value;
  }
  std::string number() {
    static const char* const kNumbers[] = {"0.0", "0.0", "1.0", "2.5"};
    return kNumbers[below(4)];
  }

  void add_operation() {
    using Make = void (RandomProgram::*)(const Value&);
    static constexpr Make kMakers[] = {
        &RandomProgram::unary,         &RandomProgram::binary,
        &RandomProgram::dot,           &RandomProgram::transpose,
        &RandomProgram::reshape,       &RandomProgram::broadcast,
        &RandomProgram::reduce,        &RandomProgram::concatenate,
        &RandomProgram::slice,         &RandomProgram::pad,
        &RandomProgram::reverse,       &RandomProgram::iota,
        &RandomProgram::gather,        &RandomProgram::scatter,
        &RandomProgram::dynamic_slice, &RandomProgram::dynamic_update,
        &RandomProgram::windows,       &RandomProgram::sort,
        &RandomProgram::loop,          &RandomProgram::branch,
        &RandomProgram::constraint,    &RandomProgram::table,
        &RandomProgram::arg_max,       &RandomProgram::convolution};
    const Value value = any();
    (this->*kMakers[below(std::size(kMakers))])(value);
  }

  void unary(const Value& v) {
    static const char* const kNames[] = {"negate", "tanh", "abs", "exponential"};
    add(fmt::format("stablehlo.{} {} : {}", kNames[below(4)], v.name, type(v.shape)), v.shape);
  }
  void binary(const Value& v) {
    static const char* const kNames[] = {"add", "multiply", "subtract", "maximum"};
    Value other = v;
    for (const Value& one : values_) {
      if (one.shape == v.shape && once_in(2)) other = one;
    }
    add(fmt::format("stablehlo.{} {}, {} : {}", kNames[below(4)], v.name, other.name,
                    type(v.shape)),
        v.shape);
  }
  void constraint(const Value& v) {
    add(fmt::format("sdy.sharding_constraint {} {} : {}", v.name, sharding(v.shape), type(v.shape)),
        v.shape);
  }
  void dot(const Value& v) {
    const std::size_t contracted = below(v.shape.size());
    const Dims right = {v.shape[contracted], random_size()};
    const Value rhs =
        add(fmt::format("stablehlo.iota dim = {} : {}", below(2), type(right)), right);
    Dims out;
    for (std::size_t d = 0; d < v.shape.size(); ++d) {
      if (d != contracted) out.push_back(v.shape[d]);
    }
    out.push_back(right[1]);
    add(fmt::format("stablehlo.dot_general {}, {}, contracting_dims = [{}] x [0] : ({}, {}) -> {}",
                    v.name, rhs.name, contracted, type(v.shape), type(right), type(out)),
        out);
  }
  void transpose(const Value& v) {
    Dims order;
    for (std::size_t d = 0; d < v.shape.size(); ++d) order.push_back(static_cast<std::int64_t>(d));
    std::shuffle(order.begin(), order.end(), generator_);
    Dims out;
    for (std::int64_t d : order) out.push_back(v.shape[static_cast<std::size_t>(d)]);
    add(fmt::format("stablehlo.transpose {}, dims = [{}] : ({}) -> {}", v.name,
                    fmt::join(order, ", "), type(v.shape), type(out)),
        out);
  }
  // To sizes that are products of the prime factors of all elements, in order or not.
  void reshape(const Value& v) {
    std::int64_t count = 1;
    for (std::int64_t size : v.shape) count *= size;
    Dims out(below(3) + 1, 1);
    for (std::int64_t prime : {2, 3, 5, 7}) {
      for (; count % prime == 0; count /= prime) out[below(out.size())] *= prime;
    }
    out[0] *= count;  // what other primes it has
    add(fmt::format("stablehlo.reshape {} : ({}) -> {}", v.name, type(v.shape), type(out)), out);
  }
  void broadcast(const Value& v) {
    if (v.shape.size() > 2) return unary(v);
    Dims out = v.shape;
    const std::size_t at = below(out.size() + 1);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), random_size());
    Dims dims;
    for (std::size_t d = 0; d < out.size(); ++d) {
      if (d != at) dims.push_back(static_cast<std::int64_t>(d));
    }
    add(fmt::format("stablehlo.broadcast_in_dim {}, dims = [{}] : ({}) -> {}", v.name,
                    fmt::join(dims, ", "), type(v.shape), type(out)),
        out);
  }
  void reduce(const Value& v) {
    static const char* const kReducers[] = {"add", "maximum", "minimum", "multiply"};
    const std::size_t dim = below(v.shape.size());
    Dims out = v.shape;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(dim));
    const Value init = constant(number());
    const Value value = add(
        fmt::format(
            "stablehlo.reduce({} init: {}) applies stablehlo.{} across dimensions = [{}] : ({}, "
            "tensor<f32>) -> {}",
            v.name, init.name, kReducers[below(4)], dim, type(v.shape), type(out)),
        out);
    if (out.empty()) {  // later operations want dimensions
      values_.pop_back();
      add(fmt::format("stablehlo.broadcast_in_dim {}, dims = [] : (tensor<f32>) -> tensor<4xf32>",
                      value.name),
          {4});
    }
  }
  // The largest element and its place: a reduction of two tensors at once.
  void arg_max(const Value& v) {
    const std::size_t dim = below(v.shape.size());
    Dims out = v.shape;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(dim));
    if (out.empty()) return unary(v);
    const Value init = constant("0.0");
    const std::string places = fresh();
    body_ += fmt::format("    {} = stablehlo.iota dim = {} : {}\n", places, dim, type(v.shape));
    const std::string both = fresh();
    body_ += fmt::format(
        "    {0}:2 = stablehlo.reduce({1} init: {2}), ({3} init: {2}) across dimensions = [{4}] : "
        "({5}, {5}, "
        "tensor<f32>, tensor<f32>) -> ({6}, {6})\n     reducer(%a: tensor<f32>, %c: tensor<f32>) "
        "(%b: "
        "tensor<f32>, %d: tensor<f32>) {{\n      %p = stablehlo.compare GE, %a, %c : (tensor<f32>, "
        "tensor<f32>) -> tensor<i1>\n      %q = stablehlo.select %p, %a, %c : tensor<i1>, "
        "tensor<f32>\n      "
        "%r = stablehlo.select %p, %b, %d : tensor<i1>, tensor<f32>\n      stablehlo.return %q, %r "
        ": "
        "tensor<f32>, tensor<f32>\n    }}\n",
        both, v.name, init.name, places, dim, type(v.shape), type(out));
    values_.push_back({both + "#1", out});
  }
  void concatenate(const Value& v) {
    const std::size_t dim = below(v.shape.size());
    Dims out = v.shape;
    out[dim] *= 2;
    add(fmt::format("stablehlo.concatenate {0}, {0}, dim = {1} : ({2}, {2}) -> {3}", v.name, dim,
                    type(v.shape), type(out)),
        out);
  }
  void slice(const Value& v) {
    std::vector<std::string> ranges;
    Dims out;
    for (std::int64_t size : v.shape) {
      const auto start = static_cast<std::int64_t>(below(static_cast<std::size_t>(size)));
      const std::int64_t begin = once_in(2) ? 0 : start;
      const std::int64_t stride = once_in(4) ? 2 : 1;
      const std::int64_t limit =
          begin + 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(size - begin)));
      const std::int64_t end = once_in(2) ? size : limit;
      ranges.push_back(fmt::format("{}:{}:{}", begin, end, stride));
      out.push_back((end - begin + stride - 1) / stride);
    }
    add(fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", v.name, fmt::join(ranges, ", "),
                    type(v.shape), type(out)),
        out);
  }
  void pad(const Value& v) {
    Dims low;
    Dims high;
    Dims interior;
    Dims out;
    for (std::int64_t size : v.shape) {
      const auto any_of = [&](std::int64_t least) {
        return once_in(2) ? 0 : least + static_cast<std::int64_t>(below(4));
      };
      low.push_back(any_of(0));
      high.push_back(size > 2 ? any_of(-1) : any_of(0));
      interior.push_back(once_in(4) ? 1 : 0);
      out.push_back(size + (size - 1) * interior.back() + low.back() + high.back());
    }
    const Value value = constant(number());
    add(fmt::format("stablehlo.pad {}, {}, low = [{}], high = [{}], interior = [{}] : ({}, "
                    "tensor<f32>) -> {}",
                    v.name, value.name, fmt::join(low, ", "), fmt::join(high, ", "),
                    fmt::join(interior, ", "), type(v.shape), type(out)),
        out);
  }
  void reverse(const Value& v) {
    add(fmt::format("stablehlo.reverse {}, dims = [{}] : {}", v.name, below(v.shape.size()),
                    type(v.shape)),
        v.shape);
  }
  void iota(const Value& v) {
    add(fmt::format("stablehlo.iota dim = {} : {}", below(v.shape.size()), type(v.shape)), v.shape);
  }
  void table(const Value&) {
    add("stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>", {8});
  }
  // Indices, some of them out of range.
  std::string indices(std::int64_t count) {
    const std::string name = fresh();
    body_ += fmt::format("    {} = stablehlo.iota dim = 0 : tensor<{}x1xi32>\n", name, count);
    const std::string offset = fresh();
    body_ += fmt::format("    {} = stablehlo.constant dense<{}> : tensor<{}x1xi32>\n", offset,
                         static_cast<std::int64_t>(below(5)) - 2, count);
    const std::string out = fresh();
    body_ +=
        fmt::format("    {} = stablehlo.add {}, {} : tensor<{}x1xi32>\n", out, name, offset, count);
    return out;
  }
  void gather(const Value& v) {
    const std::int64_t count = random_size();
    const std::string at = indices(count);
    Dims sizes = v.shape;
    sizes[0] = 1;
    Dims out = v.shape;
    out[0] = count;
    Dims offset_dims;
    for (std::size_t d = 1; d < out.size(); ++d)
      offset_dims.push_back(static_cast<std::int64_t>(d));
    add(fmt::format("\"stablehlo.gather\"({}, {}) <{{dimension_numbers = "
                    "#stablehlo.gather<offset_dims = [{}], "
                    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                    "slice_sizes = "
                    "array<i64: {}>}}> : ({}, tensor<{}x1xi32>) -> {}",
                    v.name, at, fmt::join(offset_dims, ", "), fmt::join(sizes, ", "), type(v.shape),
                    count, type(out)),
        out);
  }
  void scatter(const Value& v) {
    static const char* const kReducers[] = {"add", "maximum", "minimum"};
    const std::int64_t count = random_size();
    const std::string at = indices(count);
    Dims update = v.shape;
    update[0] = count;
    const Value updates = add(fmt::format("stablehlo.iota dim = 0 : {}", type(update)), update);
    Dims window;
    for (std::size_t d = 1; d < update.size(); ++d) window.push_back(static_cast<std::int64_t>(d));
    const Value out = {fresh(), v.shape};
    body_ += fmt::format(
        "    {} = \"stablehlo.scatter\"({}, {}, {}) <{{scatter_dimension_numbers = "
        "#stablehlo.scatter<update_window_dims = [{}], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = "
        "[0], index_vector_dim = 1>}}> ({{\n    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n      %z "
        "= stablehlo.{} "
        "%x, %y : tensor<f32>\n      stablehlo.return %z : tensor<f32>\n    }}) : ({}, "
        "tensor<{}x1xi32>, {}) -> "
        "{}\n",
        out.name, v.name, at, updates.name, fmt::join(window, ", "), kReducers[below(3)],
        type(v.shape), count, type(update), type(v.shape));
    values_.push_back(out);
  }
  std::string start_index() {
    const std::string name = fresh();
    body_ += fmt::format("    {} = stablehlo.constant dense<{}> : tensor<i32>\n", name, below(5));
    return name;
  }
  std::vector<std::string> start_indices(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t d = 0; d < count; ++d) out.push_back(start_index());
    return out;
  }
  Dims smaller(const Dims& shape) {
    Dims out = shape;
    for (std::int64_t& size : out) {
      if (once_in(2)) size = 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(size)));
    }
    return out;
  }
  static std::string scalar_types(std::size_t count) {
    std::string out;
    for (std::size_t d = 0; d < count; ++d) out += ", tensor<i32>";
    return out;
  }
  void dynamic_slice(const Value& v) {
    const Dims out = smaller(v.shape);
    const auto starts = start_indices(v.shape.size());
    add(fmt::format("stablehlo.dynamic_slice {}, {}, sizes = [{}] : ({}{}) -> {}", v.name,
                    fmt::join(starts, ", "), fmt::join(out, ", "), type(v.shape),
                    scalar_types(v.shape.size()), type(out)),
        out);
  }
  void dynamic_update(const Value& v) {
    const Dims shape = smaller(v.shape);
    const Value update = add(fmt::format("stablehlo.iota dim = 0 : {}", type(shape)), shape);
    const auto starts = start_indices(v.shape.size());
    add(fmt::format("stablehlo.dynamic_update_slice {}, {}, {} : ({}, {}{}) -> {}", v.name,
                    update.name, fmt::join(starts, ", "), type(v.shape), type(shape),
                    scalar_types(v.shape.size()), type(v.shape)),
        v.shape);
  }
  void windows(const Value& v) {
    Dims sizes(v.shape.size(), 1);
    Dims strides(v.shape.size(), 1);
    Dims out = v.shape;
    const std::size_t dim = below(v.shape.size());
    if (v.shape[dim] > 1) {
      sizes[dim] = 2;
      strides[dim] = once_in(2) ? 2 : once_in(2) ? 3 : 1;
    }
    out[dim] = (v.shape[dim] - sizes[dim]) / strides[dim] + 1;
    const Value init = constant(number());
    const Value made = {fresh(), out};
    body_ += fmt::format(
        "    {} = \"stablehlo.reduce_window\"({}, {}) <{{window_dimensions = array<i64: {}>, "
        "window_strides = "
        "array<i64: {}>}}> ({{\n    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n      %z = "
        "stablehlo.add %x, %y : "
        "tensor<f32>\n      stablehlo.return %z : tensor<f32>\n    }}) : ({}, tensor<f32>) -> {}\n",
        made.name, v.name, init.name, fmt::join(sizes, ", "), fmt::join(strides, ", "),
        type(v.shape), type(out));
    values_.push_back(made);
  }
  void sort(const Value& v) {
    const Value out = {fresh(), v.shape};
    body_ += fmt::format(
        "    {} = \"stablehlo.sort\"({}) <{{dimension = {} : i64, is_stable = true}}> ({{\n    "
        "^bb0(%x: "
        "tensor<f32>, %y: tensor<f32>):\n      %z = stablehlo.compare LT, %x, %y : (tensor<f32>, "
        "tensor<f32>) -> "
        "tensor<i1>\n      stablehlo.return %z : tensor<i1>\n    }}) : ({}) -> {}\n",
        out.name, v.name, below(v.shape.size()), type(v.shape), type(v.shape));
    values_.push_back(out);
  }
  void convolution(const Value& v) {
    if (v.shape.size() != 3 || v.shape[1] < 2) return unary(v);
    const std::int64_t features = random_size();
    const Dims kernel_shape = {2, v.shape[2], features};
    const Value kernel =
        add(fmt::format("stablehlo.iota dim = 2 : {}", type(kernel_shape)), kernel_shape);
    const Dims out = {v.shape[0], v.shape[1], features};
    add(fmt::format("stablehlo.convolution({}, {}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
                    "window = {{pad = "
                    "[[1, 0]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
                    "({}, {}) -> {}",
                    v.name, kernel.name, type(v.shape), type(kernel_shape), type(out)),
        out);
  }
  // Three trips in which a value is changed.
  void loop(const Value& v) {
    const std::string zero = fresh();
    body_ += fmt::format("    {} = stablehlo.constant dense<0> : tensor<i32>\n", zero);
    const std::string out = fresh();
    body_ += fmt::format(
        "    {0}:2 = stablehlo.while(%i = {1}, %x = {2}) : tensor<i32>, {3}\n    cond {{\n      %n "
        "= "
        "stablehlo.constant dense<3> : tensor<i32>\n      %p = stablehlo.compare LT, %i, %n : "
        "(tensor<i32>, "
        "tensor<i32>) -> tensor<i1>\n      stablehlo.return %p : tensor<i1>\n    }} do {{\n      "
        "%one = "
        "stablehlo.constant dense<1> : tensor<i32>\n      %j = stablehlo.add %i, %one : "
        "tensor<i32>\n      %r = "
        "stablehlo.reverse %x, dims = [{4}] : {3}\n      %y = stablehlo.add %r, %x : {3}\n      "
        "stablehlo.return "
        "%j, %y : tensor<i32>, {3}\n    }}\n",
        out, zero, v.name, type(v.shape), below(v.shape.size()));
    values_.push_back({out + "#1", v.shape});
  }
  void branch(const Value& v) {
    const std::string condition = fresh();
    body_ += fmt::format("    {} = stablehlo.constant dense<{}> : tensor<i1>\n", condition,
                         once_in(2) ? "true" : "false");
    const std::string out = fresh();
    body_ += fmt::format(
        "    {0} = \"stablehlo.if\"({1}) ({{\n      %t = stablehlo.negate {2} : {3}\n      "
        "stablehlo.return %t : "
        "{3}\n    }}, {{\n      %e = stablehlo.reverse {2}, dims = [0] : {3}\n      "
        "stablehlo.return %e : {3}\n    "
        "}}) : (tensor<i1>) -> {3}\n",
        out, condition, v.name, type(v.shape));
    values_.push_back({out, v.shape});
  }

  std::mt19937_64 generator_;
  std::vector<Value> axes_;  // with their sizes
  std::vector<Value> values_;
  std::string mesh_;
  std::string body_;
  std::string text_;
  std::size_t number_ = 0;
};

}  // namespace shardprop::test
