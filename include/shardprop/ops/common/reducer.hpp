// The function that a reduction applies to pairs of elements: the body of reduce, reduce_window,
// select_and_scatter, scatter and the reducing collectives. Worked example, reduce of
// tensor<8x4xf32> with an initial value of tensor<f32>: the body takes (tensor<E>, tensor<E>) and
// returns tensor<E>, where f32 can be promoted to E; the result has elements E.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// Whether `from` can be widened to `to`: the same sort of number with as many bits or more; a float
// to any float where `any_float` (StableHLO specification, `is_promotable`). Quantised types must
// express the same type.
inline bool is_promotable(std::string_view from, std::string_view to, bool any_float) {
  const ElementType a = parse_element_type(from);
  const ElementType b = parse_element_type(to);
  constexpr ElementClasses kIntegral = kBool | kInt;
  const bool same_sort = a.kind == b.kind || ((a.kind & kIntegral) && (b.kind & kIntegral));
  if (!same_sort || a.kind == kOther || a.kind == kToken) return false;
  if (a.kind == kQuantized && parse_quantized(from).expressed != parse_quantized(to).expressed)
    return false;
  return (any_float && a.kind == kFloat) || a.bits <= b.bits;
}

// What a reducer works on, one entry a reduced tensor.
struct ReducerUse {
  std::span<const TypeId> inputs;
  std::span<const TypeId> init_values;
  // The parameters may be tensors of some of these sizes, in this order; empty: they must be
  // scalars.
  std::span<const std::int64_t> allowed_dims = {};
  std::string_view constraint;      // that the body stands for, e.g. c6
  bool scalar_init_values = false;  // only the element types of `init_values` count
};

namespace detail {

// Inputs and their initial values, a reducer, and a result an input.
constexpr Signature kReducerSignature = {.max_results = kVariadic,
                                         .min_blocks = 1,
                                         .max_blocks = 1,
                                         .operand_classes = {kAnyTensorElement},
                                         .result_classes = {kAnyTensorElement}};

// Shapes go together and element types are equal, or both floats where `any_float`.
inline bool same_but_precision(const Module& m, TypeId a, TypeId b, bool any_float) {
  if (!m.types.is_tensor(a) || !m.types.is_tensor(b) ||
      !compatible_shapes(m.types.shape(a), m.types.shape(b))) {
    return false;
  }
  const std::string_view x = dtype_of(m, a);
  const std::string_view y = dtype_of(m, b);
  return x == y || (any_float && parse_element_type(x).kind == kFloat &&
                    parse_element_type(y).kind == kFloat);
}

// Whether the sizes of `shape` occur in `allowed` in this order.
inline bool is_made_of(std::span<const std::int64_t> shape, std::span<const std::int64_t> allowed) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < allowed.size() && found < shape.size(); ++i) {
    if (allowed[i] == shape[found] || allowed[i] == kDynamic || shape[found] == kDynamic) ++found;
  }
  return found == shape.size();
}

inline bool check_reduced_tensor(const VerifyInput& in, const Block& block, const ReducerUse& use,
                                 std::size_t i, TypeId returned) {
  const Module& m = in.m;
  const auto refuse = [&](std::string message) {
    report(in, use.constraint, std::move(message));
    return false;
  };
  const TypeId left = type_of(m, block.arguments[i]);
  const TypeId right = type_of(m, block.arguments[use.inputs.size() + i]);
  const auto mismatch = [&](std::size_t parameter, TypeId type) {
    return refuse(
        fmt::format("parameter {} of the body must be of the type that it returns, {}, found {}",
                    parameter, to_string(m, returned), to_string(m, type)));
  };
  if (!same_but_precision(m, returned, left, false)) return mismatch(i, left);
  if (!same_but_precision(m, returned, right, true)) return mismatch(use.inputs.size() + i, right);
  const TypeId init = use.init_values[i];
  const auto init_shape =
      use.scalar_init_values ? std::span<const std::int64_t>() : m.types.shape(init);
  if (!compatible_shapes(init_shape, m.types.shape(returned))) {
    return refuse(
        fmt::format("the body must return a tensor of the shape of initial value {}, {}, found {}",
                    i, to_string(init_shape), to_string(m, returned)));
  }
  if (!is_promotable(dtype_of(m, init), dtype_of(m, returned), true)) {
    return refuse(fmt::format(
        "initial value {} of elements {} cannot be promoted to what the body returns, {}", i,
        dtype_of(m, init), dtype_of(m, returned)));
  }
  if (!is_promotable(dtype_of(m, use.inputs[i]), dtype_of(m, right), true)) {
    return refuse(
        fmt::format("input {} of elements {} cannot be promoted to what the body takes, {}", i,
                    dtype_of(m, use.inputs[i]), dtype_of(m, right)));
  }
  if (!is_made_of(m.types.shape(right), use.allowed_dims)) {
    return refuse(
        fmt::format("the body must take scalars{}, found {}",
                    use.allowed_dims.empty() ? "" : " or tensors of dimensions that are left",
                    to_string(m, right)));
  }
  return true;
}

}  // namespace detail

// The types that the body returns; none after a diagnostic. Checks all that the specification says
// of a reducer: the numbers of parameters and returned values, their types, and that inputs and
// initial values can be promoted to them.
inline std::optional<std::vector<TypeId>> check_reducer(const VerifyInput& in, BlockId id,
                                                        const ReducerUse& use) {
  const Block& block = in.m.blocks[id];
  const std::size_t count = use.inputs.size();
  if (block.arguments.size() != 2 * count) {
    report(in, use.constraint,
           fmt::format("the body must take {} parameters, found {}", 2 * count,
                       block.arguments.size()));
    return std::nullopt;
  }
  std::vector<TypeId> returned;
  if (const OpId end = terminator(in.m, id); end.valid()) {
    for (UseId use_id : operand_uses(in.m, end))
      returned.push_back(type_of(in.m, in.m.uses[use_id].value));
  }
  if (returned.size() != count) {
    report(in, use.constraint,
           fmt::format("the body must return {} values, found {}", count, returned.size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!detail::check_reduced_tensor(in, block, use, i, returned[i])) return std::nullopt;
  }
  return returned;
}

}  // namespace shardprop
