// Sums of products and reductions: matrix products, convolution, reduce, windows, sorting.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "tests/oracle/operation.hpp"

namespace oracle {

// Sums, for each index of the result, the products of operand elements over all labels that the
// result lacks. Labels are letters, one a dimension: "bik", "bkj" -> "bij".
inline Results sum_of_products(const Operation& op, const std::vector<std::string>& operands,
                               const std::string& out) {
  std::map<char, std::int64_t> sizes;
  const auto add = [&](const std::string& labels, const Shape& shape) {
    if (labels.size() != shape.size()) return false;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (sizes.emplace(labels[d], shape[d]).first->second != shape[d]) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!add(operands[i], op.operands[i].shape)) return std::nullopt;
  }
  if (!add(out, op.results[0])) return std::nullopt;
  Shape space;
  std::map<char, std::size_t> place;
  for (const auto& [label, size] : sizes) {
    place[label] = space.size();
    space.push_back(size);
  }
  const auto index_for = [&](const std::string& labels, const Shape& point) {
    Shape index;
    for (char label : labels) index.push_back(point[place[label]]);
    return index;
  };
  Tensor sum(op.results[0]);
  for_each_index(space, [&](const Shape& point) {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < operands.size(); ++i)
      product = wrap_mul(product, op.operands[i].at(index_for(operands[i], point)));
    std::int64_t& total = sum.at(index_for(out, point));
    total = wrap_add(total, product);
  });
  return std::vector<Tensor>{sum};
}

inline Results evaluate_einsum(const Operation& op) {
  const std::string config = op.attributes["einsum_config"].get<std::string>();
  const std::size_t arrow = config.find("->");
  const std::size_t comma = std::min(config.find(','), arrow);
  std::vector<std::string> operands = {config.substr(0, comma)};
  if (comma < arrow) operands.push_back(config.substr(comma + 1, arrow - comma - 1));
  return sum_of_products(op, operands, config.substr(arrow + 2));
}

inline Results evaluate_dot(const Operation& op) {
  const std::string lhs = op.operand(0).shape.size() == 2 ? "ik" : "k";
  const std::string rhs = op.operand(1).shape.size() == 2 ? "kj" : "k";
  return sum_of_products(op, {lhs, rhs}, lhs.substr(0, lhs.size() - 1) + rhs.substr(1));
}

inline Results evaluate_dot_general(const Operation& op) {
  const json& dims = op.attributes["dot_dimension_numbers"];
  const Shape lhs_batch = ints(dims, "lhs_batching_dimensions");
  const Shape rhs_batch = ints(dims, "rhs_batching_dimensions");
  const Shape lhs_sum = ints(dims, "lhs_contracting_dimensions");
  const Shape rhs_sum = ints(dims, "rhs_contracting_dimensions");
  std::string lhs(op.operand(0).shape.size(), ' ');
  std::string rhs(op.operand(1).shape.size(), ' ');
  std::string out;
  char next = 'a';
  for (std::size_t i = 0; i < lhs_batch.size(); ++i, ++next) {
    lhs[index_of(lhs_batch[i])] = rhs[index_of(rhs_batch[i])] = next;
    out += next;
  }
  for (std::size_t i = 0; i < lhs_sum.size(); ++i, ++next)
    lhs[index_of(lhs_sum[i])] = rhs[index_of(rhs_sum[i])] = next;
  for (std::string* labels : {&lhs, &rhs}) {
    for (char& label : *labels) {
      if (label != ' ') continue;
      label = next++;
      out += label;
    }
  }
  return sum_of_products(op, {lhs, rhs}, out);
}

// How a window moves along one dimension.
struct Window {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t base_dilation = 1;
  std::int64_t dilation = 1;

  std::int64_t count(std::int64_t input) const {
    const std::int64_t padded = low + (input - 1) * base_dilation + 1 + high;
    return (padded - ((size - 1) * dilation + 1)) / stride + 1;
  }
  // The input position of element `k` of window `at`; -1 for padding.
  std::int64_t input_position(std::int64_t at, std::int64_t k) const {
    const std::int64_t position = at * stride + k * dilation - low;
    return position >= 0 && position % base_dilation == 0 ? position / base_dilation : -1;
  }
};

inline std::vector<Window> read_windows(const json& attributes, const Shape& sizes,
                                        const char* base, const char* dilation) {
  std::vector<Window> windows;
  const Shape strides = ints_or(attributes, "window_strides", sizes.size(), 1);
  const Shape bases = ints_or(attributes, base, sizes.size(), 1);
  const Shape dilations = ints_or(attributes, dilation, sizes.size(), 1);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    Window window{sizes[d], strides[d], 0, 0, bases[d], dilations[d]};
    if (attributes.contains("padding")) {
      window.low = attributes["padding"][d][0].get<std::int64_t>();
      window.high = attributes["padding"][d][1].get<std::int64_t>();
    }
    windows.push_back(window);
  }
  return windows;
}

struct ConvolutionDims {
  std::size_t input_batch, input_feature, kernel_input, kernel_output, output_batch, output_feature;
  Shape input_spatial, kernel_spatial, output_spatial;
};

inline ConvolutionDims read_convolution(const json& attributes) {
  const json& n = attributes["dimension_numbers"];
  const auto dim = [&](const char* key) { return n[key].get<std::size_t>(); };
  return {dim("input_batch_dimension"),          dim("input_feature_dimension"),
          dim("kernel_input_feature_dimension"), dim("kernel_output_feature_dimension"),
          dim("output_batch_dimension"),         dim("output_feature_dimension"),
          ints(n, "input_spatial_dimensions"),   ints(n, "kernel_spatial_dimensions"),
          ints(n, "output_spatial_dimensions")};
}

inline Results evaluate_convolution(const Operation& op) {
  const ConvolutionDims dims = read_convolution(op.attributes);
  const Tensor& x = op.operand(0);
  const Tensor& kernel = op.operand(1);
  const Shape& out = op.results[0];
  const auto feature_groups = op.attributes["feature_group_count"].get<std::int64_t>();
  const auto batch_groups = op.attributes["batch_group_count"].get<std::int64_t>();
  const std::int64_t features = kernel.shape[dims.kernel_output];
  Shape sizes;
  for (std::int64_t d : dims.kernel_spatial) sizes.push_back(kernel.shape[index_of(d)]);
  const auto windows = read_windows(op.attributes, sizes, "lhs_dilation", "rhs_dilation");
  if (x.shape[dims.input_feature] != kernel.shape[dims.kernel_input] * feature_groups ||
      x.shape[dims.input_batch] != out[dims.output_batch] * batch_groups ||
      out[dims.output_feature] != features || features % (feature_groups * batch_groups) != 0) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (out[index_of(dims.output_spatial[i])] !=
        windows[i].count(x.shape[index_of(dims.input_spatial[i])]))
      return std::nullopt;
  }
  Shape inner = sizes;
  inner.push_back(kernel.shape[dims.kernel_input]);
  return fill(out, [&](const Shape& index) {
    const std::int64_t feature = index[dims.output_feature];
    const std::int64_t group = feature / (features / (feature_groups * batch_groups));
    Shape from(x.shape.size()), tap(kernel.shape.size());
    std::int64_t sum = 0;
    for_each_index(inner, [&](const Shape& k) {
      from[dims.input_batch] =
          index[dims.output_batch] + (batch_groups > 1 ? group * out[dims.output_batch] : 0);
      from[dims.input_feature] = k.back() + (feature_groups > 1 ? group * inner.back() : 0);
      tap[dims.kernel_input] = k.back();
      tap[dims.kernel_output] = feature;
      for (std::size_t i = 0; i < windows.size(); ++i) {
        from[index_of(dims.input_spatial[i])] =
            windows[i].input_position(index[index_of(dims.output_spatial[i])], k[i]);
        tap[index_of(dims.kernel_spatial[i])] = k[i];
      }
      if (is_inside(x.shape, from)) sum = wrap_add(sum, wrap_mul(x.at(from), kernel.at(tap)));
    });
    return sum;
  });
}

// n inputs, n initial values, n results.
inline Results evaluate_reduce(const Operation& op) {
  const Shape dims = ints(op.attributes, "dimensions");
  const std::size_t inputs = op.operands.size() / 2;
  Shape kept;
  const Shape& shape = op.operand(0).shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!contains(dims, d)) kept.push_back(shape[d]);
  }
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (op.operands[i].shape != shape || op.results[i] != kept) return std::nullopt;
    out.emplace_back(kept, op.operands[inputs + i].data[0]);
    for_each_index(shape, [&](const Shape& index) {
      Shape to;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!contains(dims, d)) to.push_back(index[d]);
      }
      out[i].at(to) = combine(op.body, out[i].at(to), op.operands[i].at(index));
    });
  }
  return out;
}

inline Results evaluate_reduce_window(const Operation& op) {
  const Shape sizes = ints(op.attributes, "window_dimensions");
  const auto windows = read_windows(op.attributes, sizes, "base_dilations", "window_dilations");
  const Tensor& x = op.operand(0);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (op.results[0][d] != windows[d].count(x.shape[d])) return std::nullopt;
  }
  return fill(op.results[0], [&](const Shape& index) {
    std::int64_t value = op.operand(1).data[0];
    for_each_index(sizes, [&](const Shape& k) {
      Shape from = index;
      for (std::size_t d = 0; d < sizes.size(); ++d)
        from[d] = windows[d].input_position(index[d], k[d]);
      if (is_inside(x.shape, from)) value = combine(op.body, value, x.at(from));
    });
    return value;
  });
}

// Each source element is added to the first largest element of its window.
inline Results evaluate_select_and_scatter(const Operation& op) {
  const Tensor& x = op.operand(0);
  const Tensor& source = op.operand(1);
  const Shape sizes = ints_or(op.attributes, "window_dimensions", x.shape.size(), 1);
  const auto windows = read_windows(op.attributes, sizes, "no_dilation", "no_dilation");
  if (x.shape != op.results[0]) return std::nullopt;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (source.shape[d] != windows[d].count(x.shape[d])) return std::nullopt;
  }
  Tensor out(x.shape, op.operand(2).data[0]);
  for_each_index(source.shape, [&](const Shape& index) {
    Shape best;
    for_each_index(sizes, [&](const Shape& k) {
      Shape from = index;
      for (std::size_t d = 0; d < sizes.size(); ++d)
        from[d] = windows[d].input_position(index[d], k[d]);
      if (is_inside(x.shape, from) && (best.empty() || x.at(from) > x.at(best))) best = from;
    });
    if (!best.empty()) out.at(best) = combine(op.body, out.at(best), source.at(index));
  });
  return std::vector<Tensor>{out};
}

// The positions along `dim` of the row through `index`, in the order of `x`'s elements.
inline std::vector<std::int64_t> sorted_positions(const Tensor& x, std::size_t dim, Shape index,
                                                  bool descending) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.shape[dim]));
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int64_t position) {
    index[dim] = position;
    return x.at(index);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return descending ? key(a) > key(b) : key(a) < key(b);
  });
  return order;
}

// All operands are put in the order of the first one.
inline Results evaluate_sort(const Operation& op) {
  const std::int64_t rank = static_cast<std::int64_t>(op.operand(0).shape.size());
  const std::int64_t given = op.attributes.value("dimension", std::int64_t{-1});
  const std::size_t dim = index_of(given < 0 ? given + rank : given);
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const Tensor& x = op.operands[i];
    if (x.shape != op.operand(0).shape || x.shape != op.results[i]) return std::nullopt;
    out.emplace_back(x.shape);
    for_each_index(x.shape, [&](const Shape& index) {
      Shape from = index;
      from[dim] = sorted_positions(op.operand(0), dim, index, false)[index_of(index[dim])];
      out[i].at(index) = x.at(from);
    });
  }
  return out;
}

// The largest elements along the last dimension and their positions, which ApproxTopK takes from
// its second operand.
inline Results evaluate_top_k(const Operation& op) {
  const Tensor& x = op.operand(0);
  const std::size_t dim = x.shape.size() - 1;
  Shape expected = op.results[0];
  expected[dim] = x.shape[dim];
  if (expected != x.shape || op.results[0][dim] > x.shape[dim] || op.results[1] != op.results[0] ||
      (op.operands.size() > 1 && op.operand(1).shape != x.shape)) {
    return std::nullopt;
  }
  std::vector<Tensor> out(2, Tensor(op.results[0]));
  for_each_index(op.results[0], [&](const Shape& index) {
    Shape from = index;
    from[dim] = sorted_positions(x, dim, index, true)[index_of(index[dim])];
    out[0].at(index) = x.at(from);
    out[1].at(index) = op.operands.size() > 1 ? op.operand(1).at(from) : from[dim];
  });
  return out;
}

}  // namespace oracle
