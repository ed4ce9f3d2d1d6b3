// Sharding rules of gather and scatter, which are alike: slices of an input are read from, or
// written to, places that an index tensor names. The slices' dimensions are window dimensions (of
// the input) or batch dimensions (of the indices).
//
// Worked example, gather of whole rows, 7x4 by indices 3x1 to 3x4 (offset_dims = [1],
// collapsed_slice_dims = [0], index_vector_dim = 1): the row length is a factor of input and
// slices, the batch one of indices and slices; the rows that are chosen from, 7, are a reduction
// (each device has some of the rows, the others give zero), and the index vector must be whole:
// `([k, j], [i, l])->([i, j]) {i=3, j=4, k=7, l=1} reduction={k} need_replication={l}`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/reducing_body.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/gather_scatter_dims.hpp"

namespace shardprop {

namespace detail {

// The kinds of factors in which gather and scatter differ.
struct WindowKinds {
  bool scatter = false;
  FactorKind batch = FactorKind::kPassThrough;  // of a batch dimension that the input lacks
};

// Adds a factor to the tensors of one gather or scatter.
class WindowFactors {
 public:
  // `inputs` operands, then the indices, then as many updates for a scatter.
  WindowFactors(const Module& m, OpId op, std::size_t inputs, bool scatter)
      : builder_(m, op), inputs_(inputs), scatter_(scatter) {}

  void add(std::int64_t input, std::int64_t indices, std::int64_t slices, std::int64_t size,
           FactorOptions options = {}) {
    std::vector<std::int64_t> operands(inputs_, input);
    operands.push_back(indices);
    if (scatter_) operands.resize(operands.size() + inputs_, slices);
    builder_.add(operands, std::vector<std::int64_t>(inputs_, scatter_ ? input : slices), size,
                 options);
  }
  OpShardingRule build() && { return std::move(builder_).build(); }

 private:
  RuleBuilder builder_;
  std::size_t inputs_;
  bool scatter_;
};

// Whether the dimension numbers can be followed without leaving the shapes.
inline bool can_map_windows(const WindowDims& dims, const WindowShapes& shapes) {
  const auto absent = joined(dims.dropped, dims.input_batch);
  const std::size_t indices_rank = shapes.indices.size();
  if (dims.index_vector_dim < 0 || dims.index_vector_dim > static_cast<std::int64_t>(indices_rank))
    return false;
  return are_distinct_dims(absent, shapes.input.size()) &&
         are_distinct_dims(dims.window, shapes.slices.size()) &&
         dims.window.size() + absent.size() == shapes.input.size() &&
         dims.window.size() + batch_rank(dims, indices_rank) == shapes.slices.size() &&
         dims.input_batch.size() == dims.indices_batch.size() &&
         are_distinct_dims(dims.indices_batch, indices_rank);
}

// A window dimension that is only in part covered by the slices (`covered` of `size`).
inline void add_partial_window(WindowFactors& factors, const WindowKinds& kinds, std::int64_t input,
                               std::int64_t size, std::int64_t slices, std::int64_t covered) {
  const FactorOptions whole{FactorKind::kNeedReplication, false};
  if (!kinds.scatter && covered != 1) {
    factors.add(input, kNoDim, slices, size, {FactorKind::kNeedReplication, true});
    return;
  }
  factors.add(input, kNoDim, kNoDim, size,
              kinds.scatter ? whole : FactorOptions{FactorKind::kReduction, false});
  factors.add(kNoDim, kNoDim, slices, covered, whole);
}

inline void add_slices_factors(WindowFactors& factors, const WindowDims& dims,
                               const WindowShapes& shapes, const WindowKinds& kinds) {
  std::int64_t input = 0;
  std::int64_t batch = 0;
  for (std::size_t d = 0; d < shapes.slices.size(); ++d) {
    const auto slices = static_cast<std::int64_t>(d);
    if (contains(dims.window, slices)) {
      while (contains(dims.dropped, input) || contains(dims.input_batch, input)) ++input;
      const std::int64_t size = shapes.input[static_cast<std::size_t>(input)];
      if (size == shapes.slices[d]) {
        factors.add(input, kNoDim, slices, size);
      } else {
        add_partial_window(factors, kinds, input, size, slices, shapes.slices[d]);
      }
      ++input;
      continue;
    }
    const std::int64_t indices = batch < dims.index_vector_dim ? batch : batch + 1;
    ++batch;
    std::int64_t input_batch = kNoDim;
    for (std::size_t i = 0; i < dims.indices_batch.size(); ++i) {
      if (dims.indices_batch[i] == indices) input_batch = dims.input_batch[i];
    }
    factors.add(input_batch, indices, slices, shapes.slices[d],
                {input_batch == kNoDim ? kinds.batch : FactorKind::kPassThrough, false});
  }
}

inline OpShardingRule window_rule(WindowFactors factors, const WindowDims& dims,
                                  const WindowShapes& shapes, const WindowKinds& kinds) {
  add_slices_factors(factors, dims, shapes, kinds);
  for (std::int64_t dim : dims.dropped) {
    const std::int64_t size = shapes.input[static_cast<std::size_t>(dim)];
    FactorKind kind = size == 1 ? FactorKind::kNeedReplication : FactorKind::kReduction;
    if (kinds.scatter) kind = FactorKind::kPassThrough;
    factors.add(dim, kNoDim, kNoDim, size, {kind, false});
  }
  if (dims.index_vector_dim < static_cast<std::int64_t>(shapes.indices.size())) {
    factors.add(kNoDim, dims.index_vector_dim, kNoDim,
                shapes.indices[static_cast<std::size_t>(dims.index_vector_dim)],
                {FactorKind::kNeedReplication, false});
  }
  return std::move(factors).build();
}

}  // namespace detail

inline std::optional<OpShardingRule> gather_rule(const RuleInput& in) {
  const Module& m = in.m;
  if (!detail::has_static_tensors(m, in.op) || m.ops[in.op].operand_count != 2 ||
      m.ops[in.op].result_count != 1) {
    return std::nullopt;
  }
  AttributeReader attributes(m, in.op, nullptr);
  bool ok = false;
  const detail::WindowDims dims = detail::read_window_dims(attributes, detail::kGatherNames, ok);
  const detail::WindowShapes shapes{shape_of(m, operand(m, in.op, 0)),
                                    shape_of(m, operand(m, in.op, 1)),
                                    shape_of(m, result(m, in.op, 0))};
  if (!ok || !detail::can_map_windows(dims, shapes)) return std::nullopt;
  return detail::window_rule(detail::WindowFactors(m, in.op, 1, false), dims, shapes, {});
}

inline std::optional<OpShardingRule> scatter_rule(const RuleInput& in) {
  const Module& m = in.m;
  const std::size_t inputs = m.ops[in.op].operand_count / 2;
  if (!detail::has_static_tensors(m, in.op) || inputs == 0 ||
      m.ops[in.op].operand_count != 2 * inputs + 1 || m.ops[in.op].result_count != inputs) {
    return std::nullopt;
  }
  AttributeReader attributes(m, in.op, nullptr);
  bool ok = false;
  const detail::WindowDims dims = detail::read_window_dims(attributes, detail::kScatterNames, ok);
  const detail::WindowShapes shapes{shape_of(m, operand(m, in.op, 0)),
                                    shape_of(m, operand(m, in.op, inputs)),
                                    shape_of(m, operand(m, in.op, inputs + 1))};
  if (!ok || !detail::can_map_windows(dims, shapes)) return std::nullopt;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (rank_of(m, operand(m, in.op, i)) != shapes.input.size() ||
        rank_of(m, result(m, in.op, i)) != shapes.input.size() ||
        rank_of(m, operand(m, in.op, inputs + 1 + i)) != shapes.slices.size()) {
      return std::nullopt;
    }
  }
  const FactorKind batch =
      combines_by_reduction(m, in.op) ? FactorKind::kReduction : FactorKind::kNeedReplication;
  return detail::window_rule(detail::WindowFactors(m, in.op, inputs, true), dims, shapes,
                             {true, batch});
}

}  // namespace shardprop
