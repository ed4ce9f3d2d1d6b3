// Sharding rules of operations that give the same elements another shape.
//
// Worked example, reshape of 4x12 to 4x2x3x2: both sides are read major to minor, and the largest
// size by which both can go on together becomes a common factor: 4 | 2 | 3 | 2, so `([i,
// jkl])->([i, j, k, l]) {i=4, j=2, k=3, l=2}`. Where no common size is left, as in 3x2 to 2x3, each
// side gets factors of its own until both have covered as many elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// The number of elements, or none where it is 0, unknown or beyond std::int64_t.
inline std::optional<std::int64_t> positive_element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) {
    if (size <= 0 || count > INT64_MAX / size) return std::nullopt;
    count *= size;
  }
  return count;
}

// How far the factors of one side of a reshape have come.
class ReshapeSide {
 public:
  explicit ReshapeSide(std::span<const std::int64_t> shape) : shape_(shape) { skip_covered(); }

  bool done() const { return dim_ == shape_.size(); }
  bool at_size_one() const { return !done() && shape_[dim_] == 1; }
  std::int64_t dim() const { return static_cast<std::int64_t>(dim_); }
  // The product of the factors so far.
  std::int64_t covered() const { return covered_; }
  // What the current dimension still lacks.
  std::int64_t rest() const { return rest_; }

  void pass_size_one() { next_dim(); }
  void cover(std::int64_t factor) {
    covered_ *= factor;
    rest_ /= factor;
    if (rest_ == 1) next_dim();
  }

 private:
  void next_dim() {
    ++dim_;
    skip_covered();
  }
  void skip_covered() { rest_ = done() ? 1 : shape_[dim_]; }

  std::span<const std::int64_t> shape_;
  std::size_t dim_ = 0;
  std::int64_t covered_ = 1;
  std::int64_t rest_ = 1;
};

// The next factor of the side that is behind: what brings it level with the other one, else what
// keeps the common divisor of the two rests for later, else all that its dimension lacks.
inline std::int64_t catch_up_factor(const ReshapeSide& behind, const ReshapeSide& ahead) {
  const std::int64_t gap =
      ahead.covered() % behind.covered() == 0 ? ahead.covered() / behind.covered() : 0;
  if (gap != 0 && behind.rest() % gap == 0) return gap;
  const std::int64_t common = std::gcd(behind.rest(), ahead.rest());
  return behind.rest() > common ? behind.rest() / common : behind.rest();
}

inline void add_reshape_factors(RuleBuilder& builder, ReshapeSide in, ReshapeSide out) {
  const auto add_in = [&](std::int64_t size) {
    builder.add({in.dim()}, {kNoDim}, size);
    in.cover(size);
  };
  const auto add_out = [&](std::int64_t size) {
    builder.add({kNoDim}, {out.dim()}, size);
    out.cover(size);
  };
  while (!in.done() || !out.done()) {
    if (in.at_size_one()) {
      builder.add({in.dim()}, {kNoDim}, 1);
      in.pass_size_one();
    } else if (out.at_size_one()) {
      builder.add({kNoDim}, {out.dim()}, 1);
      out.pass_size_one();
    } else if (in.covered() < out.covered()) {
      add_in(catch_up_factor(in, out));
    } else if (out.covered() < in.covered()) {
      add_out(catch_up_factor(out, in));
    } else if (const std::int64_t common = std::gcd(in.rest(), out.rest()); common > 1) {
      builder.add({in.dim()}, {out.dim()}, common);
      in.cover(common);
      out.cover(common);
    } else {
      add_in(in.rest());
      add_out(out.rest());
    }
  }
}

}  // namespace detail

// No rule where there are no elements.
inline std::optional<OpShardingRule> reshape_rule(const RuleInput& in) {
  const Module& m = in.m;
  if (!detail::has_static_tensors(m, in.op) || m.ops[in.op].operand_count != 1) return std::nullopt;
  const auto from = shape_of(m, operand(m, in.op, 0));
  const auto to = shape_of(m, result(m, in.op, 0));
  const auto count = detail::positive_element_count(from);
  if (!count || count != detail::positive_element_count(to)) return std::nullopt;
  RuleBuilder builder(m, in.op);
  detail::add_reshape_factors(builder, detail::ReshapeSide(from), detail::ReshapeSide(to));
  return std::move(builder).build();
}

inline std::optional<OpShardingRule> transpose_rule(const RuleInput& in) {
  const Module& m = in.m;
  if (!detail::has_static_tensors(m, in.op) || m.ops[in.op].operand_count != 1) return std::nullopt;
  const auto shape = shape_of(m, operand(m, in.op, 0));
  AttributeReader attributes(m, in.op, nullptr);
  const auto permutation = attributes.ints("permutation");
  if (!attributes.ok() || permutation.size() != shape.size() ||
      rank_of(m, result(m, in.op, 0)) != shape.size() ||
      !detail::are_distinct_dims(permutation, shape.size())) {
    return std::nullopt;
  }
  RuleBuilder builder(m, in.op);
  for (std::size_t out = 0; out < permutation.size(); ++out) {
    builder.add({permutation[out]}, {static_cast<std::int64_t>(out)},
                shape[static_cast<std::size_t>(permutation[out])]);
  }
  return std::move(builder).build();
}

// A dimension of size 1 that is expanded in place is sharded on neither side with the other.
inline std::optional<OpShardingRule> broadcast_in_dim_rule(const RuleInput& in) {
  const Module& m = in.m;
  if (!detail::has_static_tensors(m, in.op) || m.ops[in.op].operand_count != 1) return std::nullopt;
  const auto from = shape_of(m, operand(m, in.op, 0));
  const auto to = shape_of(m, result(m, in.op, 0));
  AttributeReader attributes(m, in.op, nullptr);
  const auto mapped = attributes.ints("broadcast_dimensions");
  if (!attributes.ok() || mapped.size() != from.size() ||
      !detail::are_distinct_dims(mapped, to.size())) {
    return std::nullopt;
  }
  std::vector<std::int64_t> source(to.size(), kNoDim);  // of each result dimension
  for (std::size_t d = 0; d < mapped.size(); ++d) {
    source[static_cast<std::size_t>(mapped[d])] = static_cast<std::int64_t>(d);
    if (from[d] != 1 && from[d] != to[static_cast<std::size_t>(mapped[d])]) return std::nullopt;
  }
  RuleBuilder builder(m, in.op);
  for (std::size_t out = 0; out < to.size(); ++out) {
    std::int64_t dim = source[out];
    if (dim != kNoDim && to[out] != 1 && from[static_cast<std::size_t>(dim)] == 1) {
      builder.add({dim}, {kNoDim}, 1);
      dim = kNoDim;
    }
    builder.add({dim}, {static_cast<std::int64_t>(out)}, to[out]);
  }
  return std::move(builder).build();
}

// The dimension that a wider element type takes in, or a narrower one gives out, must be whole on
// each device.
inline std::optional<OpShardingRule> bitcast_convert_rule(const RuleInput& in) {
  const Module& m = in.m;
  if (!detail::has_static_tensors(m, in.op) || m.ops[in.op].operand_count != 1) return std::nullopt;
  const auto from = shape_of(m, operand(m, in.op, 0));
  const auto to = shape_of(m, result(m, in.op, 0));
  const auto shared = from.size() < to.size() ? from : to;
  if (from.size() > shared.size() + 1 || to.size() > shared.size() + 1) return std::nullopt;
  const auto last = static_cast<std::int64_t>(shared.size());
  RuleBuilder builder(m, in.op);
  for (std::int64_t dim = 0; dim < last; ++dim)
    builder.add({dim}, {dim}, shared[static_cast<std::size_t>(dim)]);
  const FactorOptions whole{FactorKind::kNeedReplication, false};
  if (to.size() > from.size()) builder.add({kNoDim}, {last}, to.back(), whole);
  if (from.size() > to.size()) builder.add({last}, {kNoDim}, from.back(), whole);
  return std::move(builder).build();
}

}  // namespace shardprop
