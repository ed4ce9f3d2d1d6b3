// Element-wise operations and those that move elements without computing.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/oracle/operation.hpp"

namespace oracle {

// Operands of the result's shape, or scalars that hold for all elements.
inline Results evaluate_pointwise(const Operation& op) {
  for (const Tensor& operand : op.operands) {
    if (!operand.shape.empty() && operand.shape != op.results[0]) return std::nullopt;
  }
  for (const Shape& shape : op.results) {
    if (shape != op.results[0]) return std::nullopt;
  }
  Results first = fill(op.results[0], [&](const Shape& index) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const Tensor& x = op.operands[i];
      const std::int64_t element = x.shape.empty() ? x.data[0] : x.at(index);
      value = i == 0 ? scramble(element, 1) : scramble(value, element);
    }
    return value;
  });
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < op.results.size(); ++i) out.push_back((*first)[0]);
  return out;
}

inline Results evaluate_identity(const Operation& op) {
  if (op.operand(0).shape != op.results[0]) return std::nullopt;
  return std::vector<Tensor>{op.operand(0)};
}

inline Results evaluate_reshape(const Operation& op) {
  if (count_of(op.operand(0).shape) != count_of(op.results[0])) return std::nullopt;
  Tensor out(op.results[0]);
  out.data = op.operand(0).data;
  return std::vector<Tensor>{out};
}

inline Results evaluate_transpose(const Operation& op) {
  const Shape permutation = ints(op.attributes, "permutation");
  const Tensor& x = op.operand(0);
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    if (op.results[0][d] != x.shape[index_of(permutation[d])]) return std::nullopt;
  }
  return fill(op.results[0], [&](const Shape& index) {
    Shape from(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) from[index_of(permutation[d])] = index[d];
    return x.at(from);
  });
}

// Dimension d of the operand is dimension dims[d] of the result.
inline Results broadcast_to(const Operation& op, const Shape& dims) {
  const Tensor& x = op.operand(0);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (x.shape[d] != 1 && x.shape[d] != op.results[0][index_of(dims[d])]) return std::nullopt;
  }
  return fill(op.results[0], [&](const Shape& index) {
    Shape from;
    for (std::size_t d = 0; d < dims.size(); ++d)
      from.push_back(x.shape[d] == 1 ? 0 : index[index_of(dims[d])]);
    return x.at(from);
  });
}
inline Results evaluate_broadcast_in_dim(const Operation& op) {
  return broadcast_to(op, ints(op.attributes, "broadcast_dimensions"));
}
inline Results evaluate_broadcast(const Operation& op) {
  Shape dims;
  const std::size_t added = op.results[0].size() - op.operand(0).shape.size();
  for (std::size_t d = added; d < op.results[0].size(); ++d)
    dims.push_back(static_cast<std::int64_t>(d));
  return broadcast_to(op, dims);
}

// The same rank: bit by bit. One more dimension of the operand, or of the result: a row of narrow
// elements is one wide element.
inline Results evaluate_bitcast(const Operation& op) {
  const Tensor& x = op.operand(0);
  const Shape& out = op.results[0];
  if (x.shape.size() == out.size()) return evaluate_pointwise(op);
  const bool widens = x.shape.size() > out.size();
  const Shape& shared = widens ? out : x.shape;
  const Shape& longer = widens ? x.shape : out;
  if (!std::equal(shared.begin(), shared.end(), longer.begin()) || longer.back() != 4)
    return std::nullopt;
  return fill(out, [&](const Shape& index) {
    Shape from = index;
    if (!widens) {
      from.pop_back();
      return scramble(x.at(from), index.back());
    }
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < longer.back(); ++i) {
      Shape at = index;
      at.push_back(i);
      value = scramble(value, x.at(at));
    }
    return value;
  });
}

inline Results evaluate_slice(const Operation& op) {
  const Tensor& x = op.operand(0);
  const Shape start = ints(op.attributes, "start_indices");
  const Shape limit = ints(op.attributes, "limit_indices");
  const Shape stride = ints(op.attributes, "strides");
  for (std::size_t d = 0; d < start.size(); ++d) {
    if (limit[d] > x.shape[d]) return std::nullopt;
    if (op.results[0][d] != (limit[d] - start[d] + stride[d] - 1) / stride[d]) return std::nullopt;
  }
  return fill(op.results[0], [&](const Shape& index) {
    Shape from = index;
    for (std::size_t d = 0; d < index.size(); ++d) from[d] = start[d] + index[d] * stride[d];
    return x.at(from);
  });
}

inline Results evaluate_pad(const Operation& op) {
  const Tensor& x = op.operand(0);
  const Shape low = ints(op.attributes, "edge_padding_low");
  const Shape high = ints(op.attributes, "edge_padding_high");
  const Shape interior = ints(op.attributes, "interior_padding");
  for (std::size_t d = 0; d < low.size(); ++d) {
    const std::int64_t dilated = x.shape[d] + (x.shape[d] - 1) * interior[d];
    if (op.results[0][d] != low[d] + dilated + high[d]) return std::nullopt;
  }
  return fill(op.results[0], [&](const Shape& index) {
    Shape from = index;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t at = index[d] - low[d];
      from[d] = at % (interior[d] + 1) == 0 ? at / (interior[d] + 1) : -1;
    }
    return is_inside(x.shape, from) ? x.at(from) : op.operand(1).data[0];
  });
}

inline Results evaluate_concatenate(const Operation& op) {
  const std::size_t dim = op.attributes["dimension"].get<std::size_t>();
  Shape expected = op.operand(0).shape;
  expected[dim] = 0;
  for (const Tensor& part : op.operands) {
    Shape shape = part.shape;
    expected[dim] += shape[dim];
    shape[dim] = expected[dim];
    if (shape != expected) return std::nullopt;
  }
  if (expected != op.results[0]) return std::nullopt;
  Tensor out(expected);
  std::int64_t begin = 0;
  for (const Tensor& part : op.operands) {
    for_each_index(part.shape, [&](const Shape& index) {
      Shape to = index;
      to[dim] += begin;
      out.at(to) = part.at(index);
    });
    begin += part.shape[dim];
  }
  return std::vector<Tensor>{out};
}

inline Results evaluate_reverse(const Operation& op) {
  const Shape dims = ints(op.attributes, "dimensions");
  const Tensor& x = op.operand(0);
  if (x.shape != op.results[0]) return std::nullopt;
  return fill(op.results[0], [&](const Shape& index) {
    Shape from = index;
    for (std::int64_t d : dims) from[index_of(d)] = x.shape[index_of(d)] - 1 - index[index_of(d)];
    return x.at(from);
  });
}

}  // namespace oracle
