// A tensor that has values: an element type, a shape, and its elements in row-major order.
//
// Copies share the elements; `write` makes them the tensor's own first. So passing tensors around
// is cheap, memory is freed with the last copy, and an operation whose operand nobody else holds
// may work in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/run/element.hpp"

namespace shardprop {

// The number of elements of a shape of known sizes.
inline std::size_t count_of(std::span<const std::int64_t> shape) {
  std::size_t count = 1;
  for (std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

// How many elements lie between two neighbours along each dimension.
inline Shape strides_of(std::span<const std::int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

class Tensor {
 public:
  // A token: no elements.
  Tensor() = default;
  // All elements are 0.
  Tensor(Element element, Shape shape)
      : element_(element),
        shape_(std::move(shape)),
        data_(std::make_shared<std::vector<std::byte>>(count_of(shape_) * bytes_of(element))) {}
  // A tuple.
  explicit Tensor(std::vector<Tensor> parts)
      : parts_(std::make_shared<const std::vector<Tensor>>(std::move(parts))) {}

  Element element() const { return element_; }
  const Shape& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  std::size_t count() const { return data_ ? count_of(shape_) : 0; }
  bool is_tensor() const { return element_ != Element::kNone; }

  const std::byte* read() const { return data_ ? data_->data() : nullptr; }
  std::byte* write() {
    if (data_ && data_.use_count() > 1) data_ = std::make_shared<std::vector<std::byte>>(*data_);
    return data_ ? data_->data() : nullptr;
  }
  std::size_t bytes() const { return data_ ? data_->size() : 0; }

  // The same elements in another shape of as many elements.
  Tensor reshaped(Shape shape) const {
    Tensor out = *this;
    out.shape_ = std::move(shape);
    return out;
  }
  // The same bytes as elements of another type that is as wide.
  Tensor retyped(Element element) const {
    Tensor out = *this;
    out.element_ = element;
    return out;
  }

  // Of a tuple; empty of anything else.
  std::span<const Tensor> parts() const {
    return parts_ ? std::span<const Tensor>(*parts_) : std::span<const Tensor>();
  }

 private:
  Element element_ = Element::kNone;
  Shape shape_;
  std::shared_ptr<std::vector<std::byte>> data_;
  std::shared_ptr<const std::vector<Tensor>> parts_;
};

// All elements as numbers of the domain, whose type must be `T`.
template <class T>
std::vector<T> numbers_of(const Tensor& tensor) {
  std::vector<T> out(tensor.count());
  load_elements(tensor.element(), tensor.read(), out.size(), out.data());
  return out;
}
template <class T>
Tensor tensor_of(Element element, Shape shape, const std::vector<T>& numbers) {
  Tensor out(element, std::move(shape));
  store_elements(element, numbers.data(), numbers.size(), out.write());
  return out;
}

// The elements of an integer tensor, such as start indices.
inline Shape integers_of(const Tensor& tensor) {
  if (domain_of(tensor.element()) == Domain::kUnsigned) {
    const auto numbers = numbers_of<std::uint64_t>(tensor);
    return Shape(numbers.begin(), numbers.end());
  }
  return numbers_of<std::int64_t>(tensor);
}

// Some elements of a row-major buffer, one for each index of `sizes`: that of index i is number
// `first + sum(i * strides)`.
struct StridedView {
  std::int64_t first = 0;
  Shape strides;
};

// Calls `visit(a, b, count)` for runs along the last dimension of `sizes`: the elements from number
// `a` of one view and `b` of the other on.
template <class Visit>
void for_each_run(std::span<const std::int64_t> sizes, const StridedView& a, const StridedView& b,
                  Visit&& visit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  const std::size_t outer = sizes.empty() ? 0 : sizes.size() - 1;
  const std::int64_t run = sizes.empty() ? 1 : sizes.back();
  Shape index(outer, 0);
  std::int64_t at_a = a.first;
  std::int64_t at_b = b.first;
  while (true) {
    visit(at_a, at_b, run);
    std::size_t d = outer;
    for (; d-- > 0;) {
      at_a += a.strides[d];
      at_b += b.strides[d];
      if (++index[d] < sizes[d]) break;
      at_a -= a.strides[d] * sizes[d];
      at_b -= b.strides[d] * sizes[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

namespace detail {

template <std::size_t Bytes>
void copy_run(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step,
              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, Bytes);
    from += from_step * static_cast<std::int64_t>(Bytes);
    to += to_step * static_cast<std::int64_t>(Bytes);
  }
}

}  // namespace detail

// Copies elements of `width` bytes, one for each index of `sizes`. This is what moves data in all
// operations that move data: it does not look at the elements.
inline void copy_strided(std::size_t width, std::span<const std::int64_t> sizes,
                         const std::byte* from, const StridedView& from_view, std::byte* to,
                         const StridedView& to_view) {
  const std::int64_t from_step = sizes.empty() ? 1 : from_view.strides.back();
  const std::int64_t to_step = sizes.empty() ? 1 : to_view.strides.back();
  const auto wide = static_cast<std::int64_t>(width);
  for_each_run(sizes, from_view, to_view, [&](std::int64_t a, std::int64_t b, std::int64_t run) {
    const std::byte* source = from + a * wide;
    std::byte* target = to + b * wide;
    if (from_step == 1 && to_step == 1) {
      std::memcpy(target, source, static_cast<std::size_t>(run) * width);
    } else if (width == 1) {
      detail::copy_run<1>(source, from_step, target, to_step, run);
    } else if (width == 2) {
      detail::copy_run<2>(source, from_step, target, to_step, run);
    } else if (width == 4) {
      detail::copy_run<4>(source, from_step, target, to_step, run);
    } else if (width == 8) {
      detail::copy_run<8>(source, from_step, target, to_step, run);
    } else {
      detail::copy_run<16>(source, from_step, target, to_step, run);
    }
  });
}

// A tensor of shape `sizes` whose elements are those of a view of `tensor`.
inline Tensor gathered(const Tensor& tensor, const StridedView& view, Shape sizes) {
  Tensor out(tensor.element(), std::move(sizes));
  copy_strided(bytes_of(tensor.element()), out.shape(), tensor.read(), view, out.write(),
               {0, strides_of(out.shape())});
  return out;
}

// Dimension i of the result is dimension `permutation[i]` of `tensor`.
inline Tensor transposed(const Tensor& tensor, std::span<const std::int64_t> permutation) {
  const Shape strides = strides_of(tensor.shape());
  StridedView view;
  Shape sizes;
  for (std::int64_t dim : permutation) {
    view.strides.push_back(strides[static_cast<std::size_t>(dim)]);
    sizes.push_back(tensor.shape()[static_cast<std::size_t>(dim)]);
  }
  return gathered(tensor, view, std::move(sizes));
}

// A tensor of which each element is that of the scalar.
inline Tensor splat(const Tensor& scalar, Shape shape) {
  const StridedView view = {0, Shape(shape.size(), 0)};
  return gathered(scalar, view, std::move(shape));
}

}  // namespace shardprop
