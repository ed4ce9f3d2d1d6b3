// Matrix products: dot, dot_general, and the ragged product of chlo. Both sides are brought into
// the form [batch, rows, depth] and [batch, depth, columns].
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/stablehlo/contraction_rules.hpp"
#include "shardprop/run/ops/products.hpp"
#include "shardprop/run/ops/reduction.hpp"

namespace shardprop {

// Dimensions of a product by their roles.
struct ProductDims {
  Shape lhs_batching;
  Shape rhs_batching;
  Shape lhs_contracting;
  Shape rhs_contracting;
};

namespace detail {

inline Shape joined_dims(const Shape& a, const Shape& b, const Shape& c) {
  Shape out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

inline std::size_t count_along(const Shape& shape, const Shape& dims) {
  std::size_t count = 1;
  for (std::int64_t dim : dims)
    count *= static_cast<std::size_t>(shape[static_cast<std::size_t>(dim)]);
  return count;
}

}  // namespace detail

// The result has the batch dimensions, then those of the left side that are left, then those of the
// right side.
inline Tensor product(const Tensor& lhs, const Tensor& rhs, const ProductDims& dims, Element out) {
  using detail::joined_dims;
  const Shape rows =
      detail::other_dims(lhs.rank(), joined_dims(dims.lhs_batching, dims.lhs_contracting, {}));
  const Shape columns =
      detail::other_dims(rhs.rank(), joined_dims(dims.rhs_batching, dims.rhs_contracting, {}));
  const Tensor left =
      detail::in_order(lhs, joined_dims(dims.lhs_batching, rows, dims.lhs_contracting));
  const Tensor right =
      detail::in_order(rhs, joined_dims(dims.rhs_batching, dims.rhs_contracting, columns));
  detail::MatrixProduct p;
  p.rows = detail::count_along(lhs.shape(), rows);
  p.depth = detail::count_along(lhs.shape(), dims.lhs_contracting);
  p.columns = detail::count_along(rhs.shape(), columns);
  p.left = lhs.element();
  p.right = rhs.element();
  p.out = out;
  Shape shape;
  for (std::int64_t dim : dims.lhs_batching)
    shape.push_back(lhs.shape()[static_cast<std::size_t>(dim)]);
  const std::size_t batches = count_of(shape);
  for (std::int64_t dim : rows) shape.push_back(lhs.shape()[static_cast<std::size_t>(dim)]);
  for (std::int64_t dim : columns) shape.push_back(rhs.shape()[static_cast<std::size_t>(dim)]);
  Tensor result(out, shape);
  detail::with_factor_type(lhs.element(), out, [&](auto zero) {
    for (std::size_t b = 0; b < batches; ++b) {
      detail::multiply_matrices<decltype(zero)>(
          p, left.read() + b * p.rows * p.depth * bytes_of(p.left),
          right.read() + b * p.depth * p.columns * bytes_of(p.right),
          result.write() + b * p.rows * p.columns * bytes_of(p.out));
    }
  });
  return result;
}

namespace detail {

inline Result<Tensors> evaluate_dot_general(EvalInput& in) {
  const AttributeReader reader(in.m, in.op, nullptr);
  const DotDims dims = shardprop::read_dot_dims(reader).value_or(DotDims());
  return one_result(product(in.operands[0], in.operands[1],
                            {list_of(dims.lhs_batching), list_of(dims.rhs_batching),
                             list_of(dims.lhs_contracting), list_of(dims.rhs_contracting)},
                            result_element(in)));
}

inline Result<Tensors> evaluate_dot(EvalInput& in) {
  const auto last = static_cast<std::int64_t>(in.operands[0].rank()) - 1;
  return one_result(
      product(in.operands[0], in.operands[1], {{}, {}, {last}, {0}}, result_element(in)));
}

// The list `name = [...]` in the text of the dimension numbers, which a module keeps as it was
// read.
inline Shape list_in_text(std::string_view text, std::string_view name) {
  Shape out;
  std::size_t at = text.find(std::string(name) + " = [");
  if (at == std::string_view::npos) return out;
  const std::string_view list = text.substr(at, text.find(']', at) - at);
  constexpr std::string_view kDigits = "0123456789";
  for (at = list.find('['); (at = list.find_first_of(kDigits, at)) != std::string_view::npos;) {
    std::int64_t number = 0;
    at = static_cast<std::size_t>(
        std::from_chars(list.data() + at, list.data() + list.size(), number).ptr - list.data());
    out.push_back(number);
  }
  return out;
}

// The rows of the left side are in groups, one after the other, and each group has a right side of
// its own.
inline Result<Tensors> evaluate_ragged_dot(EvalInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  AttributeReader numbers = reader.dict("ragged_dot_dimension_numbers");
  const std::string_view text = numbers.text_or("opaque", {});
  const auto list = [&](std::string_view name) { return list_in_text(text, name); };
  const ProductDims dims = {list("lhs_batching_dimensions"), list("rhs_batching_dimensions"),
                            list("lhs_contracting_dimensions"), list("rhs_contracting_dimensions")};
  const Shape ragged = list("lhs_ragged_dimensions");
  const Shape group = list("rhs_group_dimensions");
  const Tensor& lhs = in.operands[0];
  const Tensor& rhs = in.operands[1];
  if (ragged.size() != 1 || group.size() != 1 || in.operands[2].rank() != 1 ||
      contains(dims.lhs_contracting, ragged[0]) || contains(dims.lhs_batching, ragged[0])) {
    return eval_error(in, "unsupported",
                      "a ragged product can be run only with ragged rows and one list of groups");
  }
  const Shape rows =
      other_dims(lhs.rank(), joined_dims(dims.lhs_batching, dims.lhs_contracting, {}));
  const auto place = std::find(rows.begin(), rows.end(), ragged[0]) - rows.begin();
  const auto out_dim = static_cast<std::int64_t>(dims.lhs_batching.size()) + place;
  Tensor out(result_element(in), result_shape(in));
  // Of the right side without its dimension of groups.
  ProductDims of_group = dims;
  for (Shape* contracted : {&of_group.rhs_batching, &of_group.rhs_contracting}) {
    for (std::int64_t& dim : *contracted) dim -= dim > group[0] ? 1 : 0;
  }
  std::int64_t start = 0;
  const Shape sizes = integers_of(in.operands[2]);
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const std::int64_t size = std::clamp<std::int64_t>(
        sizes[g], 0, lhs.shape()[static_cast<std::size_t>(ragged[0])] - start);
    Tensor right = part_along(rhs, group[0], static_cast<std::int64_t>(g), 1);
    Shape shape = right.shape();
    shape.erase(shape.begin() + group[0]);
    const Tensor part = product(part_along(lhs, ragged[0], start, size),
                                right.reshaped(std::move(shape)), of_group, out.element());
    Shape at(out.rank(), 0);
    at[static_cast<std::size_t>(out_dim)] = start;
    copy_strided(bytes_of(out.element()), part.shape(), part.read(), {0, strides_of(part.shape())},
                 out.write(), view_into(out.shape(), at));
    start += size;
  }
  return one_result(std::move(out));
}

}  // namespace detail

inline constexpr EvalDef kContractionEvaluators[] = {
    {"stablehlo.dot", nullptr, detail::evaluate_dot},
    {"stablehlo.dot_general", nullptr, detail::evaluate_dot_general},
    {"chlo.ragged_dot", nullptr, detail::evaluate_ragged_dot},
};

}  // namespace shardprop
