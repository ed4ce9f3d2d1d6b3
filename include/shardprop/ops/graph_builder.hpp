// Builds programs of the operations that they are mostly made of, so that a caller gives operands
// and attributes and no shapes that could be wrong. Values are numbered in order, %0, %1, ...;
// arguments are %arg0, %arg1, ... unless they are named. Errors are kept: see op_builder.hpp, which
// has functions, meshes, and operations of any name. O(1) a value, plus inference.
//
// Worked example, y = x w with the batch split over an axis:
//   GraphBuilder b(m, table);
//   b.add_mesh("mesh", {{"data", 4}});
//   const auto args = b.begin_func("main", {{b.tensor("f32", {8, 32}), b.sharding(R"([{"data"}, {}])")},
//                                           {b.tensor("f32", {32, 16})}});
//   b.end_func({b.dot_general(args[0], args[1], {.lhs_contracting = {1}, .rhs_contracting = {0}})});
//
// A loop that squares x while the sum of its elements is below a limit:
//   const auto y = b.while_loop({x}, [&](auto at) { return b.compare(sum(at[0]), limit, "LT"); },
//                               [&](auto at) { return Values{b.op("stablehlo.multiply", {at[0], at[0]})}; });
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_builder.hpp"

namespace shardprop {

using Dims = std::vector<std::int64_t>;

struct DotSpec {
  Dims lhs_batching = {};
  Dims rhs_batching = {};
  Dims lhs_contracting = {};
  Dims rhs_contracting = {};
};

struct SliceSpec {
  Dims start;
  Dims limit;
  Dims strides = {};  // none: all 1
};

class GraphBuilder : public OpBuilder {
 public:
  using OpBuilder::OpBuilder;

  // --- Leaves ---

  ValueId constant(AttrId value, TypeId type) {
    return op_of_type("stablehlo.constant", {}, type, dict({{"value", value}}));
  }
  // A scalar.
  ValueId constant(double value, std::string_view dtype) {
    return constant(module().attrs.number(value), tensor(dtype, {}));
  }
  ValueId iota(TypeId type, std::int64_t dim) {
    return op_of_type("stablehlo.iota", {}, type, dict({{"iota_dimension", integer(dim)}}));
  }

  // --- Shapes and types ---

  ValueId convert(ValueId x, std::string_view dtype) {
    if (!is_value(x)) return op("stablehlo.convert", {x});
    const auto shape = shape_of(module(), x);
    // The view of the table would not outlive a new type.
    return op_of_type("stablehlo.convert", {x}, tensor(dtype, Dims(shape.begin(), shape.end())));
  }
  ValueId reshape(ValueId x, ListArg<std::int64_t> shape) {
    return op_of_type("stablehlo.reshape", {x}, like(x, shape));
  }
  ValueId transpose(ValueId x, ListArg<std::int64_t> permutation) {
    return op("stablehlo.transpose", {x}, dict({{"permutation", ints(permutation)}}));
  }
  // Dimension i of `x` becomes dimension dims[i] of the result, which is of `shape`.
  ValueId broadcast_in_dim(ValueId x, ListArg<std::int64_t> shape, ListArg<std::int64_t> dims) {
    return op_of_type("stablehlo.broadcast_in_dim", {x}, like(x, shape),
                      dict({{"broadcast_dimensions", ints(dims)}}));
  }
  ValueId slice(ValueId x, const SliceSpec& dims) {
    const Dims ones(dims.start.size(), 1);
    return op("stablehlo.slice", {x},
              dict({{"start_indices", ints(dims.start)},
                    {"limit_indices", ints(dims.limit)},
                    {"strides", ints(dims.strides.empty() ? ones : dims.strides)}}));
  }
  ValueId concatenate(ListArg<ValueId> parts, std::int64_t dim) {
    return op("stablehlo.concatenate", parts, dict({{"dimension", integer(dim)}}));
  }

  // --- Arithmetic ---

  ValueId dot_general(ValueId lhs, ValueId rhs, const DotSpec& dims) {
    std::vector<NamedAttr> numbers;
    if (!dims.lhs_batching.empty() || !dims.rhs_batching.empty()) {
      numbers.emplace_back("lhs_batching_dimensions", ints(dims.lhs_batching));
      numbers.emplace_back("rhs_batching_dimensions", ints(dims.rhs_batching));
    }
    numbers.emplace_back("lhs_contracting_dimensions", ints(dims.lhs_contracting));
    numbers.emplace_back("rhs_contracting_dimensions", ints(dims.rhs_contracting));
    return op("stablehlo.dot_general", {lhs, rhs},
              dict({{"dot_dimension_numbers", dict(numbers)}}));
  }
  // Reduces `dims` of `x` with `body`, an operation of two operands such as stablehlo.add, from the
  // scalar `init` on.
  ValueId reduce(ValueId x, ValueId init, ListArg<std::int64_t> dims, std::string_view body) {
    const TypeId scalar = type(init);
    const RegionSpec region = {{scalar, scalar}, [&](IdRange<ValueId> at) {
                                 return Values{op(body, {at[0], at[1]})};
                               }};
    return build("stablehlo.reduce", {x, init},
                 {.attributes = dict({{"dimensions", ints(dims)}}), .regions = {region}})[0];
  }
  // `direction` is EQ, NE, GE, GT, LE or LT.
  ValueId compare(ValueId lhs, ValueId rhs, std::string_view direction) {
    return op("stablehlo.compare", {lhs, rhs}, dict({{"comparison_direction", string(direction)}}));
  }

  // --- Control flow ---

  using Condition = std::function<ValueId(IdRange<ValueId>)>;
  using Body = std::function<Values(IdRange<ValueId>)>;
  using Branch = std::function<Values()>;

  // Repeats `body` on the values while `condition` gives true. Gives their last ones.
  IdRange<ValueId> while_loop(ListArg<ValueId> values, const Condition& condition,
                              const Body& body) {
    std::vector<TypeId> types;
    for (ValueId value : values) types.push_back(type(value));
    const auto decide = [&](IdRange<ValueId> at) {
      return condition ? Values{condition(at)} : Values();
    };
    return build("stablehlo.while", values, {.regions = {{types, decide}, {types, body}}});
  }
  IdRange<ValueId> if_else(ValueId condition, const Branch& then, const Branch& otherwise) {
    return build("stablehlo.if", {condition}, {.regions = {region(then), region(otherwise)}});
  }
  // The branch of number `index`, a scalar i32; the last one where there is no such branch.
  IdRange<ValueId> case_of(ValueId index, ListArg<Branch> branches) {
    std::vector<RegionSpec> regions;
    for (const Branch& branch : branches) regions.push_back(region(branch));
    return build("stablehlo.case", {index}, {.regions = std::move(regions)});
  }
  // Calls a function that is built already.
  IdRange<ValueId> call(std::string_view function, ListArg<ValueId> operands) {
    return build("func.call", operands, {.attributes = dict({{"callee", string(function)}})});
  }

  // --- Shardings ---

  // `x` with a sharding that propagation takes as given.
  ValueId constrain(ValueId x, ShardingId sharding) {
    return build("sdy.sharding_constraint", {x}, {.shardings = {sharding}})[0];
  }

 private:
  AttrId integer(std::int64_t value) { return module().attrs.integer(value); }
  // None where `x` is, which the operation on it then reports.
  TypeId type(ValueId x) { return is_value(x) ? type_of(module(), x) : TypeId(); }
  TypeId like(ValueId x, std::span<const std::int64_t> shape) {
    if (!is_value(x)) return TypeId();
    return tensor(module().strings[module().types.dtype(type(x))], shape);
  }
  static RegionSpec region(const Branch& branch) {
    return {{}, [&branch](IdRange<ValueId>) { return branch ? branch() : Values(); }};
  }
};

}  // namespace shardprop
