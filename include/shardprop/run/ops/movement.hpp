// Operations that rearrange or repeat elements, whatever the elements are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/constant_value.hpp"
#include "shardprop/run/eval_table.hpp"

namespace shardprop {

namespace detail {

inline Shape list_of(std::span<const std::int64_t> values) {
  return Shape(values.begin(), values.end());
}

// The shape of the result: what the operation declares, or, where it leaves sizes open, the values
// of operand `i`.
inline Shape shape_or_operand(const EvalInput& in, std::size_t i) {
  Shape shape = result_shape(in);
  const bool is_open = std::find(shape.begin(), shape.end(), kDynamic) != shape.end();
  return is_open ? integers_of(in.operands[i]) : shape;
}

inline Result<Tensors> evaluate_constant(EvalInput& in) {
  const ValueId value = result(in.m, in.op, 0);
  auto out =
      constant_value(in.m, attribute(in.m, in.op, key::kValue), type_of(in.m, value), in.options);
  if (out) return one_result(*std::move(out));
  return eval_error(
      in, "constant",
      fmt::format("the elements of this {} are not known", to_string(in.m, type_of(in.m, value))),
      "the data may have been left out, or the element type cannot be run");
}

inline Result<Tensors> iota_of(EvalInput& in, Shape shape) {
  if (auto error = wrong_shape(in, shape)) return *std::move(error);
  AttributeReader reader(in.m, in.op, nullptr);
  const auto dim = static_cast<std::size_t>(reader.integer("iota_dimension"));
  const Element element = result_element(in);
  const Domain domain = domain_of(element);
  // The numbers of one line along the dimension, which is then repeated.
  const std::int64_t size = shape[dim];
  Tensor line(element, {size});
  for (std::int64_t i = 0; i < size; ++i) {
    std::byte* to = line.write() + static_cast<std::size_t>(i) * bytes_of(element);
    const double real = static_cast<double>(i);
    const std::complex<double> complex = real;
    const auto integer = static_cast<std::uint64_t>(i);
    if (domain == Domain::kReal) {
      store_elements(element, &real, 1, to);
    } else if (domain == Domain::kPair) {
      store_elements(element, &complex, 1, to);
    } else {
      store_elements(element, &integer, 1, to);
    }
  }
  StridedView view = {0, Shape(shape.size(), 0)};
  view.strides[dim] = 1;
  return one_result(gathered(line, view, std::move(shape)));
}
inline Result<Tensors> evaluate_iota(EvalInput& in) { return iota_of(in, result_shape(in)); }
inline Result<Tensors> evaluate_dynamic_iota(EvalInput& in) {
  return iota_of(in, integers_of(in.operands[0]));
}

inline Result<Tensors> evaluate_reshape(EvalInput& in) {
  return one_result(in.operands[0].reshaped(result_shape(in)));
}
inline Result<Tensors> evaluate_dynamic_reshape(EvalInput& in) {
  Shape shape = shape_or_operand(in, 1);
  if (auto error = wrong_shape(in, shape)) return *std::move(error);
  if (count_of(shape) != in.operands[0].count()) {
    return eval_error(in, "shape",
                      fmt::format("{} elements do not fit the shape {}", in.operands[0].count(),
                                  to_string(shape)));
  }
  return one_result(in.operands[0].reshaped(std::move(shape)));
}

inline Result<Tensors> broadcast_to(EvalInput& in, Shape shape) {
  if (auto error = wrong_shape(in, shape)) return *std::move(error);
  const auto dims = AttributeReader(in.m, in.op, nullptr).ints_or_empty("broadcast_dimensions");
  const Tensor& operand = in.operands[0];
  const Shape strides = strides_of(operand.shape());
  StridedView view = {0, Shape(shape.size(), 0)};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t size = operand.shape()[i];
    if (size != 1 && size != shape[static_cast<std::size_t>(dims[i])]) {
      return eval_error(in, "shape",
                        fmt::format("a tensor of the shape {} does not fit {}",
                                    to_string(operand.shape()), to_string(shape)));
    }
    if (size != 1) view.strides[static_cast<std::size_t>(dims[i])] = strides[i];
  }
  return one_result(gathered(operand, view, std::move(shape)));
}
inline Result<Tensors> evaluate_broadcast_in_dim(EvalInput& in) {
  return broadcast_to(in, result_shape(in));
}
inline Result<Tensors> evaluate_dynamic_broadcast_in_dim(EvalInput& in) {
  return broadcast_to(in, integers_of(in.operands[1]));
}
// The new dimensions come first.
inline Result<Tensors> evaluate_broadcast(EvalInput& in) {
  const Tensor& operand = in.operands[0];
  Shape shape = list_of(AttributeReader(in.m, in.op, nullptr).ints_or_empty("broadcast_sizes"));
  StridedView view = {0, Shape(shape.size(), 0)};
  for (std::int64_t stride : strides_of(operand.shape())) view.strides.push_back(stride);
  shape.insert(shape.end(), operand.shape().begin(), operand.shape().end());
  return one_result(gathered(operand, view, std::move(shape)));
}

inline Result<Tensors> evaluate_transpose(EvalInput& in) {
  return one_result(
      transposed(in.operands[0], AttributeReader(in.m, in.op, nullptr).ints("permutation")));
}

inline Result<Tensors> evaluate_reverse(EvalInput& in) {
  const Tensor& operand = in.operands[0];
  StridedView view = {0, strides_of(operand.shape())};
  for (std::int64_t dim : AttributeReader(in.m, in.op, nullptr).ints_or_empty("dimensions")) {
    const auto d = static_cast<std::size_t>(dim);
    view.first += view.strides[d] * std::max<std::int64_t>(operand.shape()[d] - 1, 0);
    view.strides[d] = -view.strides[d];
  }
  return one_result(gathered(operand, view, operand.shape()));
}

// A different number of bits moves between the last dimension and the elements; the low bits come
// first. Elements of less than a byte are taken together bit by bit.
inline Result<Tensors> evaluate_bitcast_convert(EvalInput& in) {
  const Tensor& operand = in.operands[0];
  const Element to = result_element(in);
  const std::size_t from_bits = row_of(operand.element()).bits;
  const std::size_t to_bits = row_of(to).bits;
  if (operand.element() == Element::kExact || to == Element::kExact) return not_exact(in);
  Shape shape = operand.shape();
  if (from_bits > to_bits) shape.push_back(static_cast<std::int64_t>(from_bits / to_bits));
  if (from_bits < to_bits) shape.pop_back();
  Tensor out(to, std::move(shape));
  if (from_bits == 8 * bytes_of(operand.element()) && to_bits == 8 * bytes_of(to)) {
    if (out.bytes() != 0) std::memcpy(out.write(), operand.read(), out.bytes());
    return one_result(std::move(out));
  }
  const auto bits = [](const std::byte* data, std::size_t width, std::size_t stored,
                       std::size_t i) {
    const std::size_t in_element = i % width;
    return static_cast<unsigned>(data[i / width * stored + in_element / 8]) >> (in_element % 8) &
           1u;
  };
  std::vector<std::uint64_t> numbers(out.count());
  for (std::size_t i = 0; i < numbers.size() * to_bits; ++i) {
    const std::uint64_t bit = bits(operand.read(), from_bits, bytes_of(operand.element()), i);
    numbers[i / to_bits] |= bit << (i % to_bits);
  }
  store_elements(to, numbers.data(), numbers.size(), out.write());
  return one_result(std::move(out));
}

inline Result<Tensors> evaluate_get_dimension_size(EvalInput& in) {
  const auto dim = AttributeReader(in.m, in.op, nullptr).integer("dimension");
  const std::vector<std::int64_t> size = {in.operands[0].shape()[static_cast<std::size_t>(dim)]};
  return one_result(tensor_of(result_element(in), {}, size));
}

// Operands are the results.
inline Result<Tensors> evaluate_identity(EvalInput& in) {
  return Tensors(std::make_move_iterator(in.operands.begin()),
                 std::make_move_iterator(in.operands.end()));
}
inline Result<Tensors> evaluate_token(EvalInput&) { return one_result(Tensor()); }
inline Result<Tensors> evaluate_nothing(EvalInput&) { return Tensors(); }

inline Result<Tensors> evaluate_tuple(EvalInput& in) {
  return one_result(Tensor(Tensors(in.operands.begin(), in.operands.end())));
}
inline Result<Tensors> evaluate_get_tuple_element(EvalInput& in) {
  const auto index = AttributeReader(in.m, in.op, nullptr).integer("index");
  return one_result(in.operands[0].parts()[static_cast<std::size_t>(index)]);
}

}  // namespace detail

inline constexpr EvalDef kMovementEvaluators[] = {
    {"stablehlo.constant", nullptr, detail::evaluate_constant},
    {"arith.constant", nullptr, detail::evaluate_constant},
    {"sdy.constant", nullptr, detail::evaluate_constant},
    {"stablehlo.iota", nullptr, detail::evaluate_iota},
    {"stablehlo.dynamic_iota", nullptr, detail::evaluate_dynamic_iota},
    {"stablehlo.reshape", nullptr, detail::evaluate_reshape},
    {"stablehlo.dynamic_reshape", nullptr, detail::evaluate_dynamic_reshape},
    {"stablehlo.broadcast_in_dim", nullptr, detail::evaluate_broadcast_in_dim},
    {"stablehlo.dynamic_broadcast_in_dim", nullptr, detail::evaluate_dynamic_broadcast_in_dim},
    {"stablehlo.broadcast", nullptr, detail::evaluate_broadcast},
    {"stablehlo.transpose", nullptr, detail::evaluate_transpose},
    {"stablehlo.reverse", nullptr, detail::evaluate_reverse},
    {"stablehlo.bitcast_convert", nullptr, detail::evaluate_bitcast_convert},
    {"stablehlo.get_dimension_size", nullptr, detail::evaluate_get_dimension_size},
    {"stablehlo.create_token", nullptr, detail::evaluate_token},
    {"stablehlo.after_all", nullptr, detail::evaluate_token},
    {"stablehlo.tuple", nullptr, detail::evaluate_tuple},
    {"stablehlo.get_tuple_element", nullptr, detail::evaluate_get_tuple_element},
    {"stablehlo.optimization_barrier", nullptr, detail::evaluate_identity},
    {"stablehlo.async_done", nullptr, detail::evaluate_identity},
    // On one device a sharding does not change the values.
    {"sdy.sharding_constraint", nullptr, detail::evaluate_identity},
    {"sdy.reshard", nullptr, detail::evaluate_identity},
    {"sdy.propagation_barrier", nullptr, detail::evaluate_identity},
    {"sdy.data_flow_edge", nullptr, detail::evaluate_identity},
    {"sdy.func_data_flow_edge", nullptr, detail::evaluate_identity},
    {"sdy.sharding_group", nullptr, detail::evaluate_nothing},
    {"stablehlo.custom_call @Sharding", nullptr, detail::evaluate_identity},
    {"stablehlo.custom_call @annotate_device_placement", nullptr, detail::evaluate_identity},
};

}  // namespace shardprop
