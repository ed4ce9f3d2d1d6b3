// Tensors as a person reads them: `tensor<2x3xf32>`, single elements, and all of them.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fmt/core.h"
#include "shardprop/run/tensor.hpp"

namespace shardprop {

inline std::string type_text(const Tensor& tensor) {
  if (!tensor.is_tensor()) return tensor.parts().empty() ? "token" : "tuple";
  std::string out = "tensor<";
  for (std::int64_t size : tensor.shape()) out += fmt::format("{}x", size);
  return out + std::string(row_of(tensor.element()).name) + ">";
}

// The index of element number `at`.
inline Shape index_of(std::span<const std::int64_t> shape, std::size_t at) {
  Shape index(shape.size());
  auto left = static_cast<std::int64_t>(at);
  for (std::size_t d = shape.size(); d-- > 0; left /= shape[d]) index[d] = left % shape[d];
  return index;
}

namespace detail {

inline std::string float_text(double number, Element element) {
  return bytes_of(element) == 8 ? fmt::format("{}", number)
                                : fmt::format("{}", static_cast<float>(number));
}

}  // namespace detail

// As many digits as tell the number from others of its type.
inline std::string element_text(const Tensor& tensor, std::size_t at) {
  const Element element = tensor.element();
  const std::byte* from = tensor.read() + at * bytes_of(element);
  switch (domain_of(element)) {
    case Domain::kBoolean:
      return *from != std::byte{0} ? "true" : "false";
    case Domain::kUnsigned: {
      std::uint64_t number = 0;
      load_elements(element, from, 1, &number);
      return fmt::format("{}", number);
    }
    case Domain::kReal: {
      double number = 0;
      load_elements(element, from, 1, &number);
      return detail::float_text(number, element);
    }
    case Domain::kPair: {
      std::complex<double> number;
      load_elements(element, from, 1, &number);
      return fmt::format("({}, {})", detail::float_text(number.real(), part_of(element)),
                         detail::float_text(number.imag(), part_of(element)));
    }
    default: {
      std::int64_t number = 0;
      load_elements(element, from, 1, &number);
      return fmt::format("{}", number);
    }
  }
}

namespace detail {

inline void append_elements(std::string& out, const Tensor& tensor, std::size_t dim,
                            std::size_t& at) {
  if (dim == tensor.rank()) {
    out += element_text(tensor, at++);
    return;
  }
  out += '[';
  for (std::int64_t i = 0; i < tensor.shape()[dim]; ++i) {
    if (i != 0) out += ", ";
    append_elements(out, tensor, dim + 1, at);
  }
  out += ']';
}

}  // namespace detail

// All elements, lists within lists, and the type: `[[1, 2], [3, 4]] : tensor<2x2xi32>`.
inline std::string to_string(const Tensor& tensor) {
  std::string out;
  std::size_t at = 0;
  if (tensor.is_tensor()) detail::append_elements(out, tensor, 0, at);
  for (const Tensor& part : tensor.parts()) out += (out.empty() ? "" : ", ") + to_string(part);
  return out + (out.empty() ? "" : " : ") + type_text(tensor);
}

}  // namespace shardprop
