// The projection of an operation's dimension shardings to its factors, and back.
//
// Worked example: rule `([ij])->([i, j]) {i=2, j=4}` on the mesh x=4, y=2. An operand sharded [{x,
// y}] gives factor i of size 2 the axis x:(1)2, which fills it, and the rest, x:(2)2 and y, to
// factor j. Propagation gives the result the same factor shardings; projected back it is sharded
// [{x:(1)2}, {x:(2)2, y}].
//
// A factor that is not the minor-most of its dimension takes only axes that divide it. The axes
// from the first one that does not are its overflow: it is kept so that the projection back
// restores it, and is never propagated.
//
// A projection is scratch that is used again: to fill it allocates nothing once it has held its
// largest rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

// How one tensor shards one factor.
struct FactorSharding {
  AxisList axes;
  AxisList overflow;
  bool mapped = false;  // whether the tensor has the factor; if not, the rest means nothing
  bool closed = false;
  bool minor_most = false;
};

class Projection {
 public:
  void reset(const OpShardingRule& rule) {
    factors_ = rule.factors.size();
    tensors_ = rule.tensor_count();
    if (cells_.size() < factors_ * tensors_) cells_.resize(factors_ * tensors_);
    for (std::size_t i = 0; i < factors_ * tensors_; ++i) {
      FactorSharding& cell = cells_[i];
      cell.axes.clear();
      cell.overflow.clear();
      cell.mapped = cell.closed = cell.minor_most = false;
    }
    shardings_.assign(tensors_, nullptr);
  }

  std::size_t tensor_count() const { return tensors_; }
  std::size_t factor_count() const { return factors_; }
  FactorSharding& at(std::size_t tensor, std::size_t factor) {
    return cells_[tensor * factors_ + factor];
  }
  const FactorSharding& at(std::size_t tensor, std::size_t factor) const {
    return cells_[tensor * factors_ + factor];
  }
  std::span<const FactorSharding> tensor(std::size_t tensor) const {
    return std::span(cells_).subspan(tensor * factors_, factors_);
  }

  // The sharding that a tensor came from; null if it has none.
  const TensorSharding* sharding(std::size_t tensor) const { return shardings_[tensor]; }
  void set_sharding(std::size_t tensor, const TensorSharding* s) { shardings_[tensor] = s; }
  AxisSpan replicated(std::size_t tensor) const {
    return shardings_[tensor] ? AxisSpan(shardings_[tensor]->replicated) : AxisSpan();
  }
  AxisSpan unreduced(std::size_t tensor) const {
    return shardings_[tensor] ? AxisSpan(shardings_[tensor]->unreduced) : AxisSpan();
  }

 private:
  std::size_t factors_ = 0;
  std::size_t tensors_ = 0;
  std::vector<FactorSharding> cells_;  // tensor-major
  std::vector<const TensorSharding*> shardings_;
};

namespace detail {

// The axes of a dimension that no factor has yet; the major part of the first may be taken already.
class RemainingAxes {
 public:
  explicit RemainingAxes(AxisSpan axes) : axes_(axes) {
    if (!axes_.empty()) first_ = axes_[0];
  }
  bool empty() const { return next_ == axes_.size(); }
  AxisRef first() const { return first_; }

  void drop_first() {
    if (++next_ < axes_.size()) first_ = axes_[next_];
  }
  // Removes the major part of the given size from the first axis and returns it.
  AxisRef split_first(std::int64_t size) {
    const AxisRef major = sub_axis(first_.axis, first_.pre_size, size);
    first_ = sub_axis(first_.axis, major.next_pre_size(), first_.size / size);
    return major;
  }
  void move_all_to(AxisList& list, const Mesh& mesh) {
    for (; !empty(); drop_first()) append_or_merge(list, first_, mesh);
  }

 private:
  AxisSpan axes_;
  std::size_t next_ = 0;
  AxisRef first_;
};

// Fills a factor that is not minor-most with the leading axes that divide it. Whether the rest
// overflows.
inline bool fill_major_factor(FactorSharding& cell, std::int64_t factor_size, RemainingAxes& rest,
                              const Mesh& mesh) {
  std::int64_t left = factor_size;
  while (!rest.empty()) {
    const std::int64_t size = rest.first().size;
    const std::int64_t shared = std::gcd(left, size);
    if (size != 1 && shared <= 1) break;
    if (size > shared) {
      cell.axes.push_back(rest.split_first(shared));
      left /= shared;
    } else {
      cell.axes.push_back(rest.first());
      left /= size;
      rest.drop_first();
    }
  }
  if (left <= 1 || rest.empty()) return false;
  rest.move_all_to(cell.overflow, mesh);
  return true;
}

}  // namespace detail

// Fills row `tensor` of `projection`. `sharding` may be null: then all dimensions are open, or with
// `closed_if_missing` closed.
inline void project_tensor(const OpShardingRule& rule, std::size_t tensor,
                           const TensorSharding* sharding, const Mesh& mesh, Projection& projection,
                           bool closed_if_missing = false) {
  projection.set_sharding(tensor, sharding);
  const TensorMapping& mapping = rule.tensor(tensor);
  for (std::size_t dim = 0; dim < mapping.size(); ++dim) {
    detail::RemainingAxes rest(sharding ? AxisSpan(sharding->dims[dim].axes) : AxisSpan());
    const bool closed = sharding ? !sharding->dims[dim].open : closed_if_missing;
    bool overflowed = false;
    for (std::uint32_t factor : mapping[dim]) {
      FactorSharding& cell = projection.at(tensor, factor);
      cell.mapped = true;
      cell.minor_most = factor == mapping[dim].back();
      cell.closed = closed || overflowed;
      if (overflowed) break;
      if (cell.minor_most) {
        rest.move_all_to(cell.axes, mesh);
      } else {
        overflowed = detail::fill_major_factor(cell, rule.factors[factor].size, rest, mesh);
      }
    }
  }
}

namespace detail {

// Appends the axes of one factor to a dimension, merged at the seam only. Returns the product of
// their sizes.
inline std::int64_t append_factor_axes(AxisList& dim, AxisSpan axes, const Mesh& mesh) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i == 0) {
      append_or_merge(dim, axes[i], mesh);
    } else {
      dim.push_back(axes[i]);
    }
  }
  return total_size(axes);
}

}  // namespace detail

// Projects row `tensor` back to a sharding of its dimensions, in `out`. A factor that is not full
// ends its dimension: axes after it would need a strided view.
inline void unproject_tensor(const OpShardingRule& rule, std::size_t tensor,
                             const Projection& projection, MeshId mesh_id, const Mesh& mesh,
                             TensorSharding& out) {
  const TensorMapping& mapping = rule.tensor(tensor);
  out.mesh = mesh_id;
  out.dims.resize(mapping.size());
  for (std::size_t dim = 0; dim < mapping.size(); ++dim) {
    DimSharding& d = out.dims[dim];
    d.axes.clear();
    d.open = true;
    d.priority = kNoPriority;
    for (std::uint32_t factor : mapping[dim]) {
      const FactorSharding& cell = projection.at(tensor, factor);
      if (cell.closed) d.open = false;
      const std::int64_t sharded = detail::append_factor_axes(d.axes, cell.axes, mesh);
      if (!cell.overflow.empty()) {
        detail::append_factor_axes(d.axes, cell.overflow, mesh);
        break;
      }
      if (sharded < rule.factors[factor].size) break;
    }
  }
  const TensorSharding* from = projection.sharding(tensor);
  out.replicated = from ? from->replicated : AxisList();
  out.unreduced = from ? from->unreduced : AxisList();
  out.reduction = from ? from->reduction : ReductionOp::kSum;
}

}  // namespace shardprop
