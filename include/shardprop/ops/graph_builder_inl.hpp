// Definitions of graph_builder.hpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"

namespace shardprop {

SHARDPROP_INLINE ValueId GraphBuilder::constant(AttrId value, TypeId type) {
  return op_of_type("stablehlo.constant", {}, type, dict({{"value", value}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::constant(double value, std::string_view dtype) {
  return constant(module().attrs.number(value), tensor(dtype, {}));
}

SHARDPROP_INLINE ValueId GraphBuilder::iota(TypeId type, std::int64_t dim) {
  return op_of_type("stablehlo.iota", {}, type, dict({{"iota_dimension", integer(dim)}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::convert(ValueId x, std::string_view dtype) {
  if (!is_value(x)) return op("stablehlo.convert", {x});
  const auto shape = shape_of(module(), x);
  // The view of the table would not outlive a new type.
  return op_of_type("stablehlo.convert", {x}, tensor(dtype, Dims(shape.begin(), shape.end())));
}

SHARDPROP_INLINE ValueId GraphBuilder::reshape(ValueId x, ListArg<std::int64_t> shape) {
  return op_of_type("stablehlo.reshape", {x}, like(x, shape));
}

SHARDPROP_INLINE ValueId GraphBuilder::transpose(ValueId x, ListArg<std::int64_t> permutation) {
  return op("stablehlo.transpose", {x}, dict({{"permutation", ints(permutation)}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::broadcast_in_dim(ValueId x, ListArg<std::int64_t> shape,
                                                        ListArg<std::int64_t> dims) {
  return op_of_type("stablehlo.broadcast_in_dim", {x}, like(x, shape),
                    dict({{"broadcast_dimensions", ints(dims)}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::slice(ValueId x, const SliceSpec& dims) {
  const Dims ones(dims.start.size(), 1);
  return op("stablehlo.slice", {x},
            dict({{"start_indices", ints(dims.start)},
                  {"limit_indices", ints(dims.limit)},
                  {"strides", ints(dims.strides.empty() ? ones : dims.strides)}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::concatenate(ListArg<ValueId> parts, std::int64_t dim) {
  return op("stablehlo.concatenate", parts, dict({{"dimension", integer(dim)}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::dot_general(ValueId lhs, ValueId rhs, const DotSpec& dims) {
  std::vector<NamedAttr> numbers;
  if (!dims.lhs_batching.empty() || !dims.rhs_batching.empty()) {
    numbers.emplace_back("lhs_batching_dimensions", ints(dims.lhs_batching));
    numbers.emplace_back("rhs_batching_dimensions", ints(dims.rhs_batching));
  }
  numbers.emplace_back("lhs_contracting_dimensions", ints(dims.lhs_contracting));
  numbers.emplace_back("rhs_contracting_dimensions", ints(dims.rhs_contracting));
  return op("stablehlo.dot_general", {lhs, rhs}, dict({{"dot_dimension_numbers", dict(numbers)}}));
}

SHARDPROP_INLINE ValueId GraphBuilder::reduce(ValueId x, ValueId init, ListArg<std::int64_t> dims,
                                              std::string_view body) {
  const TypeId scalar = type(init);
  const RegionSpec region = {{scalar, scalar}, [&](IdRange<ValueId> at) {
                               return Values{op(body, {at[0], at[1]})};
                             }};
  return build("stablehlo.reduce", {x, init},
               {.attributes = dict({{"dimensions", ints(dims)}}), .regions = {region}})[0];
}

SHARDPROP_INLINE ValueId GraphBuilder::compare(ValueId lhs, ValueId rhs,
                                               std::string_view direction) {
  return op("stablehlo.compare", {lhs, rhs}, dict({{"comparison_direction", string(direction)}}));
}

SHARDPROP_INLINE IdRange<ValueId> GraphBuilder::while_loop(ListArg<ValueId> values,
                                                           const Condition& condition,
                                                           const Body& body) {
  std::vector<TypeId> types;
  for (ValueId value : values) types.push_back(type(value));
  const auto decide = [&](IdRange<ValueId> at) {
    return condition ? Values{condition(at)} : Values();
  };
  return build("stablehlo.while", values, {.regions = {{types, decide}, {types, body}}});
}

SHARDPROP_INLINE IdRange<ValueId> GraphBuilder::if_else(ValueId condition, const Branch& then,
                                                        const Branch& otherwise) {
  return build("stablehlo.if", {condition}, {.regions = {region(then), region(otherwise)}});
}

SHARDPROP_INLINE IdRange<ValueId> GraphBuilder::case_of(ValueId index, ListArg<Branch> branches) {
  std::vector<RegionSpec> regions;
  for (const Branch& branch : branches) regions.push_back(region(branch));
  return build("stablehlo.case", {index}, {.regions = std::move(regions)});
}

SHARDPROP_INLINE IdRange<ValueId> GraphBuilder::call(std::string_view function,
                                                     ListArg<ValueId> operands) {
  return build("func.call", operands, {.attributes = dict({{"callee", string(function)}})});
}

SHARDPROP_INLINE ValueId GraphBuilder::constrain(ValueId x, ShardingId sharding) {
  return build("sdy.sharding_constraint", {x}, {.shardings = {sharding}})[0];
}

SHARDPROP_INLINE TypeId GraphBuilder::like(ValueId x, std::span<const std::int64_t> shape) {
  if (!is_value(x)) return TypeId();
  return tensor(module().strings[module().types.dtype(type(x))], shape);
}

SHARDPROP_INLINE RegionSpec GraphBuilder::region(const Branch& branch) {
  return {{}, [&branch](IdRange<ValueId>) { return branch ? branch() : Values(); }};
}

}  // namespace shardprop
