// Dense tensors of 64-bit integers, and the cutting and joining of them along a part of a
// dimension. Arithmetic wraps around, so that sums do not depend on their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace oracle {

using Shape = std::vector<std::int64_t>;

inline std::int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

inline std::size_t offset_of(const Shape& shape, const Shape& index) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + index[d];
  return static_cast<std::size_t>(offset);
}

struct Tensor {
  Shape shape;
  std::vector<std::int64_t> data;

  explicit Tensor(Shape s = {}, std::int64_t fill = 0)
      : shape(s), data(static_cast<std::size_t>(count_of(s)), fill) {}
  std::int64_t& at(const Shape& index) { return data[offset_of(shape, index)]; }
  std::int64_t at(const Shape& index) const { return data[offset_of(shape, index)]; }
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// Calls `visit` with each index of `shape`, last dimension fastest.
template <class Visit>
void for_each_index(const Shape& shape, Visit&& visit) {
  Shape index(shape.size(), 0);
  for (std::int64_t left = count_of(shape); left > 0; --left) {
    visit(index);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

inline bool is_inside(const Shape& shape, const Shape& index) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return false;
  }
  return true;
}

inline std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Stands for any function of two numbers that is not exact in integers: only what it is computed
// from matters.
inline std::int64_t scramble(std::int64_t a, std::int64_t b) {
  std::uint64_t x = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15u;
  x ^= static_cast<std::uint64_t>(b) + 0x7F4A7C15u + (x << 6) + (x >> 2);
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::int64_t>(x ^ (x >> 29));
}

// The part of dimension `dim` that one factor covers: positions are (major, size, minor), most
// significant first. A factor that has the dimension for itself has major = minor = 1.
struct SubDim {
  std::size_t dim;
  std::int64_t major;
  std::int64_t size;
  std::int64_t minor;
};

// One of `count` equal blocks of a factor.
struct Block {
  std::int64_t number;
  std::int64_t count;
};

// The position in the whole dimension of `position` in the block's part of it.
inline std::int64_t whole_position(const SubDim& sub, Block block, std::int64_t position) {
  const std::int64_t size = sub.size / block.count;
  const std::int64_t minor = position % sub.minor;
  const std::int64_t middle = position / sub.minor % size + block.number * size;
  const std::int64_t major = position / sub.minor / size;
  return (major * sub.size + middle) * sub.minor + minor;
}

inline Shape cut_shape(Shape shape, const SubDim& sub, Block block) {
  shape[sub.dim] = sub.major * (sub.size / block.count) * sub.minor;
  return shape;
}

inline Tensor cut(const Tensor& whole, const SubDim& sub, Block block) {
  Tensor part(cut_shape(whole.shape, sub, block));
  for_each_index(part.shape, [&](const Shape& index) {
    Shape from = index;
    from[sub.dim] = whole_position(sub, block, index[sub.dim]);
    part.at(index) = whole.at(from);
  });
  return part;
}

// Writes `part` to its place in `whole`.
inline void join(Tensor& whole, const Tensor& part, const SubDim& sub, Block block) {
  for_each_index(part.shape, [&](const Shape& index) {
    Shape to = index;
    to[sub.dim] = whole_position(sub, block, index[sub.dim]);
    whole.at(to) = part.at(index);
  });
}

}  // namespace oracle
