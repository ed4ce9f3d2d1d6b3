// sort, top_k of chlo, and its scan: operations along one dimension, line by line.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/ops/reduction.hpp"

namespace shardprop {

namespace detail {

// The dimensions of `rank` in order, with `dim` as the last.
inline Shape with_last(std::size_t rank, std::int64_t dim) {
  Shape order = other_dims(rank, std::span(&dim, 1));
  order.push_back(dim);
  return order;
}
// The order that undoes `order`.
inline Shape inverse_of(const Shape& order) {
  Shape out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    out[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return out;
}

// Sorts the numbers of a line by what the comparator says of the elements. It may say anything, so
// that the sort must be one that stays within the line: a merge sort.
class LineSorter {
 public:
  LineSorter(ScalarRegion& comparator, const Tensors& inputs)
      : comparator_(comparator), inputs_(inputs), given_(2 * inputs.size()) {}

  void sort(std::size_t first, std::vector<std::uint32_t>& line) {
    first_ = first;
    std::vector<std::uint32_t> other(line.size());
    for (std::size_t width = 1; width < line.size(); width *= 2) {
      for (std::size_t at = 0; at < line.size(); at += 2 * width) {
        const auto begin = line.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle =
            line.begin() + static_cast<std::ptrdiff_t>(std::min(at + width, line.size()));
        const auto end =
            line.begin() + static_cast<std::ptrdiff_t>(std::min(at + 2 * width, line.size()));
        std::merge(begin, middle, middle, end, other.begin() + static_cast<std::ptrdiff_t>(at),
                   [this](std::uint32_t a, std::uint32_t b) { return is_before(a, b); });
      }
      line.swap(other);
    }
  }

 private:
  bool is_before(std::uint32_t a, std::uint32_t b) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::size_t width = bytes_of(inputs_[i].element());
      given_[2 * i] = inputs_[i].read() + (first_ + a) * width;
      given_[2 * i + 1] = inputs_[i].read() + (first_ + b) * width;
    }
    comparator_.run(given_, 1);
    return *comparator_.result(0) != std::byte{0};
  }

  ScalarRegion& comparator_;
  const Tensors& inputs_;
  std::vector<const std::byte*> given_;
  std::size_t first_ = 0;
};

inline Result<Tensors> evaluate_sort(EvalInput& in) {
  Result<ScalarRegion> comparator = ScalarRegion::compile(in, block_of(in.m, in.op, 0));
  if (!comparator) return std::move(comparator.errors());
  const std::size_t rank = in.operands[0].rank();
  if (rank == 0) return evaluate_identity(in);
  std::int64_t dim = AttributeReader(in.m, in.op, nullptr).integer_or("dimension", -1);
  if (dim < 0) dim += static_cast<std::int64_t>(rank);
  const Shape order = with_last(rank, dim);
  Tensors inputs;
  Tensors out;
  for (const Tensor& operand : in.operands) inputs.push_back(in_order(operand, order));
  for (const Tensor& input : inputs) out.emplace_back(input.element(), input.shape());
  const auto length = static_cast<std::size_t>(inputs[0].shape().back());
  LineSorter sorter(*comparator, inputs);
  std::vector<std::uint32_t> line(length);
  for (std::size_t first = 0; first < inputs[0].count(); first += length) {
    std::iota(line.begin(), line.end(), 0u);
    sorter.sort(first, line);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t width = bytes_of(out[i].element());
      std::byte* const to = out[i].write() + first * width;
      const std::byte* const from = inputs[i].read() + first * width;
      for (std::size_t j = 0; j < length; ++j)
        std::memcpy(to + j * width, from + line[j] * width, width);
    }
  }
  for (Tensor& tensor : out) tensor = in_order(tensor, inverse_of(order));
  return out;
}

// The `k` largest elements of each line and their numbers, the largest first; of equal ones the
// first. NaN counts as the largest.
template <class T>
void largest_of(const Tensor& operand, std::size_t k, Tensor& values, Tensor& indices) {
  const std::vector<T> numbers = numbers_of<T>(operand);
  const auto length = static_cast<std::size_t>(operand.shape().back());
  const std::size_t width = bytes_of(operand.element());
  std::vector<std::uint64_t> line(length);
  for (std::size_t row = 0; row * length < numbers.size(); ++row) {
    const T* const of_row = numbers.data() + row * length;
    std::iota(line.begin(), line.end(), std::uint64_t{0});
    const auto is_before = [&](std::uint64_t a, std::uint64_t b) {
      if constexpr (std::is_same_v<T, double>)
        return CompareTotally::place(of_row[a]) > CompareTotally::place(of_row[b]);
      return of_row[a] > of_row[b];
    };
    std::stable_sort(line.begin(), line.end(), is_before);
    for (std::size_t j = 0; j < k; ++j) {
      std::memcpy(values.write() + (row * k + j) * width,
                  operand.read() + (row * length + line[j]) * width, width);
    }
    const std::size_t index_width = bytes_of(indices.element());
    store_elements(indices.element(), line.data(), k, indices.write() + row * k * index_width);
  }
}

inline Result<Tensors> evaluate_top_k(EvalInput& in) {
  const auto k = AttributeReader(in.m, in.op, nullptr).integer("k");
  const Tensor& operand = in.operands[0];
  Shape shape = operand.shape();
  shape.back() = k;
  Tensor values(operand.element(), shape);
  Tensor indices(result_element(in, 1), shape);
  const auto count = static_cast<std::size_t>(k);
  switch (domain_of(operand.element())) {
    case Domain::kReal:
      largest_of<double>(operand, count, values, indices);
      break;
    case Domain::kUnsigned:
      largest_of<std::uint64_t>(operand, count, values, indices);
      break;
    default:
      largest_of<std::int64_t>(operand, count, values, indices);
  }
  return Tensors{std::move(values), std::move(indices)};
}

// Element after element of a dimension, all lines at once: the region takes the elements and what
// is carried, and returns outputs and what is carried on.
inline Result<Tensors> evaluate_scan(EvalInput& in) {
  Result<ScalarRegion> region = ScalarRegion::compile(in, block_of(in.m, in.op, 0));
  if (!region) return std::move(region.errors());
  AttributeReader reader(in.m, in.op, nullptr);
  const std::int64_t dim = reader.integer("dimension");
  const bool reverse = reader.boolean_or("is_reverse", false);
  const auto segments = reader.ints_or_empty("operandSegmentSizes");
  const std::size_t inputs =
      segments.size() == 2 ? static_cast<std::size_t>(segments[0]) : in.operands.size() / 2;
  const std::size_t carries = in.operands.size() - inputs;
  if (inputs == 0 || region->result_count() < carries) {
    return eval_error(in, "unsupported", "a scan can be run only with at least one input");
  }
  const std::size_t outputs = region->result_count() - carries;
  // The dimension first, so that one element of all lines is contiguous.
  Shape order = {dim};
  const Shape others = other_dims(in.operands[0].rank(), std::span(&dim, 1));
  order.insert(order.end(), others.begin(), others.end());
  for (std::size_t i = 0; i < inputs; ++i) in.operands[i] = in_order(in.operands[i], order);
  const Shape shape = in.operands[0].shape();
  const auto steps = static_cast<std::size_t>(shape[0]);
  Shape line_shape(shape.begin() + 1, shape.end());
  const std::size_t lines = count_of(line_shape);
  Tensors out;
  for (std::size_t i = 0; i < outputs; ++i) out.emplace_back(region->result_element(i), shape);
  for (std::size_t i = 0; i < carries; ++i) {
    const Tensor& init = in.operands[inputs + i];
    out.push_back(init.rank() < line_shape.size() ? splat(init, line_shape) : init);
  }
  std::vector<const std::byte*> given(inputs + carries);
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t step = reverse ? steps - 1 - s : s;
    for (std::size_t at = 0; at < lines; at += kRegionChunk) {
      const std::size_t n = std::min(kRegionChunk, lines - at);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const Tensor& tensor = i < inputs ? in.operands[i] : out[outputs + i - inputs];
        const std::size_t first = i < inputs ? step * lines + at : at;
        given[i] = tensor.read() + first * bytes_of(tensor.element());
      }
      region->run(given, n);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t width = bytes_of(out[i].element());
        const std::size_t first = i < outputs ? step * lines + at : at;
        std::memcpy(out[i].write() + first * width, region->result(i), n * width);
      }
    }
  }
  for (std::size_t i = 0; i < outputs; ++i) out[i] = in_order(out[i], inverse_of(order));
  return out;
}

}  // namespace detail

inline constexpr EvalDef kSortEvaluators[] = {
    {"stablehlo.sort", nullptr, detail::evaluate_sort},
    {"chlo.top_k", nullptr, detail::evaluate_top_k},
    {"chlo.scan", nullptr, detail::evaluate_scan},
};

}  // namespace shardprop
