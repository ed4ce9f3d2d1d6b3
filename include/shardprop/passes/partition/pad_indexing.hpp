// What `pad-for-divisibility` does to operations that find elements by an index. An index that is
// out of range is brought into range, or its update is dropped: both by the size of the operand
// without its padding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/passes/common/identity.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/padded_program.hpp"

namespace shardprop::detail {

inline void pad_dynamic_slice(PaddedProgram& p, OpId op) {
  set_attribute(p.m, op, "slice_sizes", p.m.attrs.ints(p.shape(result(p.m, op, 0))));
}

// A start that is a constant in range stays.
inline void pad_dynamic_update_slice(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const Shape before = p.original_shape(value);
  const Shape now = p.shape(value);
  const Shape update = p.original_shape(operand(m, op, 1));
  for (std::size_t d = 0; d < before.size() && d + 2 < m.ops[op].operand_count; ++d) {
    if (before[d] == now[d] || update[d] == before[d]) continue;
    const ValueId start = operand(m, op, d + 2);
    const OpId maker = defining_op(m, start);
    const AttrId known = maker.valid() ? m.attrs.plain(attribute(m, maker, key::kValue)) : AttrId();
    const std::int64_t limit = before[d] - update[d];
    if (m.attrs.kind(known) == AttrKind::kInt && m.attrs.as_int(known) <= limit) continue;
    const OpMaker make = p.before_op(op);
    const ValueId most = make.constant(type_of(m, start), m.attrs.integer(limit));
    set_operand(m, op, d + 2, make.binary(known::kMinimum, start, most));
  }
}

// The dimension numbers of a gather or a scatter that say what its indices mean.
struct IndexDims {
  Shape map;               // the operand's dimension of each component of an index
  Shape batching;          // of the indices: those that go together with dimensions of the operand
  std::size_t vector = 0;  // the indices' dimension of the components, or their rank
};

inline IndexDims index_dims(const Module& m, OpId op, std::string_view numbers,
                            std::string_view map, std::string_view batching) {
  AttributeReader reader(m, op, nullptr);
  AttributeReader dict = reader.dict(numbers);
  const auto copy = [&](std::string_view key) {
    const auto dims = dict.ints_or_empty(key);
    return Shape(dims.begin(), dims.end());
  };
  return {copy(map), copy(batching),
          static_cast<std::size_t>(dict.integer_or("index_vector_dim", 0))};
}

// Slices that had all of a dimension have all of it still; others begin where they did.
inline void pad_gather(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const Shape before = p.original_shape(value);
  const Shape now = p.shape(value);
  Shape sizes = ints_in(m, op, "slice_sizes");
  const IndexDims index =
      index_dims(m, op, "dimension_numbers", "start_index_map", "start_indices_batching_dims");
  Shape limits;
  bool any = false;
  for (std::int64_t dim : index.map) {
    const auto d = static_cast<std::size_t>(dim);
    limits.push_back(before[d] - sizes[d]);
    any = any || (before[d] != now[d] && sizes[d] != before[d]);
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == before[d] && before[d] != now[d]) sizes[d] = now[d];
  }
  set_attribute(m, op, "slice_sizes", m.attrs.ints(sizes));
  if (!any) return;
  const ValueId indices = operand(m, op, 1);
  const TypeId type = type_of(m, indices);
  const OpMaker make = p.before_op(op, p.sharding_id(indices));
  const bool is_vector = index.vector < rank_of(m, indices);
  const Shape count = {static_cast<std::int64_t>(limits.size())};
  const ValueId limit = is_vector
                            ? make.constant(with_shape(m, type, count), m.attrs.ints(limits))
                            : make.constant(with_shape(m, type, {}), m.attrs.integer(limits[0]));
  const Shape dims = is_vector ? Shape{static_cast<std::int64_t>(index.vector)} : Shape{};
  const ValueId everywhere = make.make(known::kBroadcastInDim, {limit}, type,
                                       make.dict({{"broadcast_dimensions", make.ints(dims)}}));
  const ValueId clamped = make.binary(known::kMinimum, indices, everywhere);
  p.note_padded(clamped, indices);
  set_operand(m, op, 1, clamped);
}

// Updates in the padding get an index that is out of range, so that they are dropped.
inline void pad_scatter(PaddedProgram& p, OpId op) {
  Module& m = p.m;
  const std::size_t number = m.ops[op].operand_count / 2;
  const ValueId indices = operand(m, op, number);
  const IndexDims index =
      index_dims(m, op, "scatter_dimension_numbers", "scatter_dims_to_operand_dims",
                 "scatter_indices_batching_dims");
  Shape dims;
  for (std::int64_t dim : all_dims(p.shape(indices))) {
    if (std::ranges::find(index.batching, dim) == index.batching.end()) dims.push_back(dim);
  }
  if (!grew_along(p, indices, dims)) return;
  const std::string_view dtype = m.strings[m.types.dtype(type_of(m, indices))];
  const bool is_unsigned = parse_element_type(dtype).kind == kUnsignedInt;
  const AttrId outside = is_unsigned ? bound_of(m, dtype, true) : m.attrs.integer(-1);
  const OpMaker make = p.before_op(op);
  const ValueId fill = make.constant(with_shape(m, type_of(m, indices), {}), outside);
  fill_operand(p, op, number, fill, dims);
}

}  // namespace shardprop::detail
