// Which part of a tensor each device has: cuts a tensor into shards and puts shards together.
//
// A dimension of size n in k shards has shards of ceil(n / k) elements; the last ones are padded.
// Along unreduced axes that are summed, one device of each group has the values and the others have
// zeros, so that their sum is the tensor; what comes back may be any summands. O(size of what is
// copied).
//
// Worked example: 5 elements along an axis of size 2 on 4 devices, the mesh x=2, y=2, are
// [0, 1, 2] on devices 0 and 1, [3, 4, padding] on 2 and 3.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/passes/partition/device_groups.hpp"
#include "shardprop/run/ops/arithmetic.hpp"
#include "shardprop/run/ops/slicing.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

// `a` and `b`, of one type and shape, element by element.
inline Tensor reduced(const Tensor& a, const Tensor& b, ReductionOp reduction) {
  constexpr Domains kAll = detail::kNumbers | Domain::kBoolean | Domain::kExact;
  const Domain domain = domain_of(a.element());
  Kernel kernel;
  kernel.in = kernel.out = a.element();
  kernel.run = reduction == ReductionOp::kSum   ? detail::kernel_in<detail::Add, kAll>(domain)
               : reduction == ReductionOp::kMax ? detail::kernel_in<detail::Maximum, kAll>(domain)
                                                : detail::kernel_in<detail::Minimum, kAll>(domain);
  Tensor out(a.element(), a.shape());
  const std::byte* const in[] = {a.read(), b.read()};
  kernel.run(kernel, in, out.write(), out.count());
  return out;
}

// Puts shards of equal shapes next to each other: one at place `block` of each dimension.
inline void place_block(Tensor& to, const Tensor& shard, std::span<const std::int64_t> block) {
  Shape starts;
  Shape sizes;
  for (std::size_t d = 0; d < to.rank(); ++d) {
    starts.push_back(std::min(block[d] * shard.shape()[d], to.shape()[d]));
    sizes.push_back(std::min(shard.shape()[d], to.shape()[d] - starts[d]));
  }
  copy_strided(bytes_of(to.element()), sizes, shard.read(), {0, strides_of(shard.shape())},
               to.write(), view_into(to.shape(), starts));
}

// The part of shape `size` at place `block` of each dimension. What is beyond the tensor has bytes
// `fill`.
inline Tensor cut_block(const Tensor& from, std::span<const std::int64_t> block, Shape size,
                        std::byte fill = {}) {
  Tensor out(from.element(), std::move(size));
  Shape starts;
  Shape sizes;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    starts.push_back(std::min(block[d] * out.shape()[d], from.shape()[d]));
    sizes.push_back(std::min(out.shape()[d], from.shape()[d] - starts[d]));
  }
  if (fill != std::byte{0} && sizes != out.shape())
    std::memset(out.write(), static_cast<int>(fill), out.bytes());
  copy_strided(bytes_of(out.element()), sizes, from.read(), view_into(from.shape(), starts),
               out.write(), {0, strides_of(out.shape())});
  return out;
}

// Where the shards of tensors of one sharding are. Devices are numbered by their ids.
class Placement {
 public:
  Placement(const TensorSharding& s, const Mesh& mesh)
      : counts_(s.rank(), 1), reduction_(s.reduction) {
    if (mesh.is_maximal() || mesh.is_empty()) return;  // each device has all of it
    const DeviceGrid grid(mesh);
    AxisList used;
    for (std::size_t d = 0; d < s.rank(); ++d) {
      counts_[d] = total_size(s.dims[d].axes);
      blocks_.push_back(grid.shards_by_id(s.dims[d].axes));
      used.append(s.dims[d].axes);
    }
    used.append(s.unreduced);
    AxisList others;
    for (AxisRef axis : cut_axes(mesh, used)) {
      if (!overlaps(AxisSpan(&axis, 1), used)) others.push_back(axis);
    }
    partial_ = grid.shards_by_id(s.unreduced);
    copy_ = grid.shards_by_id(others);
    partials_ = total_size(s.unreduced);
  }

  // The number of shards along each dimension.
  const Shape& counts() const { return counts_; }
  // The shape of a shard of a tensor of `shape`.
  Shape shard_shape(Shape shape) const {
    for (std::size_t d = 0; d < counts_.size(); ++d)
      shape[d] = (shape[d] + counts_[d] - 1) / counts_[d];
    return shape;
  }
  // The place of the shard of `device` along each dimension.
  Shape block(std::size_t device) const {
    Shape out;
    for (std::size_t d = 0; d < counts_.size(); ++d)
      out.push_back(blocks_.empty() ? 0 : blocks_[d][device]);
    return out;
  }

  // The place of the shard, and which summand it is.
  Shape place(std::size_t device) const {
    Shape out = block(device);
    out.push_back(partial_.empty() ? 0 : partial_[device]);
    return out;
  }

  // The shard of `device`. Padding has bytes `fill`.
  Tensor shard(const Tensor& tensor, std::size_t device, std::byte fill = {}) const {
    Shape shape = shard_shape(tensor.shape());
    const bool is_zero =
        reduction_ == ReductionOp::kSum && !partial_.empty() && partial_[device] != 0;
    if (is_zero) return Tensor(tensor.element(), std::move(shape));
    if (shape == tensor.shape()) return tensor;
    return cut_block(tensor, block(device), std::move(shape), fill);
  }

  // The first device whose shard is not that of the devices that should have the same one, or none.
  std::optional<std::size_t> different_copy(std::span<const Tensor> shards) const {
    if (partials_ > 1) return std::nullopt;
    std::map<Shape, std::size_t> first;
    for (std::size_t device = 0; device < shards.size(); ++device) {
      const Tensor& one = shards[device];
      const Tensor& other = shards[first.emplace(block(device), device).first->second];
      if (!std::equal(one.read(), one.read() + one.bytes(), other.read())) return device;
    }
    return std::nullopt;
  }

  // The tensor of `shape` whose shards the devices have. Where several have the same one, those are
  // taken that agree with `like` in the axes that the sharding does not use.
  Tensor whole(std::span<const Tensor> shards, const Shape& shape, std::size_t like = 0) const {
    if (copy_.empty() || shards.empty()) return shards[like];
    Tensor out;
    for (std::int64_t partial = 0; partial < partials_; ++partial) {
      Tensor sum(shards[like].element(), shape);
      for (std::size_t device = 0; device < shards.size(); ++device) {
        if (copy_[device] == copy_[like] && partial_[device] == partial)
          place_block(sum, shards[device], block(device));
      }
      out = partial == 0 ? std::move(sum) : reduced(out, sum, reduction_);
    }
    return out;
  }

 private:
  Shape counts_;
  std::vector<std::vector<std::int64_t>> blocks_;  // by dimension, by device
  std::vector<std::int64_t> partial_;              // by device: which summand
  std::vector<std::int64_t> copy_;                 // by device: which of the equal shards
  std::int64_t partials_ = 1;
  ReductionOp reduction_;
};

// The shard that `device` has of `tensor`. For all devices of a mesh, `Placement` does less work.
inline Tensor slice_tensor(const Tensor& tensor, const TensorSharding& sharding, const Mesh& mesh,
                           std::size_t device, std::byte fill = {}) {
  return Placement(sharding, mesh).shard(tensor, device, fill);
}
// The tensor of `shape` whose shards are `shards`, one per device by id.
inline Tensor assemble_tensor(std::span<const Tensor> shards, const TensorSharding& sharding,
                              const Mesh& mesh, const Shape& shape) {
  return Placement(sharding, mesh).whole(shards, shape);
}

}  // namespace shardprop
