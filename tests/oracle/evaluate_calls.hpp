// Linear algebra, normalisation, collectives and custom calls.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/oracle/evaluate_reduction.hpp"
#include "tests/oracle/evaluate_shape.hpp"
#include "tests/oracle/operation.hpp"

namespace oracle {

// A number that depends on all elements of `x` whose first `batch` positions are those of `index`,
// and on their places.
inline std::int64_t scramble_of_block(const Tensor& x, const Shape& index, std::size_t batch) {
  const Shape inner(x.shape.begin() + static_cast<std::ptrdiff_t>(batch), x.shape.end());
  std::int64_t value = 0;
  for_each_index(inner, [&](const Shape& place) {
    Shape at(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(batch));
    at.insert(at.end(), place.begin(), place.end());
    value = scramble(value, x.at(at));
  });
  return value;
}

// Each result element is computed from the whole of the operands' last `inner` dimensions (vectors
// of them where an operand has fewer): decompositions and transforms.
inline Results evaluate_blocks(const Operation& op, std::size_t inner) {
  const std::size_t batch = op.operand(0).shape.size() - inner;
  const auto same_batch = [&](const Shape& shape) {
    return shape.size() >= batch &&
           std::equal(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(batch),
                      op.operand(0).shape.begin());
  };
  std::vector<Tensor> out;
  for (const Tensor& operand : op.operands) {
    if (!same_batch(operand.shape)) return std::nullopt;
  }
  for (const Shape& shape : op.results) {
    if (!same_batch(shape)) return std::nullopt;
    out.emplace_back(shape);
    for_each_index(shape, [&](const Shape& index) {
      std::int64_t value = static_cast<std::int64_t>(out.size());
      for (const Tensor& operand : op.operands)
        value = scramble(value, scramble_of_block(operand, index, batch));
      for (std::size_t d = batch; d < index.size(); ++d) value = scramble(value, index[d]);
      out.back().at(index) = value;
    });
  }
  return out;
}

inline Results evaluate_cholesky(const Operation& op) {
  const Shape& shape = op.operand(0).shape;
  if (shape != op.results[0] || shape[shape.size() - 1] != shape[shape.size() - 2])
    return std::nullopt;
  return evaluate_blocks(op, 2);
}

inline Results evaluate_fft(const Operation& op) {
  const Shape length = ints(op.attributes, "fft_length");
  const Shape& shape = op.operand(0).shape;
  if (!std::equal(length.begin(), length.end(),
                  shape.end() - static_cast<std::ptrdiff_t>(length.size())) ||
      shape != op.results[0]) {
    return std::nullopt;
  }
  return evaluate_blocks(op, length.size());
}

// Arithmetic modulo a prime has the inverses that a solver needs.
inline constexpr std::int64_t kPrime = 1'000'003;
inline std::int64_t modulo(std::int64_t a) { return (a % kPrime + kPrime) % kPrime; }
inline std::int64_t inverse(std::int64_t a) {
  std::int64_t result = 1;
  for (std::int64_t power = kPrime - 2, base = modulo(a); power > 0; power /= 2) {
    if (power % 2 == 1) result = result * base % kPrime;
    base = base * base % kPrime;
  }
  return result;
}

// Forward or backward substitution for one right-hand side. `a` reads op(a) at (row, column).
template <class A>
std::vector<std::int64_t> solve_triangular(A&& a, std::vector<std::int64_t> b, bool lower) {
  const std::size_t n = b.size();
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t row = lower ? step : n - 1 - step;
    for (std::size_t other = 0; other < n; ++other) {
      if (lower ? other < row : other > row) b[row] = modulo(b[row] - a(row, other) * b[other]);
    }
    b[row] = b[row] * inverse(a(row, row)) % kPrime;
  }
  return b;
}

inline Results evaluate_triangular_solve(const Operation& op) {
  const Tensor& a = op.operand(0);
  const Tensor& b = op.operand(1);
  const std::size_t row = a.shape.size() - 2;
  const bool left = op.attributes["left_side"].get<bool>();
  const bool transposed = op.attributes["transpose_a"] == "TRANSPOSE";
  const std::size_t solved = left ? row : row + 1;
  const std::int64_t n = b.shape[solved];
  Shape expected(b.shape.begin(), b.shape.end() - 2);
  expected.insert(expected.end(), 2, n);
  if (a.shape != expected || b.shape != op.results[0]) return std::nullopt;
  const bool lower = op.attributes["lower"].get<bool>() != (transposed != !left);
  return fill(b.shape, [&](const Shape& index) {
    const auto read_a = [&](std::size_t i, std::size_t j) {
      // x op(a) = b is op(a)^T x^T = b^T.
      const bool swap = transposed != !left;
      Shape at = index;
      at[row] = static_cast<std::int64_t>(swap ? j : i);
      at[row + 1] = static_cast<std::int64_t>(swap ? i : j);
      return modulo(a.at(at)) + (i == j ? 1 : 0);
    };
    std::vector<std::int64_t> side;
    for (std::int64_t i = 0; i < n; ++i) {
      Shape at = index;
      at[solved] = i;
      side.push_back(modulo(b.at(at)));
    }
    return solve_triangular(read_a, side, lower)[index_of(index[solved])];
  });
}

// Each element with its feature's scale, offset, ... The statistics of training and grad, which are
// over all elements of a feature, are stood for by a number that depends on all of these.
inline Results evaluate_batch_norm(const Operation& op, bool with_statistics) {
  const Tensor& x = op.operand(0);
  const std::size_t feature = op.attributes["feature_index"].get<std::size_t>();
  for (const auto& shapes : {op.results}) {
    for (const Shape& shape : shapes) {
      if (shape != x.shape && shape != Shape{x.shape[feature]}) return std::nullopt;
    }
  }
  for (const Tensor& operand : op.operands) {
    if (operand.shape != x.shape && operand.shape != Shape{x.shape[feature]}) return std::nullopt;
  }
  const auto value_of = [&](const Shape& index, std::int64_t at_feature) {
    std::int64_t value = 0;
    for (const Tensor& operand : op.operands) {
      const bool is_vector = operand.shape.size() == 1;
      if (is_vector || !index.empty())
        value = scramble(value, operand.at(is_vector ? Shape{at_feature} : index));
      if (is_vector || !with_statistics) continue;
      for_each_index(x.shape, [&](const Shape& at) {
        if (at[feature] == at_feature) value = scramble(value, operand.at(at));
      });
    }
    return value;
  };
  std::vector<Tensor> out;
  for (const Shape& shape : op.results) {
    out.emplace_back(shape);
    for_each_index(shape, [&](const Shape& index) {
      const bool is_vector = shape.size() == 1;
      out.back().at(index) = is_vector ? value_of({}, index[0]) : value_of(index, index[feature]);
    });
  }
  return out;
}

// What process `process` holds where this one holds `x`: other numbers, of the same shape and
// sharding.
inline Tensor on_process(Tensor x, std::int64_t process) {
  for (std::int64_t& element : x.data) element = scramble(element, process);
  return x;
}

// What the first of `kProcesses` processes gets. Each process runs the same sharded program, so
// that a collective combines its operand with other processes' numbers, shard by shard.
inline constexpr std::int64_t kProcesses = 2;

inline Tensor sum_over_processes(const Tensor& x) {
  Tensor sum(x.shape);
  for (std::int64_t p = 0; p < kProcesses; ++p) {
    const Tensor part = on_process(x, p);
    for (std::size_t i = 0; i < sum.data.size(); ++i)
      sum.data[i] = wrap_add(sum.data[i], part.data[i]);
  }
  return sum;
}

// Puts part `first` along `split` of each process's operand one after the other along `joined`.
inline Results gather_parts(const Operation& op, std::size_t split, std::size_t joined,
                            std::int64_t parts) {
  const Tensor& x = op.operand(0);
  Shape part = x.shape;
  if (part[split] % parts != 0) return std::nullopt;
  part[split] /= parts;
  Shape expected = part;
  expected[joined] *= kProcesses;
  if (expected != op.results[0]) return std::nullopt;
  return fill(expected, [&](const Shape& index) {
    Shape from = index;
    from[joined] %= part[joined];
    return on_process(x, index[joined] / part[joined]).at(from);
  });
}

inline Results evaluate_all_gather(const Operation& op) {
  const std::size_t dim = op.attributes["all_gather_dim"].get<std::size_t>();
  return gather_parts(op, dim, dim, 1);
}
inline Results evaluate_all_to_all(const Operation& op) {
  return gather_parts(op, op.attributes["split_dimension"].get<std::size_t>(),
                      op.attributes["concat_dimension"].get<std::size_t>(), kProcesses);
}
inline Results evaluate_all_reduce(const Operation& op) {
  if (op.operand(0).shape != op.results[0]) return std::nullopt;
  return std::vector<Tensor>{sum_over_processes(op.operand(0))};
}
inline Results evaluate_reduce_scatter(const Operation& op) {
  const std::size_t dim = op.attributes["scatter_dimension"].get<std::size_t>();
  const Tensor sum = sum_over_processes(op.operand(0));
  Shape expected = sum.shape;
  if (expected[dim] % kProcesses != 0) return std::nullopt;
  expected[dim] /= kProcesses;
  if (expected != op.results[0]) return std::nullopt;
  return fill(expected, [&](const Shape& index) { return sum.at(index); });
}
inline Results evaluate_from_other_process(const Operation& op) {
  if (op.operand(0).shape != op.results[0]) return std::nullopt;
  return std::vector<Tensor>{on_process(op.operand(0), 1)};
}

inline Results evaluate_custom_call(const Operation& op) {
  const std::string target = op.attributes["call_target_name"].get<std::string>();
  if (target == "mhlo.topk" || target == "ApproxTopK") return evaluate_top_k(op);
  if (target == "Qr" || target == "QrDecompositionBlock" || target == "Eigh" ||
      target == "Cholesky" || target == "ProductOfElementaryHouseholderReflectors") {
    return evaluate_blocks(op, 2);
  }
  return evaluate_pointwise(op);
}

}  // namespace oracle
