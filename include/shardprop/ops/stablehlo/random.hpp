// Random numbers: rng, rng_bit_generator (StableHLO specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// The state is replicated before and after, and nothing propagates between the two; the numbers may
// be sharded at will.
inline std::optional<OpShardingRule> rng_bit_generator_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 1, 2)) return std::nullopt;
  const auto state = shape_of(in.m, operand(in.m, in.op, 0));
  const auto numbers = shape_of(in.m, result(in.m, in.op, 1));
  if (rank_of(in.m, result(in.m, in.op, 0)) != state.size()) return std::nullopt;
  RuleBuilder builder(in.m, in.op);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::int64_t dim = static_cast<std::int64_t>(i);
    builder.add({dim}, {dim, kNoDim}, state[i], {FactorKind::kNeedReplication, true});
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    builder.add({kNoDim}, {kNoDim, static_cast<std::int64_t>(i)}, numbers[i]);
  }
  return std::move(builder).build();
}

// The shape of the result is the value of an operand: dynamic where that is not a known constant.
inline InferredTypes infer_rng(const InferInput& input) {
  const VerifyInput in = input;
  AttributeReader reader(in);
  const std::string_view distribution = reader.text("rng_distribution");
  if (!reader.ok()) return std::nullopt;
  if (distribution != "UNIFORM" && distribution != "NORMAL") {
    return detail::refuse(
        input, "i4",
        fmt::format("'rng_distribution' must be UNIFORM or NORMAL, found {}", distribution));
  }
  const TypeId a = detail::operand_type(in.m, in.op, 0);
  const TypeId b = detail::operand_type(in.m, in.op, 1);
  for (std::size_t i = 0; i < 2; ++i) {
    const TypeId type = i == 0 ? a : b;
    if (in.m.types.rank(type) == 0) continue;
    return detail::refuse(
        input, i == 0 ? "i1" : "i2",
        fmt::format("operand {} must be a scalar, found {}", i, to_string(in.m, type)));
  }
  if (detail::dtype_of(in.m, a) != detail::dtype_of(in.m, b)) {
    return detail::refuse(
        input, "c1",
        fmt::format("both bounds must have the same element type, found {} and {}",
                    to_string(in.m, a), to_string(in.m, b)));
  }
  if (distribution == "NORMAL" && element_class(in.m, a) != kFloat) {
    return detail::refuse(
        input, "c2",
        fmt::format("a NORMAL distribution needs floats, found {}", to_string(in.m, a)));
  }
  if (!detail::check_list_operand(in, 2)) return std::nullopt;
  const ValueId sizes = operand(in.m, in.op, 2);
  const Shape unknown(static_cast<std::size_t>(shape_of(in.m, sizes)[0]), kDynamic);
  return detail::inferred(
      detail::with_shape(input.types, b, detail::constant_ints(in.m, sizes).value_or(unknown)));
}

// Only the state's type follows; the numbers are what the result says. How long a state is (C2)
// depends on the target in practice, so that it is not checked.
inline void verify_rng_bit_generator(const VerifyInput& in) {
  AttributeReader reader(in);
  const std::string_view algorithm = reader.text("rng_algorithm");
  if (reader.ok() && algorithm != "DEFAULT" && algorithm != "THREE_FRY" && algorithm != "PHILOX") {
    report(
        in, "i1",
        fmt::format("'rng_algorithm' must be DEFAULT, THREE_FRY or PHILOX, found {}", algorithm));
  }
  const TypeId before = detail::operand_type(in.m, in.op, 0);
  const TypeId after = type_of(in.m, result(in.m, in.op, 0));
  if (!compatible_types(in.m, before, after)) {
    report(in, "c1",
           fmt::format("the state must have the same type before and after, found {} and {}",
                       to_string(in.m, before), to_string(in.m, after)));
  }
}

inline constexpr OpDef kRandomOps[] = {
    {.name = "stablehlo.rng",
     .signature = {.min_operands = 3,
                   .max_operands = 3,
                   .operand_classes = {kBool | kInt | kFloat, kBool | kInt | kFloat, kInt | kOther},
                   .result_classes = {kBool | kInt | kFloat}},
     .infer = infer_rng,
     .result_constraint = "c3",
     .element_constraint = "c1",
     .inputs = "a, b, shape, rng_distribution"},
    {.name = "stablehlo.rng_bit_generator",
     .traits = kPure,
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .min_results = 2,
                   .max_results = 2,
                   .operand_classes = {kInt | kFloat},
                   .result_classes = {kInt | kFloat}},
     .rule = rng_bit_generator_rule,
     .verify = verify_rng_bit_generator,
     .inputs = "rng_algorithm, initial_state"},
};

}  // namespace shardprop
