// Checks on quantised element types, `!quant.uniform<i8:f32, 0.5:3>` (one scale per tensor) and
// `!quant.uniform<i8:f32:1, {0.5:3, 0.25:0}>` (one scale a slice of quantisation dimension 1).
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"

namespace shardprop {

constexpr std::int64_t kPerTensor = -1;

// The quantisation dimension of a quantised type's text, or kPerTensor.
inline std::int64_t quantization_dimension(std::string_view dtype) {
  const std::size_t scales = dtype.find('{');
  if (!dtype.starts_with("!quant") || scales == std::string_view::npos) return kPerTensor;
  std::string_view head = dtype.substr(0, dtype.rfind(',', scales));
  head.remove_prefix(std::min(head.rfind(':') + 1, head.size()));
  std::int64_t dim = kPerTensor;
  std::from_chars(head.data(), head.data() + head.size(), dim);
  return dim;
}

// The text of `scale:zero_point` of each slice, or of the tensor.
inline std::vector<std::string_view> quantization_parameters(std::string_view dtype) {
  std::vector<std::string_view> out;
  const std::size_t open = dtype.find('{');
  std::size_t at = open != std::string_view::npos ? open + 1 : dtype.find(',');
  const std::size_t end = open != std::string_view::npos ? dtype.find('}') : dtype.rfind('>');
  if (at == std::string_view::npos || end == std::string_view::npos) return out;
  while (at < end) {
    at = dtype.find_first_not_of(", ", at);
    const std::size_t stop = std::min(dtype.find(',', at), end);
    if (at >= stop) break;
    out.push_back(dtype.substr(at, stop - at));
    at = stop;
  }
  return out;
}

namespace detail {

inline bool is_quantized(std::string_view dtype) { return dtype.starts_with("!quant"); }

inline std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t out = 1;
  for (std::int64_t size : sizes) out = multiply_sizes(out, size);
  return out;
}

// Scales and zero points must be the same on both sides; the quantisation dimension may differ.
inline bool check_same_quantization(const VerifyInput& in, std::string_view constraint, TypeId from,
                                    TypeId to) {
  const std::string_view a = dtype_of(in.m, from);
  const std::string_view b = dtype_of(in.m, to);
  if (!is_quantized(a) || !is_quantized(b) ||
      quantization_parameters(a) == quantization_parameters(b))
    return true;
  report(
      in, constraint,
      fmt::format("operand and result must have the same scales and zero points, found {} and {}",
                  a, b));
  return false;
}

// C3 of reshape and dynamic_reshape: the quantisation dimension keeps its size and what comes
// before it.
inline bool check_reshaped_quantization(const VerifyInput& in, TypeId from, TypeId to) {
  const std::int64_t a = quantization_dimension(dtype_of(in.m, from));
  const std::int64_t b = quantization_dimension(dtype_of(in.m, to));
  if (a == kPerTensor || b == kPerTensor) return true;
  const auto x = in.m.types.shape(from);
  const auto y = in.m.types.shape(to);
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  bool same = i < x.size() && j < y.size() && compatible_sizes(x[i], y[j]);
  if (same && in.m.types.is_static_tensor(from) && in.m.types.is_static_tensor(to)) {
    same = product(x.first(i)) == product(y.first(j));
  }
  if (!same) {
    report(
        in, "c3",
        fmt::format(
            "the quantization dimension must keep its size and its place among the elements, found "
            "dimension {} of {} and {} of {}",
            a, to_string(x), b, to_string(y)));
  }
  return same;
}

// C6 of broadcast_in_dim and dynamic_broadcast_in_dim.
inline bool check_broadcast_quantization(const VerifyInput& in,
                                         std::span<const std::int64_t> dims) {
  const TypeId from = operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  const std::int64_t target = quantization_dimension(dtype_of(in.m, to));
  if (target == kPerTensor) return true;
  const std::int64_t source = quantization_dimension(dtype_of(in.m, from));
  const bool known = source >= 0 && source < static_cast<std::int64_t>(dims.size());
  if (!known || dims[static_cast<std::size_t>(source)] != target) {
    report(in, "c6",
           fmt::format(
               "the quantization dimension of the result must be where that of the operand, {}, "
               "goes, found {}",
               source, target));
    return false;
  }
  const auto from_parameters = quantization_parameters(dtype_of(in.m, from));
  if (in.m.types.shape(from)[static_cast<std::size_t>(source)] != 1 || from_parameters.empty())
    return true;
  for (std::string_view parameter : quantization_parameters(dtype_of(in.m, to))) {
    if (parameter == from_parameters[0]) continue;
    report(in, "c6",
           fmt::format("all scales and zero points of the result must be {}, found {}",
                       from_parameters[0], parameter));
    return false;
  }
  return true;
}

}  // namespace detail

}  // namespace shardprop
