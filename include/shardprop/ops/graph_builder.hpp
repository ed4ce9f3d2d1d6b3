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
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_builder.hpp"
#include "shardprop/support/inline.hpp"

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

  ValueId constant(AttrId value, TypeId type);
  // A scalar.
  ValueId constant(double value, std::string_view dtype);
  ValueId iota(TypeId type, std::int64_t dim);

  // --- Shapes and types ---

  ValueId convert(ValueId x, std::string_view dtype);
  ValueId reshape(ValueId x, ListArg<std::int64_t> shape);
  ValueId transpose(ValueId x, ListArg<std::int64_t> permutation);
  // Dimension i of `x` becomes dimension dims[i] of the result, which is of `shape`.
  ValueId broadcast_in_dim(ValueId x, ListArg<std::int64_t> shape, ListArg<std::int64_t> dims);
  ValueId slice(ValueId x, const SliceSpec& dims);
  ValueId concatenate(ListArg<ValueId> parts, std::int64_t dim);

  // --- Arithmetic ---

  ValueId dot_general(ValueId lhs, ValueId rhs, const DotSpec& dims);
  // Reduces `dims` of `x` with `body`, an operation of two operands such as stablehlo.add, from the
  // scalar `init` on.
  ValueId reduce(ValueId x, ValueId init, ListArg<std::int64_t> dims, std::string_view body);
  // `direction` is EQ, NE, GE, GT, LE or LT.
  ValueId compare(ValueId lhs, ValueId rhs, std::string_view direction);

  // --- Control flow ---

  using Condition = std::function<ValueId(IdRange<ValueId>)>;
  using Body = std::function<Values(IdRange<ValueId>)>;
  using Branch = std::function<Values()>;

  // Repeats `body` on the values while `condition` gives true. Gives their last ones.
  IdRange<ValueId> while_loop(ListArg<ValueId> values, const Condition& condition,
                              const Body& body);
  IdRange<ValueId> if_else(ValueId condition, const Branch& then, const Branch& otherwise);
  // The branch of number `index`, a scalar i32; the last one where there is no such branch.
  IdRange<ValueId> case_of(ValueId index, ListArg<Branch> branches);
  // Calls a function that is built already.
  IdRange<ValueId> call(std::string_view function, ListArg<ValueId> operands);

  // --- Shardings ---

  // `x` with a sharding that propagation takes as given.
  ValueId constrain(ValueId x, ShardingId sharding);

 private:
  AttrId integer(std::int64_t value) { return module().attrs.integer(value); }
  // None where `x` is, which the operation on it then reports.
  TypeId type(ValueId x) { return is_value(x) ? type_of(module(), x) : TypeId(); }
  TypeId like(ValueId x, std::span<const std::int64_t> shape);
  static RegionSpec region(const Branch& branch);
};

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/graph_builder_inl.hpp"
#endif
