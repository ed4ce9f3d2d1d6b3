// `convert-global-to-local` of gather and scatter along split dimensions of the input.
//
// Where a slice has one element of a split dimension, each device looks up what lies in its part: the
// place where the part begins is subtracted from the indices. What a gather finds outside is replaced by
// zero, and the all-reduce that follows adds up the parts. A scatter drops updates outside by its own
// semantics; where updates are split as well, all devices of a group but the first begin with the
// identity of the reduction instead of the input, for the all-reduce that follows.
//
// Worked example, gather of rows of f32[8,4] split over two devices, indices [1, 6]: on device 1 they
// become [-3, 2], of which only the second lies in its part; the mask is [false, true].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/reducing_body.hpp"
#include "shardprop/ops/stablehlo/gather_scatter_dims.hpp"
#include "shardprop/passes/common/identity.hpp"
#include "shardprop/passes/partition/local_collectives.hpp"
#include "shardprop/passes/partition/local_program.hpp"
#include "shardprop/passes/partition/local_reduction.hpp"

namespace shardprop::detail {

inline bool has(std::span<const std::int64_t> dims, std::size_t dim) {
  return std::ranges::find(dims, static_cast<std::int64_t>(dim)) != dims.end();
}

// A gather or a scatter with its dimension numbers, as copies: attributes are made on the way.
struct IndexedOp {
  ValueId input;
  ValueId indices;
  Shape window;
  Shape dropped;
  Shape input_batch;
  Shape index_map;
  std::size_t vector_dim = 0;
  Shape global;                    // the input's
  std::vector<std::size_t> split;  // dimensions of the input of which a device looks in its part
};

inline IndexedOp read_indexed(const LocalProgram& p, OpId op, const WindowNames& names,
                              std::size_t inputs) {
  AttributeReader reader(p.m, op, nullptr);
  bool ok = false;
  const WindowDims dims = read_window_dims(reader, names, ok);
  const auto copy = [](Dims d) { return Shape(d.begin(), d.end()); };
  return {operand(p.m, op, 0),
          operand(p.m, op, inputs),
          copy(dims.window),
          copy(dims.dropped),
          copy(dims.input_batch),
          copy(dims.index_map),
          static_cast<std::size_t>(dims.index_vector_dim),
          p.global_shape(operand(p.m, op, 0)),
          {}};
}

class LocalIndices {
 public:
  LocalIndices(LocalProgram& p, const IndexedOp& op)
      : p_(p), op_(op), type_(type_of(p.m, op.indices)), scalar_(p.type_as(op.indices, {})) {}

  bool looks_by_index() const {
    return std::ranges::any_of(op_.split, [&](std::size_t d) { return has(op_.index_map, d); });
  }

  // The indices, each moved into the input: how a gather reads them.
  ValueId clamped() {
    Shape zeros(op_.index_map.size(), 0);
    Shape largest;
    for (std::int64_t d : op_.index_map)
      largest.push_back(op_.global[static_cast<std::size_t>(d)] - 1);
    const ValueId low = per_index({zeros.data(), 1});
    return p_.make(known::kClamp, {low, op_.indices, per_index(largest)}, type_);
  }

  // Bounds of the indices that lie in the part of this device.
  void make_bounds(bool with_upper) {
    std::vector<ValueId> lower;
    std::vector<ValueId> upper;
    for (std::int64_t dim : op_.index_map) {
      const auto d = static_cast<std::size_t>(dim);
      const bool is_split = std::ranges::find(op_.split, d) != op_.split.end();
      lower.push_back(is_split ? begin(d) : number(0));
      if (!with_upper) continue;
      if (!is_split) {
        upper.push_back(number(op_.global[d] - 1));
        continue;
      }
      const ValueId size = number(shape_of(p_.m, op_.input)[d] - 1);
      upper.push_back(p_.make(known::kAdd, {lower.back(), size}, scalar_));
    }
    lower_ = spread(lower);
    if (with_upper) upper_ = spread(upper);
  }

  ValueId moved(ValueId indices) { return p_.make("stablehlo.subtract", {indices, lower_}, type_); }
  // Which of the indices lie within the bounds.
  ValueId inside(ValueId indices) {
    const ValueId above = p_.compare(indices, lower_, "GE");
    const ValueId below = p_.compare(indices, upper_, "LE");
    return p_.make("stablehlo.and", {above, below}, type_of(p_.m, above));
  }

  // Whether the part of this device begins at 0 along the dimensions that no index names; none if there
  // are no such ones.
  std::optional<ValueId> at_begin() {
    std::optional<ValueId> mask;
    for (std::size_t d : op_.split) {
      if (has(op_.index_map, d)) continue;
      const ValueId offset =
          p_.offset(p_.mesh(op_.input), p_.axes(op_.input, d), shape_of(p_.m, op_.input)[d]);
      const ValueId zero = p_.index(0);
      const ValueId here = p_.compare(offset, zero, "EQ");
      mask = mask ? p_.make("stablehlo.and", {*mask, here}, type_of(p_.m, here)) : here;
    }
    return mask;
  }

 private:
  ValueId number(std::int64_t value) { return p_.constant(scalar_, p_.m.attrs.integer(value)); }
  // A tensor like the indices that has number i of `values` for element i of each index vector.
  ValueId per_index(std::span<const std::int64_t> values) {
    const auto vector_dim = static_cast<std::int64_t>(op_.vector_dim);
    if (op_.vector_dim >= p_.m.types.rank(type_) || values.size() <= 1)
      return p_.constant(type_, p_.m.attrs.integer(values[0]));
    const auto count = static_cast<std::int64_t>(values.size());
    const bool equal = std::ranges::all_of(values, [&](auto v) { return v == values[0]; });
    const ValueId list = p_.constant(p_.type_as(op_.indices, {&count, 1}),
                                     equal ? p_.m.attrs.integer(values[0]) : p_.ints(values));
    return p_.broadcast(list, type_, {&vector_dim, 1});
  }
  ValueId begin(std::size_t d) {
    const ValueId offset =
        p_.offset(p_.mesh(op_.input), p_.axes(op_.input, d), shape_of(p_.m, op_.input)[d]);
    return p_.make(known::kConvert, {offset}, scalar_);
  }
  // The same for scalars that are computed.
  ValueId spread(const std::vector<ValueId>& values) {
    const auto vector_dim = static_cast<std::int64_t>(op_.vector_dim);
    if (op_.vector_dim >= p_.m.types.rank(type_) || p_.m.types.shape(type_)[op_.vector_dim] == 1)
      return p_.broadcast(values[0], type_);
    const std::int64_t one = 1;
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<ValueId> lists;
    for (ValueId value : values) lists.push_back(p_.reshape(value, {&one, 1}));
    const TypeId type = p_.type_as(op_.indices, {&count, 1});
    const OpId joined = p_.make_op(known::kConcatenate, lists, {&type, 1},
                                   p_.dict({{"dimension", p_.m.attrs.integer(0)}}));
    return p_.broadcast(result(p_.m, joined, 0), type_, {&vector_dim, 1});
  }

  LocalProgram& p_;
  const IndexedOp& op_;
  TypeId type_;
  TypeId scalar_;
  ValueId lower_;
  ValueId upper_;
};

// Writes a flag of `op` out where it was left to its default.
inline void write_flag(LocalProgram& p, OpId op, std::string_view name) {
  if (!attribute(p.m, op, name).valid()) set_attribute(p.m, op, name, p.m.attrs.boolean(false));
}

// Gives the slices of a gather the sizes that they have on each device.
inline bool localize_slice_sizes(LocalProgram& p, OpId op, const IndexedOp& gather) {
  AttributeReader reader(p.m, op, nullptr);
  const auto sizes_view = reader.ints_or_empty("slice_sizes");
  Shape sizes(sizes_view.begin(), sizes_view.end());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1 || has(gather.input_batch, d) || p.shards(gather.input, d) == 1) continue;
    if (sizes[d] != gather.global[d]) {
      p.fail(op, "convert_global_to_local.moves_data",
             fmt::format("the slices of a gather have a part of dimension {}, which is split", d),
             "run insert-explicit-reshards{enable-full-version=true} before");
      return false;
    }
    sizes[d] = shape_of(p.m, gather.input)[d];
  }
  set_attribute(p.m, op, "slice_sizes", p.ints(sizes));
  return true;
}

// The mask of indices as one of the result of a gather.
inline ValueId mask_of_result(LocalProgram& p, OpId op, const IndexedOp& gather, ValueId mask) {
  Module& m = p.m;
  const Shape shape = p.local_shape(mask);
  if (!shape.empty() && gather.vector_dim < shape.size()) {
    Shape reduced = shape;
    reduced.erase(reduced.begin() + static_cast<std::ptrdiff_t>(gather.vector_dim));
    const ValueId yes = p.constant(p.type("i1"), m.attrs.boolean(true));
    const auto dim = static_cast<std::int64_t>(gather.vector_dim);
    const ValueId all = p.make(known::kReduce, {mask, yes}, p.type("i1", reduced),
                               p.dict({{"dimensions", p.ints({&dim, 1})}}));
    add_reducer(p, defining_op(m, all), mask, "stablehlo.and");
    mask = all;
  }
  const Shape out = p.local_shape(result(m, op, 0));
  Shape batch;
  for (std::size_t d = 0; d < out.size() && rank_of(m, mask) > 0; ++d) {
    if (!has(gather.window, d)) batch.push_back(static_cast<std::int64_t>(d));
  }
  return p.broadcast(mask, p.type("i1", out), batch);
}

inline void localize_gather(LocalProgram& p, OpId op) {
  Module& m = p.m;
  IndexedOp gather = read_indexed(p, op, kGatherNames, 1);
  if (!p.is_split(gather.input)) return;
  const Shape sizes = [&] {
    AttributeReader reader(m, op, nullptr);
    const auto view = reader.ints_or_empty("slice_sizes");
    return Shape(view.begin(), view.end());
  }();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1 && p.shards(gather.input, d) > 1 && !has(gather.input_batch, d))
      gather.split.push_back(d);
  }
  write_flag(p, op, "indices_are_sorted");
  if (!localize_slice_sizes(p, op, gather) || gather.split.empty()) return;
  LocalIndices local(p, gather);
  ValueId indices = gather.indices;
  std::optional<ValueId> mask;
  if (local.looks_by_index()) {
    const ValueId clamped = local.clamped();
    local.make_bounds(true);
    indices = local.moved(clamped);
    mask = local.inside(clamped);
  }
  if (const auto begin = local.at_begin()) {
    mask = mask ? p.make("stablehlo.and", {*mask, p.broadcast(*begin, type_of(m, *mask))},
                         type_of(m, *mask))
                : *begin;
  }
  const ValueId out = result(m, op, 0);
  const TypeId type = type_of(m, out);
  const ValueId found = p.make(known::kGather, {gather.input, indices}, type, m.ops[op].attributes);
  m.value_shardings[found] = m.value_shardings[out];
  const ValueId selected = mask_of_result(p, op, gather, *mask);
  const ValueId zero = p.constant(type, zero_of(m, type));
  p.replace(p.make(known::kSelect, {selected, found, zero}, type));
}

// The axes along which the updates of a scatter are split and its input is not: each device has some
// of the updates of the same elements.
inline AxisList update_axes(const LocalProgram& p, const IndexedOp& scatter, ValueId updates) {
  AxisList out;
  for (std::size_t d = 0; d < rank_of(p.m, updates); ++d) {
    if (has(scatter.window, d)) continue;
    for (AxisRef axis : p.axes(updates, d)) {
      bool splits_input = false;
      for (std::size_t i = 0; i < scatter.global.size(); ++i) {
        const AxisSpan axes = p.axes(scatter.input, i);
        splits_input = splits_input || std::ranges::find(axes, axis) != axes.end();
      }
      if (!splits_input) out.push_back(axis);
    }
  }
  return out;
}

// The operation by which a scatter combines elements with updates; empty where it does not reduce.
inline std::string_view scatter_reducer(const Module& m, OpId op) {
  if (!combines_by_reduction(m, op)) return {};
  const OpId last = terminator(m, m.ops[op].first_block);
  return op_name(m, defining_op(m, operand(m, last, 0)));
}

// Lets only the first device of each group along `axes` begin with the inputs of the scatter.
inline bool start_from_identity(LocalProgram& p, OpId op, const Mesh& mesh, AxisSpan axes,
                                std::size_t inputs) {
  Module& m = p.m;
  const TypeId type = type_of(m, operand(m, op, 0));
  const AttrId identity = identity_of(m, scatter_reducer(m, op), type);
  if (!identity.valid()) {
    p.fail(op, "convert_global_to_local.scatter_reduction",
           "the updates of a scatter are split, and its computation is not a reduction",
           "replicate the updates");
    return false;
  }
  const ValueId value = p.constant(p.type_as(operand(m, op, 0), {}), identity);
  const ValueId leads = p.leads_group(mesh, axes);
  const Shape shape = p.local_shape(operand(m, op, 0));
  const std::int64_t zero = 0;
  const ValueId lead = p.broadcast(leads, p.type("i1", shape), {&zero, 1});
  const ValueId start = p.broadcast(value, type);
  for (std::size_t i = 0; i < inputs; ++i) {
    const ValueId input = operand(m, op, i);
    set_operand(m, op, i, p.make(known::kSelect, {lead, input, start}, type_of(m, input)));
  }
  return true;
}

inline void localize_scatter(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const std::size_t inputs = m.ops[op].operand_count / 2;
  IndexedOp scatter = read_indexed(p, op, kScatterNames, inputs);
  const ValueId updates = operand(m, op, inputs + 1);
  if (!p.is_split(scatter.input) && !p.is_split(updates)) return;
  const AxisList axes = update_axes(p, scatter, updates);
  for (std::size_t d = 0; d < scatter.global.size(); ++d) {
    if (p.axes(scatter.input, d).empty()) continue;
    if (has(scatter.index_map, d)) {
      scatter.split.push_back(d);
    } else if (has(scatter.dropped, d)) {
      return p.fail(op, "convert_global_to_local.moves_data",
                    fmt::format("a scatter writes one element of dimension {}, which is split, and "
                                "no index names it",
                                d),
                    "replicate that dimension");
    }
  }
  if (axes.empty() && scatter.split.empty()) return;
  write_flag(p, op, "indices_are_sorted");
  write_flag(p, op, "unique_indices");
  if (!axes.empty()) {
    const Mesh& mesh = p.mesh(p.sharding(scatter.input) ? scatter.input : updates);
    if (!start_from_identity(p, op, mesh, axes, inputs)) return;
  }
  if (scatter.split.empty()) return;
  LocalIndices local(p, scatter);
  local.make_bounds(false);
  set_operand(m, op, inputs, local.moved(scatter.indices));
}

inline constexpr LocalRow kLocalGatherScatter[] = {
    {"stablehlo.gather", localize_gather},
    {"stablehlo.scatter", localize_scatter},
};

}  // namespace shardprop::detail
